"""A picture as one HTML file that opens offline, safe to mail.

Enters: a `GraphPicture`. Leaves: a page in which nothing of a document runs and nothing is fetched.
"""

from __future__ import annotations

import base64
import hashlib
import re

from cnrag_core.views.graph_picture import GraphPicture, pyvis_network

# pyvis links two Bootstrap files even when everything else is embedded.
_EXTERNAL = re.compile(r"<(link|script)\b[^>]*\b(?:href|src)\s*=[^>]*>(\s*</script>)?", re.IGNORECASE)
_SCRIPT = re.compile(r"<script\b[^>]*>(.*?)</script>", re.DOTALL | re.IGNORECASE)
_TITLE_STYLE = "<style>html,body{margin:0}center{display:none}.card{border:0!important}</style>"


def standalone_html(picture: GraphPicture, *, height: int = 800, dark: bool = False) -> str:
    """The page, with a content security policy that admits only its own scripts by their hash."""
    html = _EXTERNAL.sub("", pyvis_network(picture, height=height, dark=dark).generate_html(notebook=False))
    hashes = " ".join(
        "'sha256-" + base64.b64encode(hashlib.sha256(body.encode("utf-8")).digest()).decode("ascii") + "'"
        for body in _SCRIPT.findall(html)
    )
    policy = f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:"
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n{_TITLE_STYLE}'
    return html.replace("<head>", f"<head>\n{head}", 1)
