// The live graph without a server: the legend filters and a click tells, from the page's own data.

const everything = JSON.parse(document.getElementById('picture').textContent);
const only = new Set();

const filtered = (columns, keep) => Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values.filter((_, i) => keep[i])]));

function seen() {
  const { nodes, edges, legend, list } = everything;
  const keep = nodes.group.map((group) => !only.size || only.has(group));
  const ids = new Set(nodes.id.filter((_, i) => keep[i]));
  const among = list && list.order.map((id) => ids.has(id));
  return {
    ...everything,
    nodes: filtered(nodes, keep),
    edges: filtered(edges, edges.from.map((from, i) => ids.has(from) && ids.has(edges.to[i]))),
    hulls: everything.hulls.filter((hull) => !only.size || only.has(hull.group)),
    legend: legend && { ...legend, entries: legend.entries.map((entry) => ({ ...entry, on: only.has(entry.key) })) },
    list: list && { ...list, order: list.order.filter((_, i) => among[i]), values: list.values.filter((_, i) => among[i]) },
    rev: `${everything.rev}|${[...only].sort()}`,
  };
}

function tell({ nodes, edges }) {
  const { nodes: n, edges: e } = everything, place = document.getElementById('told');
  const tips = nodes.map((id) => n.title[n.id.indexOf(id)]);
  if (edges.length === 1) {
    const at = e.id.indexOf(edges[0]);
    tips.push([e.from[at], e.to[at]].map((id) => n.name[n.id.indexOf(id)]).join(' — '), e.title[at]);
  }
  place.textContent = tips.join('\n');
  place.hidden = !tips.length;
}

function show() {
  render({
    data: seen(),
    parentElement: document.getElementById('explorer'),
    setStateValue: (name, value) => name === 'selected' && tell(value),
    setTriggerValue: (name, key) => {
      if (name !== 'legend') return;
      if (!key) only.clear(); else if (!only.delete(key)) only.add(key);
      show();
    },
  });
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', show);
show();
