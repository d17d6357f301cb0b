// The live graph: a vis-network canvas that survives reruns.
// Called again on every rerun with the same element; the network is made once and fed differences, so
// that zoom, pan, selection and dragged positions stay. Text of documents only ever becomes canvas
// labels and text nodes, never markup.

const INSTANCES = new WeakMap();

const rows = (columns) =>
  columns.id.map((_, i) => Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values[i]])));

function readTheme(element) {
  const style = getComputedStyle(element);
  const read = (name, fallback) => style.getPropertyValue(name).trim() || fallback;
  const background = read('--st-background-color', '#ffffff');
  const dark = luminance(background) < 0.4;
  return {
    text: read('--st-text-color', '#262730'), background, dark,
    primary: read('--st-primary-color', '#0f62fe'), edge: dark ? '#a7b0c4' : '#5b6478',
  };
}

// Any colour that a style sheet may say, in numbers; each is worked out once, for there are few and many ask.
const COLORS = new Map();

function rgb(color) {
  if (!COLORS.has(color)) {
    const context = document.createElement('canvas').getContext('2d');
    context.fillStyle = color;
    const found = context.fillStyle;
    COLORS.set(color, found.startsWith('#')
      ? [1, 3, 5].map((i) => parseInt(found.slice(i, i + 2), 16))
      : found.match(/[\d.]+/g).slice(0, 3).map(Number));
  }
  return COLORS.get(color);
}

const luminance = (color) => { const [r, g, b] = rgb(color); return (0.299 * r + 0.587 * g + 0.114 * b) / 255; };
const blend = (color, other, share) => {
  const a = rgb(color), b = rgb(other);
  return `rgb(${a.map((value, i) => Math.round(value + (b[i] - value) * share)).join(',')})`;
};

// Zoom and pan of each view, kept by the browser for as long as the tab lives.

const viewKey = (view) => `cnrag-view-${view}`;

const recall = (view) => { try { return JSON.parse(sessionStorage.getItem(viewKey(view))); } catch { return null; } };

function forget(view) { try { sessionStorage.removeItem(viewKey(view)); } catch { /* as below */ } }

function remember(state) {
  if (!state.fitted || !state.moved) return;
  try {
    const position = state.network.getViewPosition(), { focus = null } = state;
    sessionStorage.setItem(viewKey(state.view), JSON.stringify({ position, scale: state.network.getScale(), focus }));
  } catch { /* private windows refuse storage; the view is then simply not kept */ }
}

function showView(state, view, animation = false) {
  state.view = view;
  const before = recall(view);
  state.moved = Boolean(before);
  if (before) state.network.moveTo({ position: before.position, scale: before.scale, animation }); else fitTo(state, null, animation);
}

// The nodes with these ids, or all, as large as they fit; room for the buttons above and for names around.
const MARGIN = { top: 54, side: 34, bottom: 34 };
const MARGIN_OF_RINGS = { top: 80, side: 130, bottom: 50 };
const CLOSEST = 2.5;

function fitTo(state, ids, animated = true) {
  const { nodes } = state.network.body;
  const wanted = (ids || state.network.body.nodeIndices).map((id) => nodes[id]).filter(Boolean);
  if (!wanted.length) return;
  const reach = (sign, axis) => Math.max(...wanted.map((node) => sign * node[axis] + node.options.size));
  const left = -reach(-1, 'x'), right = reach(1, 'x'), top = -reach(-1, 'y'), bottom = reach(1, 'y');
  const { clientWidth, clientHeight } = state.element, margin = state.data.rings ? MARGIN_OF_RINGS : MARGIN;
  const scale = Math.min(
    Math.max(clientWidth - 2 * margin.side, 50) / Math.max(right - left, 1),
    Math.max(clientHeight - margin.top - margin.bottom, 50) / Math.max(bottom - top, 1), CLOSEST);
  const position = { x: (left + right) / 2, y: (top + bottom) / 2 - (margin.top - margin.bottom) / 2 / scale };
  state.network.moveTo({ position, scale, animation: animated ? { duration: 350 } : false });
  state.moved = false;
  forget(state.view);
}

// What stands out, in this order: what is pointed at, what was asked for (results, a path), what was
// filtered for in the list, what is selected with its neighbours.

function litPart(state) {
  const { network, pointed, found, data } = state;
  const around = (ids) => {
    const nodes = new Set(ids), edges = new Set();
    for (const id of ids) {
      if (!network.body.nodes[id]) continue;
      network.getConnectedNodes(id).forEach((n) => nodes.add(n));
      network.getConnectedEdges(id).forEach((e) => edges.add(e));
    }
    return { nodes, edges };
  };
  if (pointed?.node !== undefined) return { ...around([pointed.node]), passing: true };
  if (pointed?.group !== undefined) {
    const nodes = new Set([...state.groups].filter(([, group]) => group === pointed.group).map(([id]) => id));
    return { nodes, edges: new Set(), groups: new Set([pointed.group]), passing: true };
  }
  const selected = network.getSelectedNodes(), edge = network.getSelectedEdges();
  if (data.highlight) return { nodes: new Set([...data.highlight.nodes, ...selected]), edges: new Set(data.highlight.edges) };
  if (found) return { nodes: found, edges: new Set() };
  if (selected.length > 1) {
    const pair = new Set(selected);
    return { nodes: pair, edges: new Set(network.body.edgeIndices.filter((id) => { const e = network.body.edges[id]; return pair.has(e.fromId) && pair.has(e.toId); })) };
  }
  if (selected.length) return around(selected);
  if (edge.length === 1) return { nodes: new Set(network.getConnectedNodes(edge[0])), edges: new Set(edge) };
  return null;
}

function refocus(state) {
  if (!state.network) return;
  state.lit = litPart(state);
  if (state.fitted) state.network.body.emitter.emit('_requestRedraw');  // once a frame, whoever else asks for it
}

// The library draws everything anew with every change of its data; what is done inside is drawn once, afterwards.
function undrawn(state, change) {
  const { renderer } = state.network, { allowRedraw, redrawRequested } = renderer;
  renderer.allowRedraw = false;
  try { change(); } finally { Object.assign(renderer, { allowRedraw, redrawRequested }); }
}

function point(state, what) {
  const key = JSON.stringify(what);
  if (key === state.pointedKey) return;
  state.pointedKey = key; state.pointed = what;
  refocus(state);
}

// A choice made here: the graph shows it at once, Python hears of it, and its echo moves nothing.
function pick(state, id) {
  state.network.selectNodes([id]);
  state.focus = id;
  bringIntoView(state, id);
  chosen(state, [id], []);
}

function chosen(state, nodes, edges) {
  state.pointed = null; state.pointedKey = 'null';
  if (nodes.length === 1) state.focus = nodes[0];
  if (!nodes.length) state.focus = null;
  markRow(state);
  refocus(state);
  // `at` makes every choice a new one: choosing the same document again after Python chose another counts.
  state.send.state('selected', { nodes, edges: nodes.length ? [] : edges, at: Date.now() });
}

function feed(state) {
  const { data, theme } = state;
  const look = (color) => {
    const border = blend(color, theme.dark ? '#ffffff' : '#000000', 0.28);
    return { background: color, border, highlight: { background: color, border: theme.text }, hover: { background: color, border: theme.text } };
  };
  const nodes = rows(data.nodes).map(({ name, group, color, ...node }) => ({ ...node, color: look(color), borderWidth: 1 }));
  state.names = new Map(data.nodes.id.map((id, i) => [id, data.nodes.name[i]]));
  state.groups = new Map(data.nodes.id.map((id, i) => [id, (data.nodes.group || [])[i] || '']));
  state.order = data.nodes.id.map((id, i) => [id, data.nodes.size[i]]).sort((a, b) => b[1] - a[1]).map(([id]) => id);
  const widths = data.edges.width.filter((_, i) => !data.edges.id[i].startsWith('L'));
  const [thin, thick] = [Math.min(...widths), Math.max(...widths)];
  state.lines = new Map();
  const edges = rows(data.edges).map(({ id, from, to, title, width, color, dashes, arrows }) => {
    const typed = id.startsWith('L'), share = thick > thin ? (width - thin) / (thick - thin) : 0.25;
    state.lines.set(id, { id, typed, color: typed ? readable(state, color) : null, dashes, arrows, own: width, width: Math.min(N_WIDTHS - 1, Math.floor(share * N_WIDTHS)) });
    return { id, from, to, title };
  });
  state.plain = [...state.lines.values()].filter((line) => !line.typed);
  state.typed = [...state.lines.values()].filter((line) => line.typed);
  const sizes = [...data.nodes.size].sort((a, b) => a - b);
  state.middleSize = sizes[Math.floor(sizes.length / 2)] || 10;
  const keptNodes = new Set(nodes.map((n) => n.id)), keptEdges = new Set(edges.map((e) => e.id));
  state.edges.remove(state.edges.getIds().filter((id) => !keptEdges.has(id)));
  state.nodes.remove(state.nodes.getIds().filter((id) => !keptNodes.has(id)));
  const known = new Set(state.nodes.getIds());
  const moved = data.layout !== state.layout, places = recallPlaces(data.layout);
  state.layout = data.layout;
  state.nodes.update(nodes.map((n) => {
    const { x, y, ...rest } = n;
    if (n.id in places) return { ...rest, x: places[n.id][0], y: places[n.id][1] };  // where the person put it
    return moved || !known.has(n.id) ? n : rest;
  }));
  showPutBack(state);
  state.edges.update(edges);
  state.rev = revisionOf(state);
}

const revisionOf = ({ data, theme }) => `${data.rev}|${theme.background}`;

// A colour that stays readable as text on either ground.
function readable(state, color) {
  return state.theme.dark ? blend(color, '#ffffff', 0.45) : color;
}

function create(parentElement, data) {
  const element = parentElement.querySelector('.graph');
  const state = {
    element, root: parentElement, nodes: new vis.DataSet(), edges: new vis.DataSet(), data, names: new Map(), groups: new Map(),
    lines: new Map(), plain: [], typed: [], middleSize: 10, order: [], lit: null, pointed: null, pointedKey: 'null', found: null, rowsToCome: [], rev: null, fitted: false,
    theme: readTheme(element), font: getComputedStyle(element).fontFamily || 'sans-serif', view: data.view, send: null,
  };
  state.ink = (color) => (state.theme.dark ? blend(color, '#ffffff', 0.5) : blend(color, '#000000', 0.35));
  state.named = () => {
    const ids = [...state.network.getSelectedNodes()];
    if (state.pointed?.node !== undefined) ids.unshift(state.pointed.node);
    if (!ids.length) state.network.getSelectedEdges().forEach((id) => ids.push(...state.network.getConnectedNodes(id)));
    return [...new Set([...ids, ...(state.data.highlight?.nodes || []).slice(0, 12)])];
  };
  state.network = new vis.Network(element, { nodes: state.nodes, edges: state.edges }, {
    physics: false,
    nodes: { shape: 'dot', borderWidthSelected: 3 },
    edges: { smooth: false },
    interaction: { hover: true, multiselect: true, tooltipDelay: 140, keyboard: { enabled: true, bindToWindow: false } },
  });
  takeOverEdges(state);
  state.network.renderer.allowRedraw = false;  // until it has a size and everything has its place
  element.cnragNetwork = state.network;
  element.cnragState = state;
  const first = () => {
    if (!element.clientWidth || !element.clientHeight) return;
    if (state.fitted) {  // the window has changed: what showed everything still does
      if (!state.moved) { state.network.setSize('100%', '100%'); fitTo(state, state.data.fit?.ids || null, false); }
      return;
    }
    undrawn(state, () => {
      state.network.redraw();  // it takes the size of its place
      state.fitted = true;
      showView(state, state.view);
      if (state.data.fit && !state.moved) fitTo(state, state.data.fit.ids, false);
      // Whoever moved away from the chosen document and comes back finds what they left.
      if (state.waiting && recall(state.view)?.focus !== state.waiting) bringIntoView(state, state.waiting, false);
      state.waiting = null;
    });
    Object.assign(state.network.renderer, { allowRedraw: true, redrawRequested: false });
    state.network.redraw();  // at once: this frame shows it
  };
  state.observer = new ResizeObserver(first);
  state.observer.observe(element);
  state.network.on('beforeDrawing', (context) => {
    const scale = state.network.getScale();
    drawHulls(state, context, scale);
    drawEdges(state, context, scale);
  });
  state.network.on('afterDrawing', (context) => {
    const area = visibleArea(state);
    drawSpotlight(state, context, area);
    drawNames(state, context, area, state.network.getScale());
    drawMinimap(state, area);
  });
  state.network.on('dragEnd', ({ nodes: ids }) => ids.length && rememberPlaces(state, ids));
  for (const event of ['zoom', 'dragEnd']) state.network.on(event, () => { state.moved = true; remember(state); });
  state.network.on('animationFinished', () => remember(state));
  state.network.on('hoverNode', ({ node }) => point(state, { node }));
  state.network.on('blurNode', () => point(state, null));
  state.network.on('dragStart', () => point(state, null));
  return state;
}

function centre(state, id, animated = true) {
  if (!state.nodes.get(id)) return;
  state.moved = true;
  state.network.focus(id, { scale: Math.max(state.readableScale(id), state.network.getScale()), animation: animated ? { duration: 350 } : false });
}

// Moves only where it has to: a document that is on the screen already stays where it is.
function bringIntoView(state, id, animated = true) {
  const node = state.network.body.nodes[id], area = visibleArea(state);
  const within = (at, low, length) => at > low + 0.04 * length && at < low + 0.96 * length;
  if (!node || (within(node.x, area.x, area.width) && within(node.y, area.y, area.height))) return;
  state.moved = true;
  state.network.focus(id, { scale: state.network.getScale(), animation: animated ? { duration: 300 } : false });
}

function connectTools(state, parentElement) {
  const tool = (name, action) => { parentElement.querySelector(`.${name}`).onclick = action; };
  tool('fit', () => fitTo(state, null));
  const zoom = (factor) => { state.moved = true; state.network.moveTo({ scale: state.network.getScale() * factor, animation: { duration: 150 } }); };
  tool('in', () => zoom(1.35));
  tool('out', () => zoom(1 / 1.35));
  tool('png', () => savePng(state));
  tool('full', () => {
    const box = parentElement.querySelector('.box');
    if (document.fullscreenElement) document.exitFullscreen(); else box.requestFullscreen?.();
  });
  tool('put-back', () => forgetPlaces(state));
  connectMinimap(state);
  tool('keys', () => { const help = parentElement.querySelector('.help'); help.hidden = !help.hidden; });
  tool('side-toggle', () => parentElement.querySelector('.box').classList.toggle('no-side'));
}

function onKey(state, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const ids = state.data.list?.order || state.order;
  const selected = state.network.getSelectedNodes()[0];
  const step = { n: 1, p: -1 }[event.key];
  if (step && ids.length) {
    const next = ids[(ids.indexOf(selected) + step + ids.length) % ids.length];
    pick(state, next);
  } else if (event.key === 'e' && selected) state.send.trigger('expand', selected);
  else if (event.key === 'f') fitTo(state, null);
  else if (event.key === 'Escape') { state.network.unselectAll(); chosen(state, [], []); } else return;
  event.preventDefault();
}

// What is newly looked at is explained beside the graph, from the beginning.
function toTheTop(state, lookedAt) {
  const key = JSON.stringify(lookedAt || null);
  if (state.lookedAt !== undefined && key !== state.lookedAt) document.querySelector('.st-key-net_panel')?.scrollTo({ top: 0 });
  state.lookedAt = key;
}

// The address follows every click. One entry in the history for each would make the button Back of the browser lead
// through addresses that nobody can see, instead of to the page before.
function oneEntryAPage() {
  if (globalThis.cnragHistory) return;
  const { pushState } = History.prototype;
  globalThis.cnragHistory = history.pushState = function (state, unused, url) {
    const stays = new URL(url ?? '', location.href).pathname === location.pathname;
    return stays ? this.replaceState(state, unused, url) : pushState.call(this, state, unused, url);
  };
}

export default async function render({ data: sent, parentElement, setStateValue, setTriggerValue }) {
  oneEntryAPage();
  while (!globalThis.vis?.Network) await new Promise((resolve) => setTimeout(resolve, 20));
  const element = parentElement.querySelector('.graph'), data = await withPicture(sent, element);
  if (!data) return undefined;
  element.setAttribute('aria-label', data.alt);
  parentElement.querySelector('.box').style.setProperty('--graph-height', data.height);
  parentElement.querySelector('.box').classList.toggle('bare', !data.list && !data.legend);
  let state = INSTANCES.get(element);
  if (!state) { state = create(parentElement, data); INSTANCES.set(element, state); }
  const changesView = state.fitted && data.view !== state.view;
  if (changesView) remember(state);
  state.data = data;
  state.theme = readTheme(element);
  state.send = { state: setStateValue, trigger: setTriggerValue };
  state.readableScale = (id) => Math.min(2, 11 / Math.max(state.network.body.nodes[id]?.options.size || 11, 1));
  for (const event of ['select', 'doubleClick']) state.network.off(event);
  state.network.on('select', ({ nodes, edges }) => chosen(state, nodes, edges));
  state.network.on('doubleClick', ({ nodes }) => nodes.length && setTriggerValue('expand', nodes[0]));
  const kept = state.network.getSelectedNodes();
  if (revisionOf(state) !== state.rev) {
    undrawn(state, () => {
      feed(state);
      state.network.selectNodes(kept.filter((id) => state.nodes.get(id)));
    });
  }
  buildLegend(state);
  buildList(state);
  if (changesView) showView(state, data.view);
  else state.view = data.view;
  if (data.fit && data.fit.key !== state.fitKey && state.fitted) fitTo(state, data.fit.ids);
  state.fitKey = data.fit?.key;
  if (data.focus !== state.focus) {
    if (data.focus && state.nodes.get(data.focus)) {
      state.network.selectNodes([data.focus]);
      if (state.fitted) bringIntoView(state, data.focus); else state.waiting = data.focus;
    } else if (!data.focus && kept.length < 2) undrawn(state, () => state.network.unselectAll());
    state.focus = data.focus;
  }
  if (data.centre !== state.centre && data.focus && state.fitted) centre(state, data.focus);
  state.centre = data.centre;
  toTheTop(state, data.lookedAt);
  markRow(state);
  refocus(state);
  element.onkeydown = (event) => onKey(state, event);
  element.onmouseleave = () => { point(state, null); state.network.interactionHandler?.popup?.hide(); };
  connectTools(state, parentElement);
  return () => { state.observer.disconnect(); state.network.destroy(); INSTANCES.delete(element); };
}
