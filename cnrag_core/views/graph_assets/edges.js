// Edges of the live graph. The library knows them, for clicks and neighbours; drawing and aiming are ours, and so
// is making them: it would give each of thousands its own options, label and curve, a third of a second of work
// before there is anything to see. All share those of one model here, and own nothing but their ends and words.

const AIM = 6;  // pixels of the screen within which an edge is hit, at any zoom

function takeOverEdges(state) {
  const { renderer, selectionHandler, edgesHandler, body } = state.network;
  renderer._drawEdges = renderer._drawArrows = () => {};
  const aim = () => AIM / state.network.getScale();
  selectionHandler.getEdgeAt = (pointer, wholeEdge = true) => {
    const { x, y } = state.network.DOMtoCanvas(pointer);
    let nearest = aim(), found;  // undefined is what the library takes for nothing
    for (const id of body.edgeIndices) {
      const edge = body.edges[id], distance = edge.connected ? distanceToLine(edge.from, edge.to, x, y) : Infinity;
      if (distance < nearest) { nearest = distance; found = edge; }
    }
    return wholeEdge ? found : found?.id;
  };
  const model = Object.assign(edgesHandler.create({ id: '' }), {
    setOptions({ id, from, to, title }) { Object.assign(this, { id, fromId: from, toId: to, title }); return false; },
    connect() {
      this.disconnect();
      const { [this.fromId]: from, [this.toId]: to } = body.nodes;
      this.connected = Boolean(from && to);
      if (!this.connected) return;
      this.from = from; this.to = to;
      from.attachEdge(this); to.attachEdge(this);
    },
    isOverlappingWith({ left, top }) { return this.connected && distanceToLine(this.from, this.to, left, top) < aim(); },
  });
  edgesHandler.create = (given) => {
    const edge = Object.create(model);
    edge.from = edge.to = undefined;
    edge.selected = edge.hover = edge.connected = false;
    edge.setOptions(given);
    edge.connect();
    return edge;
  };
}

function distanceToLine(from, to, x, y) {
  const dx = to.x - from.x, dy = to.y - from.y, length = dx * dx + dy * dy;
  const along = length ? Math.min(1, Math.max(0, ((x - from.x) * dx + (y - from.y) * dy) / length)) : 0;
  return Math.hypot(from.x + along * dx - x, from.y + along * dy - y);
}
