// A picture takes the shape of its canvas: of the two directions, the one with room to spare is stretched. Neither
// axis of a layout means anything, only who is near whom. Found once for each layout on a canvas, so that nothing
// jumps afterwards, and kept by the browser as long as it fits about as well; rings stay round. Where a part is to
// fill the canvas, as a walk does, that part decides.

const MOST_STRETCHED = 1.8;
const FITS_AS_WELL = 1.3;
const SHAPES = new WeakMap();
const shapeKey = (layout) => `cnrag-shape-${layout}`;

function shaped(data, element) {
  const ratio = stretch(data, element), [x, y] = ratio > 1 ? [ratio, 1] : [1, Math.round(10 / ratio) / 10];
  if (ratio === 1) return data;
  const times = (values, factor) => values.map((value) => value * factor);
  return {
    ...data,
    nodes: { ...data.nodes, x: times(data.nodes.x, x), y: times(data.nodes.y, y) },
    hulls: (data.hulls || []).map((hull) => ({ ...hull, frame: null, points: hull.points.map(([a, b]) => [a * x, b * y]) })),
    layout: `${data.layout}|${x}:${y}`, view: `${data.view}|${x}:${y}`,
  };
}

// How much wider than high it becomes, as against the layout.
function stretch({ nodes, rings, layout, height, fit }, element) {
  if (rings || nodes.id.length < 3) return 1;
  const name = fit ? `${layout}|${fit.key}` : layout, wanted = new Set(fit?.ids || nodes.id);
  if (!SHAPES.has(element)) SHAPES.set(element, new Map());
  const known = SHAPES.get(element);
  if (!known.has(name)) {
    if (height) element.closest('.box')?.style.setProperty('--graph-height', height);
    const { clientWidth, clientHeight } = element;
    if (!clientWidth || !clientHeight) return 1;
    const span = (values) => {
      const among = values.filter((_, i) => wanted.has(nodes.id[i]));
      return Math.max(among.reduce((a, b) => Math.max(a, b), -Infinity) - among.reduce((a, b) => Math.min(a, b), Infinity), 1);
    };
    const room = Math.max(clientWidth - 2 * MARGIN.side, 50) / Math.max(clientHeight - MARGIN.top - MARGIN.bottom, 50);
    const fills = Math.min(MOST_STRETCHED, Math.max(1 / MOST_STRETCHED, (room * span(nodes.y)) / span(nodes.x)));
    let before = NaN;
    try { before = Number(sessionStorage.getItem(shapeKey(name)) ?? NaN); } catch { /* private windows refuse storage */ }
    known.set(name, Math.max(before / fills, fills / before) < FITS_AS_WELL ? before : Math.round(10 * fills) / 10);
    try { sessionStorage.setItem(shapeKey(name), known.get(name)); } catch { /* as above */ }
  }
  return known.get(name);
}

// Where a person put documents: kept by the browser for as long as the tab lives, for each layout.

const MOST_PLACES = 2000;
const placesKey = (layout) => `cnrag-places-${layout}`;

function recallPlaces(layout) {
  try { return JSON.parse(sessionStorage.getItem(placesKey(layout))) || {}; } catch { return {}; }
}

function rememberPlaces(state, ids) {
  const places = recallPlaces(state.layout), found = state.network.getPositions(ids);
  for (const [id, { x, y }] of Object.entries(found)) places[id] = [Math.round(x * 10) / 10, Math.round(y * 10) / 10];
  const kept = Object.fromEntries(Object.entries(places).slice(-MOST_PLACES));
  try { sessionStorage.setItem(placesKey(state.layout), JSON.stringify(kept)); } catch { /* private windows refuse storage */ }
  showPutBack(state);
}

function forgetPlaces(state) {
  const places = recallPlaces(state.layout), given = new Map(state.data.nodes.id.map((id, i) => [id, i]));
  try { sessionStorage.removeItem(placesKey(state.layout)); } catch { /* as above */ }
  const { x, y } = state.data.nodes;
  state.nodes.update(Object.keys(places).filter((id) => given.has(id)).map((id) => ({ id, x: x[given.get(id)], y: y[given.get(id)] })));
  showPutBack(state);
}

function showPutBack(state) {
  const places = recallPlaces(state.layout);
  state.root.querySelector('.put-back').hidden = !state.data.nodes.id.some((id) => id in places);
}
