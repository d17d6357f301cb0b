"""What would another configuration change? Two thresholds, or two YAMLs, on the same documents."""

import streamlit as st

from cnrag_core.config.loader import load_config, to_yaml
from cnrag_core.corpus.wording import count
from cnrag_core.jobs import Job
from cnrag_core.network import Network
from cnrag_core.rag import checked_threshold
from cnrag_core.topology.comparison import compare_graphs
from cnrag_core.types import Progress
from cnrag_core.views.comparison_charts import (
    alluvial_chart,
    comparison_sentence,
    edge_change_table,
    flow_table,
    rank_change_table,
)
from cnrag_core.worker import build_workspace
from pages.shared.background import start_job
from pages.shared.job_progress import result_of
from pages.shared.session import KEPT, current_network, literal, open_workspace, shown_errors
from pages.shared.tables import WRAPPED, number_in_front
from pages.shared.waiting import ready

workspace = open_workspace(
    "Compare",
    "What would another configuration change? Compare what you look at with another threshold or another YAML.",
    icon=":material/difference:",
)
PAIRS = {
    "similarity": number_in_front(format="%.4f", width=80),
    **{name: st.column_config.TextColumn(width=150) for name in ("one", "other")},
}
RANKS = {name: number_in_front(width=120) for name in ("rank in the first", "rank in the second")}
WAYS = ("Another threshold", "Another configuration")


def other_network(network: Network) -> Network | None:
    """The second network: chosen with a slider, or built in the background from a YAML."""
    way = st.segmented_control("Compare with", WAYS, default=WAYS[0], key="compare_with", persist_state=KEPT) or WAYS[0]
    if way == WAYS[0]:
        if not ready(workspace.network, "suggestion", key="suggestion"):
            return None
        suggested = workspace.network.suggestion.threshold
        threshold = st.slider(
            "Threshold of the second network", 0.0, 1.0, suggested, 0.01, key="second_threshold", persist_state=KEPT
        )
        return network.at_threshold(checked_threshold(network, max(threshold, network.candidates.floor)))
    text = st.text_area(
        "Configuration of the second network (YAML)", to_yaml(workspace.config), height=300, key="other"
    )
    job: Job[Network] | None = st.session_state.get("other_job")
    if st.button("Build it", key="build_other", type="primary", disabled=job is not None and job.state == "running"):
        config = load_config(text, uploaded=True)

        def work(progress: Progress) -> Network:
            return build_workspace(workspace.corpus, config, name=workspace.name, progress=progress).network

        job = start_job("other_job", "comparison", work)
    if job is None:
        st.info("Change something in the YAML and build it to see what that changes.", icon=":material/edit:")
        return None
    built = result_of("other_job")
    return built if built is not None and built.node_ids == workspace.network.node_ids else None


def edges(changes, heading: str, key: str, none: str) -> None:
    """Edges that are in one network only."""
    st.subheader(heading, anchor=False)
    if changes:
        table = edge_change_table(changes, first)
        st.dataframe(table, key=key, hide_index=True, row_height=WRAPPED, column_config=PAIRS)
    else:
        st.text(none)


with shown_errors():
    first = current_network(workspace)
    second = other_network(first)
    if second is None:
        st.stop()
    found = compare_graphs(first.graph, second.graph, first.communities, second.communities)
    st.text(comparison_sentence(found))
    st.caption(
        f"Left: {literal(first.graph.rule)}. Right: {literal(second.graph.rule)}. "
        "A Rand index of 1 = the same communities, of 0 = no more in common than by chance."
    )
    dark = st.context.theme.type == "dark"
    st.plotly_chart(alluvial_chart(found, first, second, dark=dark), key="alluvial")
    with st.expander("The same as a table"):
        st.dataframe(flow_table(found, first, second), key="flows", hide_index=True)
    # Another threshold only gains or only loses: what there is takes the room.
    with st.container(key="parts_edges"):
        gained, lost = (
            st.columns(2, gap="large") if found.n_gained and found.n_lost else (st.container(), st.container())
        )
    with gained:
        edges(
            found.gained,
            f"Gained: {count(found.n_gained, 'edge')}",
            "gained",
            "Every edge of the second is in the first.",
        )
    with lost:
        edges(found.lost, f"Lost: {count(found.n_lost, 'edge')}", "lost", "Every edge of the first is in the second.")
    st.subheader("The same question, asked of both", anchor=False)
    asked = st.text_input("Question", workspace.queries[0].text if workspace.queries else "", key="compare_question")
    if asked.strip():
        rankings = [network.search(asked).with_strategy("hybrid").top(10) for network in (first, second)]
        if rankings[0] or rankings[1]:
            table = rank_change_table(*rankings, first)
            st.dataframe(table, key="rank_changes", hide_index=True, placeholder="not among them", column_config=RANKS)
        else:
            st.info(literal(rankings[0].reason))
