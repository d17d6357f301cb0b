"""A walk replayed: the chunk graph after a step, the step in words, the chunk that is looked at."""

from __future__ import annotations

import hashlib

import streamlit as st

from cnrag_core.corpus.wording import count
from cnrag_core.graph.concept_graph import ConceptGraph
from cnrag_core.traversal.trace import TraversalTrace
from cnrag_core.views.network_side import toggled
from cnrag_core.views.traversal_picture import WalkScene, walk_data, walk_scene
from cnrag_core.views.traversal_steps import because, chunk_label, decision, place_of
from cnrag_core.views.traversal_tables import frontier_table, step_table
from pages.shared.graph_component import graph_view
from pages.shared.session import literal
from pages.shared.tables import WRAPPED, number_in_front, row_height, table_height

GRAPH = "walk_graph"
HEIGHT = 560
MOST_SCENES = 4
CHARACTERS = 27
"""That a line of a decision holds in the table of steps."""


def _signature(trace: TraversalTrace) -> str:
    """What tells one walk from another: everything in its log."""
    return hashlib.sha256(trace.to_jsonl().encode("utf-8", "replace")).hexdigest()


def scene_of(trace: TraversalTrace, graph: ConceptGraph, key: str) -> WalkScene:
    """The scene of a walk; a few are kept, so that a step does not lay the graph out again."""
    scenes: dict[str, WalkScene] = st.session_state.setdefault("walk_scenes", {})
    if key not in scenes:
        scenes[key] = walk_scene(trace, graph)
        while len(scenes) > MOST_SCENES:
            scenes.pop(next(iter(scenes)))
    return scenes[key]


@st.fragment
def replay(trace: TraversalTrace, graph: ConceptGraph) -> None:
    """Slider, graph and details; only this reruns while the visitor steps through."""
    key = _signature(trace)
    n_steps = len(trace.steps)
    if st.session_state.get("walk_shown") != key:
        st.session_state.update(walk_shown=key, walk_step=n_steps, walk_only=())
    step = _step_row(n_steps)
    scene = scene_of(trace, graph, key)
    with st.container(key="parts_walk"):
        picture, details = st.columns([2.4, 1], gap="medium")
    only = st.session_state.get("walk_only", ())
    with picture:
        seen = graph_view(walk_data(scene, step, only=only), key=GRAPH, height=HEIGHT, on_legend=_on_legend)
        st.caption(scene.counts)
    selected = [scene.chunk_ids[int(node)] for node in seen.selected["nodes"] if int(node) < len(scene.chunk_ids)]
    with details, st.container(border=True, height=HEIGHT + 16):
        _details(trace, graph, step, selected[0] if selected else None)
    st.subheader("Every step", anchor=False)
    table = step_table(trace, graph)
    height = row_height(list(table["decision"]), CHARACTERS, least=WRAPPED)
    st.dataframe(
        table,
        key="walk_table",
        hide_index=True,
        on_select=lambda: _on_row(n_steps),
        selection_mode="single-row",
        row_height=height,
        height=table_height(n_steps, height, most=503),
        column_order=[name for name in table.columns if name != "check"],  # the decision says it
        column_config={
            "step": number_in_front(width=40),
            "chunk": st.column_config.TextColumn(width=150),
            "reached from": st.column_config.TextColumn(width=120),
            "because": st.column_config.TextColumn(width=128),
            "weight": st.column_config.TextColumn(width=56, help="Of the edge that led here. A lead, not evidence."),
            "cost": st.column_config.NumberColumn(
                width=46, format="%.2f", help="Of the seed and of every edge on the way; the cheapest goes first."
            ),
            "hop": st.column_config.NumberColumn(width=40, help="Edges from the seed."),
            "tokens": st.column_config.NumberColumn(width=56),
            "total": st.column_config.NumberColumn(width=50, help="Tokens of the context after this step."),
            "decision": st.column_config.TextColumn(width=188),
        },
    )


def _step_row(n_steps: int) -> int:
    """The step that is shown, from 0 (before the first) to the last."""
    if n_steps == 0:
        return 0
    st.session_state["walk_step"] = min(st.session_state.get("walk_step", n_steps), n_steps)
    at = st.session_state["walk_step"]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _move("First", "walk_first", at, 0)
        _move("Back", "walk_previous", at, max(at - 1, 0))
        step = int(st.slider(f"Step (of {n_steps:,})", 0, n_steps, key="walk_step", persist_state="session"))
        _move("Next", "walk_next", at, min(at + 1, n_steps))
        _move("Last", "walk_last", at, n_steps)
    return step


def _move(label: str, key: str, at: int, target: int) -> None:
    st.button(label, key=key, on_click=_go, args=(target,), disabled=target == at)


def _go(step: int) -> None:
    st.session_state["walk_step"] = step


def _on_row(n_steps: int) -> None:
    rows = st.session_state["walk_table"]["selection"]["rows"]
    if rows and rows[0] < n_steps:
        _go(rows[0] + 1)


def _on_legend() -> None:
    clicked = st.session_state[GRAPH].get("legend")
    if clicked is not None:
        st.session_state["walk_only"] = toggled(st.session_state.get("walk_only", ()), clicked)


def _details(trace: TraversalTrace, graph: ConceptGraph, step: int, selected: str | None) -> None:
    if step == 0:
        st.markdown("##### Before the first step")
        st.text("The seeds are queued; the cheapest goes first.")
    else:
        taken = trace.steps[step - 1]
        st.markdown(f"##### {step}. {literal(chunk_label(graph, taken.chunk_id))}")
        st.text(decision(taken, graph))
        figures = [f"{because(taken)}", f"cost {taken.cost:.2f}", f"hop {taken.hop}"]
        figures += [] if taken.edge_weight is None else [f"weight {taken.edge_weight:.3f}"]
        st.caption(literal(" · ".join(figures)))
        st.caption(
            f"{count(taken.tokens, 'token')}, {taken.total_tokens:,} of {trace.budget.max_tokens:,} in the context"
        )
        if taken.new_concepts:
            st.caption(literal(f"new concepts: {', '.join(taken.new_concepts)}"))
        if selected is None or selected == taken.chunk_id:
            _text(graph, taken.chunk_id)
    if selected is not None and (step == 0 or selected != trace.steps[step - 1].chunk_id):
        st.markdown(f"##### Selected: {literal(chunk_label(graph, selected))}")
        _text(graph, selected)
    waiting = frontier_table(trace, graph, step)
    if len(waiting):
        st.caption(f"Queue after this step: {len(waiting):,}")
        st.dataframe(
            waiting.head(50), key="walk_queue", hide_index=True, height=min(38 * (len(waiting) + 1), 180),
            column_config={"cost": st.column_config.NumberColumn(format="%.2f")},
        )  # fmt: skip


def _text(graph: ConceptGraph, chunk_id: str) -> None:
    chunk = graph.chunk(chunk_id)
    st.text(chunk.text)
    if chunk.concepts:
        st.caption(literal(f"concepts: {', '.join(chunk.concepts)}"))
    st.caption(literal(place_of(chunk)))
