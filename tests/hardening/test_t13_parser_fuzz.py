"""Whatever bytes arrive: a corpus that can be stored, or an error of ours that says where and what."""

from __future__ import annotations

import datetime
import decimal
import gc
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import hypothesis
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cnrag_core.config.loader import load_config
from cnrag_core.corpus.limits import Limits
from cnrag_core.corpus.readers import read_bytes
from cnrag_core.errors import ConfigError, CorpusError
from tests.hardening import campaign, grammars
from tests.hardening.hostile_files import (
    MEGABYTE,
    ods_of,
    ods_row,
    parquet,
    pdf,
    sheet_row,
    xlsx_of_xml,
    xlsx_rows,
    zip_of,
)
from tests.hardening.watched import Memory, watched

ROOT = Path(__file__).resolve().parents[2]
LIMITS = Limits(documents=100_000, text_bytes=200 * MEGABYTE)
CPU_SECONDS = 2.0
PEAK = 512.0

PLACE = re.compile(r"\b(?:line|record|row|page|item|entry|reference|document|passage|column) [\d,]+|\bfield '|\bkey '|"
                   r"\bfields? are\b|'[^']+' in it\b")  # fmt: skip
WHOLE_FILE = re.compile(
    r"is empty|there is no document|no (?:file|sheet|reference|BibTeX entry)|is not text|cannot be read as|"
    r"is compressed|password|damaged|has (?:no|more than)|at most|no text was found|not valid (?:JSON|YAML)|"
    r"is XML, and no news feed|a single value|several lists|is an? [A-Za-z0-9]+|took more than|nested|pages|"
    r"repeats its cells|Every document needs"
)


class Outcomes:
    """What became of the files of one kind."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.read = self.refused = 0
        self.slowest = 0.0
        # What other tests have left is looked through by no collection that a reader sets off, and counted to none.
        gc.collect()
        gc.freeze()
        self.memory = Memory()

    def count(self, seconds: float, refused: bool) -> None:
        self.slowest = max(self.slowest, seconds)
        self.read += not refused
        self.refused += refused

    def tell(self) -> None:
        tried = self.read + self.refused
        peak = self.memory.peak
        assert peak is None or peak <= PEAK, f"{self.kind}: {self.memory}"
        figures = f"{self.read:,} read, {self.refused:,} refused, slowest {self.slowest:.2f} CPU s, {self.memory}"
        campaign.report(f"T13 {self.kind}", tried, tried, figures, score="inputs")


@pytest.fixture
def outcomes(request: pytest.FixtureRequest) -> Iterator[Callable[[str], Outcomes]]:
    """Outcomes by kind, told when all examples of a test were tried."""
    made: list[Outcomes] = []

    def make(kind: str) -> Outcomes:
        made.append(Outcomes(kind))
        return made[-1]

    yield make
    gc.unfreeze()
    for found in made:
        if found.read + found.refused:
            found.tell()


def survives(
    data: bytes, name: str, outcomes: Outcomes, *, skip_bad_rows: bool = False, limits: Limits = LIMITS
) -> None:
    """Read it: a storable corpus or a `CorpusError` with file and place, soon, and nothing else."""
    error: CorpusError | None = None
    with watched() as watch:
        try:
            corpus = read_bytes(data, name, limits=limits, skip_bad_rows=skip_bad_rows)
        except CorpusError as found:
            error = found
    outcomes.count(watch.cpu, error is not None)
    assert watch.cpu <= CPU_SECONDS, f"{watch.cpu:.1f} s of processor time"
    if error is not None:
        message = str(error)
        message.encode("utf-8")
        assert name in message, message
        assert len(message) < 1500, message
        assert PLACE.search(message) or WHOLE_FILE.search(message), message
        return
    assert len({document.id for document in corpus}) == len(corpus) > 0
    for document in corpus:
        json.dumps([document.id, document.fields], allow_nan=False, ensure_ascii=False).encode("utf-8")
        assert set(document.fields) <= set(corpus.kinds)


RECORDS = [{"id": "a", "title": "One é", "tags": ["x", "y"], "n": 1.5, "m": {"k": None}}, {"id": "b", "title": "Two;z"}]
SAMPLE = (ROOT / "sample_data" / "larkspur" / "corpus.jsonl").read_bytes().splitlines(keepends=True)
JSON = [json.dumps(RECORDS).encode(), json.dumps({"docs": RECORDS}).encode(), b"[" + b",".join(SAMPLE[:3]) + b"]"]
JSONL = ["\n".join(map(json.dumps, RECORDS)).encode(), b"".join(SAMPLE[:4])]
CSV = ['id,title,tags,n\na,"One, ""é""",x|y,1.50\nb,Two,z,2.25\n'.encode(), "id;t\n1;x\n2;é\n".encode("cp1252")]
YAML = [b"- id: 007\n  title: 'One'\n  tags: [a, b]\n- id: b\n  text: |\n    two\n    lines\n"]
NOTE = b"---\ntitle: One\ntags: [a, b]\n---\n# Head\n\nText with [[link]] and [other](x.md).\n"
BIB = b"@article{a, title={One {T}wo \\'e}, author={A and B}, year=2001}\n@misc{b, note={x}}\n"
RIS = b"TY  - JOUR\nAU  - Doe\nTI  - Title\nPY  - 2001\nER  - \nTY  - BOOK\nTI  - Two\nER  - \n"
PAGE = b"<!DOCTYPE html><html><head><title>T</title></head><body><h1>H</h1><p>Words &amp; more</p></body></html>"
FEED = b'<?xml version="1.0"?><rss><item><title>One</title><description>&lt;p&gt;x&lt;/p&gt;</description></item></rss>'
CHAT = json.dumps(
    [
        {
            "title": "One",
            "create_time": 1.7e9,
            "mapping": {
                "a": {"parent": None, "message": None},
                "b": {"parent": "a", "message": {"author": {"role": "user"}, "content": {"parts": ["Hi"]}}},
            },
            "current_node": "b",
        },
        {"id": 2, "messages": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Good day"}]},
    ]
).encode()

TEXT_FORMATS = {
    "JSON": (["x.json"], JSON, grammars.JSON),
    "JSONL": (["x.jsonl"], JSONL, grammars.JSON_LINES),
    "CSV": (["x.csv", "x.tsv", "x"], CSV, grammars.CSV),
    "text/markdown": (["x.md", "x.txt", "x"], [NOTE, b"".join(SAMPLE[:2])], grammars.PROSE),
    "YAML corpus": (["x.yaml"], YAML, grammars.YAML),
    "HTML": (["x.html", "x"], [PAGE], grammars.HTML),
    "feed": (["x.xml"], [FEED], grammars.FEED),
    "BibTeX": (["x.bib"], [BIB], grammars.BIBTEX),
    "RIS": (["x.ris"], [RIS], grammars.RIS),
    "chat export": (["conversations.json"], [CHAT], grammars.CHATS),
}


@pytest.mark.parametrize("kind", TEXT_FORMATS)
def test_t13_a_text_file_is_read_or_refused(kind: str, outcomes: Callable[[str], Outcomes]) -> None:
    names, originals, grammar = TEXT_FORMATS[kind]
    found = outcomes(kind)

    @hypothesis.seed(campaign.SEED)
    @given(
        grammars.mutated(*originals) | grammar | st.binary(max_size=300),
        st.sampled_from(names),
        st.booleans(),
    )
    @campaign.hypothesis_settings(5000, 70, suppress_health_check=list(hypothesis.HealthCheck))
    def check(data: bytes, name: str, skip_bad_rows: bool) -> None:
        survives(data, name, found, skip_bad_rows=skip_bad_rows)

    check()


VALUES: list[pa.Array] = [
    pa.array(["a", "b", None]),
    pa.array([1, 2**62, None]),
    pa.array([1.5, float("nan"), float("-inf")]),
    pa.array([decimal.Decimal("1.10"), None, decimal.Decimal(10) ** 30], pa.decimal256(70, 2)),
    pa.array([datetime.datetime(2020, 1, 1), None, datetime.datetime(9999, 1, 1)], pa.timestamp("us", "UTC")),
    pa.array([2**62, None, -(2**62)], pa.timestamp("ns")),
    pa.array([0, None, 2**40], pa.timestamp("s")),
    pa.array([2**31 - 1, None, 0], pa.date32()),
    pa.array([1, None, 2], pa.duration("ns")),
    pa.array([1, None, 2], pa.time64("ns")),
    pa.array([["x", None], [], None]),
    pa.array([[{"k": 1, "l": [None]}], [], None]),
    pa.array([[("k", 1)], [], None], pa.map_(pa.string(), pa.int64())),
    pa.array([{"a": {"b": "x"}}, None, {"a": None}]),
    pa.array([b"\xff\x00", b"text", None], pa.binary()),
    pa.array([b"1234", None, b"abcd"], pa.binary(4)),
    pa.array(["x", "y", "x"]).dictionary_encode(),
    pa.array([True, None, False]),
    pa.nulls(3),
    pa.array([0, 1, None], pa.float16()),
    pa.array(["\x00", "\u2028\u202e", "=1+1"], pa.large_string()),
    pa.array([2**64 - 1, 0, None], pa.uint64()),
]
NAMES = ["id", "title", "tags", "a.b", "", " ", "\ufeffid", "__index_level_0__", "x" * 300]


def _parquet(columns: list[tuple[str, int]], compression: str) -> bytes:
    by_name = {name: VALUES[which % len(VALUES)] for name, which in columns}
    return parquet(by_name, compression=compression)


TABLES = st.builds(
    _parquet,
    st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 100)), min_size=1, max_size=5),
    st.sampled_from(["none", "snappy", "gzip", "zstd"]),
)


def test_t13_parquet_is_read_or_refused(outcomes: Callable[[str], Outcomes]) -> None:
    found = outcomes("Parquet")
    originals = [_parquet([(name, 5 * i + j) for j, name in enumerate(NAMES[:4])], "snappy") for i in range(5)]
    originals.append(_parquet([("id", 0), ("t", 10), ("u", 16)], "zstd"))

    @hypothesis.seed(campaign.SEED)
    @given(grammars.mutated(*originals) | TABLES, st.integers(0, 49))
    @campaign.hypothesis_settings(5000, 70, suppress_health_check=list(hypothesis.HealthCheck))
    def check(data: bytes, turn: int) -> None:
        # one in fifty as a stranger's file, which a process of its own tries first
        survives(data, "x.parquet", found, limits=LIMITS if turn == 7 else replace(LIMITS, file_bytes=None))

    check()


def _entry(archive: bytes, name: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return opened.read(name)


def _repacked(archive: bytes, entry: str, content: bytes) -> bytes:
    """The archive with another content of one entry: noise reaches the reader instead of the checksums."""
    with zipfile.ZipFile(io.BytesIO(archive)) as old:
        return zip_of([(name, content if name == entry else old.read(name)) for name in old.namelist()])


XLSX = xlsx_rows(sheet_row(3, "b", "Two"), '<row r="4"><c r="A4"><v>1.5</v></c><c r="B4" t="b"><v>1</v></c></row>')
STRINGS = xlsx_of_xml(
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    '<row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="2"><c r="A2" t="s"><v>1</v></c></row>'
    "</sheetData></worksheet>",
    strings='<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>title</t></si>'
    "<si><t>One</t></si></sst>",
)
ODS = ods_of(ods_row("title") + ods_row("One title", rows=2) + ods_row("Two"))
ZIP = zip_of([("a.md", NOTE), ("sub/b.txt", "Two notes here."), ("c.csv", CSV[0]), ("../d.html", PAGE)])
PARTS = ("xl/sharedStrings.xml", "xl/workbook.xml", "[Content_Types].xml", "xl/worksheets/sheet1.xml")
SHEET_PIECES = grammars.soup(
    ("<row>", "</row>", '<row r="9">', '<row r="2000000000">', "<c>", "</c>", '<c r="A1" t="s">',
    '<c r="XFD3" t="n">',
     '<c r="ZZZZZ1">', '<c t="inlineStr">', '<c t="e">', '<c t="d">', "<v>1</v>", "<v>1e400</v>", "<v>x</v>",
     "<v>99999</v>",
     "<is><t>x</t></is>", "<f>1+1</f>", "<sheetData>", "</sheetData>", "&amp;", "<", "text"), most=12,
)  # fmt: skip


def _workbook(rows: bytes) -> bytes:
    return xlsx_rows(rows.decode("utf-8", "replace"))


def _sheet(rows: bytes) -> bytes:
    return ods_of(ods_row("title") + rows.decode("utf-8", "replace"))


ODS_PIECES = grammars.soup(
    ("<table:table-row>", "</table:table-row>", "<table:table-cell>", "</table:table-cell>", "<text:p>x</text:p>",
     '<table:table-cell office:value-type="float" office:value="x"/>',
     '<table:table-cell office:value-type="date"/>',
     '<table:table-cell table:number-columns-repeated="99999999"><text:p>x</text:p></table:table-cell>',
     '<table:table-row table:number-rows-repeated="-1">', "<table:table>", "</table:table>",
     '<text:s text:c="999999"/>', "&x;"),
    most=12,
)  # fmt: skip
ENTRY_NAMES = st.sampled_from(
    [
        "a.md",
        "b/c.txt",
        "../../etc/x.md",
        "/abs.txt",
        "C:\\x.csv",
        "corpus.jsonl",
        ".hidden",
        "a.md",
        "é.txt",
    ]
) | st.text(max_size=8).map("n{}".format)
ZIPS = st.lists(
    st.tuples(ENTRY_NAMES, grammars.PROSE | st.sampled_from([NOTE, CSV[0], JSONL[0], ZIP, b"", PAGE])), max_size=5
).map(zip_of)

BINARY_FORMATS: dict[str, tuple[str, st.SearchStrategy[bytes]]] = {
    "Excel": (
        "x.xlsx",
        grammars.mutated(XLSX, STRINGS)
        | SHEET_PIECES.map(_workbook)
        | st.builds(
            _repacked,
            st.just(STRINGS),
            st.sampled_from(PARTS),
            grammars.mutated(*(_entry(STRINGS, name) for name in PARTS)) | SHEET_PIECES,
        ),
    ),
    "OpenDocument": (
        "x.ods",
        grammars.mutated(ODS)
        | ODS_PIECES.map(_sheet)
        | st.builds(_repacked, st.just(ODS), st.just("content.xml"), grammars.mutated(_entry(ODS, "content.xml"))),
    ),
    "zip": ("x.zip", grammars.mutated(ZIP) | ZIPS),
}


@pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")
@pytest.mark.parametrize("kind", BINARY_FORMATS)
def test_t13_a_packed_file_is_read_or_refused(kind: str, outcomes: Callable[[str], Outcomes]) -> None:
    name, files = BINARY_FORMATS[kind]
    found = outcomes(kind)

    @hypothesis.seed(campaign.SEED)
    @given(files)
    @campaign.hypothesis_settings(5000, 50, suppress_health_check=list(hypothesis.HealthCheck))
    def check(data: bytes) -> None:
        survives(data, name, found)

    check()


def test_t13_a_pdf_is_read_or_refused(outcomes: Callable[[str], Outcomes]) -> None:
    found = outcomes("PDF")
    originals = [pdf("Trees drink water", None, "Roots"), pdf("Secret", password="x"), pdf("One (two) three")]

    @hypothesis.seed(campaign.SEED)
    @given(grammars.mutated(*originals))
    @campaign.hypothesis_settings(1000, 8, suppress_health_check=list(hypothesis.HealthCheck))
    def check(data: bytes) -> None:
        survives(b"%PDF-" + data, "x.pdf", found)

    check()


CONFIGS = [path.read_bytes() for path in sorted((ROOT / "sample_data").glob("*/*.yaml"))]
TOKENS = (
    *(".nan", ".inf", "-.inf", "1e-1", "010", "1:30", "no", "~", "''", '"1e-1"', "-1", "1.0000001", "1e309",
    "0x1F", "9" * 400),
    *("[]", "{}", "[[[[1]]]]", "*a", "&a x", "!!python/object/apply:os.system [id]", "<<", "{a: 1, a: 2}",
    "? x", "|", ">-", "x" * 600),
    *("jacard", "jaccard", "numeric", "sentence_bert", "ollama", "http://169.254.169.254/", "../../x", "\u2028",
    "\u202e", "\ud800", "\x00"),
)  # fmt: skip


def _edited(config: bytes, edits: list[tuple[str, int, str]]) -> bytes:
    """A configuration with lines left out, doubled, moved in, or given another value."""
    lines = config.decode("utf-8").splitlines()
    for what, where, token in edits:
        at = where % max(1, len(lines))
        if not lines:
            break
        if what == "value":
            lines[at] = lines[at].partition(":")[0] + ": " + token
        elif what == "item":
            lines[at] = " " * (len(lines[at]) - len(lines[at].lstrip())) + "- " + token
        elif what == "key":
            lines[at] = " " * (len(lines[at]) - len(lines[at].lstrip())) + token + ":" + lines[at].partition(":")[2]
        elif what == "left out":
            del lines[at]
        elif what == "doubled":
            lines.insert(at, lines[at])
        else:
            lines[at] = "  " + lines[at]
    return "\n".join(lines).encode("utf-8", "surrogatepass")


EDITS = st.lists(
    st.tuples(st.sampled_from(["value", "value", "item", "key", "left out", "doubled", "moved"]), st.integers(0,
    99), st.sampled_from(TOKENS)),
    max_size=5,
)  # fmt: skip


def test_t13_a_configuration_is_read_or_refused(outcomes: Callable[[str], Outcomes]) -> None:
    found = outcomes("YAML config")
    texts = st.builds(_edited, st.sampled_from(CONFIGS), EDITS) | grammars.mutated(*CONFIGS) | grammars.YAML

    @hypothesis.seed(campaign.SEED)
    @given(texts)
    @campaign.hypothesis_settings(5000, 100, suppress_health_check=list(hypothesis.HealthCheck))
    def check(data: bytes) -> None:
        error: ConfigError | None = None
        with watched() as watch:
            try:
                config = load_config(data, uploaded=True)
            except ConfigError as problem:
                error = problem
        found.count(watch.cpu, error is not None)
        assert watch.cpu <= CPU_SECONDS, f"{watch.cpu:.1f} s of processor time"
        if error is None:
            assert sum(config.normalized_weights.values()) == pytest.approx(1.0, abs=1e-9)
            return
        assert len(str(error)) < 200_000
        str(error).encode("utf-8")
        for problem in error.problems:
            assert problem.path or problem.line or re.search(r"configuration|UTF-8|YAML", problem.message), problem

    check()
