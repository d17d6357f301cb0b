"""Room for pages that fill the window: narrower margins, smaller figures.

Streamlit offers no setting for these; a component without a shadow root is the way to a style sheet
that holds nothing but our own rules.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

HEIGHT = "max(420px, calc(100vh - 290px - var(--second-row, 0px)))"
"""What the panes of such a page are high, as style sheets write it."""

WIDE = f"""
.stApp .stMainBlockContainer {{ padding: 1.4rem 1.4rem 2rem; }}
.stApp .stMainBlockContainer h2 {{ font-size: 1.45rem; padding: 0; }}
@media (min-width: 800px) and (max-width: 1450px) {{
  section[data-testid="stSidebar"][data-collapsed="false"] {{ width: 216px !important; min-width: 216px !important; }}
}}
@media (max-width: 800px) {{
  .stApp .stMainBlockContainer {{ padding-top: 3.8rem; }}
}}
@media (max-width: 1000px) {{
  .stApp .st-key-net_panes [data-testid="stHorizontalBlock"],
  .stApp .st-key-net_row [data-testid="stHorizontalBlock"] {{ flex-wrap: wrap; }}
  .st-key-net_panes > .stLayoutWrapper > .stHorizontalBlock > .stColumn,
  .st-key-net_panes > div > .stHorizontalBlock > .stColumn {{ min-width: 100%; }}
  .stApp .st-key-net_row [data-testid="stColumn"] {{ min-width: min(100%, 260px); flex: 1 1 260px; }}
  .stApp .st-key-net_panel {{ height: auto; max-height: 80vh; }}
}}
.stApp:has(.st-key-net_second_row) {{ --second-row: 64px; }}
.stApp:has(.st-key-net_path_row) {{ --second-row: 84px; }}
.stApp:has(.st-key-net_range_row) {{ --range-row: 84px; }}
.stApp:has(.st-key-tour_bar) {{ --tour-bar: 116px; }}
.stApp .st-key-net_panel {{
  flex: 0 0 auto; height: {HEIGHT}; overflow-y: auto; scrollbar-width: thin; gap: 0.5rem; padding: 0.8rem;
}}
.stApp .st-key-net_panel [data-testid="stText"],
.stApp .st-key-net_panel [data-testid="stMarkdown"] p {{ font-size: 0.86rem; }}
.stApp .st-key-net_panel button[kind="tertiary"] {{
  min-height: 0; padding: 0.1rem 0; text-align: left; justify-content: flex-start;
}}
.stApp .st-key-net_panel button[kind="tertiary"] p {{
  font-size: 0.86rem; text-align: left;
  text-decoration: underline rgba(128, 134, 150, 0.55); text-underline-offset: 3px;
}}
.stApp .st-key-net_panel h5 {{ padding: 0 0 0.9rem; font-size: 1.02rem; line-height: 1.3; }}
.stApp .st-key-net_panel p {{ line-height: 1.4; }}
.stApp .st-key-net_actions button {{ min-height: 1.9rem; padding: 0.1rem 0.55rem; }}
.stApp .st-key-net_actions button p {{ font-size: 0.82rem; }}
.stApp .st-key-net_figures p {{ font-size: 0.82rem; line-height: 1.5; }}
.stApp .st-key-net_panel [data-testid="stColumn"] button[kind="secondary"] {{
  min-height: 1.9rem; padding: 0.1rem 0.2rem;
}}
.stApp .st-key-net_panel [data-testid="stColumn"] button[kind="secondary"] p {{ font-size: 0.82rem; }}
.stApp .st-key-net_map_box {{ height: {HEIGHT}; flex: 0 0 auto; }}
.stApp .st-key-net_view button {{ padding: 0 0.55rem; min-height: 2.5rem; }}
.stApp .st-key-net_view button p {{ font-size: 0.86rem; }}
"""


@cache
def _style() -> Callable[..., Any]:
    return st.components.v2.component("cnrag_page_style", css=WIDE, isolate_styles=False)


def fill_window() -> None:
    """Give the page the whole window."""
    _style()(key="cnrag_page_style", height=1)
