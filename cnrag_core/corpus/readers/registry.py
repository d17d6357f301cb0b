"""Which module reads which format; each is imported when its first file arrives."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from cnrag_core.corpus.readers.sniffing import FormatName
from cnrag_core.corpus.readers.source import Reader

_MODULES: dict[FormatName, str] = {
    "json": "jsonfile",
    "jsonlines": "jsonlines",
    "delimited": "delimited",
    "parquet": "parquet",
    "excel": "excel",
    "ods": "opendocument",
    "yaml": "yamlfile",
    "notes": "notes",
    "webpage": "webpage",
    "plaintext": "plaintext",
    "pdf": "pdf",
    "bibtex": "bibtex",
    "ris": "ris",
    "feed": "feed",
    "chat": "whatsapp",
}


def reader_of(name: FormatName) -> Reader:
    """The function that reads a format."""
    return cast(Reader, import_module(f"cnrag_core.corpus.readers.{_MODULES[name]}").read)
