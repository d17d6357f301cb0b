"""A picture as one HTML file that opens offline, safe to mail: the live graph without its server.

Enters: a `GraphPicture`, and what stands beside it. Leaves: a page in which nothing of a document runs and
nothing is fetched. Its policy admits only the page's own scripts, by their hash; the data is a block
of JSON that no browser runs, and every text of it becomes pixels or text nodes.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from html import escape
from typing import Any

from cnrag_core.views import live_graph
from cnrag_core.views.graph_picture import GraphPicture, component_data

HEIGHT = "calc(100vh - 76px)"

DARK = """{
  color-scheme: dark;
  --st-text-color: #fafafa; --st-background-color: #0e1117; --st-secondary-background-color: #262730;
  --st-border-color: #41444e; --st-primary-color: #6ea8ff;
}"""


def standalone_html(
    picture: GraphPicture,
    *,
    side: Mapping[str, Any] | None = None,
    title: str = "Network",
    dark: bool | None = None,
) -> str:
    """The page.

    Parameters
    ----------
    side
        Legend, list and caption, as `network_side.side_data` makes them; without it the graph fills the page.
    title
        What the page is called.
    dark
        Light letters on dark ground or the other way round; as the reader's system has it where None.
    """
    data = {
        **component_data(picture, revision="page", layout="page", view=_digest(picture)),
        **(side or {}),
        "height": HEIGHT,
    }
    scripts = [_module_hider(live_graph.library()), live_graph.script() + live_graph.asset("standalone.js")]
    hashes = " ".join(f"'sha256-{_base64_of(script)}'" for script in scripts)
    style = live_graph.style() + live_graph.asset("standalone.css").replace("/*DARK*/", _dark_rules(dark))
    caption = str((side or {}).get("caption") or picture.counts)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>{escape(title)}</h1>
<p>{escape(caption)}</p>
<div id="explorer">{live_graph.body()}</div>
</main>
<div id="told" role="status" hidden></div>
<script type="application/json" id="picture">{_inert(data)}</script>
<script>{scripts[0]}</script>
<script type="module">{scripts[1]}</script>
</body>
</html>
"""


def _inert(data: Mapping[str, Any]) -> str:
    """JSON in which no character can end or begin an element."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "&<>\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text.encode("utf-8", "replace").decode("utf-8")


def _module_hider(library: str) -> str:
    return f"(() => {{ const exports = undefined, module = undefined, define = undefined;\n{library}\n}})();"


def _dark_rules(dark: bool | None) -> str:
    if dark is None:
        return f"@media (prefers-color-scheme: dark) {{ :root {DARK} }}"
    return f":root {DARK}" if dark else ""


def _base64_of(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")


def _digest(picture: GraphPicture) -> str:
    """Under which the reader's browser keeps zoom and pan of this picture and no other."""
    return hashlib.sha256(picture.nodes.tobytes() + picture.edges.tobytes() + picture.x.tobytes()).hexdigest()[:16]
