// The picture arrives apart from the selection, once: see live_message.py, whose other half this is.

const PICTURES = (globalThis.cnragPictures ??= {});

// The data of a call with its picture; null where a later call has come meanwhile.
const CALLS = new WeakMap();

async function withPicture(data, element) {
  if (data.nodes) return shaped(data, element);
  const call = (CALLS.get(element) || 0) + 1;
  CALLS.set(element, call);
  while (PICTURES[data.name]?.stamp !== data.stamp) {
    await new Promise((resolve) => setTimeout(resolve, 15));
    if (CALLS.get(element) !== call || !element.isConnected) return null;
  }
  const picture = PICTURES[data.name];
  picture.unpacked ??= unpacked(picture.edges);
  return shaped({ ...picture, ...data, edges: picture.unpacked }, element);
}

function unpacked(edges) {
  const n = edges.from.length, from = edges.from.map(String), to = edges.to.map(String);
  const column = ({ at, values }, usual) => {
    const found = Array.from({ length: n }, (_, i) => usual(i));
    at.forEach((place, i) => { found[place] = values[i]; });
    return found;
  };
  const constant = (sent) => column(sent, () => sent.usual);
  return {
    id: column(edges.id, (i) => `${from[i]}-${to[i]}`), from, to, width: edges.width,
    title: column(edges.title, (i) => `similarity ${(edges.title.usual[i] / 1000).toFixed(3)}`),
    color: constant(edges.color), dashes: constant(edges.dashes), arrows: constant(edges.arrows),
  };
}
