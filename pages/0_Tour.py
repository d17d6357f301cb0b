"""Where do I begin? Two tours of a few steps; each step opens a page that is ready to be looked at."""

import streamlit as st

from pages.shared.session import PAGES, literal, open_workspace, shown_errors
from pages.shared.tour import before_tour, end_tour, link_to, step_named
from pages.shared.tours import TOURS

workspace = open_workspace(
    "Tour",
    "Where do I begin? Each step opens a page in a ready state and says where to look.",
    icon=":material/tour:",
)

ICONS = {page: icon for page, _, icon in PAGES}

with shown_errors():
    taken = step_named(st.session_state.get("tour_step", ""))
    before = before_tour()
    if before is not None and before is not workspace:
        st.info(f"“{literal(before.name)}” waits; ending the tour brings it back.", icon=":material/inventory_2:")
    if taken is not None:
        st.button("End the tour", key="tour_end", on_click=end_tour, icon=":material/close:")
    for column, tour in zip(st.columns(len(TOURS), gap="large"), TOURS.values(), strict=True):
        with column:
            st.subheader(tour.title, anchor=False)
            st.caption(literal(tour.about))
            for at, step in enumerate(tour.steps):
                here = taken is not None and taken == (tour, at)
                with st.container(border=True, gap="xsmall"):
                    st.page_link(
                        step.page,
                        label=f"**{at + 1}. {step.title}**",
                        icon=ICONS[step.page],
                        query_params=link_to(tour, at),
                    )
                    st.caption(literal(step.see) + (" :blue-badge[you are here]" if here else ""))
