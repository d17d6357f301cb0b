"""The right pane: the document, pair, path or community that is looked at, or where to begin."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from cnrag_core.network import Network
from cnrag_core.preparing import at_hand, is_sought
from cnrag_core.views.community_names import community_names, joined_communities
from cnrag_core.views.network_ahead import closest_to_begin_with, pairs_to_begin_with, where_to_begin
from cnrag_core.views.network_document import DocumentFacts, document_facts
from cnrag_core.views.network_links import STYLES, evidence_words, links_between, links_of
from cnrag_core.views.network_measures import betweenness_seconds, measure_at_hand
from cnrag_core.views.network_options import NetworkOptions
from cnrag_core.views.network_paths import missing_path, path_steps
from cnrag_core.views.network_picture import Drawing
from cnrag_core.views.pair_waterfall import contribution_table, narrow_waterfall
from cnrag_core.views.pair_words import pair_sentence
from cnrag_core.workspace import Workspace
from pages.shared.document_view import document_text
from pages.shared.network_found import found_bar, found_now, found_panel
from pages.shared.network_state import (
    find_document,
    look_around,
    open_community,
    path_between,
    show_document,
    show_pair,
)
from pages.shared.session import choose_threshold, literal, selected_document
from pages.shared.waiting import ready


def panel(workspace: Workspace, network: Network, options: NetworkOptions, drawing: Drawing | None) -> None:
    """Whatever is looked at."""
    state = st.session_state
    pair = state.get("net_pair")
    document, found = selected_document(workspace), found_now(network)
    if options.view == "communities":
        number = state.get("net_community")
        if number is None:
            overview_start(network)
        else:
            community_panel(network, number)
    elif pair is not None:
        pair_panel(network, *pair)
    elif options.view == "path" and options.ends is not None and drawing is not None:
        path_panel(network, options, drawing)
        if document is not None and document not in options.ends:
            st.divider()
            document_panel(workspace, network, document)
    elif document is not None:
        if found:
            found_bar(network, found)
        document_panel(workspace, network, document)
    elif found:
        found_panel(network, found)
    else:
        start_panel(network)


def document_panel(workspace: Workspace, network: Network, node_id: str) -> None:
    """One document: what it is, where it belongs, whom it resembles."""
    facts = document_facts(network, node_id)
    st.markdown(f"##### {literal(facts.title)}", anchors=False)
    _place(network, facts)
    with st.container(key="net_actions", horizontal=True, gap="xsmall"):
        st.button(
            "Around it", key="net_around", on_click=look_around, args=(node_id,),
            help="Only its neighbours, one to three hops far",
        )  # fmt: skip
        st.button(
            "Path from", key="net_path_from", on_click=path_between, args=(node_id, None), help="A path from here"
        )
        st.button("Path to", key="net_path_to", on_click=path_between, args=(None, node_id), help="A path to here")
    links = links_of(network.links, network.graph.index(node_id)) if at_hand(network, "links") else []
    names = ["Text", f"Neighbours {facts.n_neighbors:,}", "Measures", *([f"Links {len(links):,}"] if links else [])]
    text, neighbors, figures, *rest = st.tabs(names)
    with text:
        document_text(network.document(node_id), workspace.config)
        st.caption(literal(f"{facts.node_id} · {facts.source}"))
    with neighbors:
        _neighbors(network, facts)
    with figures, st.container(key="net_figures", gap=None):
        for name, value, rank, explanation in facts.figures:
            st.markdown(f"{name} **{value}** {rank}", help=explanation)
        count_paths(network, key="net_count_for_document")
    for tab in rest:
        with tab:
            for number, link in enumerate(links):
                other = link.target if link.source == node_id else link.source
                _document_button(network, other, key=f"net_link_{number}")
                st.text(f"{STYLES[link.kind].name} · {evidence_words(link, node_id)}")
                if link.sentence:
                    st.text(f"“{link.sentence.strip()}”")


def _place(network: Network, facts: DocumentFacts) -> None:
    if facts.community_number is None:
        st.caption(literal(facts.community))
    else:
        st.button(
            literal(f"{facts.community} · {facts.community_size:,} documents"),
            key="net_open_community",
            type="tertiary",
            icon=":material/bubble_chart:",
            on_click=open_community,
            args=(network, facts.community_number),
            help=literal("Show only this community. Its words: " + ", ".join(facts.tags)),
        )
    for role in facts.roles:
        st.markdown(literal(role))


def _neighbors(network: Network, facts: DocumentFacts) -> None:
    if not facts.neighbors:
        st.text("It is linked to nothing at this threshold.")
    for number, neighbor in enumerate(facts.neighbors):
        title, why = st.columns([3.2, 1], vertical_alignment="center", gap="small")
        with title, st.container(gap=None):
            _document_button(network, neighbor.node_id, key=f"net_neighbor_{number}")
            st.caption(literal("in common: " + ", ".join(neighbor.words)) if neighbor.words else "no words in common")
        why.button(
            f"{neighbor.similarity:.2f}",
            key=f"net_why_{number}",
            on_click=show_pair,
            args=(facts.node_id, neighbor.node_id),
            help="Why are these two linked?",
            width="stretch",
        )
    if facts.n_neighbors > len(facts.neighbors):
        st.caption(
            f"The {len(facts.neighbors)} most similar of {facts.n_neighbors:,}; all are in the view “Around one”."
        )


def pair_panel(network: Network, first: str, second: str) -> None:
    """Why two documents are linked, or how far they are from it."""
    linked = network.graph.adjacency[network.graph.index(first), network.graph.index(second)] > 0
    st.markdown(f"##### {'Why are these two linked?' if linked else 'How alike are these two?'}", anchors=False)
    _document_button(network, first, key="net_pair_first")
    _document_button(network, second, key="net_pair_second")
    st.caption(literal(joined_communities(network, first, second)))
    explanation = network.similarity.explain(first, second)
    st.text(pair_sentence(explanation, network))
    st.plotly_chart(
        narrow_waterfall(explanation, threshold=network.cut_at),
        key="net_waterfall",
        config={"displayModeBar": False},
    )
    shared = [(part.name, part.shared) for part in explanation.contributions if part.shared]
    for name, words in shared:
        st.caption(literal(f"in common, {name}"))
        st.text(", ".join(words))
    graph = network.graph
    typed = links_between(network.links, graph.index(first), graph.index(second)) if at_hand(network, "links") else []
    for link in typed:
        st.caption(literal(f"{STYLES[link.kind].name}: {STYLES[link.kind].meaning}"))
        st.text(link.sentence.strip() or ", ".join(link.evidence))
    with st.expander("The same as a table"):
        st.dataframe(contribution_table(explanation), key="net_contributions", hide_index=True)
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Path between them", key="net_pair_path", icon=":material/route:", on_click=path_between,
            args=(first, second),
        )  # fmt: skip
        st.button("Close", key="net_pair_close", icon=":material/close:", on_click=show_document, args=(None,))


def path_panel(network: Network, options: NetworkOptions, drawing: Drawing) -> None:
    """A path step by step, or the threshold that would make one."""
    if options.ends is None:
        return
    if drawing.path is None:
        sentence, threshold = missing_path(network, options.ends)
        st.info(literal(sentence), icon=":material/route:")
        if threshold is not None:
            st.button(
                f"Set the threshold to {threshold:.3f}", key="net_join", type="primary",
                on_click=choose_threshold, args=(threshold,),
            )  # fmt: skip
        return
    st.markdown("##### The path", anchors=False)
    steps = path_steps(drawing.path, network)
    for number, step in enumerate(steps):
        _document_button(network, step.node_id, key=f"net_step_{number}")
        if step.similarity is not None:
            mark = " · the weakest link" if step.weakest and len(steps) > 2 else ""
            st.button(
                f"↓ {step.similarity:.3f}{mark}", key=f"net_hop_{number}", type="tertiary",
                on_click=show_pair, args=(step.node_id, steps[number + 1].node_id), help="Why are these two linked?",
            )  # fmt: skip


def community_panel(network: Network, number: int) -> None:
    """One community of the overview."""
    names = community_names(network)
    if number not in names:
        overview_start(network)
        return
    st.markdown(f"##### {literal(names[number])}", anchors=False)
    st.text(f"{int(network.communities.sizes[number]):,} documents")
    st.text("Its words: " + (", ".join(network.tags.get(number, [])) or "none that set it apart"))
    st.button(
        "Show its documents", key="net_drill", type="primary", icon=":material/zoom_in:",
        on_click=open_community, args=(network, number),
    )  # fmt: skip
    st.caption("Best connected in it")
    degree, ids = network.graph.degree, network.node_ids
    members = sorted(network.communities.members(number), key=lambda node: (-int(degree[node]), node))
    for node in members[:8]:
        _document_button(network, ids[node], key=f"net_member_{node}", on_click=find_document)


def start_panel(network: Network) -> None:
    """Nothing is selected: what can be done, and documents worth beginning with."""
    st.markdown("##### Where to begin", anchors=False)
    st.text("Click a document or an edge. Double click a document to see what is around it.")
    for heading, explanation, nodes in where_to_begin(network):
        st.caption(heading, help=explanation)
        for node_id, words in nodes:
            _document_button(network, node_id, key=f"net_start_{heading}_{node_id}", words=words)
    pairs = pairs_to_begin_with(network)
    if pairs:
        st.caption(
            "Across communities",
            help="The most similar documents that different communities hold, one pair for any two communities.",
        )
    for number, (first, second, similarity) in enumerate(pairs):
        st.button(
            literal(f"{network.title(first)} — {network.title(second)} · {similarity:.2f}"),
            key=f"net_start_pair_{number}",
            type="tertiary",
            on_click=show_pair,
            args=(first, second),
            wrap=True,
        )
    count_paths(network, key="net_count_at_start")


def count_paths(network: Network, *, key: str) -> None:
    """Where measures take a while to find: a button that finds them, with the page in use meanwhile."""
    missing = [name for name in ("betweenness", "clustering") if not measure_at_hand(network, name)]
    if not missing:
        return
    seconds = betweenness_seconds(network)
    asked = st.button(
        f"Find {' and '.join(missing)}", key=key, help=f"Takes about {seconds:.0f} s; then bridges are shown as well."
    )
    if asked or any(is_sought(network, name) for name in missing):
        ready(network, *missing, key=f"measures_{key}")


def overview_start(network: Network) -> None:
    """No community is selected: what a click does, and which two have most to do with each other."""
    st.markdown("##### Communities", anchors=False)
    st.text("Each disc is a community, as large as it has documents. Click one for its words, double click to go in.")
    closest = closest_to_begin_with(network)
    if closest:
        st.caption("Most links between")
    for one, other, n_links in closest:
        st.text(f"{one} — {other}: {n_links:,} link{'' if n_links == 1 else 's'}")
    st.page_link("pages/3_Communities.py", label="Cards, stability and gaps", icon=":material/bubble_chart:")


def _document_button(
    network: Network,
    node_id: str,
    *,
    key: str,
    words: str = "",
    on_click: Callable[[str | None], None] = show_document,
) -> None:
    """A title that leads to its document."""
    label = literal(network.title(node_id)) + (f" · {literal(words)}" if words else "")
    st.button(label, key=key, type="tertiary", on_click=on_click, args=(node_id,), wrap=True)
