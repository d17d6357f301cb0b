// A small map of the whole in the corner, while only a part is on the screen; a click on it goes there.

const MINI = { width: 148, height: 104, edge: 8 };
const WORTH_A_MAP = 0.55;  // of the whole that is on the screen, in either direction

function drawMinimap(state, area) {
  const canvas = state.root.querySelector('.minimap'), whole = extent(state);
  const part = Math.min(area.width / whole.width, area.height / whole.height);
  canvas.hidden = !state.fitted || state.network.body.nodeIndices.length < 30 || part > WORTH_A_MAP;
  if (canvas.hidden) return;
  const ratio = globalThis.devicePixelRatio || 1, context = canvas.getContext('2d');
  if (canvas.width !== MINI.width * ratio) { canvas.width = MINI.width * ratio; canvas.height = MINI.height * ratio; }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, MINI.width, MINI.height);
  const { scale, left, top } = miniFrame(whole), x = (at) => left + (at - whole.x) * scale, y = (at) => top + (at - whole.y) * scale;
  const { nodes, nodeIndices } = state.network.body;
  for (const id of nodeIndices) {
    context.fillStyle = nodes[id].options.color.background;
    context.fillRect(x(nodes[id].x) - 1, y(nodes[id].y) - 1, 2, 2);
  }
  context.strokeStyle = state.theme.text; context.lineWidth = 1.5;
  const a = Math.max(1, x(area.x)), b = Math.max(1, y(area.y));
  const c = Math.min(MINI.width - 1, x(area.x + area.width)), d = Math.min(MINI.height - 1, y(area.y + area.height));
  context.strokeRect(a, b, Math.max(c - a, 2), Math.max(d - b, 2));
}

function extent(state) {
  const { nodes, nodeIndices } = state.network.body;
  let [x, y, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const id of nodeIndices) {
    const node = nodes[id];
    x = Math.min(x, node.x); right = Math.max(right, node.x); y = Math.min(y, node.y); bottom = Math.max(bottom, node.y);
  }
  return { x, y, width: Math.max(right - x, 1), height: Math.max(bottom - y, 1) };
}

function miniFrame(whole) {
  const scale = Math.min((MINI.width - 2 * MINI.edge) / whole.width, (MINI.height - 2 * MINI.edge) / whole.height);
  return { scale, left: (MINI.width - whole.width * scale) / 2, top: (MINI.height - whole.height * scale) / 2 };
}

function connectMinimap(state) {
  const canvas = state.root.querySelector('.minimap');
  const go = (event) => {
    const box = canvas.getBoundingClientRect(), whole = extent(state), { scale, left, top } = miniFrame(whole);
    const position = { x: whole.x + (event.clientX - box.left - left) / scale, y: whole.y + (event.clientY - box.top - top) / scale };
    state.network.moveTo({ position });
    state.moved = true;
    remember(state);
  };
  canvas.onpointerdown = (event) => { canvas.setPointerCapture(event.pointerId); go(event); };
  canvas.onpointermove = (event) => { if (event.buttons) go(event); };
}
