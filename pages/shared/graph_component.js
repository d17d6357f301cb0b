// The live graph: a vis-network canvas that survives reruns.
// Called again on every rerun with the same element; the network is made once and fed differences, so
// that zoom, pan, selection and dragged positions stay. Text of documents only ever becomes canvas
// labels and text nodes, never markup.

const INSTANCES = new WeakMap();

const rows = (columns) =>
  columns.id.map((_, i) => Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values[i]])));

const theme = (element) => {
  const style = getComputedStyle(element);
  const read = (name, fallback) => style.getPropertyValue(name).trim() || fallback;
  return {
    text: read('--st-text-color', '#262730'),
    background: read('--st-background-color', '#ffffff'),
    primary: read('--st-primary-color', '#0f62fe'),
  };
};

const viewKey = (data) => `cnrag-view-${data.view}`;

const recall = (data) => {
  try { return JSON.parse(sessionStorage.getItem(viewKey(data))); } catch { return null; }
};

const remember = (state) => {
  try {
    const position = state.network.getViewPosition();
    sessionStorage.setItem(viewKey(state.data), JSON.stringify({ position, scale: state.network.getScale() }));
  } catch { /* private windows refuse storage; the view is then simply not kept */ }
};

function drawHulls(state, context) {
  for (const hull of state.data.hulls || []) {
    if (hull.points.length < 3) continue;
    context.beginPath();
    hull.points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.closePath();
    context.globalAlpha = 0.09; context.fillStyle = hull.color; context.fill();
    context.globalAlpha = 0.45; context.strokeStyle = hull.color;
    context.lineWidth = 1.2 / state.network.getScale(); context.stroke();
    context.globalAlpha = 1;
  }
}

// Names are drawn here, at the same size on the screen whatever the zoom, most important first, and
// only where they do not run into each other.
const MOST_NAMES = 60;

function drawNames(state, context) {
  const scale = state.network.getScale();
  const placed = [];
  const write = (text, x, y, size, weight, alpha) => {
    context.font = `${weight} ${size / scale}px ${state.font}`;
    const box = { w: context.measureText(text).width + 6 / scale, h: (size + 4) / scale };
    box.x = x - box.w / 2; box.y = y - box.h / 2;
    if (placed.some((b) => b.x < box.x + box.w && box.x < b.x + b.w && b.y < box.y + box.h && box.y < b.y + b.h)) return;
    placed.push(box);
    context.globalAlpha = alpha;
    context.lineWidth = 3.5 / scale; context.strokeStyle = state.theme.background; context.strokeText(text, x, y);
    context.fillStyle = state.theme.text; context.fillText(text, x, y);
    context.globalAlpha = 1;
  };
  context.textAlign = 'center'; context.textBaseline = 'middle'; context.lineJoin = 'round';
  for (const hull of state.data.hulls || []) {
    if (!hull.label || !hull.points.length) continue;
    const top = hull.points.reduce((best, p) => (p[1] < best[1] ? p : best));
    const centre = hull.points.reduce((sum, p) => sum + p[0], 0) / hull.points.length;
    write(hull.label, centre, top[1] - 10 / scale, 13, 600, state.lit ? 0.5 : 1);
  }
  const { clientWidth, clientHeight } = state.element;
  const low = state.network.DOMtoCanvas({ x: 0, y: 0 }), high = state.network.DOMtoCanvas({ x: clientWidth, y: clientHeight });
  let left = MOST_NAMES;
  for (const id of state.order) {
    if (left <= 0) break;
    if (state.lit && !state.lit.has(id)) continue;
    const node = state.network.body.nodes[id];
    if (!node || node.x < low.x || node.x > high.x || node.y < low.y || node.y > high.y) continue;
    const name = state.names.get(id);
    if (!name) continue;
    left -= 1;
    write(name, node.x, node.y + node.options.size + 9 / scale, 11.5, 400, 0.95);
  }
}

function spotlight(state) {
  // What stands out: an explicit highlight (results, path), else the selection with its neighbours.
  const selected = state.network.getSelectedNodes();
  let nodes = null, edges = null;
  if (state.data.highlight) {
    nodes = new Set([...state.data.highlight.nodes, ...selected]); edges = new Set(state.data.highlight.edges);
  } else if (selected.length) {
    nodes = new Set(selected); edges = new Set();
    for (const id of selected) {
      state.network.getConnectedNodes(id).forEach((n) => nodes.add(n));
      state.network.getConnectedEdges(id).forEach((e) => edges.add(e));
    }
  }
  const key = nodes ? [...nodes].sort().join('\u0000') + '|' + [...edges].sort().join('\u0000') : '';
  if (key === state.spotlightKey) return;
  state.spotlightKey = key;
  state.lit = nodes;
  state.nodes.update(state.nodes.get().map(({ id }) => ({ id, opacity: !nodes || nodes.has(id) ? 1 : 0.18 })));
  state.edges.update(state.edges.get().map((edge) => {
    const lit = !edges || edges.has(edge.id);
    const base = edge.own || 'rgb(128,134,150)';
    return { id: edge.id, color: { color: base, opacity: !edges ? 0.38 : lit ? 0.95 : 0.06, highlight: state.theme.primary } };
  }));
}

function feed(state) {
  const { data } = state;
  const nodes = rows(data.nodes).map(({ name, ...node }) => node);
  state.names = new Map(data.nodes.id.map((id, i) => [id, data.nodes.name[i]]));
  state.order = data.nodes.id.map((id, i) => [id, data.nodes.size[i]]).sort((a, b) => b[1] - a[1]).map(([id]) => id);
  const edges = rows(data.edges).map((e) => ({ ...e, own: e.color, color: { color: e.color || 'rgb(128,134,150)', opacity: 0.38 } }));
  const keptNodes = new Set(nodes.map((n) => n.id)), keptEdges = new Set(edges.map((e) => e.id));
  state.edges.remove(state.edges.getIds().filter((id) => !keptEdges.has(id)));
  state.nodes.remove(state.nodes.getIds().filter((id) => !keptNodes.has(id)));
  const known = new Set(state.nodes.getIds());
  const moved = data.layout !== state.layout;
  state.layout = data.layout;
  state.nodes.update(nodes.map((n) => {
    if (moved || !known.has(n.id)) return n;
    const { x, y, ...rest } = n;  // a dragged node stays where the person put it
    return rest;
  }));
  state.edges.update(edges);
  state.rev = data.rev;
  state.spotlightKey = undefined;
}

function create(element, data) {
  const state = { element, nodes: new vis.DataSet(), edges: new vis.DataSet(), data, names: new Map(), order: [], lit: null, rev: null, fitted: false, theme: theme(element) };
  state.font = getComputedStyle(element).fontFamily || 'sans-serif';
  state.network = new vis.Network(element, { nodes: state.nodes, edges: state.edges }, {
    physics: false,
    nodes: { shape: 'dot', borderWidth: 1, borderWidthSelected: 3 },
    edges: { smooth: false, hoverWidth: 1.5, selectionWidth: 1.5, arrows: { to: { scaleFactor: 0.5 } } },
    interaction: {
      hover: true, multiselect: true, tooltipDelay: 120, hideEdgesOnDrag: data.edges.id.length > 1500,
      hideEdgesOnZoom: data.edges.id.length > 1500, keyboard: { enabled: true, bindToWindow: false },
    },
  });
  element.cnragNetwork = state.network;
  const first = () => {
    if (state.fitted || !element.clientWidth) return;
    state.fitted = true;
    state.network.redraw();
    const before = recall(data);
    if (before) state.network.moveTo(before); else state.network.fit({ maxZoomLevel: 2 });
  };
  state.observer = new ResizeObserver(first);
  state.observer.observe(element);
  state.network.on('beforeDrawing', (context) => drawHulls(state, context));
  state.network.on('afterDrawing', (context) => drawNames(state, context));
  for (const event of ['zoom', 'dragEnd']) state.network.on(event, () => remember(state));
  return state;
}

function savePng(state) {
  const canvas = state.network.canvas.frame.canvas;
  const copy = document.createElement('canvas');
  copy.width = canvas.width; copy.height = canvas.height;
  const context = copy.getContext('2d');
  context.fillStyle = state.theme.background;
  context.fillRect(0, 0, copy.width, copy.height);
  context.drawImage(canvas, 0, 0);
  const link = document.createElement('a');
  link.download = 'network.png'; link.href = copy.toDataURL('image/png'); link.click();
}

export default async function ({ data, parentElement, setStateValue, setTriggerValue }) {
  while (!globalThis.vis?.Network) await new Promise((resolve) => setTimeout(resolve, 20));
  const element = parentElement.querySelector('.graph');
  element.style.height = `${data.height}px`;
  element.setAttribute('aria-label', data.alt);
  let state = INSTANCES.get(element);
  if (!state) { state = create(element, data); INSTANCES.set(element, state); }
  state.data = data;
  state.theme = theme(element);
  for (const event of ['select', 'doubleClick']) state.network.off(event);
  state.network.on('select', ({ nodes, edges }) => {
    spotlight(state);
    setStateValue('selected', { nodes, edges: nodes.length ? [] : edges });
  });
  state.network.on('doubleClick', ({ nodes }) => nodes.length && setTriggerValue('expand', nodes[0]));
  if (data.rev !== state.rev) feed(state);
  if (data.focus && data.focus !== state.focus && state.nodes.get(data.focus)) {
    state.network.selectNodes([data.focus]);
    if (state.fitted) state.network.focus(data.focus, { scale: Math.max(0.9, state.network.getScale()), animation: { duration: 350 } });
  }
  if (!data.focus && state.focus) state.network.unselectAll();
  state.focus = data.focus;
  spotlight(state);
  state.network.redraw();
  element.onkeydown = (event) => {
    const ids = data.nodes.id;
    const step = { n: 1, p: -1 }[event.key];
    if (!step || !ids.length || event.ctrlKey || event.metaKey) return;
    const at = ids.indexOf(state.network.getSelectedNodes()[0]);
    const next = ids[(at + step + ids.length) % ids.length];
    state.network.selectNodes([next]);
    state.network.focus(next, { scale: Math.max(0.9, state.network.getScale()) });
    spotlight(state);
    setStateValue('selected', { nodes: [next], edges: [] });
  };
  parentElement.querySelector('.fit').onclick = () => { state.network.fit({ animation: { duration: 300 } }); remember(state); };
  parentElement.querySelector('.png').onclick = () => savePng(state);
  parentElement.querySelector('.full').onclick = () => {
    const box = parentElement.querySelector('.box');
    if (document.fullscreenElement) document.exitFullscreen(); else box.requestFullscreen?.();
  };
  return () => { state.observer.disconnect(); state.network.destroy(); INSTANCES.delete(element); };
}
