"""What a file is, by its content: first the magic bytes, then the structure of its text.

The name only settles what the content leaves open (a table of one column, prose with commas), and a name
that contradicts the content is told. Formats that are never read (pickles, packed files, office documents)
are refused with what to do instead.
"""

from __future__ import annotations

import json
import re
from typing import Literal, TypeAlias

from cnrag_core.corpus.readers.archives import zip_kind
from cnrag_core.corpus.readers.decoding import decode, looks_binary
from cnrag_core.corpus.readers.delimited import DELIMITERS, agreement
from cnrag_core.corpus.readers.webpage import declared_encoding
from cnrag_core.corpus.readers.whatsapp import is_chat
from cnrag_core.corpus.report import Report
from cnrag_core.errors import CorpusError

FormatName: TypeAlias = Literal[
    "json", "jsonlines", "delimited", "parquet", "excel", "ods", "yaml", "notes", "webpage", "plaintext", "pdf",
    "bibtex", "ris", "feed", "zip", "chat",
]  # fmt: skip

_REFUSED: tuple[tuple[bytes, str], ...] = (
    (b"\x1f\x8b", "is compressed with gzip; unpack it and give the file inside"),
    (b"BZh", "is compressed with bzip2; unpack it and give the file inside"),
    (b"\xfd7zXZ\x00", "is compressed with xz; unpack it and give the file inside"),
    (b"\x28\xb5\x2f\xfd", "is compressed with zstd; unpack it and give the file inside"),
    (b"7z\xbc\xaf\x27\x1c", "is a 7z archive; unpack it, or pack the files as zip"),
    (b"Rar!", "is a rar archive; unpack it, or pack the files as zip"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is a document of an old office format; save it as xlsx, CSV or PDF"),
    (b"SQLite format 3\x00", "is an SQLite database; export the table as CSV or JSON Lines"),
    (b"\x93NUMPY", "is a numpy array, which is not read as a corpus; write the documents as JSON Lines"),
    (b"\x89HDF\r\n\x1a\n", "is an HDF5 file; write the documents as Parquet or JSON Lines"),
    (b"ARROW1", "is an Arrow file; write it as Parquet"),
    (b"FEA1", "is a Feather file; write it as Parquet"),
    (b"Obj\x01", "is an Avro file; write it as Parquet or JSON Lines"),
    (b"{\\rtf", "is a rich text document; save it as plain text or PDF"),
    (b"\x89PNG", "is an image; text in images is not read"),
    (b"\xff\xd8\xff", "is an image; text in images is not read"),
    (b"GIF8", "is an image; text in images is not read"),
    (b"\x7fELF", "is a program"),
    (b"MZ\x90", "is a program"),
)
_OFFICE = {
    "word": "is a Word document; save it as PDF, HTML or plain text",
    "odt": "is an OpenDocument text; save it as PDF, HTML or plain text",
    "powerpoint": "is a presentation; save it as PDF",
    "epub": "is an e-book; give its text as HTML or plain text",
}
_PICKLE = re.compile(rb"\x80[\x02-\x05](?:\x95|[\]}(cXK\x8c])")
_TAR = 257

_ENDINGS: dict[str, FormatName] = {
    "json": "json", "geojson": "json", "jsonl": "jsonlines", "ndjson": "jsonlines", "csv": "delimited",
    "tsv": "delimited", "tab": "delimited", "parquet": "parquet", "xlsx": "excel", "xlsm": "excel", "ods": "ods",
    "yaml": "yaml", "yml": "yaml", "md": "notes", "markdown": "notes", "mdx": "notes", "html": "webpage",
    "htm": "webpage", "xhtml": "webpage", "txt": "plaintext", "text": "plaintext", "pdf": "pdf", "bib": "bibtex",
    "bibtex": "bibtex", "ris": "ris", "rss": "feed", "atom": "feed", "xml": "feed", "zip": "zip",
}  # fmt: skip
LABELS: dict[FormatName, str] = {
    "json": "JSON", "jsonlines": "JSON Lines", "delimited": "a delimited table", "parquet": "Parquet",
    "excel": "an Excel workbook", "ods": "an OpenDocument sheet", "yaml": "YAML", "notes": "Markdown",
    "webpage": "a web page", "plaintext": "plain text", "pdf": "PDF", "bibtex": "BibTeX", "ris": "RIS",
    "feed": "XML", "zip": "a zip archive", "chat": "a WhatsApp chat",
}  # fmt: skip
_KINDRED = (
    {"json", "jsonlines"},
    {"notes", "plaintext", "delimited"},
    {"webpage", "feed"},
    {"notes", "webpage"},
    {"plaintext", "chat"},
)

# what is read is never given back (`*+`, `(?>`): a file of nothing but comments would otherwise be tried in every way
_HTML = re.compile(r"(?>\s*+(?:<!--.{0,2000}?-->|<\?xml[^>]{0,200}\?>))*\s*+"
                   r"(?:<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>])", re.IGNORECASE | re.DOTALL)  # fmt: skip
_XML = re.compile(r"\s*(?:<\?xml\b|<rss[\s>]|<feed[\s>]|<rdf:RDF[\s>])", re.IGNORECASE)
_BIBTEX = re.compile(r"^[ \t]*+@[A-Za-z]{2,30}+\s*+[{(]\s*+[^\s{}(),=\"]*+\s*+,", re.MULTILINE)
_BIBTEX_START = re.compile(
    r"\s*+(?:%[^\n]*+\n\s*+)*@(?:comment|string|preamble|[A-Za-z]{2,30}+\s*+[{(])", re.IGNORECASE
)
_RIS = re.compile(r"^TY {1,2}- ?\S*\s*$", re.MULTILINE)
_RIS_TAG = re.compile(r"^[A-Z][A-Z0-9] {1,2}-", re.MULTILINE)
_JSON_START = re.compile(r"\s*(?:\{\s*(?:\"|\}|$)|\[\s*(?:[\[{\"\]\d-]|true|false|null|NaN|$))")
_RECORDS_START = re.compile(r"\s*(?:\[\s*[\[{\"]|\{\s*\")")
_OBJECTS_START = re.compile(r"\s*(?:\[\s*)?\{\s*\"")
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(.*?)\r?\n---[ \t]*\r?\n(.*)", re.DOTALL)
_YAML_LINE = re.compile(r"(?:- )?[\w .-]{1,60}:(?:\s|$)")
_YAML_ITEM = re.compile(r"^- (?:[\w.-]{1,60}:(?:\s|$)|\{)", re.MULTILINE)
_MARKDOWN = re.compile(r"^(?:#{1,6} \S|```|\[[^\]\n]{1,80}\]: \S|\* \S|- \[[ x]\] )", re.MULTILINE)
SAMPLE = 64 * 1024


def detect(data: bytes, name: str, report: Report) -> FormatName:
    """The format of a file.

    Parameters
    ----------
    data, name
        Its bytes, and its name as a label.
    report
        Told when the name says something else than the content.

    Raises
    ------
    CorpusError
        If it is empty, or of a kind that is not read.
    """
    found = _by_magic(data, name) or _by_structure(data, name)
    expected = ending(name)
    if expected is not None and expected != found and not any({expected, found} <= kin for kin in _KINDRED):
        report.warn(f"{name} is named like {LABELS[expected]}, but it holds {LABELS[found]} and was read as such.")
    return found


def ending(name: str) -> FormatName | None:
    """The format that a name promises."""
    return _ENDINGS.get(name.rpartition(".")[2].lower())


def _by_magic(data: bytes, name: str) -> FormatName | None:
    if not data.strip(b" \t\r\n\x00\xef\xbb\xbf\xff\xfe"):
        raise CorpusError(f"{name} is empty.")
    if data.startswith(b"PAR1"):
        return "parquet"
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        kind = zip_kind(data)
        if kind in _OFFICE:
            raise CorpusError(f"{name} {_OFFICE[kind]}.")
        return "excel" if kind == "excel" else "ods" if kind == "ods" else "zip"
    for magic, reason in _REFUSED:
        if data.startswith(magic):
            raise CorpusError(f"{name} {reason}.")
    if data[_TAR : _TAR + 5] == b"ustar":
        raise CorpusError(f"{name} is a tar archive; unpack it, or pack the files as zip.")
    if _PICKLE.match(data):
        raise CorpusError(f"{name} is a pickle, which can run programs and is never read; write JSON Lines instead.")
    if looks_binary(data):
        raise CorpusError(f"{name} is not text and of no format that is read here.")
    return None


def _by_structure(data: bytes, name: str) -> FormatName:
    # a throw-away report: the reader decodes the whole file and tells then
    head = data[:SAMPLE]
    if len(data) > SAMPLE:
        head = head[: head.rfind(b"\n") + 1] or head  # a character cut in two would look like another encoding
    sample = decode(head, name, Report(name), declared=declared_encoding(data))
    expected = ending(name)
    if _HTML.match(sample):
        return "webpage"
    if _XML.match(sample):
        return "webpage" if re.search(r"<html[\s>]", sample[:4096], re.IGNORECASE) else "feed"
    if expected in {"json", "jsonlines"} or (_JSON_START.match(sample) and expected != "yaml"):
        if (found := _json_kind(sample, data, expected)) is not None:
            return found
        if expected in {"json", "jsonlines"}:
            return expected
    if (expected == "bibtex" or _BIBTEX_START.match(sample)) and _BIBTEX.search(sample):
        return "bibtex"
    if _RIS.search(sample[:4096]) and len(_RIS_TAG.findall(sample[:8192])) >= 2:
        return "ris"
    if expected in {None, "plaintext"} and is_chat(sample):
        return "chat"
    if (front := _FRONT_MATTER.match(sample)) and expected != "yaml":
        below = front[2].lstrip()
        if expected == "notes" or not _YAML_LINE.match(below):
            return "notes"
    if expected == "yaml" or (sample.startswith("---") and _YAML_LINE.search(sample[:2000])):
        return "yaml"
    if expected == "notes":
        return "notes"
    if _is_table(sample, expected):
        return "delimited"
    if expected is None and len(_YAML_ITEM.findall(sample)) >= 2:
        return "yaml"
    if expected is None and re.search(r"</(?:p|div|h[1-6]|li|td)>", sample, re.IGNORECASE):
        return "webpage"
    if expected == "webpage" and "<" in sample:
        return "webpage"
    return "notes" if expected is None and len(_MARKDOWN.findall(sample)) >= 3 else "plaintext"


def _json_kind(sample: str, data: bytes, expected: FormatName | None) -> FormatName | None:
    """JSON Lines when most of the first lines are objects by themselves; JSON when it starts like one."""
    complete = len(data) <= SAMPLE
    lines = [line for line in sample.split("\n") if line.strip()][:20]
    objects = sum(_is_object(line) for line in lines)
    if objects and (2 * objects >= len(lines)) and (len(lines) > 1 or expected == "jsonlines"):
        return "jsonlines"
    if not _JSON_START.match(sample):
        return None
    if not complete and len(lines) == 1 and sample.lstrip().startswith("{"):  # one line is longer than the sample
        line, _, rest = data.partition(b"\n")
        if expected == "jsonlines" and not rest.strip():
            return expected
        return "jsonlines" if line.rstrip().endswith(b"}") and rest.lstrip().startswith(b"{") else "json"
    promised = expected in {None, "json", "jsonlines"}
    if promised and _RECORDS_START.match(sample):
        return "json"
    # prose may begin with a bracket too: "[1] Smith, J. ..."
    if complete:
        return "json" if _is_json(sample) else None
    return "json" if _OBJECTS_START.match(sample) else None


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except RecursionError:
        return True
    except ValueError:
        return False
    return True


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _is_table(sample: str, expected: FormatName | None) -> bool:
    if expected == "delimited":
        return True
    best = max((agreement(sample, delimiter) for delimiter in DELIMITERS), default=(0.0, 0, 0))
    share, width, n_rows = best
    # prose has commas too, but not the same number of them line after line
    enough = (3, 5) if expected == "plaintext" else (2, 2)
    return share >= 0.95 and width >= enough[0] and n_rows >= enough[1] and not _looks_like_prose(sample)


def _looks_like_prose(sample: str) -> bool:
    lines = [line for line in sample.splitlines()[:50] if line.strip()]
    ended = sum(line.rstrip().endswith((".", "!", "?", "。")) for line in lines)
    return bool(lines) and ended > 0.5 * len(lines)
