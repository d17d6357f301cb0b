"""What is measured: each task prepares, runs under the clock, and reports what it found.

::

    python -m tests.benchmarks.tasks <task> '{"folder": "...", "n": 10000, "threshold": 0.3}'

One line of JSON on standard output. Called by `measuring`, in a process of its own.
"""

from __future__ import annotations

import hashlib
import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cnrag_core.similarity.components import ComponentColumn, SetColumn, VectorColumn, take_rows
from cnrag_core.similarity.pairs import Pairs, canonical_pairs
from cnrag_core.similarity.pairwise import pairs_above, pairs_of_rows
from cnrag_core.similarity.scoring import score_pairs
from tests.benchmarks.synthetic import make_corpus

NAMES = (("title", 0.3), ("abstract", 0.4), ("tags", 0.2), ("authors", 0.1))
LOOPED_ROWS = 100
"""Rows of the Python double loop that are timed; the rest is extrapolated by the number of pairs."""

Report = dict[str, Any]


class Clock:
    """CPU and wall seconds of the part between `start` and `stop`."""

    def start(self) -> None:
        self.cpu, self.wall = time.process_time(), time.perf_counter()

    def stop(self) -> None:
        self.cpu, self.wall = time.process_time() - self.cpu, time.perf_counter() - self.wall


# The corpus, made once and shared by the tasks of a run.


def prepare(folder: Path, n: int) -> None:
    """Write the columns of a synthetic corpus, so that no task pays for making them."""
    for (name, _), column in zip(NAMES, make_corpus(n).columns(), strict=True):
        sp.save_npz(folder / f"{name}-{n}.npz", matrix_of(column), compressed=False)


def load(folder: Path, n: int) -> tuple[ComponentColumn, ...]:
    nothing_missing = np.zeros(n, dtype=bool)
    columns: list[ComponentColumn] = []
    for name, weight in NAMES:
        matrix = sp.csr_matrix(sp.load_npz(folder / f"{name}-{n}.npz"))
        if name in ("title", "abstract"):
            columns.append(VectorColumn(name, weight, None, matrix, nothing_missing))
        else:
            labels = tuple(map(str, range(matrix.shape[1])))
            columns.append(SetColumn(name, weight, None, "jaccard", matrix, labels, nothing_missing))
    return tuple(columns)


def matrix_of(column: ComponentColumn) -> sp.csr_matrix:
    return column.rows if isinstance(column, VectorColumn) else column.items  # type: ignore[union-attr]


def clustered_rows(n: int, dimension: int = 384) -> NDArray[np.float32]:
    """Dense unit rows around n / 13 centres, all sharing one direction, as sentence embeddings do."""
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((max(1, n // 13), dimension)).astype(np.float32)
    rows = centres[rng.integers(0, len(centres), n)]
    rows += 0.7 * rng.standard_normal((n, dimension)).astype(np.float32)
    rows += 0.8 * rng.standard_normal(dimension).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def edges_of(pairs: Pairs) -> Report:
    """The number of edges, and a digest of which they are."""
    pairs = canonical_pairs(pairs)
    digest = hashlib.sha256(pairs.left.tobytes() + pairs.right.tobytes()).hexdigest()[:12]
    return {"edges": len(pairs), "digest": digest}


def scored(columns: tuple[ComponentColumn, ...], left: NDArray[Any], right: NDArray[Any], threshold: float) -> Pairs:
    """What other methods propose, decided as ours is: scored again in float64."""
    left, right = left.astype(np.int64), right.astype(np.int64)
    weight = score_pairs(columns, left, right)
    keep = weight >= threshold - 1e-9
    return Pairs(left[keep].astype(np.int32), right[keep].astype(np.int32), weight[keep])


def side_by_side(columns: tuple[ComponentColumn, ...]) -> sp.csr_matrix:
    """One matrix whose products bound the combined similarity; the trick that all sparse methods share."""
    parts = []
    for column in columns:
        matrix = matrix_of(column)
        scale = np.full(matrix.shape[0], np.sqrt(column.weight))
        if isinstance(column, SetColumn):
            scale /= np.sqrt(np.maximum(np.diff(matrix.indptr), 1))
        parts.append(sp.diags(scale.astype(np.float32)) @ matrix)
    return sp.hstack(parts, format="csr", dtype=np.float32)


# The exact graph of four fields.


def ours(clock: Clock, *, folder: str, n: int, threshold: float) -> Report:
    columns = load(Path(folder), n)
    pairs_above(take_rows(make_corpus(2_000).columns(), np.arange(2_000)), threshold)  # the compiler's time is not ours
    clock.start()
    pairs = pairs_above(columns, threshold, n_threads=1)
    clock.stop()
    return edges_of(pairs)


def scipy_blocks(clock: Clock, *, folder: str, n: int, threshold: float) -> Report:
    columns = load(Path(folder), n)
    clock.start()
    matrix = side_by_side(columns)
    transposed = matrix.T.tocsr()
    found = []
    for start in range(0, n, 512):
        product = (matrix[start : start + 512] @ transposed).tocoo()
        left = product.row + start
        keep = (product.data >= threshold - 2e-5) & (left < product.col)
        found.append(np.stack([left[keep], product.col[keep]]))
    left, right = np.concatenate(found, axis=1)
    pairs = scored(columns, left, right, threshold)
    clock.stop()
    return edges_of(pairs)


def sparse_dot_topn(clock: Clock, *, folder: str, n: int, threshold: float) -> Report:
    from sparse_dot_topn import sp_matmul_topn

    columns = load(Path(folder), n)
    clock.start()
    matrix = side_by_side(columns)
    transposed = matrix.T.tocsr()
    most = min(n, 4_000)
    found = []
    for start in range(0, n, 4_096):
        product = sp_matmul_topn(
            matrix[start : start + 4_096], transposed, most, threshold=threshold - 2e-5, n_threads=1
        ).tocoo()
        left = product.row + start
        keep = left < product.col
        found.append(np.stack([left[keep], product.col[keep]]))
    left, right = np.concatenate(found, axis=1)
    pairs = scored(columns, left, right, threshold)
    clock.stop()
    return edges_of(pairs)


def guides_way(clock: Clock, *, folder: str, n: int, threshold: float) -> Report:
    """A dense cosine matrix of each text field, and a Python loop over all pairs that compares four fields."""
    from sklearn.metrics.pairwise import cosine_similarity

    title, abstract, tags, authors = load(Path(folder), n)
    tag_sets, author_sets = ([set(row.indices.tolist()) for row in matrix_of(c)] for c in (tags, authors))
    looped = n if n <= 1_000 else LOOPED_ROWS
    clock.start()
    cosine_title, cosine_abstract = (cosine_similarity(matrix_of(column)) for column in (title, abstract))
    matrices = time.process_time() - clock.cpu
    edges = 0
    for i in range(looped):
        for j in range(i + 1, n):
            both_tags, both_authors = tag_sets[i] & tag_sets[j], author_sets[i] & author_sets[j]
            similarity = (
                title.weight * cosine_title[i, j]
                + abstract.weight * cosine_abstract[i, j]
                + tags.weight * len(both_tags) / max(1, len(tag_sets[i] | tag_sets[j]))
                + authors.weight * len(both_authors) / max(1, len(author_sets[i] | author_sets[j]))
            )
            edges += similarity >= threshold
    clock.stop()
    if looped == n:
        return {"edges": int(edges)}
    done = sum(n - 1 - i for i in range(looped)) / (n * (n - 1) / 2)
    whole = matrices + (clock.cpu - matrices) / done
    return {"share": clock.cpu / whole}


# Dense rows.


def dense_ours(clock: Clock, *, n: int, threshold: float) -> Report:
    rows = clustered_rows(n)
    columns = (VectorColumn("text", 1.0, None, rows, np.zeros(n, dtype=bool)),)
    pairs_above(take_rows(columns, np.arange(min(n, 2_000)).repeat(-(-2_000 // min(n, 2_000)))[:2_000]), 0.99)
    clock.start()
    pairs = pairs_above(columns, threshold, n_threads=1)
    clock.stop()
    return edges_of(pairs)


def dense_numpy(clock: Clock, *, n: int, threshold: float) -> Report:
    rows = clustered_rows(n)
    columns = (VectorColumn("text", 1.0, None, rows, np.zeros(n, dtype=bool)),)
    clock.start()
    found = []
    for start in range(0, n, 1_024):
        product = rows[start : start + 1_024] @ rows[start:].T
        left, right = np.nonzero(product >= threshold - 2e-5)
        keep = left < right
        found.append(np.stack([left[keep] + start, right[keep] + start]))
    left, right = np.concatenate(found, axis=1)
    pairs = scored(columns, left, right, threshold)
    clock.stop()
    return edges_of(pairs)


def dense_faiss(clock: Clock, *, n: int, threshold: float) -> Report:
    import faiss

    rows = clustered_rows(n)
    columns = (VectorColumn("text", 1.0, None, rows, np.zeros(n, dtype=bool)),)
    clock.start()
    index = faiss.IndexFlatIP(rows.shape[1])
    index.add(rows)
    limits, _, right = index.range_search(rows, threshold - 2e-5)
    left = np.repeat(np.arange(n), np.diff(limits.astype(np.int64)))
    keep = left < right
    pairs = scored(columns, left[keep], right[keep], threshold)
    clock.stop()
    return edges_of(pairs)


def dense_hnswlib(clock: Clock, *, n: int, threshold: float) -> Report:
    """The 50 nearest of each row from an approximate index; what it does not find is missing from the graph."""
    import hnswlib

    rows = clustered_rows(n)
    columns = (VectorColumn("text", 1.0, None, rows, np.zeros(n, dtype=bool)),)
    clock.start()
    index = hnswlib.Index("ip", rows.shape[1])
    index.init_index(n, M=16, ef_construction=100, random_seed=0)
    index.set_num_threads(1)
    index.add_items(rows)
    index.set_ef(100)
    found, distance = index.knn_query(rows, k=min(50, n))
    left, place = np.nonzero(1.0 - distance >= threshold - 2e-5)
    right = found[left, place].astype(np.int64)
    keep = left != right
    ends = np.unique(np.sort(np.stack([left[keep], right[keep]], axis=1), axis=1), axis=0)
    pairs = scored(columns, ends[:, 0], ends[:, 1], threshold)
    clock.stop()
    return {"edges": len(pairs), "approximate": True}


def dense_guides_way(clock: Clock, *, n: int, threshold: float) -> Report:
    from sklearn.metrics.pairwise import cosine_similarity

    rows = clustered_rows(n)
    looped = n if n <= 1_000 else LOOPED_ROWS
    clock.start()
    matrix = cosine_similarity(rows)
    matrices = time.process_time() - clock.cpu
    edges = sum(matrix[i, j] >= threshold for i in range(looped) for j in range(i + 1, n))
    clock.stop()
    if looped == n:
        return {"edges": int(edges)}
    done = sum(n - 1 - i for i in range(looped)) / (n * (n - 1) / 2)
    return {"share": clock.cpu / (matrices + (clock.cpu - matrices) / done)}


# Counts at 100 thresholds: edges, components, largest component, isolated documents.


SWEEP_FLOOR = {1_000: 0.02, 10_000: 0.05, 100_000: 0.2}


def candidates_of(folder: str, n: int, floor: float) -> Any:
    """All pairs of at least the floor; found once a run."""
    from cnrag_core.graph.similarity_graph import CandidateEdges

    kept = Path(folder) / f"pairs-{n}-{floor}.npz"
    if not kept.exists():
        pairs = pairs_above(load(Path(folder), n), floor, n_threads=1)
        np.savez(kept, left=pairs.left, right=pairs.right, weight=pairs.weight)
    with np.load(kept) as found:
        left, right, weight = found["left"], found["right"], found["weight"]
    return CandidateEdges(tuple(map(str, range(n))), left, right, weight, floor=floor)


def sweep_ours(clock: Clock, *, folder: str, n: int, threshold: float) -> Report:
    from cnrag_core.graph.connectivity import connectivity
    from cnrag_core.graph.thresholds import edges_at

    candidates = candidates_of(folder, n, threshold)
    connectivity(candidates)  # compiled
    grid = np.linspace(threshold, 1.0, 100)
    clock.start()
    counts = edges_at(candidates, grid)
    components, giant, isolates = connectivity(candidates).after(counts)
    clock.stop()
    return {"edges": candidates.n_edges, "digest": _sweep_digest(counts, components, giant, isolates)}


def sweep_scipy(clock: Clock, *, folder: str, n: int, threshold: float) -> Report:
    from scipy.sparse.csgraph import connected_components

    edges = candidates_of(folder, n, threshold)
    rows = []
    clock.start()
    for limit in np.linspace(threshold, 1.0, 100):
        keep = edges.weight >= limit - 1e-9
        left, right = edges.left[keep], edges.right[keep]
        graph = sp.csr_matrix((np.ones(len(left), np.int8), (left, right)), shape=(n, n))
        count, labels = connected_components(graph, directed=False)
        sizes = np.bincount(labels)
        rows.append((len(left), count, sizes.max(), np.count_nonzero(sizes == 1)))
    clock.stop()
    return {"edges": edges.n_edges, "digest": _sweep_digest(*np.array(rows).T)}


def sweep_networkx(clock: Clock, *, folder: str, n: int, threshold: float) -> Report:
    import networkx as nx

    edges = candidates_of(folder, n, threshold)
    limits = np.linspace(threshold, 1.0, 100)
    done = 0
    clock.start()
    for limit in limits[::10]:
        count = edges.n_edges_at(float(limit))
        graph = nx.empty_graph(n)
        graph.add_edges_from(zip(edges.left[:count].tolist(), edges.right[:count].tolist(), strict=True))
        max(map(len, nx.connected_components(graph)))
        nx.number_of_isolates(graph)
        done += 1
    clock.stop()
    return {"edges": edges.n_edges, "share": done / len(limits)}


def _sweep_digest(*counts: NDArray[Any]) -> str:
    return hashlib.sha256(np.stack([np.asarray(part, dtype=np.int64) for part in counts]).tobytes()).hexdigest()[:12]


# One document more.


def add_one(clock: Clock, *, folder: str, n: int, threshold: float) -> Report:
    """The pairs that one new document brings, ten times over; the report is of one."""
    columns = load(Path(folder), n)
    pairs_of_rows(columns, [0], threshold)
    clock.start()
    for row in range(10):
        pairs_of_rows(columns, [n - 1 - row], threshold)
    clock.stop()
    clock.cpu, clock.wall = clock.cpu / 10, clock.wall / 10
    return {}


TASKS: dict[str, Callable[..., Report]] = {
    task.__name__: task
    for task in (
        ours, scipy_blocks, sparse_dot_topn, guides_way, dense_ours, dense_numpy, dense_faiss, dense_hnswlib,
        dense_guides_way,
        sweep_ours, sweep_scipy, sweep_networkx, add_one,
    )
}  # fmt: skip


def peak_mb() -> float:
    """Largest resident set of this process in MiB; what the parent had at the fork is not counted on Linux."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(name: str, arguments: str) -> None:
    from tests.benchmarks.corpus_tasks import CORPUS_TASKS
    from tests.benchmarks.graph_tasks import GRAPH_TASKS

    clock = Clock()
    facts = {**TASKS, **GRAPH_TASKS, **CORPUS_TASKS}[name](clock, **json.loads(arguments))
    share = facts.pop("share", 1.0)
    print(json.dumps({"cpu": clock.cpu, "wall": clock.wall, "rss_mb": peak_mb(), "share": share, "facts": facts}))


if __name__ == "__main__":
    main(*sys.argv[1:])
