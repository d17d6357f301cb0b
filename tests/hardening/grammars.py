"""Inputs that are nearly right: what byte noise rarely reaches is said in the words of each format.

A file is a soup of the format's own pieces. Pieces are repeated up to thousands of times, because that is
what makes a reader slow, and stand where they do not belong, because that is what makes it fall.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

REPEATS = (1,) * 12 + (2, 3, 20, 300, 4000)


def soup(pieces: Sequence[str], *, most: int = 24) -> st.SearchStrategy[bytes]:
    """Pieces in any order, some of them many times, and now and then any text."""
    piece = st.tuples(st.sampled_from(pieces) | st.text(max_size=8), st.sampled_from(REPEATS))
    return st.lists(piece, max_size=most).map(
        lambda chosen: "".join(text * times for text, times in chosen)[:200_000].encode("utf-8", "surrogatepass")
    )


def mutated(*originals: bytes) -> st.SearchStrategy[bytes]:
    """A real file with bytes changed, a stretch left out or doubled, cut off, or with a mark in front."""

    def change(
        original: bytes,
        edits: list[tuple[int, int]],
        left_out: tuple[int, int],
        doubled: tuple[int, int],
        cut: int,
        mark: bytes,
    ) -> bytes:
        data = bytearray(original)
        for position, value in edits:
            data[position % len(data)] = value
        start, length = left_out
        del data[start % len(original) : start % len(original) + length]
        start, length = doubled
        start %= max(1, len(data))
        data[start:start] = data[start : start + length]
        return mark + bytes(data[: len(data) - cut % (len(data) + 1)] if cut else data)

    place = st.integers(0, 2**20)
    return st.builds(
        change,
        st.sampled_from(originals),
        st.lists(st.tuples(place, st.integers(0, 255)), max_size=8),
        st.tuples(place, st.just(0) | st.integers(0, 40)),
        st.tuples(place, st.just(0) | st.integers(0, 200)),
        st.just(0) | place,
        st.sampled_from([b"", b"", b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"]),
    )


SCALARS = (
    *("null", "true", "false", "0", "-0", "1e999", "-1e-999", "NaN", "-Infinity", "9" * 5000, "1" * 30, "0.1",
    "007", "1.10"),
    *('""', '"a"', '"7"', '"=1+1"', '"\\ud800"', '"\\u0000"', '"\\udc00\\ud800"', '"a\u2028b\u0085c"',
    '"\u202e"', '"not a number"'),
    *('"' + "x" * 3000 + '"', '"a|b;c"', '"2020-01-01"', '"<img src=x onerror=1>"', '"\\q"', '"unclosed', "nul",
    "'a'", "{}", "[]"),
    *("[" * 60 + "]" * 60, '{"a":' * 60 + "1" + "}" * 60, "[" * 2000, '{"id":1,"id":2}', '["x",1,null,{"y":[]}]'),
)  # fmt: skip
KEYS = (
    "id",
    "title",
    "tags",
    "text",
    "data",
    "messages",
    "mapping",
    "columns",
    "a.b",
    "",
    " ",
    "\ufeffid",
    "\u0000",
    "k" * 300,
)
_VALUES: st.SearchStrategy[str] = st.recursive(
    st.sampled_from(SCALARS) | st.text(max_size=6).map(json.dumps) | st.floats().map(json.dumps),
    lambda inner: (
        st.lists(inner, max_size=4).map(lambda items: f"[{','.join(items)}]")
        | st.lists(st.tuples(st.sampled_from(KEYS).map(json.dumps), inner), max_size=4).map(
            lambda pairs: f"{{{','.join(f'{key}:{value}' for key, value in pairs)}}}"
        )
    ),
    max_leaves=12,
)
RECORDS = st.lists(
    st.lists(st.tuples(st.sampled_from(KEYS[:9]).map(json.dumps), _VALUES), max_size=5).map(
        lambda pairs: "{" + ",".join(f"{key}:{value}" for key, value in pairs) + "}"
    ),
    max_size=5,
)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


JSON = st.one_of(
    _VALUES.map(_bytes),
    RECORDS.map(lambda records: _bytes(f"[{','.join(records)}]")),
    RECORDS.map(lambda records: _bytes(f'{{"data":[{",".join(records)}]}}')),
    RECORDS.map(lambda records: _bytes("{" + ",".join(f'"{n}":{record}' for n, record in enumerate(records)) + "}")),
    soup(("[", "]", "{", "}", ",", ":", '"', '"id":', '{"id":1}', "\n", " ", "\\", "1", "null", "//", "\ufeff")),
)
JSON_LINES = st.one_of(
    RECORDS.map(lambda records: _bytes("\n".join(records))),
    RECORDS.map(lambda records: _bytes("\r\n\r\n".join([*records, "{", "[1", ""]))),
    st.lists(_VALUES, max_size=5).map(lambda values: _bytes("\n".join(values))),
)

CELLS = (
    "a",
    "1",
    "1.10",
    "007",
    "",
    " ",
    "NaN",
    "-",
    "=1+1",
    "+1",
    "a|b",
    "x;y",
    "true",
    "[1, 2]",
    "['a', \"b\"]",
    '{"k": 1}',
)
_CELL = st.sampled_from(
    (*CELLS, '"', '""', '"a,b"', '"a\nb"', "'", "\x00", "x" * 2000, "\u2028", "1_000", "1,5", "é", "漢")
) | st.text(max_size=6)


def _table(rows: list[list[str]], separator: str, end: str, encoding: str) -> bytes:
    text = end.join(separator.join(row) for row in rows)
    return text.encode(encoding, "replace" if encoding != "utf-8" else "surrogatepass")


CSV = st.one_of(
    st.builds(
        _table,
        st.lists(st.lists(_CELL, max_size=5), max_size=8),
        st.sampled_from([",", ";", "\t", "|", ", "]),
        st.sampled_from(["\n", "\r\n", "\r", "\n\n", "\u2028"]),
        st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252", "utf-32", "shift_jis"]),
    ),
    soup(
        (",", ";", "\t", "|", '"', '""', "\n", "\r", "\r\n", "id", "title", "sep=;\n", "a,b\n", " ", "\x00", "1,2,3\n")
    ),
)

YAML = st.one_of(
    soup(("- ", "  ", "id: ", "a: b\n", "\n", ": ", "? ", "[", "]", "{", "}", ",", "&a ", "*a", "<<: ",
    "!!str ", "!!python/object:os.system ", "!x ",
          "|\n", ">-\n", "'", '"', "---\n", "...\n", "%YAML 1.2\n", "%TAG ! x\n", "#", "\t", "~", ".nan",
          ".inf", "0x1F", "1:30", "no", "\u2028", "\x00", "\\")),
    RECORDS.map(lambda records: _bytes("\n".join(f"- {record}" for record in records))),
)  # fmt: skip

PROSE = soup(("# ", "## T\n", "\n", "\n\n", "---\n", "a: b\n", "tags: [a]\n", "[[", "]]", "[[a|b]]", "](",
    "](a.md)", ")", "![t](x)", "`", "```\n",
              "* x\n", "- ", "1. ", "> ", "|", "a. ", "Dr. ", "CHAPTER I.\n", "。", "…", " ", "\t", "\r\n",
              "\x0c", "x", "word ", "\u202e", "😀", "<b>", "&amp;", "$x$"))  # fmt: skip

HTML = soup(("<html>", "<!doctype html>", "<body>", "<p>", "</p>", "<b>", "<div>", "<table><tr><td>",
    "<script>", "</script>", "<style>", "<!--", "-->", "<!---->",
             "<?xml version='1.0'?>", "&amp;", "&", "&#0;", "&#x110000;", "<title>T</title>",
             "<meta charset=idna>", "<meta charset='utf-7'>", "<a href='", "'>", '"',
             "<br>", "<h1>", "<svg>", "<textarea>", "<![CDATA[", "]]>", "words ", " ", "\n", "\x00", "<", ">",
             "="))  # fmt: skip

FEED = soup(("<?xml version='1.0'?>", "<rss>", "</rss>", "<feed xmlns='http://www.w3.org/2005/Atom'>", "<item>",
    "</item>", "<entry>", "</entry>", "<title>", "</title>",
             "<description>", "</description>", "<![CDATA[<p>x</p>]]>", "<guid>1</guid>", "<link href='x'/>",
             "<category>a</category>", "&amp;", "&laugh9;", "&#x1;",
             "<!DOCTYPE z [<!ENTITY laugh9 'ha'>]>", "<!--", "-->", "<a:b>", "text ", "<", ">",
             "\x00"))  # fmt: skip

BIBTEX = soup(("@article{", "@misc(", "@string{", "@comment{", "@preamble{", "key,", "title = {",
    "author = {A and B}", "year = 2001", "keywords={a;b}", "}", "{", ")", '"', "#", ",",
               "=", "\\'e", "\\x", "$", "%", "\n", " and ", "  ", "x", "@", "\\begin{a}", "{\\em x}",
               "~"))  # fmt: skip

RIS = soup(("TY  - JOUR\n", "TY - BOOK\n", "ER  - \n", "AU  - Doe\n", "TI  - Title\n", "KW  - a; b\n",
    "PY  - 2001/1/2/\n", "AB  - ", "UR  - x\n", "ID  - 1\n", "XX  - ",
            "\n", "\r\n", " ", "TY  -", "text ", "\u2028", "\x00"))  # fmt: skip

_TURN: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(["user", "assistant", "system", "", None, 3]),
        "content": st.none() | st.text(max_size=8) | st.lists(st.text(max_size=4) | st.none(), max_size=2),
        "sender": st.sampled_from(["human", None, {"role": "user"}]),
        "text": st.text(max_size=5) | st.integers(),
        "parts": st.lists(st.text(max_size=5), max_size=2),
    },
)
_ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
_NODE = st.fixed_dictionaries(
    {},
    optional={
        "parent": st.sampled_from(["a", "b", "c", None, 3]),
        "message": st.none()
        | st.fixed_dictionaries(
            {},
            optional={
                "author": st.sampled_from([{"role": "user"}, {"role": "tool"}, "assistant", None, {}]),
                "content": st.sampled_from(
                    [{"parts": ["x", None, {"text": "y"}]}, {"text": "z"}, "w", None, [], {"parts": 3}]
                ),
                "create_time": st.floats() | st.text(max_size=3) | st.integers(),
                "metadata": _ANY,
            },
        ),
        "children": _ANY,
    },
)
_CONVERSATION = st.fixed_dictionaries(
    {},
    optional={
        "id": _ANY,
        "title": _ANY,
        "mapping": st.dictionaries(st.sampled_from(["a", "b", "c"]), _NODE | _ANY, max_size=3),
        "current_node": st.sampled_from(["a", "b", "z", None, 3]),
        "create_time": st.floats() | st.integers() | _ANY,
        "messages": st.lists(_TURN | _ANY, max_size=3),
        "conversations": st.lists(_TURN, max_size=3),
    },
)
CHATS = (st.lists(_CONVERSATION | _ANY, max_size=3) | _CONVERSATION).map(lambda value: json.dumps(value).encode())
