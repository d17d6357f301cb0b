"""A walk drawn on its chunk graph, at any of its steps.

Enters: a trace and the graph that it walked. Leaves: a `WalkScene`, the chunks that are drawn and where, the same
for every step so that nothing jumps; from it the data of the live component after a step, with the chunk at hand,
what is in the context, what is queued, what was passed over, and the edges that were followed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cnrag_core.corpus.wording import count
from cnrag_core.graph.concept_graph import ConceptEdge, ConceptGraph
from cnrag_core.graph.similarity_graph import SimilarityGraph
from cnrag_core.topology.layout import Layout, compute_layout
from cnrag_core.traversal.trace import TraversalTrace
from cnrag_core.views.graph_picture import EDGE, GraphPicture, LinkLine, component_data
from cnrag_core.views.network_links import STYLES
from cnrag_core.views.traversal_steps import KIND_IN_WORDS, chunk_label, shortened

WHOLE_GRAPH = 120
"""Up to this many chunks the whole graph is drawn; beyond it the chunks that the walk saw."""

MOST_CHUNKS = 160
MOST_LINES = 500
NAME_LENGTH = 34
ROOM_FOR_A_NAME = 2.4
"""Between chunks that nothing links, in the distance that linked ones keep."""


@dataclass(frozen=True)
class Part:
    """What a chunk is to a walk: the key and the label in the legend, and the colour."""

    key: str
    label: str
    color: str
    size: float


CURRENT = Part("current", "this step", "#d64545", 21.0)
SEED = Part("seed", "in the context, a seed", "#1aa37a", 16.0)
CONTEXT = Part("context", "in the context", "#3b7dd8", 16.0)
QUEUED = Part("queued", "queued", "#e07b00", 12.0)
PASSED = Part("passed", "passed over: too long", "#a0613a", 12.0)
UNSEEN = Part("unseen", "not seen yet", "#9aa3b2", 9.0)
PARTS = (CURRENT, SEED, CONTEXT, QUEUED, PASSED, UNSEEN)

NEEDED_SHAPE = "diamond"


@dataclass(frozen=True, eq=False)
class WalkScene:
    """The chunks that are drawn of a walk, the lines between them, and where they stand.

    Attributes
    ----------
    chunk_ids
        Sorted; node i of the picture is ``chunk_ids[i]``.
    positions
        (n, 2) float32.
    lines
        Edges among them, the followed ones always, then the heaviest.
    n_chunks, n_edges
        Of the whole graph, for the counts.
    """

    trace: TraversalTrace
    graph: ConceptGraph
    chunk_ids: tuple[str, ...]
    positions: NDArray[np.float32]
    lines: tuple[LinkLine, ...]
    n_chunks: int
    n_edges: int

    @cached_property
    def number(self) -> dict[str, int]:
        """Node number by chunk id."""
        return {chunk_id: number for number, chunk_id in enumerate(self.chunk_ids)}

    @cached_property
    def needed(self) -> frozenset[str]:
        """Chunks that the answer needs."""
        return frozenset(c for name in self.trace.required_evidence for c in self.graph.chunk_ids_of(name))

    @property
    def counts(self) -> str:
        """``77 of 77 chunks, 85 of 85 edges``."""
        chunks = f"{len(self.chunk_ids):,} of {count(self.n_chunks, 'chunk')}"
        return f"{chunks}, {len(self.lines):,} of {count(self.n_edges, 'edge')}"

    def parts(self, step: int) -> dict[str, Part]:
        """What each drawn chunk is after a step; after step 0 the seeds are queued."""
        taken = self.trace.steps[:step]
        part = dict.fromkeys(self.chunk_ids, UNSEEN)
        part.update((chunk_id, QUEUED) for chunk_id in self._queued(step) if chunk_id in part)
        for done in taken:
            visited = SEED if done.parent is None else CONTEXT
            part[done.chunk_id] = visited if done.action == "visit" else PASSED
        if taken:
            part[taken[-1].chunk_id] = CURRENT
        return part

    def followed(self, step: int) -> list[tuple[str, str]]:
        """(from, to) of the edges that led to the chunks taken so far."""
        return [(done.parent, done.chunk_id) for done in self.trace.steps[:step] if done.parent is not None]

    def _queued(self, step: int) -> list[str]:
        if not step:
            return [seed.chunk_id for seed in self.trace.seeds]
        if self.trace.walk == "notebook":  # it keeps no frontier: seeds that are left
            taken = {done.chunk_id for done in self.trace.steps[:step]}
            return [seed.chunk_id for seed in self.trace.seeds if seed.chunk_id not in taken]
        return [chunk_id for chunk_id, _ in self.trace.steps[step - 1].frontier]


def walk_scene(trace: TraversalTrace, graph: ConceptGraph) -> WalkScene:
    """Choose what is drawn of a walk and lay it out."""
    chunk_ids = tuple(sorted(_chunks_drawn(trace, graph)))
    number = {chunk_id: place for place, chunk_id in enumerate(chunk_ids)}
    edges = _edges_among(graph, number)
    followed = {(step.parent, step.chunk_id) for step in trace.steps if step.parent is not None}
    order = sorted(edges, key=lambda pair: (pair not in followed, -edges[pair].weight, pair))[:MOST_LINES]
    lines = tuple(_line(place, pair, edges[pair], number) for place, pair in enumerate(order))
    positions = _unfolded(compute_layout(_undirected(chunk_ids, number, edges, order)))
    return WalkScene(trace, graph, chunk_ids, positions, lines, len(graph.chunks), graph.n_edges)


def walk_data(scene: WalkScene, step: int, *, only: Collection[str] = (), focus: str | None = None) -> dict[str, Any]:
    """The scene after a step for the live component.

    Parameters
    ----------
    step
        0 before the first chunk was taken, up to the number of steps.
    only
        Keys of the parts that are drawn; all where none is given.
    focus
        Chunk that is looked at.
    """
    parts = scene.parts(step)
    shown = [c for c in scene.chunk_ids if not only or parts[c].key in only or parts[c] is CURRENT]
    visible = {scene.number[chunk_id] for chunk_id in shown}
    order_of = {done.chunk_id: done.order for done in scene.trace.steps[:step]}
    scale = _scale(scene)
    picture = GraphPicture(
        nodes=np.array(sorted(visible), dtype=np.int64),
        x=scene.positions[sorted(visible), 0].astype(np.float64),
        y=scene.positions[sorted(visible), 1].astype(np.float64),
        colors=tuple(parts[c].color for c in shown),
        sizes=tuple(scale * (parts[c].size + (3.0 if c in scene.needed else 0.0)) for c in shown),
        names=tuple(_name(scene, c, order_of) for c in shown),
        tips=tuple(_tip(scene, c, parts[c], order_of) for c in shown),
        edges=np.empty((0, 2), dtype=np.int64),
        edge_widths=(),
        edge_tips=(),
        hulls=(),
        n_nodes_total=scene.n_chunks,
        n_edges_total=scene.n_edges,
        shapes=tuple(NEEDED_SHAPE if c in scene.needed else "dot" for c in shown),
        groups=tuple(parts[c].key for c in shown),
        links=tuple(line for line in scene.lines if line.source in visible and line.target in visible),
        nodes_are="chunks",
    )
    layout = hashlib.sha256("\0".join(scene.chunk_ids).encode("utf-8", "replace") + scene.positions.tobytes())
    key = layout.hexdigest()[:16]
    walked = hashlib.sha256(repr((scene.trace.path, scene.trace.walk)).encode("utf-8", "replace")).hexdigest()[:12]
    data = component_data(
        picture,
        revision=f"{key}-{walked}-{step}-{','.join(sorted(only))}",
        layout=key,
        view=f"walk-{key}",
        focus=scene.number[focus] if focus in scene.number and scene.number[focus] in visible else None,
        highlight=_highlight(scene, step, parts),
        alt=f"Walk after step {step}: {scene.counts}. The same is in the tables below.",
    )
    last = scene.parts(len(scene.trace.steps))
    walked_ids = [str(scene.number[c]) for c in scene.chunk_ids if last[c] is not UNSEEN]
    fit = {"key": f"{key}-{walked}", "ids": walked_ids} if walked_ids else None
    return {**data, "legend": _legend(scene, parts, only), "fit": fit}


def _chunks_drawn(trace: TraversalTrace, graph: ConceptGraph) -> set[str]:
    """The whole of a small graph; else what the walk touched, then what it saw from there, cheapest first."""
    if len(graph.chunks) <= WHOLE_GRAPH:
        return set(graph.chunks)
    drawn = {seed.chunk_id for seed in trace.seeds if trace.walk != "flat"}
    drawn.update(step.chunk_id for step in trace.steps)
    drawn.update(chunk_id for name in trace.required_evidence for chunk_id in graph.chunk_ids_of(name))
    cost: dict[str, float] = {}
    for step in trace.steps:
        for found in step.discovered:
            cost[found.chunk_id] = min(found.cost, cost.get(found.chunk_id, found.cost))
    for chunk_id in sorted(cost, key=lambda name: (cost[name], name)):
        if len(drawn) >= MOST_CHUNKS:
            break
        drawn.add(chunk_id)
    return drawn & graph.chunks.keys()


def _edges_among(graph: ConceptGraph, number: Mapping[str, int]) -> dict[tuple[str, str], ConceptEdge]:
    """The edges between drawn chunks, by their ends."""
    return {
        (source, edge.target): edge for source, edge in graph.edges_once if source in number and edge.target in number
    }


def _undirected(
    chunk_ids: tuple[str, ...],
    number: Mapping[str, int],
    edges: Mapping[tuple[str, str], ConceptEdge],
    order: Sequence[tuple[str, str]],
) -> SimilarityGraph:
    """The drawn edges for the layout: without direction, the heavier of two, strongest first."""
    weights: dict[tuple[int, int], float] = {}
    for source, target in order:
        a, b = sorted((number[source], number[target]))
        weights[a, b] = max(weights.get((a, b), 0.0), min(edges[source, target].weight, 1.0))
    ranked = sorted(weights, key=lambda pair: (-weights[pair], pair))
    ends = np.array(ranked, dtype=np.int32).reshape(-1, 2)
    values = np.array([weights[pair] for pair in ranked], dtype=np.float64)
    return SimilarityGraph(chunk_ids, ends[:, 0].copy(), ends[:, 1].copy(), values)


def _unfolded(layout: Layout) -> NDArray[np.float32]:
    """Positions with the chunks that no drawn edge reaches in rows below the others, with room for their names."""
    positions, alone = layout.positions.astype(np.float64), np.flatnonzero(layout.isolated)
    if not len(alone):
        return layout.positions
    linked = positions[~layout.isolated] if len(alone) < len(positions) else np.zeros((1, 2))
    step = ROOM_FOR_A_NAME * layout.spacing
    n_columns = int(max(np.ptp(linked[:, 0]) // step + 1, np.ceil(np.sqrt(len(alone)))))
    column, row = np.arange(len(alone)) % n_columns, np.arange(len(alone)) // n_columns
    in_row = np.minimum(len(alone) - row * n_columns, n_columns)
    middle = (linked[:, 0].min() + linked[:, 0].max()) / 2
    positions[alone, 0] = middle + (column - (in_row - 1) / 2) * step
    positions[alone, 1] = linked[:, 1].max() + (row + 1) * 0.6 * step
    return positions.astype(np.float32)


def _line(place: int, pair: tuple[str, str], edge: ConceptEdge, number: Mapping[str, int]) -> LinkLine:
    style = STYLES.get(edge.kind)
    words = edge.evidence or edge.shared
    about = f": {', '.join(words)}" if words and edge.kind != "adjacent" else ""
    cosine = f", cosine {edge.cosine:.3f}" if edge.cosine is not None else ""
    tip = f"{KIND_IN_WORDS.get(edge.kind, edge.kind)}{about}\nweight {edge.weight:.3f}{cosine}"
    color, dashes, arrow = (style.color, style.dashes, style.arrow) if style else (EDGE, (), False)
    return LinkLine(f"L{place}", number[pair[0]], number[pair[1]], color, tip, dashes, arrow)


def _highlight(scene: WalkScene, step: int, parts: Mapping[str, Part]) -> dict[str, list[str]] | None:
    """What stands out: everything that the walk has touched, and the edges that it followed."""
    order_of = {done.chunk_id: done.order for done in scene.trace.steps[:step]}
    seen = [c for c in scene.chunk_ids if parts[c] is not UNSEEN]
    touched = [str(scene.number[c]) for c in sorted(seen, key=lambda c: -order_of.get(c, 0))]  # the last is named first
    if not touched:
        return None
    followed = {frozenset((scene.number[a], scene.number[b])) for a, b in scene.followed(step)}
    edges = [line.id for line in scene.lines if frozenset((line.source, line.target)) in followed]
    return {"nodes": touched, "edges": edges}


def _legend(scene: WalkScene, parts: Mapping[str, Part], only: Collection[str]) -> dict[str, Any]:
    counts = {part.key: 0 for part in PARTS}
    for part in parts.values():
        counts[part.key] += 1
    kinds = sorted({line.color: line for line in scene.lines}.values(), key=lambda line: line.color)
    name_of = {style.color: style.name for style in STYLES.values()} | {EDGE: "similar text"}
    return {
        "title": "Chunks",
        "unit": "chunks",
        "entries": [
            {
                "key": part.key,
                "label": part.label,
                "n": counts[part.key],
                "color": part.color,
                "shape": "dot",
                "on": part.key in only,
            }
            for part in PARTS
        ],
        "lines": [
            {
                "label": name_of.get(line.color, ""),
                "color": line.color,
                "dashes": list(line.dashes),
                "arrow": line.arrow,
            }
            for line in kinds
        ],
        "note": "A diamond is evidence that the answer needs." if scene.needed else "",
    }


def _scale(scene: WalkScene) -> float:
    """Sizes in the units of the layout: the fewer chunks, the farther apart they stand."""
    if len(scene.positions) < 2:
        return 1.0
    width, height = np.ptp(scene.positions, axis=0).tolist()
    room = float(np.sqrt(max(width, 1.0) * max(height, 1.0) / len(scene.positions)))
    return min(max(room / 90.0, 0.25), 2.0)


def _name(scene: WalkScene, chunk_id: str, order_of: Mapping[str, int]) -> str:
    label = shortened(chunk_label(scene.graph, chunk_id), NAME_LENGTH)
    return f"{order_of[chunk_id]}. {label}" if chunk_id in order_of else label


def _tip(scene: WalkScene, chunk_id: str, part: Part, order_of: Mapping[str, int]) -> str:
    chunk = scene.graph.chunks[chunk_id]
    step = f"step {order_of[chunk_id]}: " if chunk_id in order_of else ""
    needed = "\nthe answer needs it" if chunk_id in scene.needed else ""
    concepts = f"\nconcepts: {', '.join(chunk.concepts[:8])}" if chunk.concepts else ""
    return f"{chunk_label(scene.graph, chunk_id)}\n{step}{part.label}{needed}{concepts}"
