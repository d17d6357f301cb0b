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
