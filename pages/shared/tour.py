"""Being on a tour: a step opens its page in a ready state, and a bar says where to look and how to go on.

A step replaces what the visitor looked at. Documents of their own are kept aside and come back at the end.
"""

from __future__ import annotations

import streamlit as st

from cnrag_core.corpus.samples import sample_names
from cnrag_core.visits import server_visits
from cnrag_core.workspace import Workspace
from pages.shared.session import BACK, OF_THE_CORPUS, sample_workspace, set_in_link, use_workspace
from pages.shared.tours import TOURS, Step, Tour

OVERVIEW = "pages/0_Tour.py"
OF_A_PAGE = ("net_", "walk_", "network_", "marked")
"""How keys begin under which pages keep their state."""

OF_THE_SEARCH = ("strategies", "n_results", "judged_question", "compare_with", "source")


def enter_step() -> None:
    """Take up the step that the link names, where it is another than the one that was taken up last."""
    state = st.session_state
    name = st.query_params.get("tour")
    found = step_named(name) if name else None
    if found is None or (name == state.get("tour_step") and not state.pop("tour_left", False)):
        return
    if "tour_step" not in state and "workspace" in state:
        before: Workspace = state["workspace"]
        state["before_tour"], state["tour_back"] = before, before.sample or server_visits().token_of(before)
    elif "tour_step" not in state:
        state["tour_back"] = st.query_params.get(BACK)
    for key in [key for key in state if str(key).startswith(OF_A_PAGE) or key in (*OF_THE_CORPUS, *OF_THE_SEARCH)]:
        del state[key]
    state["workspace"], state["tour_step"] = sample_workspace(found[0].sample), name
    st.query_params.from_dict(st.query_params.to_dict())  # from one step to the next on one page no address changes


def step_named(name: str) -> tuple[Tour, int] | None:
    """The tour and the place, from 0, of a step such as ``papers-3``; None where there is none."""
    tour, _, number = name.rpartition("-")
    if tour not in TOURS or not (number.isascii() and number.isdigit()):
        return None
    at = int(number) - 1
    return (TOURS[tour], at) if 0 <= at < len(TOURS[tour].steps) else None


def link_to(tour: Tour, at: int) -> dict[str, str]:
    """What a link to a step carries."""
    name = next(key for key, value in TOURS.items() if value is tour)
    return {"sample": tour.sample, **tour.steps[at].link, "tour": f"{name}-{at + 1}"}


def tour_bar(title: str) -> None:
    """On the page of a step: what to look at, back and next; on any other page: the way back to it."""
    name = st.session_state.get("tour_step")
    found = step_named(name) if name else None
    if found is None or title == "Tour":
        return
    tour, at = found
    step, here = tour.steps[at], title_of(tour.steps[at]) == title
    st.session_state["tour_left"] = not here
    if here:
        set_in_link("tour", name)
        set_in_link(BACK, st.session_state.get("tour_back"))
    with st.container(border=True, key="tour_bar", gap="xxsmall"):
        if here:
            end = "" if step.title.endswith("?") else "."
            st.markdown(f":material/tour: **Step {at + 1} of {len(tour.steps)}: {step.title}{end}** {step.see}")
        else:
            st.markdown(f":material/tour: The tour waits at step {at + 1}, {step.title.lower()}.")
        with st.container(horizontal=True, vertical_alignment="center"):
            if not here:
                _step_link(tour, at, "Back to the step", ":material/undo:")
            else:
                if at + 1 < len(tour.steps):
                    _step_link(tour, at + 1, f"Next: {tour.steps[at + 1].title}", ":material/arrow_forward:")
                if at:
                    _step_link(tour, at - 1, "Previous", ":material/arrow_back:")
            st.page_link(OVERVIEW, label="Back to the tour", icon=":material/list:")
            st.button("End the tour", key="tour_end", on_click=end_tour, type="tertiary", icon=":material/close:")


def end_tour() -> None:
    """Leave the tour; the visitor's own documents are there again."""
    before = before_tour()
    for key in ("tour_step", "tour_back", "before_tour"):
        st.session_state.pop(key, None)
    set_in_link("tour", None)
    set_in_link(BACK, None)
    if before is not None and before is not st.session_state.get("workspace"):
        use_workspace(before)


def before_tour() -> Workspace | None:
    """What the visitor looked at before the tour, found again after a reload as well; None where they came new."""
    kept: Workspace | None = st.session_state.get("before_tour")
    back = st.session_state.get("tour_back")
    if kept is not None or back is None:
        return kept
    found = sample_workspace(back) if back in sample_names() else server_visits().open(back)
    st.session_state["before_tour"] = found
    return found


def title_of(step: Step) -> str:
    """Title of a step's page, as its heading says it."""
    from pages.shared.session import PAGES

    return next(label for page, label, _ in PAGES if page == step.page)


def _step_link(tour: Tour, at: int, label: str, icon: str) -> None:
    st.page_link(tour.steps[at].page, label=label, icon=icon, query_params=link_to(tour, at))


def tour_invitation() -> None:
    """A line for those who are new."""
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="tour_invitation"):
        st.markdown(":material/tour: **New here?** Six steps, two minutes, nothing to load.", width="stretch")
        _step_link(TOURS["papers"], 0, "Start the tour", ":material/play_arrow:")
        st.page_link(OVERVIEW, label="All steps", icon=":material/list:")
