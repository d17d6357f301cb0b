// Drawing on the canvas of the live graph: outlines, names, the spotlight, and the picture for saving.
// Everything goes through one 2-D context in layout units, so that the screen and a saved picture are
// drawn by the same code. Text of documents only ever becomes pixels here.

const MOST_NAMES = 60;
const FADE = 0.8;         // how far what is not meant recedes
const FADE_HOVER = 0.62;

// The polygon as a closed curve through the middles of its sides: rounded, and never outside of it.
function outline(context, points) {
  const middle = (a, b) => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  const start = middle(points[points.length - 1], points[0]);
  context.beginPath();
  context.moveTo(...start);
  points.forEach((point, i) => context.quadraticCurveTo(...point, ...middle(point, points[(i + 1) % points.length])));
  context.closePath();
}

function drawHulls(state, context, scale) {
  for (const hull of state.data.hulls || []) {
    if (hull.points.length < 3) continue;
    outline(context, hull.points);
    context.globalAlpha = state.theme.dark ? 0.13 : 0.09; context.fillStyle = hull.color; context.fill();
    context.globalAlpha = 0.4; context.strokeStyle = hull.color; context.lineWidth = 1.2 / scale; context.stroke();
    context.globalAlpha = 1;
  }
}

// Edges are drawn here instead of by the library: by five widths on the screen, each in one stroke, so that
// thousands cost little and are neither hair nor rope at any zoom. In an overview widths are lengths.
const N_WIDTHS = 5;

function drawEdges(state, context, scale) {
  const { edges } = state.network.body;
  const grow = Math.min(2.2, Math.max(0.75, Math.sqrt((state.middleSize * scale) / 5)));
  context.save();
  context.strokeStyle = state.theme.edge;
  context.globalAlpha = state.data.bundles ? 0.4 : Math.min(0.5, Math.max(0.16, 14 / Math.sqrt(state.plain.length + 1)));
  for (let width = 0; width < N_WIDTHS; width += 1) {
    context.beginPath();
    for (const line of state.plain) {
      if (line.width !== width) continue;
      const edge = edges[line.id];
      if (!edge || !edge.connected) continue;
      if (state.data.bundles) { context.lineWidth = line.own; context.beginPath(); }
      context.moveTo(edge.from.x, edge.from.y); context.lineTo(edge.to.x, edge.to.y);
      if (state.data.bundles) context.stroke();
    }
    if (state.data.bundles) continue;
    context.lineWidth = ((0.7 + 0.65 * width) * grow) / scale;
    context.stroke();
  }
  context.restore();
  for (const line of state.typed) if (edges[line.id]?.connected) drawLine(state, context, edges[line.id], 0.8, scale);
}

// Everything but the lit part recedes behind a veil of the page's own colour, and the lit part is drawn
// again on top: no data changes, so that pointing at something costs one redraw.
function drawSpotlight(state, context, area) {
  const { lit } = state;
  if (!lit) return;
  const { nodes, edges } = state.network.body;
  context.save();
  context.globalAlpha = lit.passing ? FADE_HOVER : FADE;
  context.fillStyle = state.theme.background;
  context.fillRect(area.x, area.y, area.width, area.height);
  context.globalAlpha = 1;
  const scale = state.network.getScale();
  for (const id of lit.edges) if (edges[id]?.connected) drawLine(state, context, edges[id], 0.9, scale);
  for (const id of lit.nodes) if (nodes[id]) nodes[id].draw(context);
  context.restore();
}

function drawLine(state, context, edge, alpha, scale) {
  const { from, to } = edge, line = state.lines.get(edge.id);
  const grow = Math.min(2.2, Math.max(0.75, Math.sqrt((state.middleSize * scale) / 5)));
  context.save();
  context.strokeStyle = context.fillStyle = line.typed ? line.color : state.theme.edge;
  context.globalAlpha = alpha;
  context.lineWidth = state.data.bundles ? line.own : ((line.typed ? 1.7 : 1.2 + 0.65 * line.width) * grow) / scale;
  if (line.dashes) context.setLineDash(line.dashes.map((length) => length / scale));
  context.beginPath(); context.moveTo(from.x, from.y); context.lineTo(to.x, to.y); context.stroke();
  if (line.arrows) {
    context.setLineDash([]);
    const angle = Math.atan2(to.y - from.y, to.x - from.x), reach = to.options.size + 1;
    const size = Math.max(to.options.size * 0.5, 8 / scale);
    context.translate(to.x - reach * Math.cos(angle), to.y - reach * Math.sin(angle));
    context.rotate(angle);
    context.beginPath(); context.moveTo(0, 0); context.lineTo(-size, size / 2.4); context.lineTo(-size, -size / 2.4);
    context.closePath(); context.fill();
  }
  context.restore();
}

// Names have the same size on the screen whatever the zoom, the most important come first, and one is
// left out rather than written across another.
function drawNames(state, context, area, scale) {
  if (state.data.bundles) { drawDiscNames(state, context, area, scale); return; }
  const taken = [toolbar(state)], discs = discIndex(state, area);
  const free = (box) => !taken.some((b) => b.x < box.x + box.w && box.x < b.x + b.w && b.y < box.y + box.h && box.y < b.y + b.h);
  const inArea = (box) => box.x > area.x && box.x + box.w < area.x + area.width && box.y > area.y && box.y + box.h < area.y + area.height;
  // Of the places that are free of other names, the one that covers fewest documents, if that is few enough.
  const write = (text, places, { size, weight, alpha, color, most, covers, except, group, also = () => 0 }) => {
    context.font = `${weight} ${size / scale}px ${state.font}`;
    const lines = wrapped(context, text, most / scale);
    const w = Math.max(...lines.map((line) => context.measureText(line).width)) + 8 / scale;
    const step = (size * 1.18) / scale, h = lines.length * step + 2 / scale;
    let best = null;
    for (const [x, y, cost = 0] of places(w, h)) {
      const box = { x: x - w / 2, y: y - h / 2, w, h };
      if (!inArea(box) || !free(box)) continue;
      const covered = discs(box, except, group) + cost + also(box);
      if (covered <= covers && (!best || covered < best.covered)) best = { x, y, box, covered };
      if (best && !best.covered) break;
    }
    if (!best) return;
    taken.push(best.box);
    context.globalAlpha = alpha;
    context.lineWidth = 3.6 / scale; context.strokeStyle = state.theme.background; context.fillStyle = color;
    lines.forEach((line, i) => {
      const at = best.y + (i - (lines.length - 1) / 2) * step;
      context.strokeText(line, best.x, at); context.fillText(line, best.x, at);
    });
    context.globalAlpha = 1;
  };
  context.textAlign = 'center'; context.textBaseline = 'middle'; context.lineJoin = 'round';
  const { nodes } = state.network.body;
  const visible = (node) => node && node.x > area.x && node.x < area.x + area.width && node.y > area.y && node.y < area.y + area.height;
  // A name above or below its document moves aside rather than over the edge of the canvas.
  const inside = (x, w) => {
    const right = area.x + area.width - w / 2 - 1 / scale, left = area.x + w / 2 + 1 / scale;
    return x < area.x || x > area.x + area.width || left > right ? x : Math.min(Math.max(x, left), right);
  };
  // In rings a name stands on the outer side of its document, where nothing else is.
  const outside = (node) => (w, h) => {
    const angle = Math.atan2(node.y, node.x), reach = node.options.size + 4 / scale;
    return [[node.x + Math.cos(angle) * (reach + w / 2), node.y + Math.sin(angle) * (reach + h / 2)]];
  };
  const beside = (node) => (w, h) => {
    if (state.data.rings && (node.x || node.y)) return [...outside(node)(w, h), [node.x, node.y + node.options.size + h / 2 + 3 / scale]];
    const gap = node.options.size + h / 2 + 3 / scale, side = node.options.size + w / 2 + 2 / scale;
    const x = inside(node.x, w);
    return [[x, node.y + gap], [x, node.y - gap], [node.x + side, node.y], [node.x - side, node.y]];
  };
  const plain = { size: 11.5, weight: 400, alpha: 0.95, color: state.theme.text, most: 150, covers: 0 };
  // What is selected or pointed at is named first, in full, and whatever it covers; then what was asked for, unless
  // its name would hide another that was.
  const done = new Set(state.named()), must = new Set([...state.network.getSelectedNodes(), state.pointed?.node]);
  for (const id of done) {
    if (visible(nodes[id])) write(state.names.get(id) || '', beside(nodes[id]), { ...plain, size: 12.5, weight: 600, most: 260, covers: must.has(id) || !state.data.highlight ? Infinity : 2, except: id });
  }
  if (state.lit) {
    let left = 25;
    for (const id of state.order) {
      if (left <= 0) break;
      if (!state.lit.nodes.has(id) || done.has(id) || !visible(nodes[id])) continue;
      left -= 1;
      write(state.names.get(id) || '', beside(nodes[id]), { ...plain, covers: 6, except: id });
    }
  }
  for (const hull of state.data.hulls || []) {
    if (!hull.label || !hull.points.length) continue;
    const quiet = state.lit && !(state.lit.groups && state.lit.groups.has(hull.group));
    write(hull.label, (w, h) => hullPlaces(hull, scale, w, h).map(([x, y, cost]) => [inside(x, w), y, cost]), {
      size: 13, weight: 650, alpha: quiet ? 0.4 : 1, color: state.ink(hull.color), most: 170, covers: MOST_COVERED,
      group: hull.group, also: (box) => onOthers(state.data.hulls, hull, box),
    });
  }
  if (state.lit) return;
  let left = MOST_NAMES;
  for (const id of state.order) {
    if (left <= 0) break;
    const node = nodes[id], name = state.names.get(id);
    if (!name || !visible(node)) continue;
    left -= 1;
    if (node.options.size * scale > 3) write(name, beside(node), { ...plain, covers: state.data.nodes.id.length > 60 ? 0 : 2, except: id });
  }
}

// In an overview a disc has room for its own name, in black or white, whichever its colour bears; the name
// of a small one stands beside it, where that is free.
function drawDiscNames(state, context, area, scale) {
  const discs = discIndex(state, area), taken = [];
  context.textAlign = 'center'; context.textBaseline = 'middle'; context.lineJoin = 'round';
  const named = state.named();
  state.data.nodes.id.forEach((id, i) => {
    const node = state.network.body.nodes[id];
    if (!node) return;
    const r = node.options.size * scale, inside = r > 22;
    let size = Math.max(10, Math.min(15, r / 3.6));
    context.font = `600 ${size / scale}px ${state.font}`;
    const longest = Math.max(...(state.names.get(id) || '').split(/\s+/).map((word) => context.measureText(word).width)) * scale;
    if (inside && longest > 1.6 * r) size = Math.max(8.5, (size * 1.6 * r) / longest);
    context.font = `600 ${size / scale}px ${state.font}`;
    const lines = wrapped(context, state.names.get(id) || '', (inside ? 1.6 * r : 130) / scale, inside ? 4 : 2);
    const step = (size * 1.15) / scale, h = lines.length * step;
    let { x, y: middle } = node;
    if (!inside) {  // beside it where it is whole and covers neither a disc nor a name; what is pointed at, in any case
      const w = Math.max(...lines.map((line) => context.measureText(line).width)), gap = node.options.size + 3 / scale;
      const places = [[x, middle + gap + h / 2], [x, middle - gap - h / 2], [x + gap + w / 2, middle], [x - gap - w / 2, middle]];
      const free = (box) => !taken.some((b) => b.x < box.x + w && box.x < b.x + b.w && b.y < box.y + h && box.y < b.y + b.h);
      const whole = (box) => box.x > area.x && box.x + w < area.x + area.width && box.y > area.y && box.y + h < area.y + area.height;
      const boxes = places.map(([left, top]) => ({ x: left - w / 2, y: top - h / 2, w, h })).filter(whole);
      const box = boxes.find((place) => free(place) && !discs(place, id)) || (named.includes(id) ? boxes[0] : null);
      if (!box) return;
      taken.push(box);
      x = box.x + w / 2; middle = box.y + h / 2;
    }
    context.globalAlpha = state.lit && !state.lit.nodes.has(id) ? 0.35 : 1;
    context.fillStyle = inside ? (luminance(state.data.nodes.color[i]) > 0.55 ? '#14161c' : '#ffffff') : state.theme.text;
    lines.forEach((line, k) => {
      const y = middle + (k - (lines.length - 1) / 2) * step;
      if (!inside) { context.lineWidth = 3.6 / scale; context.strokeStyle = state.theme.background; context.strokeText(line, x, y); }
      context.fillText(line, x, y);
    });
    context.globalAlpha = 1;
  });
}

// How many documents a box would cover, looked up in a coarse grid; one that stands out counts for three.
function discIndex(state, area) {
  const cell = Math.max(area.width, area.height) / 24 || 1, cells = new Map();
  for (const [id, node] of Object.entries(state.network.body.nodes)) {
    const key = `${Math.floor(node.x / cell)},${Math.floor(node.y / cell)}`;
    if (!cells.has(key)) cells.set(key, []);
    cells.get(key).push([id, node]);
  }
  return (box, except, group) => {
    let n = 0;
    for (let i = Math.floor(box.x / cell) - 1; i <= Math.floor((box.x + box.w) / cell) + 1; i += 1) {
      for (let j = Math.floor(box.y / cell) - 1; j <= Math.floor((box.y + box.h) / cell) + 1; j += 1) {
        for (const [id, node] of cells.get(`${i},${j}`) || []) {
          const r = node.options.size * 0.8;
          if (id !== except && node.x + r > box.x && node.x - r < box.x + box.w && node.y + r > box.y && node.y - r < box.y + box.h) n += (state.lit?.nodes.has(id) ? 3 : 1) * (group !== undefined && state.groups.get(id) === group ? OF_ITS_OWN : 1);
        }
      }
    }
    return n;
  };
}

// Where the name of a community may stand, and what each place costs, in documents covered: best above or below it,
// then across its edge or in it, at a corner, and last of all beside it.
function hullPlaces(hull, scale, w, h) {
  const { left, right, top, bottom } = frame(hull), x = (left + right) / 2, y = (top + bottom) / 2;
  const gap = 2 / scale, above = top - gap - h / 2, below = bottom + gap + h / 2;
  return [
    [x, above], [x, below], [left - gap - w / 2, y, 2], [right + gap + w / 2, y, 2],
    [left, above, 1], [right, above, 1], [left, below, 1], [right, below, 1], [x, top, 0.5], [x, bottom, 0.5], [x, y, 1],
  ];
}

// A name that stands on another community seems to be that one's: as bad as covering some of its documents.
const ON_ANOTHER = 0.8;
const OF_ITS_OWN = 0.5;   // what covering a document of the community itself counts
const MOST_COVERED = 9;   // beyond it a name is left to the legend

function onOthers(hulls, own, { x, y, w, h }) {
  const points = [[x, y], [x + w, y], [x, y + h], [x + w, y + h], [x + w / 2, y + h / 2]];
  let cost = 0;
  for (const hull of hulls) {
    if (hull === own || hull.points.length < 3) continue;
    const { left, right, top, bottom } = frame(hull);
    if (x > right || x + w < left || y > bottom || y + h < top) continue;
    cost += ON_ANOTHER * points.filter((point) => within(hull.points, point)).length;
  }
  return cost;
}

function frame(hull) {
  if (!hull.frame) {
    const xs = hull.points.map((p) => p[0]), ys = hull.points.map((p) => p[1]);
    hull.frame = { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
  }
  return hull.frame;
}

// Whether a ray to the right of the point crosses the polygon an odd number of times.
function within(polygon, [x, y]) {
  let inside = false;
  polygon.forEach(([x1, y1], i) => {
    const [x2, y2] = polygon[(i + 1) % polygon.length];
    if ((y1 > y) !== (y2 > y) && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside;
  });
  return inside;
}

// At most so many lines; what does not fit ends in an ellipsis.
function wrapped(context, text, most, nLines = 2) {
  const words = text.split(/\s+/), lines = [];
  while (words.length && lines.length < nLines) {
    if (lines.length === nLines - 1) { lines.push(shortened(context, words.join(' '), most)); break; }
    let line = words.shift();
    while (words.length && context.measureText(`${line} ${words[0]}`).width <= most) line += ` ${words.shift()}`;
    lines.push(shortened(context, line, most));
  }
  return lines;
}

function shortened(context, text, most) {
  if (context.measureText(text).width <= most) return text;
  let end = text.length;
  while (end > 1 && context.measureText(`${text.slice(0, end)}…`).width > most) end -= 1;
  return `${text.slice(0, end).trimEnd()}…`;
}

// What the buttons cover, in layout units: nothing is to be read there.
function toolbar(state) {
  const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = state.root.querySelector('.tools');
  const low = state.network.DOMtoCanvas({ x: offsetLeft, y: offsetTop });
  const high = state.network.DOMtoCanvas({ x: offsetLeft + offsetWidth, y: offsetTop + offsetHeight });
  return { x: low.x, y: low.y, w: high.x - low.x, h: high.y - low.y };
}

function visibleArea(state) {
  const { clientWidth, clientHeight } = state.element;
  const low = state.network.DOMtoCanvas({ x: 0, y: 0 });
  const high = state.network.DOMtoCanvas({ x: clientWidth, y: clientHeight });
  return { x: low.x, y: low.y, width: high.x - low.x, height: high.y - low.y };
}

// The view as a PNG at twice the size of the screen, with the legend and the counts beneath it.
function savePng(state) {
  const area = visibleArea(state), { clientWidth: width, clientHeight: height } = state.element;
  const zoom = 2, entries = (state.data.legend?.entries || []).filter((entry) => entry.n), columns = Math.max(1, Math.floor(width / 210));
  const strip = 34 + 20 * Math.ceil(entries.length / columns);
  const canvas = document.createElement('canvas');
  canvas.width = width * zoom; canvas.height = (height + strip) * zoom;
  const context = canvas.getContext('2d');
  context.scale(zoom, zoom);
  context.fillStyle = state.theme.background; context.fillRect(0, 0, width, height + strip);
  context.save();
  context.beginPath(); context.rect(0, 0, width, height); context.clip();
  const scale = state.network.getScale();
  context.scale(scale, scale); context.translate(-area.x, -area.y);
  drawHulls(state, context, scale);
  const { nodes, nodeIndices } = state.network.body;
  drawEdges(state, context, scale);
  for (const id of nodeIndices) nodes[id].draw(context);
  drawSpotlight(state, context, area);
  drawNames(state, context, area, scale);
  context.restore();
  context.textAlign = 'left'; context.textBaseline = 'middle'; context.fillStyle = state.theme.text;
  context.font = `12px ${state.font}`;
  context.fillText(state.data.caption || state.data.alt || '', 12, height + 16);
  entries.forEach((entry, i) => {
    const x = 12 + (i % columns) * 210, y = height + 38 + 20 * Math.floor(i / columns);
    context.fillStyle = entry.color; mark(context, entry.shape, x + 6, y, 5.5); context.fill();
    context.fillStyle = state.theme.text;
    context.fillText(shortened(context, `${entry.label} (${entry.n})`, 180), x + 18, y);
  });
  const link = document.createElement('a');
  link.download = 'network.png'; link.href = canvas.toDataURL('image/png'); link.click();
}

function mark(context, shape, x, y, r) {
  context.beginPath();
  if (shape === 'square') context.rect(x - r * 0.88, y - r * 0.88, r * 1.76, r * 1.76);
  else if (shape === 'diamond') { context.moveTo(x, y - r * 1.15); context.lineTo(x + r * 1.15, y); context.lineTo(x, y + r * 1.15); context.lineTo(x - r * 1.15, y); }
  else context.arc(x, y, r, 0, 2 * Math.PI);
  context.closePath();
}
