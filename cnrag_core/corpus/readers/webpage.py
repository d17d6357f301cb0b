"""A web page: its title, what it says about itself, and the text that a person would read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cnrag_core.corpus.readers.plaintext import prose_records
from cnrag_core.corpus.readers.source import Source
from cnrag_core.corpus.records import Record
from cnrag_core.corpus.report import refusing
from cnrag_core.errors import CorpusError

if TYPE_CHECKING:
    from bs4 import BeautifulSoup

WHOLE = 5000
_CHARSET = re.compile(rb"(?:charset|encoding)\s*=\s*[\"']?([A-Za-z0-9_.:-]{2,40})", re.IGNORECASE)
_UNREAD = (
    *("script", "style", "noscript", "template", "svg", "math", "iframe", "object", "canvas", "form", "select"),
    *("nav", "footer", "aside", "button", "head"),
)
_BLOCKS = (
    *("p", "div", "section", "article", "main", "header", "li", "ul", "ol", "dl", "dt", "dd", "table", "tr", "pre"),
    *("blockquote", "figure", "figcaption", "hr", "h1", "h2", "h3", "h4", "h5", "h6"),
)
_SPACES = re.compile(r"[ \t\r\f\v\u00a0\u3000]+")
_LINES = re.compile(r" ?\n ?")
_GAPS = re.compile(r"\n{3,}")


def read(source: Source) -> Iterator[Record]:
    """The page as one document, or in passages when it is long.

    Raises
    ------
    CorpusError
        If there is no text on the page.
    """
    fields, text = page_of(source.text(declared=declared_encoding(source.data)), source.name)
    if not text:
        raise CorpusError(f"{source.name} is a web page without readable text.")
    yield from prose_records(text, source, fields, whole=WHOLE)


def declared_encoding(data: bytes) -> str | None:
    """The encoding that an HTML or XML file names in its first lines."""
    found = _CHARSET.search(data[:4096])
    return found[1].decode("ascii") if found else None


def page_of(html: str, name: str) -> tuple[dict[str, Any], str]:
    """Fields and text of a page; headings are marked with ``#`` in the text."""
    from bs4 import BeautifulSoup, Comment

    with refusing(name, "a web page"):
        soup = BeautifulSoup(html, "lxml")
        fields = _about(soup)
        for comment in soup.find_all(string=lambda text: isinstance(text, Comment)):
            comment.extract()
        for element in soup.find_all(_UNREAD):
            element.decompose()
        for level in range(1, 7):
            for heading in soup.find_all(f"h{level}"):
                heading.insert(0, "#" * level + " ")
        for element in soup.find_all("br"):
            element.replace_with("\n")
        for element in soup.find_all(_BLOCKS):
            element.insert_before("\n\n")
            element.insert_after("\n\n")
        for cell in soup.find_all(["td", "th"]):
            cell.insert_after(" ")
        return fields, _tidy(soup.get_text())


def text_of_fragment(html: str) -> str:
    """The text of a piece of HTML, as feeds carry it."""
    return page_of(html, "a piece of HTML")[1] if "<" in html or "&" in html else html.strip()


def _tidy(text: str) -> str:
    lines = _LINES.sub("\n", _SPACES.sub(" ", text))
    kept = [line for line in lines.split("\n") if line.strip("#- ·|•") or not line]
    return _GAPS.sub("\n\n", "\n".join(kept)).strip()


def _about(soup: BeautifulSoup) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    title = soup.title.get_text() if soup.title else ""
    heading = soup.find("h1")
    title = " ".join(title.split()) or (" ".join(heading.get_text().split()) if heading else "")
    if title:
        fields["title"] = title
    for meta in soup.find_all("meta"):
        key = str(meta.get("name") or "").strip().lower()
        content = " ".join(str(meta.get("content") or "").split())
        if not content or key in fields:
            continue
        if key in {"description", "author", "date"}:
            fields[key] = content
        elif key == "keywords":
            fields["keywords"] = [word for part in content.split(",") if (word := part.strip())]
    root = soup.find("html")
    if root is not None and root.get("lang"):
        fields["language"] = str(root.get("lang"))
    return fields
