"""Can it follow the thread? A walk over the chunks, inside budgets, replayed and compared."""

import streamlit as st

from cnrag_core.corpus.wording import count
from cnrag_core.views.traversal_steps import cost_of_checks, evidence_count, outcome
from cnrag_core.views.traversal_tables import comparison_sentence, concept_table, context_table, kind_table
from pages.shared.session import current_network, literal, open_workspace, shown_errors
from pages.shared.tables import WRAPPED, number_in_front, row_height
from pages.shared.waiting import ready
from pages.shared.walk_controls import WalkRequest, ask
from pages.shared.walk_replay import replay

workspace = open_workspace(
    "Traversal",
    "Can it follow the thread? From the best matches along the links, inside a budget, every step on record.",
    icon=":material/route:",
)
BESIDE = {
    "audited": ("The walk", "Cheapest first; what is discovered is also expanded; every budget is read."),
    "flat": ("Flat top-k, same budget", "The best matches in order while they fit; nothing is followed."),
    "notebook": ("The notebook's walk", "As the course notebook has it, with its faults; it reads no budget."),
}

CHARACTERS = 18
"""That a line of a chunk's name holds where three tables stand side by side."""
NARROW = {
    "#": number_in_front(width=30),
    "chunk": st.column_config.TextColumn(width=132),
    "needed": st.column_config.TextColumn(width=58),
    "tokens": st.column_config.NumberColumn(width=56),
}


def walked(request: WalkRequest) -> dict:
    """The walk and what stands beside it, for the same question and budget."""
    walker = current_network(workspace).walker
    common = {"budget": request.budget, "required_evidence": request.evidence, "n_seeds": request.n_seeds}
    return {
        "audited": walker.traverse(request.question, check=request.check, cost=request.cost, **common),
        "flat": walker.traverse(request.question, walk="flat", **common),
        "notebook": walker.traverse(request.question, walk="notebook", **common),
    }


def headline(trace) -> None:
    """What came of the walk, in figures and words."""
    found = evidence_count(trace)
    figures = [
        ("Chunks", f"{len(trace.path):,}", "In the context, of at most as many as the budget allows."),
        ("Tokens", f"{trace.total_tokens:,}", f"Of the context, counted by {trace.tokenizer}."),
        ("Evidence", found or "unknown", "How much of what the answer needs is in the context, where that is known."),
        ("Checks", f"{trace.n_checks:,}", "Times that completeness was asked."),
        ("Chunks sent", f"{trace.n_chunks_sent:,}", "By all checks together: each sends the whole context so far."),
    ]
    for column, (name, value, explanation) in zip(st.columns(5), figures, strict=True):
        column.metric(name, value, help=literal(explanation))
    show = st.success if trace.is_complete else st.info
    show(literal(outcome(trace)), icon=":material/flag:")
    for sentence in trace.remarks:
        st.warning(literal(sentence), icon=":material/search_off:")


def beside(traces, graph) -> None:
    """Walk, flat retrieval and the notebook's walk, side by side."""
    st.subheader("The same question, the same budget, without the walk", anchor=False)
    st.text(comparison_sentence(traces))
    with st.container(key="parts_beside"):
        columns = st.columns(3, gap="medium")
    for column, (name, trace) in zip(columns, traces.items(), strict=True):
        title, explanation = BESIDE[name]
        with column:
            st.markdown(f"**{title}**", help=explanation)
            table = context_table(trace, graph)
            height = row_height(list(table["chunk"]), CHARACTERS)
            st.dataframe(table, key=f"context_{name}", hide_index=True, row_height=height, column_config=NARROW)
            st.caption(literal(outcome(trace)))
            for sentence in trace.remarks if name != "audited" else ():
                st.caption(literal(sentence))
            st.caption(literal(cost_of_checks(trace)))


def about(graph) -> None:
    """How the chunk graph was made."""
    with st.expander(f"The chunk graph: {count(len(graph.chunks), 'chunk')}, {count(graph.n_edges, 'edge')}"):
        notes, kinds = st.columns([2, 1], gap="large")
        with notes:
            for note in graph.notes:
                st.text(note)
            st.text(f"{count(graph.n_pairs, 'pair of chunks was', 'pairs of chunks were')} compared.")
        kinds.dataframe(kind_table(graph), key="walk_kinds", hide_index=True)
        st.dataframe(
            concept_table(graph),
            key="walk_concepts",
            hide_index=True,
            row_height=WRAPPED,
            column_config={
                "chunk": st.column_config.TextColumn(width=270),
                "concepts": st.column_config.TextColumn(width=380),
                "characters": st.column_config.TextColumn(width=100),
                "edges": st.column_config.NumberColumn(width=56),
            },
        )


with shown_errors():
    request = ask(workspace)
    if not request.question:
        st.info("Ask something in plain words, or pick a question whose evidence is known.", icon=":material/route:")
        st.stop()
    if not ready(current_network(workspace), "walker", key="walker"):
        st.stop()
    traces = walked(request)
    graph = current_network(workspace).concept_graph
    audited = traces["audited"]
    headline(audited)
    replay(audited, graph)
    st.download_button(
        "Audit log (JSONL)",
        audited.to_jsonl,
        file_name="walk.jsonl",
        mime="application/x-ndjson",
        key="walk_audit",
        icon=":material/download:",
        help="Seeds, every step with its edge, span, tokens and decision, and the summary.",
    )
    beside(traces, graph)
    about(graph)
