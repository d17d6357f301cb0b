"""Which methods answer which question, and at which sizes."""

from __future__ import annotations

from dataclasses import dataclass

from tests.benchmarks.tasks import SWEEP_FLOOR


@dataclass(frozen=True)
class Method:
    """A task, what to call it, and the largest corpus that it is asked to try."""

    task: str
    label: str
    largest: int = 100_000


@dataclass(frozen=True)
class Group:
    """Methods that answer one question; the first is ours.

    `threshold` is the same for all sizes, or None for a low one by size. Sizes below `smallest` are left out.
    """

    name: str
    title: str
    methods: tuple[Method, ...]
    threshold: float | None = None
    uses_corpus: bool = True
    smallest: int = 1_000

    @property
    def our_methods(self) -> tuple[Method, ...]:
        return tuple(method for method in self.methods if method.label.startswith("ours"))

    def threshold_at(self, n: int) -> float:
        return SWEEP_FLOOR[n] if self.threshold is None else self.threshold


GROUPS = (
    Group(
        "graph",
        "exact graph of four fields at threshold 0.3",
        (
            Method("ours", "ours"),
            Method("guides_way", "guides: dense cosine + Python loop", 10_000),
            Method("scipy_blocks", "scipy CSR blocks", 10_000),
            Method("sparse_dot_topn", "sparse_dot_topn"),
        ),
        0.3,
    ),
    Group(
        "dense",
        "exact graph of dense rows, 384 dimensions, at threshold 0.7",
        (
            Method("dense_ours", "ours"),
            Method("dense_guides_way", "guides: dense cosine + Python loop", 10_000),
            Method("dense_numpy", "numpy blocks", 10_000),
            Method("dense_faiss", "faiss IndexFlatIP range_search"),
            Method("dense_hnswlib", "hnswlib, 50 nearest (approximate)"),
        ),
        0.7,
        uses_corpus=False,
    ),
    Group(
        "analysis",
        "texts to edges, communities, betweenness and clustering",
        (
            Method("analysis_ours", "ours"),
            Method("analysis_guides_way", "scikit-learn + networkx + python-louvain", 10_000),
        ),
        0.2,
        uses_corpus=False,
    ),
    Group(
        "sweep",
        "edges, components, largest, isolated at 100 thresholds",
        (
            Method("sweep_ours", "ours: one pass"),
            Method("sweep_networkx", "networkx, rebuilt", 10_000),
            Method("sweep_scipy", "scipy, rebuilt"),
        ),
    ),
    Group(
        "communities",
        "communities of the strongest pairs, a million at most",
        (
            Method("communities_ours", "ours"),
            Method("communities_networkit", "networkit PLM"),
            Method("communities_igraph", "igraph multilevel"),
            Method("communities_leidenalg", "leidenalg"),
            Method("communities_python_louvain", "python-louvain", 10_000),
            Method("communities_networkx", "networkx Louvain", 10_000),
        ),
    ),
    Group(
        "betweenness",
        "betweenness over about 100,000 edges in one piece",
        (
            Method("between_exact", "ours, exact", 10_000),
            Method("between_sampled", "ours, 1,000 sources", 10_000),
            Method("between_igraph", "igraph, exact", 10_000),
            Method("between_networkit", "networkit, 500 sources", 10_000),
            Method("between_networkx", "networkx, exact", 10_000),
        ),
        smallest=10_000,
    ),
    Group(
        "slider",
        "the threshold moved: counts, components, communities",
        (Method("slider_step", "ours, the slowest of five steps"),),
    ),
    Group("questions", "95th percentile of an answer", (Method("questions", "ours, the slowest strategy"),)),
    Group("pairs", "pairs of one document more", (Method("add_one", "ours"),), 0.1),
    Group("add", "one document more: graph and candidates", (Method("add_document", "ours", 10_000),), 0.2, False),
    Group("open", "open a saved workspace in a new process", (Method("open_workspace", "ours", 10_000),), 0.2),
    Group("import", "import cnrag_core", (Method("import_core", "ours"),), 0.2, False),
)
