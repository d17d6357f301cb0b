// Beside the live graph: the legend that filters, and the list of what is drawn.
// Elements are made with textContent only, so that no text of a document is ever markup.

const SVG = 'http://www.w3.org/2000/svg';

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

// The browser's own way with numbers takes longer for one legend than drawing it.
const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ',');

function swatch(color, shape) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 12 12'); svg.setAttribute('class', 'swatch'); svg.setAttribute('aria-hidden', 'true');
  let form;
  if (shape === 'square' || shape === 'diamond') {
    form = document.createElementNS(SVG, 'rect');
    for (const [name, value] of Object.entries({ x: 2, y: 2, width: 8, height: 8 })) form.setAttribute(name, value);
    if (shape === 'diamond') form.setAttribute('transform', 'rotate(45 6 6)');
  } else {
    form = document.createElementNS(SVG, 'circle');
    for (const [name, value] of Object.entries({ cx: 6, cy: 6, r: 4.8 })) form.setAttribute(name, value);
  }
  form.setAttribute('fill', color);
  svg.append(form);
  return svg;
}

function buildLegend(state) {
  const { legend } = state.data;
  const key = JSON.stringify(legend || null);
  if (key === state.legendKey) return;
  state.legendKey = key;
  const place = state.root.querySelector('.legend');
  place.replaceChildren();
  place.hidden = !legend;
  if (!legend) return;
  const some = legend.entries.some((entry) => entry.on);
  const head = make('div', 'head');
  head.append(make('span', 'title', legend.title));
  if (some) {
    const all = make('button', 'plain', 'show all');
    all.type = 'button';
    all.onclick = () => state.send.trigger('legend', '');
    head.append(all);
  }
  place.append(head);
  const list = make('div', 'entries');
  for (const entry of legend.entries) {
    if (!entry.n) continue;
    const row = make('button', 'entry');
    row.type = 'button';
    row.dataset.key = entry.key;
    row.setAttribute('aria-pressed', String(entry.on));
    row.title = `${entry.label}: ${grouped(entry.n)} ${legend.unit || 'documents'}\nClick to keep only what you choose.`;
    row.classList.toggle('off', some && !entry.on);
    row.append(swatch(entry.color, entry.shape), make('span', 'name', entry.label), make('span', 'count', grouped(entry.n)));
    row.onclick = () => state.send.trigger('legend', entry.key);
    row.onmouseenter = row.onfocus = () => point(state, { group: entry.key });
    row.onmouseleave = row.onblur = () => point(state, null);
    list.append(row);
  }
  place.append(list);
  const foot = make('div', 'foot');  // stays in sight below a long list of entries
  foot.append(...(legend.lines || []).map(lineRow));
  if (legend.note) foot.append(make('div', 'note', legend.note));
  place.append(foot);
}

function lineRow({ label, color, dashes, arrow }) {
  const row = make('div', 'line');
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 30 10'); svg.setAttribute('class', 'stroke'); svg.setAttribute('aria-hidden', 'true');
  const stroke = document.createElementNS(SVG, 'line');
  for (const [name, value] of Object.entries({ x1: 1, y1: 5, x2: arrow ? 23 : 29, y2: 5, stroke: color, 'stroke-width': 2 })) stroke.setAttribute(name, value);
  if (dashes && dashes.length) stroke.setAttribute('stroke-dasharray', dashes.map((d) => d / 2).join(' '));
  svg.append(stroke);
  if (arrow) {
    const head = document.createElementNS(SVG, 'path');
    head.setAttribute('d', 'M23 1 L30 5 L23 9 Z'); head.setAttribute('fill', color);
    svg.append(head);
  }
  row.append(svg, make('span', 'name', label));
  return row;
}

function buildList(state) {
  const { list } = state.data;
  const place = state.root.querySelector('.list');
  place.hidden = !list;
  const key = list ? `${state.data.rev}|${list.title}|${list.order.length}|${list.key || ''}` : '';
  if (key === state.listKey) return;
  state.listKey = key;
  const rows = place.querySelector('.rows'), input = place.querySelector('input');
  rows.replaceChildren();
  state.rowsToCome = [];
  if (!list) return;
  place.querySelector('.title').textContent = `${grouped(list.order.length)} shown`;
  place.querySelector('.by').textContent = list.title;
  input.placeholder = 'Filter these';
  state.rowsToCome = list.order.map((id, i) => ({ id, value: list.values[i] }));
  moreRows(state, ROWS_AT_FIRST);
  requestAnimationFrame(() => setTimeout(() => moreRows(state)));  // the others once the picture is on the screen
  rows.onmouseover = (event) => { const row = event.target.closest('.row'); if (row) point(state, { node: row.dataset.id }); };
  rows.onmouseleave = () => point(state, null);
  rows.onclick = (event) => { const row = event.target.closest('.row'); if (row) pick(state, row.dataset.id); };
  rows.onkeydown = (event) => stepRows(state, event);
  input.oninput = () => filterRows(state);
  input.onkeydown = (event) => {
    if (event.key === 'Enter') { const first = shownRows(state)[0]; if (first) pick(state, first.dataset.id); }
    if (event.key === 'ArrowDown') { shownRows(state)[0]?.focus(); event.preventDefault(); }
    if (event.key === 'Escape') { input.value = ''; filterRows(state); }
    event.stopPropagation();
  };
  filterRows(state);
}

const ROWS_AT_FIRST = 50;  // more than the place shows at once

// The next rows of the list, or all that are still to come; whoever asks for rows asks for all.
function moreRows(state, most = Infinity) {
  const coming = state.rowsToCome.splice(0, most), { nodes } = state.data;
  if (!coming.length) return;
  const at = new Map(nodes.id.map((id, i) => [id, i])), fragment = document.createDocumentFragment();
  for (const { id, value } of coming) {
    const n = at.get(id);
    if (n === undefined) continue;
    const row = make('button', 'row');
    row.type = 'button'; row.dataset.id = id; row.tabIndex = -1;
    row.setAttribute('role', 'option'); row.setAttribute('aria-selected', 'false');
    row.append(swatch(nodes.color[n], nodes.shape[n]), make('span', 'name', nodes.name[n]), make('span', 'count', value));
    row.title = nodes.title[n];
    fragment.append(row);
  }
  state.root.querySelector('.rows').append(fragment);
}

function allRows(state) {
  moreRows(state);
  return [...state.root.querySelectorAll('.row')];
}

const shownRows = (state) => allRows(state).filter((row) => !row.hidden);

function filterRows(state) {
  const words = state.root.querySelector('.list input').value.toLowerCase().split(/\s+/).filter(Boolean);
  let n = 0;
  for (const row of words.length ? allRows(state) : state.root.querySelectorAll('.row')) {
    const name = row.querySelector('.name').textContent.toLowerCase();
    row.hidden = !words.every((word) => name.includes(word));
    n += row.hidden ? 0 : 1;
  }
  state.root.querySelector('.list .none').hidden = n > 0;
  state.found = words.length ? new Set(shownRows(state).map((row) => row.dataset.id)) : null;
  refocus(state);
}

function stepRows(state, event) {
  const rows = shownRows(state), at = rows.indexOf(state.root.activeElement || event.target.closest('.row'));
  const here = at < 0 ? rows.indexOf(event.target.closest('.row')) : at;
  const next = { ArrowDown: rows[here + 1], ArrowUp: rows[here - 1], Home: rows[0], End: rows[rows.length - 1] }[event.key];
  if (!next) return;
  event.preventDefault();
  next.focus();
  point(state, { node: next.dataset.id });
}

function markRow(state) {
  const chosen = new Set(state.network.getSelectedNodes());
  let first = true;
  for (const row of chosen.size ? allRows(state) : state.root.querySelectorAll('.row')) {
    const on = chosen.has(row.dataset.id);
    row.classList.toggle('chosen', on);
    row.setAttribute('aria-selected', String(on));
    row.tabIndex = on || (first && !chosen.size) ? 0 : -1;
    first = false;
    if (on && state.marked !== row.dataset.id) {
      const box = row.parentElement, top = row.offsetTop - box.offsetTop;
      if (top < box.scrollTop || top + row.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
      state.marked = row.dataset.id;
    }
  }
  if (!chosen.size) state.marked = null;
}
