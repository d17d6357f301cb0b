"""A web page: its title, what it says about itself, and the text that a person would read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from cnrag_core.corpus.readers.plaintext import prose_records
from cnrag_core.corpus.readers.source import Source
from cnrag_core.corpus.records import Record
from cnrag_core.corpus.report import refusing
from cnrag_core.corpus.wording import count
from cnrag_core.errors import CorpusError

WHOLE = 5000
_CHARSET = re.compile(rb"(?:charset|encoding)\s*=\s*[\"']?([A-Za-z0-9_.:-]{2,40})", re.IGNORECASE)
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_UNREAD = frozenset(
    [
        "script",
        "style",
        "noscript",
        "template",
        "svg",
        "math",
        "iframe",
        "object",
        "canvas",
        "form",
        "select",
        "nav",
        "footer",
        "aside",
        "button",
        "head",
    ]
)
_BLOCKS = _HEADINGS | frozenset(
    [
        "p",
        "div",
        "section",
        "article",
        "main",
        "header",
        "li",
        "ul",
        "ol",
        "dl",
        "dt",
        "dd",
        "table",
        "tr",
        "pre",
        "blockquote",
        "figure",
        "figcaption",
        "hr",
    ]
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
    html = source.text(declared=declared_encoding(source.data))
    check_tags(html, source)
    fields, text = page_of(html, source.name)
    if not text:
        raise CorpusError(f"{source.name} is a web page without readable text.")
    yield from prose_records(text, source, fields, whole=WHOLE)


def declared_encoding(data: bytes) -> str | None:
    """The encoding that an HTML or XML file names in its first lines."""
    found = _CHARSET.search(data[:4096])
    return found[1].decode("ascii") if found else None


def check_tags(text: str, source: Source) -> None:
    """Refuse a page or feed with more tags than allowed: each becomes an object of a few hundred bytes.

    Raises
    ------
    CorpusError
        With both numbers.
    """
    n_tags, limit = text.count("<"), source.limits.tags
    if limit is not None and n_tags > limit:
        raise CorpusError(f"{source.name} has {count(n_tags, 'tag')}; at most {limit:,} are allowed in one file.")


def page_of(html: str, name: str) -> tuple[dict[str, Any], str]:
    """Fields and text of a page; headings are marked with ``#`` in the text."""
    from lxml import etree  # type: ignore[import-untyped]  # has no stubs
    from lxml import html as lxml_html

    # the parser stops at a depth of 256, so that no page can make it, or the walk below, work without end
    parser = lxml_html.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, huge_tree=False)
    with refusing(name, "a web page"):
        try:
            root = lxml_html.document_fromstring(html.encode("utf-8", "replace"), parser=parser)
        except etree.ParserError:  # there is no element in it
            return {}, html.strip()
        return _about(root), _tidy("".join(_pieces(root)))


def text_of_fragment(html: str) -> str:
    """The text of a piece of HTML, as feeds carry it."""
    return page_of(html, "a piece of HTML")[1] if html.strip() and ("<" in html or "&" in html) else html.strip()


def _pieces(root: Any) -> Iterator[str]:
    """Text between tags, with line breaks where a browser would break."""
    stack = [(root, False)]
    while stack:
        element, closing = stack.pop()
        tag = element.tag
        read = isinstance(tag, str) and tag not in _UNREAD
        if read and not closing:
            yield "\n\n" if tag in _BLOCKS else "\n" if tag == "br" else ""
            if tag in _HEADINGS:
                yield "#" * int(tag[1]) + " "
            yield element.text or ""
            stack.append((element, True))
            stack.extend((child, False) for child in reversed(element))
            continue
        if read:
            yield "\n\n" if tag in _BLOCKS else " " if tag in {"td", "th"} else ""
        yield element.tail or ""


def _tidy(text: str) -> str:
    lines = _LINES.sub("\n", _SPACES.sub(" ", text))
    kept = [line for line in lines.split("\n") if line.strip("#- ·|•") or not line]
    return _GAPS.sub("\n\n", "\n".join(kept)).strip()


def _about(root: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    title = next((text for tag in ("title", "h1") for element in root.iter(tag) if (text := _line(element))), "")
    if title:
        fields["title"] = title
    for meta in root.iter("meta"):
        key = (meta.get("name") or "").strip().lower()
        content = " ".join((meta.get("content") or "").split())
        if not content or key in fields:
            continue
        if key in {"description", "author", "date"}:
            fields[key] = content
        elif key == "keywords":
            fields["keywords"] = [word for part in content.split(",") if (word := part.strip())]
    if root.get("lang"):
        fields["language"] = root.get("lang")
    return fields


def _line(element: Any) -> str:
    return " ".join("".join(element.itertext()).split())
