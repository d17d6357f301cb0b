"""Where should I cut? The consequences of every threshold, before anyone lives with them."""

import streamlit as st

from cnrag_core.graph.threshold_changes import gains_and_losses, orphans
from cnrag_core.graph.thresholds import similarity_histogram
from cnrag_core.views.kept_with import kept_with
from cnrag_core.views.threshold_charts import QUANTITIES, curve_table, histogram_chart, threshold_curve_chart
from cnrag_core.views.threshold_words import (
    Figure,
    community_figures,
    interpretation,
    link_figures,
    no_threshold_words,
    orphan_table,
    piece_figures,
    step_words,
)
from pages.shared.session import (
    KEPT,
    choose_threshold,
    current_network,
    literal,
    open_workspace,
    shown_errors,
    sidebar_figures,
)
from pages.shared.waiting import ready

workspace = open_workspace(
    "Threshold", "Where should I cut? Move the threshold and watch what stays linked.", icon=":material/tune:"
)


@st.fragment
def threshold_panel() -> None:
    """Slider, figures and curve; only this reruns while the slider moves."""
    sidebar_figures(workspace)
    network = current_network(workspace)
    with st.container(key="parts_threshold"):
        controls, chart = st.columns([1, 2], gap="large")
    with controls:
        threshold_slider(network)
        suggested = st.container()
        figures(network)
    with chart:
        found = ready(network, "curve", "suggestion", key="curve")
        if found:
            draw_curve(network)
    if found:
        with suggested:
            offer(network.suggestion)
        consequences(network)


def threshold_slider(network) -> None:
    """The threshold that every page looks at."""
    floor = network.candidates.floor
    st.session_state["threshold_slider"] = min(max(round(network.graph.threshold, 2), round(floor, 2)), 1.0)
    st.slider(
        "Similarity threshold",
        min_value=round(floor, 2),
        max_value=1.0,
        step=0.01,
        key="threshold_slider",
        on_change=lambda: choose_threshold(max(st.session_state["threshold_slider"], floor)),
        help="Two documents are linked when their combined similarity is at least this.",
    )
    if network.cut_at is None:
        st.caption(literal(no_threshold_words(network)))


def figures(network) -> None:
    """What the present threshold makes of the network, in the order in which it is found."""
    pairs = [st.columns(2) for _ in range(4)]

    def show(columns: list, found: list[Figure]) -> None:
        for column, (name, value, explanation) in zip(columns, found, strict=True):
            column.metric(name, value, help=explanation)

    show([*pairs[0], *pairs[1]], link_figures(network.graph))
    show(pairs[2], piece_figures(network.graph))
    if ready(network, "communities", key="communities"):
        show(pairs[3], community_figures(network.communities))


def offer(suggestion) -> None:
    """The suggested threshold with its reason."""
    st.button(
        f"Use the suggestion, {suggestion.threshold:.2f}",
        key="use_suggestion",
        on_click=choose_threshold,
        args=(suggestion.threshold,),
        width="stretch",
    )
    st.caption(literal(suggestion.reason))


def draw_curve(network) -> None:
    """What every threshold would leave, with the present one marked."""
    curve, suggestion = network.curve, network.suggestion
    st.session_state.setdefault("curve_quantity", "shares")
    quantity = (
        st.segmented_control("Show", QUANTITIES, key="curve_quantity", persist_state=KEPT, required=True) or "shares"
    )
    st.plotly_chart(
        threshold_curve_chart(curve, quantity=quantity, threshold=network.cut_at, suggestion=suggestion),
        key="threshold_curve",
    )
    st.text(interpretation(network, curve, suggestion))
    with st.expander("The same as a table"):
        st.dataframe(curve_table(curve), key="curve_table", hide_index=True)


def consequences(network) -> None:
    """What the next step would change, who is left alone, and how similar pairs are."""
    curve = network.curve
    threshold = max(network.graph.threshold, curve.floor)
    drawn = network.graph if network.cut_at is None else None
    changes = kept_with(network, "next step", lambda: gains_and_losses(curve, threshold, drawn=drawn))
    alone = orphans(curve.candidates, threshold, drawn=drawn)
    with st.container(key="parts_next"):
        steps, pairs = st.columns([1, 2], gap="large")
    with steps:
        st.subheader("The next step", anchor=False)
        for change in (changes.lower, changes.higher):
            if change is not None:
                words = step_words(change, network)
                st.markdown(f"**{literal(words.headline)}** {words.about}")
                st.caption("\n".join(f"- {literal(example)}" for example in words.examples))
    with pairs:
        st.subheader("How similar pairs are", anchor=False)
        st.plotly_chart(
            histogram_chart(similarity_histogram(curve.candidates), threshold=network.cut_at),
            key="histogram",
        )
    st.subheader(f"Linked to nothing: {len(alone):,}", anchor=False)
    if alone:
        st.dataframe(
            orphan_table(alone, network),
            key="orphans",
            hide_index=True,
            height="auto" if len(alone) <= 10 else 390,
            column_config={
                "document": st.column_config.TextColumn(width=405),
                "attaches at": st.column_config.NumberColumn(
                    "linked at", width=76, format="%.4f", help="Highest threshold at which it is linked."
                ),
                "to": st.column_config.TextColumn(width=405),
            },
        )
    else:
        st.text("Every document has at least one neighbour here.")


with shown_errors():
    threshold_panel()
