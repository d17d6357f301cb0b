"""Which of the files that the product knows a path leads to: corpus, configuration, workspace or database.

Enters: a path, and what was expected there. Leaves: nothing, or one sentence that says what it is instead and
which command takes that. The content decides, not the name.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeAlias

from cnrag_core.config.loader import load_config
from cnrag_core.config.spec import PipelineConfig
from cnrag_core.config.yaml_reading import read_text
from cnrag_core.corpus.readers.sniffing import LABELS, detect
from cnrag_core.corpus.report import Report
from cnrag_core.corpus.samples import sample_names
from cnrag_core.corpus.wording import file_label, nearest, quoted
from cnrag_core.errors import CNRagError, ConfigError, CorpusError, StorageError

Kind: TypeAlias = Literal[
    "nothing", "sample", "folder", "empty", "corpus", "configuration", "workspace", "database", "text", "unknown"
]
"""`text` may be a corpus or a faulty configuration; `unknown` may be a damaged file of any kind."""

Wanted: TypeAlias = Literal["corpus", "configuration", "storage", "questions"]

WORKSPACE_ENTRY = "workspace.json"
_HEAD = 1_000_000
_DATABASE = b"SQLite format 3\x00"
_CONFIGURATION = re.compile(r"^[\"{ ]{0,4}(?:similarity|similarities)\"?\s*:", re.MULTILINE)
_SECTION = re.compile(r"^(?:similarity|similarities):[ \t\r]*+(?:#.*)?$", re.MULTILINE)
_BELOW = re.compile(
    r"^(?:[ \t-]++(?:[^\s:{}\[\]]{1,100}+:[ \t]*+)?[\[{ \"]*+(?:components|embedding|combine|field|metric)|"
    r"[ \t]*+min_combined_similarity)\"?[ \t]*+:",
    re.MULTILINE,
)
"""What stands below a similarity in a configuration, and hardly in a text where somebody wrote of one."""

_LOOSE = ("plaintext", "notes", "yaml")
"""Formats that a text falls into when nothing else fits."""


def kind_of_file(path: Path) -> tuple[Kind, str]:
    """The kind of a file or folder, and the format of a corpus in words.

    Only the beginning of the file is looked at; what is no file, such as a pipe, is not: it can be read only once.
    """
    try:
        if path.is_dir():
            return "folder", ""
        if not path.exists():
            return ("sample" if str(path) in sample_names() else "nothing"), ""
        if not path.is_file():
            return "unknown", ""
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except (OSError, ValueError):  # no permission, or no possible name: whoever opens it says so
        return "unknown", ""
    if not head:
        return "empty", ""
    if head.startswith(_DATABASE):
        return "database", ""
    if head.startswith(b"PK\x03\x04"):
        entries = _entries(path)
        if entries is None or WORKSPACE_ENTRY in entries:
            return ("unknown" if entries is None else "workspace"), ""
    if _is_configuration(head):
        return "configuration", ""
    try:
        found = detect(head, file_label(path.name), Report(path.name))
    except CorpusError:
        return "unknown", ""
    return ("text" if found in _LOOSE else "corpus"), LABELS[found]


def expect_file(path: Path, wanted: Wanted) -> None:
    """Refuse a file that is surely something else than what was wanted.

    A file that may be damaged, or that is not there, is left to whoever reads it, who knows more.

    Raises
    ------
    CorpusError, ConfigError, StorageError
        As the reader of what was wanted raises them.
    """
    kind, form = kind_of_file(path)
    if kind == wanted or (wanted == "storage" and kind in ("workspace", "database")):
        return
    advice = _ADVICE.get((wanted, kind))
    if advice is None:
        return
    name = quoted(str(path), length=120)
    what = {"corpus": f"is a corpus ({form})", "text": f"is {form}"}.get(kind) or _IS[kind]
    raise _ERRORS[wanted](f"{name} {what}, {_NOT[wanted]}; {advice.format(name=name)}.")


def check_source(source: str) -> None:
    """Refuse what is neither a file, a folder nor a sample, and files that hold no documents.

    Raises
    ------
    CorpusError
        Naming the samples, or what the file is instead.
    """
    kind, _ = kind_of_file(Path(source))
    if kind == "nothing":
        names = sample_names()
        close = nearest(source, names) if len(source) <= 100 else None
        hint = f" Did you mean {close!r}?" if close else ""
        raise CorpusError(
            f"'{quoted(source, length=120)}' is neither a file, a folder nor a sample; the samples are "
            f"{', '.join(names)}.{hint}"
        )
    expect_file(Path(source), "corpus")


def load_config_file(path: Path) -> PipelineConfig:
    """`load_config` for a path from a command line: where it fails, another kind of file is named first."""
    try:
        return load_config(path)
    except ConfigError:
        expect_file(path, "configuration")
        raise


def _entries(path: Path) -> list[str] | None:
    """The names in a zip, or None where it is damaged."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except Exception:  # whatever a damaged archive raises
        return None


def _is_configuration(head: bytes) -> bool:
    text = head.decode("utf-8", "replace")
    if len(head) == _HEAD or not _CONFIGURATION.search(text):
        return False
    try:
        data = read_text(text).data
    except ConfigError:
        # one that cannot be read is one all the same, unless it is a table, a list of records or a text
        return _SECTION.search(text) is not None and _BELOW.search(text) is not None
    similarity = data.get("similarity")
    return "similarities" in data or (isinstance(similarity, dict) and "components" in similarity)


_ERRORS: dict[Wanted, Callable[[str], CNRagError]] = {
    "corpus": CorpusError,
    "configuration": ConfigError,
    "storage": StorageError,
    "questions": CorpusError,
}
_IS: dict[Kind, str] = {
    "sample": "is a sample",
    "folder": "is a folder",
    "empty": "is empty",
    "configuration": "is a configuration",
    "workspace": "is a saved workspace",
    "database": "is an SQLite database",
}
_NOT: dict[Wanted, str] = {
    "corpus": "not a corpus",
    "configuration": "not a configuration",
    "storage": "neither a database nor a workspace written by cnrag",
    "questions": "not a file of judged questions",
}
_GUESS = "`cnrag config guess {name}` writes a configuration for it"
_READ = "`cnrag build {name}` reads it and says what is wrong with it"
_QUESTIONS = "judged questions are JSON Lines or CSV with the fields 'text' and 'relevant'"
_ADVICE: dict[tuple[Wanted, Kind], str] = {
    ("configuration", "corpus"): _GUESS,
    ("configuration", "sample"): _GUESS,
    ("configuration", "folder"): _GUESS.replace("for it", "for the documents in it"),
    ("configuration", "workspace"): "`cnrag export {name} config.yaml` writes the configuration that it holds",
    ("configuration", "database"): "`cnrag check {name}` looks for damage in it",
    ("storage", "corpus"): _READ,
    ("storage", "text"): _READ,
    ("storage", "sample"): "`cnrag build {name}` builds it",
    ("storage", "folder"): "`cnrag build {name}` reads the documents in it",
    ("storage", "configuration"): "`cnrag config check {name}` checks it",
    ("storage", "empty"): "there is nothing in it to look at",
    ("corpus", "configuration"): "give it beside one, as in `cnrag build CORPUS --config {name}`",
    ("corpus", "database"): "in Python `NetworkRAG('{name}')` opens one that cnrag wrote",
    ("questions", "configuration"): _QUESTIONS,
    ("questions", "workspace"): _QUESTIONS,
    ("questions", "database"): _QUESTIONS,
    ("questions", "empty"): _QUESTIONS,
}
