"""Files that attack their reader: each has one expected outcome, and none takes long or much."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from cnrag_core.corpus.document import Corpus
from cnrag_core.corpus.limits import MEGABYTE, Limits
from cnrag_core.corpus.readers import read_bytes
from cnrag_core.errors import CorpusError

Outcome = str | Callable[[Corpus], bool]


def jsonl(*records: dict[str, Any]) -> bytes:
    return "\n".join(map(json.dumps, records)).encode()


def zip_of_zeros() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(10):
            archive.writestr(f"{number}.txt", b" " * 10 * MEGABYTE)
    return buffer.getvalue()


def nested_zip() -> bytes:
    data = b"x"
    for _ in range(5):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("inner.zip", data)
        data = buffer.getvalue()
    return data


SCRIPT = "<img src=x onerror='window.pwned=1'>"
FILES: dict[str, tuple[str, bytes, Outcome]] = {
    # text that would be code elsewhere is data here, exactly as written
    "script in a title": (
        "a.jsonl",
        jsonl({"id": SCRIPT, "title": SCRIPT}),
        lambda c: c[SCRIPT].text("title") == SCRIPT,
    ),
    "script in a field name": ("a.jsonl", jsonl({"id": "a", SCRIPT: "x"}), lambda c: SCRIPT in c["a"].fields),
    "closing script": ("a.jsonl", jsonl({"id": "a", "t": "</script>"}), lambda c: c["a"].text("t") == "</script>"),
    "formula": ("a.csv", b"id,t\na,=HYPERLINK(1)\n", lambda c: c["a"].text("t") == "=HYPERLINK(1)"),
    "sql": ("a.jsonl", jsonl({"id": "x' OR '1'='1", "t": "a"}), lambda c: c.documents[0].id == "x' OR '1'='1"),
    "markdown image": ("a.md", b"![t](http://attacker/x.png)", lambda c: "attacker" in c.documents[0].text("text")),
    # JSON
    "deep json": ("a.json", b"[" * 100_000, "nested too deeply"),
    "deep json object": ("a.json", b'{"a":' * 100_000, "nested too deeply"),
    "long integer": ("a.json", b'[{"id":"a","n":' + b"9" * 5000 + b"}]", "5,000 digits"),
    "infinity": ("a.json", b'[{"id":"a","n":Infinity}]', lambda c: c["a"].fields["n"] is None),
    "surrogate": ("a.json", b'[{"id":"a","t":"\\ud800"}]', lambda c: c["a"].text("t") == "\ufffd"),
    "duplicate key": ("a.json", b'[{"id":"a","id":"b"}]', "the key 'id' appears twice"),
    "two to the 63": ("a.json", b'[{"id":"a","n":9223372036854775808}]', lambda c: c["a"].fields["n"] == 2**63),
    "object with a million keys": (
        "a.json",
        json.dumps({f"k{n}": n for n in range(100_000)}).encode(),
        "different fields",
    ),
    # CSV
    "long cell": ("a.csv", b"id,t\na," + b"x" * 131_073 + b"\n", lambda c: len(c["a"].text("t")) == 131_073),
    "nul": ("a.csv", b"id,t\na,x\x00y\n", lambda c: c["a"].text("t") == "x\ufffdy"),
    "ragged": ("a.csv", b"id,t\na,x,y,z\n", "4 cells were found under 2 columns"),
    "open quote": ("a.csv", b'id,t\na,"x\nb,y\n', "never closed"),
    "empty rows": ("a.csv", b"id,t\n" + b"\n" * 1_000_000, "no document"),
    "one long line": ("a.csv", b"x," * 1_000_000, "columns; at most 2,000"),
    # text
    "nothing": ("a.txt", b"", "is empty"),
    "only a mark": ("a.txt", b"\xef\xbb\xbf", "is empty"),
    "a megabyte on a line": ("a.txt", b"a" * MEGABYTE, lambda c: sum(len(d.text("text")) for d in c) == MEGABYTE),
    "a megabyte of blanks": ("a.txt", b" " * MEGABYTE + b"x", lambda c: c.documents[0].text("text") == "x"),
    "right to left": ("a.txt", "שלום 😀 abc \u202e".encode(), lambda c: "שלום 😀 abc" in c.documents[0].text("text")),
    "many hashes": ("a.md", b"#" * 500_000, lambda c: len(c) >= 1),
    "many brackets": ("a.md", b"[[" * 200_000, lambda c: len(c) >= 1),
    "many front matters": ("a.md", b"---\n" * 100_000 + b"x", lambda c: len(c) >= 1),
    "many tags": ("a.html", b"<html>" + b"<b>" * 200_000 + b"x", "without readable text"),
    "many entities": ("a.html", b"<html><p>" + b"&amp;" * 200_000, lambda c: "&" in c.documents[0].text("text")),
    "many comments": ("a.html", b"<html>" + b"<!--" * 100_000 + b"x", "without readable text"),
    # archives
    "gzip": ("a.json", gzip.compress(b"[]"), "compressed with gzip"),
    "zip of zeros": ("a.zip", zip_of_zeros(), "unpacks to 100 MB"),
    "zip in zip": ("a.zip", nested_zip(), "not unpacked"),
    # bibliographies
    "many at signs": ("a.bib", b"@article{a," * 20_000, "cannot be read"),
    "many braces": ("a.bib", b"@article{a, t={" + b"{" * 100_000, "cannot be read"),
    "many dollars": ("a.bib", b"@article{a, title={\\x" + b"$" * 20_000 + b"}}", lambda c: c.documents[0].id == "a"),
    "many references": ("a.ris", b"TY  - JOUR\n" * 5_000, lambda c: len(c) == 5_000),
    # YAML
    "aliases": ("a.yaml", b"a: &a [x]\nb: &b [*a,*a]\n", "alias"),
    "object": ("a.yaml", b"a: !!python/object/apply:os.system [id]", "the tag"),
    "deep yaml": ("a.yaml", b"- " * 50_000, "nested more than 50 levels"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_has_its_expected_outcome(name: str) -> None:
    filename, data, outcome = FILES[name]
    limits = Limits(documents=100_000, text_bytes=20 * MEGABYTE)
    if callable(outcome):
        assert outcome(read_bytes(data, filename, limits=limits))
    else:
        with pytest.raises(CorpusError, match=outcome) as caught:
            read_bytes(data, filename, limits=limits)
        assert filename in str(caught.value)
        assert len(str(caught.value)) < 600
