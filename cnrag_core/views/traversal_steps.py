"""The steps of a walk as people read them: names instead of ids, sentences instead of codes.

Enters: a trace and the graph that it walked. Leaves: labels, rows and sentences; plain values only.
"""

from __future__ import annotations

from cnrag_core.corpus.wording import count
from cnrag_core.graph.concept_graph import ChunkNode, ConceptGraph
from cnrag_core.traversal.budget import chunks_sent
from cnrag_core.traversal.trace import Step, TraversalTrace

LABEL_LENGTH = 60

KIND_IN_WORDS = {
    "cosine": "similar text",
    "shared_concepts": "rare concepts in common",
    "mention": "names its title",
    "reference": "refers to it",
    "adjacent": "stands beside it",
}
COLUMNS = ("step", "chunk", "reached from", "because", "weight", "cost", "hop", "tokens", "total", "check")

WALK_IN_WORDS = {"audited": "walk", "notebook": "notebook's walk", "flat": "flat retrieval"}


def chunk_label(graph: ConceptGraph, chunk_id: str) -> str:
    """What people call a chunk: its document's title, with the part and the page where there are several.

    Where the title is but the beginning of the text, a part is called by its own beginning. A chunk that the
    graph does not hold is called by its id.
    """
    chunk = graph.chunks.get(chunk_id)
    if chunk is None:
        return chunk_id
    siblings = graph.chunks_of[chunk.document_id]
    page = f"page {chunk.page}" if chunk.page is not None else ""
    part = f"part {siblings.index(chunk_id) + 1}" if len(siblings) > 1 else ""
    place = ", ".join(filter(None, (page, part)))
    if not _is_beginning(chunk.title, graph.chunks[siblings[0]].text):
        name = shortened(chunk.title)
        return f"{name} · {place}" if place else name
    name = shortened(chunk.text or chunk.id)
    return f"{place}: {name}" if place else name


def _is_beginning(title: str, text: str) -> bool:
    """Whether a title says no more than the text begins with, as readers make one where there is none."""
    begin = " ".join(title.rstrip("…").split())
    return " ".join(text[: 4 * len(title) + 40].split()).startswith(begin)


def place_of(chunk: ChunkNode) -> str:
    """Where a chunk stands, for a citation: document, field, page, characters."""
    page = f", page {chunk.page}" if chunk.page is not None else ""
    field = f", {chunk.field}" if chunk.field else ""
    return f"{chunk.document_id}{field}{page}, characters {chunk.start:,} to {chunk.end:,}"


def because(step: Step) -> str:
    """The edge that led to a chunk: its kind and the words that made it; for a seed that it is one."""
    if step.parent is None:
        return "seed"
    kind = KIND_IN_WORDS.get(step.edge_kind or "", step.edge_kind or "")
    words = ", ".join(step.evidence) if step.edge_kind != "adjacent" else ""
    return f"{kind}: {words}" if words else kind


def step_rows(trace: TraversalTrace, graph: ConceptGraph) -> tuple[list[str], list[list[str]]]:
    """Columns and rows of a table of the steps, as text."""
    rows = [
        [
            str(step.order),
            chunk_label(graph, step.chunk_id),
            chunk_label(graph, step.parent) if step.parent is not None else "",
            because(step),
            "" if step.edge_weight is None else f"{step.edge_weight:.3f}",
            f"{step.cost:.2f}",
            str(step.hop),
            f"{step.tokens:,}",
            f"{step.total_tokens:,}",
            check_in_words(step) if step.action == "visit" else "does not fit",
        ]
        for step in trace.steps
    ]
    return list(COLUMNS), rows


def check_in_words(step: Step) -> str:
    """What the completeness check said after a step."""
    return {True: "complete", False: "not yet", None: ""}[step.check]


def decision(step: Step, graph: ConceptGraph) -> str:
    """The decision of a step with the name of the chunk before instead of its id."""
    if step.parent is None:
        return step.decision
    return step.decision.replace(f"from {step.parent}", f"from {chunk_label(graph, step.parent)}", 1)


def outcome(trace: TraversalTrace) -> str:
    """One sentence: what is in the context, at what cost, and why the walk ended."""
    chunks = count(len(trace.path), "chunk")
    return f"{chunks}, {trace.total_tokens:,} of {count(trace.budget.max_tokens, 'token')}. {trace.reason_in_words}"


def evidence_count(trace: TraversalTrace) -> str:
    """``2 of 3``: how much of what was required is in the context; empty where nothing was."""
    n = len(trace.required_evidence)
    return f"{n - len(trace.missing_evidence)} of {n}" if n else ""


def cost_of_checks(trace: TraversalTrace) -> str:
    """What asking for completeness cost: every check sends the whole context again."""
    n = len(trace.path)
    every = trace.budget.check_every
    if not trace.n_checks:
        sent = chunks_sent(n)
        each = "the only chunk" if n == 1 else f"each of {n:,} chunks"
        return f"Nobody asked whether the context suffices. Asking after {each} would send {sent:,}."
    sizes = list(range(every, n + 1, every))[: trace.n_checks]
    terms = " + ".join(map(str, sizes if len(sizes) <= 5 else [*sizes[:3], "…", sizes[-1]]))
    checks = count(trace.n_checks, "check")
    whole = f"{terms} = {trace.n_chunks_sent:,}" if sum(sizes) == trace.n_chunks_sent else f"{trace.n_chunks_sent:,}"
    chunks = "chunk" if trace.n_chunks_sent == 1 else "chunks"
    return f"{checks} sent {whole} {chunks}: each check sends the whole context so far."


def shortened(text: str, length: int = LABEL_LENGTH) -> str:
    """The beginning of a text on one line.

    Examples
    --------
    >>> shortened("a  line\\nand more", 8)
    'a line…'
    """
    line = " ".join(text.split())
    if len(line) <= length:
        return line
    cut = line[: length - 1].rstrip()
    return f"{cut}…"
