"""A folder or a zip of files: notes, pages and PDFs, one document each; or files of records.

Nothing is unpacked to disk, and no name inside an archive is ever used as a path. A file that cannot be
read is named in a warning, and the others load. A folder that holds a ``corpus.jsonl`` (or another
``corpus`` file) beside other things is that corpus.
"""

from __future__ import annotations

import io
import os
import posixpath
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

from cnrag_core.corpus.readers.archives import MAX_ENTRIES, BoundedZip, check_archive
from cnrag_core.corpus.readers.notes import link_targets
from cnrag_core.corpus.readers.registry import reader_of
from cnrag_core.corpus.readers.sniffing import FormatName, detect
from cnrag_core.corpus.readers.source import Source
from cnrag_core.corpus.records import Record
from cnrag_core.corpus.report import Report, refusing
from cnrag_core.corpus.wording import count, listed, quoted
from cnrag_core.errors import CorpusError

PROSE: frozenset[FormatName] = frozenset({"notes", "plaintext", "webpage", "pdf"})
_CHAT_EXPORT = "conversations.json"
_CORPUS = ("corpus.jsonl", "corpus.json", "corpus.csv", "corpus.tsv", "corpus.parquet", "corpus.yaml")


@dataclass(frozen=True)
class Entry:
    """A file inside: its relative name with slashes, its size in bytes, and how to get at the bytes."""

    name: str
    size: int
    load: Callable[[], bytes]


@dataclass(frozen=True)
class _Found:
    entry: Entry
    label: str
    format: FormatName
    data: bytes


def read_zip(source: Source) -> Iterator[Record]:
    """Records of all files in a zip archive.

    Raises
    ------
    CorpusError
        If it is damaged, protected, unpacks to too much, or holds nothing that can be read.
    """
    check_archive(source)
    with refusing(source.name, "a zip archive"):
        archive = BoundedZip(io.BytesIO(source.data))
    with archive:
        files = [info for info in archive.infolist() if info.filename and not info.filename.endswith("/")]
        entries = [Entry(_inside(info.filename), info.file_size, _loader(archive, info)) for info in files]
        yield from read_entries(_without_common_folder(entries), source)


def _inside(name: str) -> str:
    """The name of an entry as a place inside the archive, whatever it climbs to."""
    return "/".join(part for part in name.replace("\\", "/").split("/") if part not in {"", ".", ".."})


def _loader(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], bytes]:
    return lambda: archive.read(info)


def entries_of_folder(folder: Path, report: Report) -> list[Entry]:
    """The files below a folder, without hidden ones and without following links out of it."""
    entries: list[Entry] = []
    for parent, folders, files in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if not _is_hidden(name))
        for name in sorted(files):
            path = Path(parent, name)
            if path.is_symlink() or not path.is_file():
                report.warn(f"{quoted(name)} is a link or no ordinary file and was left out.")
                continue
            if len(entries) >= MAX_ENTRIES:
                raise CorpusError(f"{report.file} holds more than {MAX_ENTRIES:,} files.")
            entries.append(Entry(path.relative_to(folder).as_posix(), path.stat().st_size, path.read_bytes))
    return entries


def read_entries(entries: list[Entry], source: Source) -> Iterator[Record]:
    """Records of many files.

    Raises
    ------
    CorpusError
        If nothing can be read, or all files together are larger than allowed.
    """
    entries = sorted((entry for entry in entries if not _is_hidden(entry.name)), key=lambda entry: entry.name)
    if chosen := _the_corpus(entries):
        source.report.warn(f"{quoted(chosen.name)} was read; it is the corpus among the files of {source.name}.")
        entries = [chosen]
    source.limits.check_file(f"All files of {source.name} together", sum(entry.size for entry in entries))
    left_out: list[str] = []
    found = [file for entry in entries if (file := _look(entry, left_out)) is not None]
    _tell(left_out, source)
    if not found:
        reason = f" {left_out[0]}" if left_out else ""
        raise CorpusError(f"{source.name}: there is no file in it that can be read.{reason}")
    try:
        yield from _records(_one_sort(found, source), source)
    except CorpusError as error:  # of a file inside, which knows its own name alone
        raise error if source.name in str(error) else type(error)(f"{source.name}: {error}") from None


def _records(files: list[_Found], source: Source) -> Iterator[Record]:
    if len(files) == 1:
        # a file that is alone in its folder is read as if it had been given itself
        yield from reader_of(files[0].format)(replace(source, data=files[0].data, name=files[0].label))
        return
    resolve = _link_resolver([file.entry.name for file in files])
    left_out: list[str] = []
    allowed, spent = source.limits.pdfs_seconds, 0.0
    for file in files:
        if file.format == "pdf" and allowed is not None and spent > allowed:
            left_out.append(f"{file.label}: the PDFs before it took {spent:,.0f} seconds; {allowed:,.0f} are allowed.")
            continue
        begun = monotonic()
        split = source.split if file.format in ("pdf", "chat") else "whole"
        records = reader_of(file.format)(replace(source, data=file.data, name=file.label, split=split))
        if file.format not in PROSE:
            yield from (replace(record, file=file.label) for record in records)
            continue
        try:
            pieces = list(records)
        except CorpusError as error:
            left_out.append(str(error))
            continue
        finally:
            if file.format == "pdf":
                spent += monotonic() - begun
        for record in pieces:
            yield Record(_placed(record, file, resolve), page=record.page, file=file.label)
    _tell(left_out, source)


def _placed(record: Record, file: _Found, resolve: Callable[[str, str], str | None]) -> dict[str, Any]:
    """Fields of a note or page with its place in the folder: the id is the path, links are ids."""
    name = file.entry.name
    fields = dict(record.fields)
    if record.page is None:
        fields["id"] = name
    else:
        fields["id"] = f"{name}#{fields.get('id', record.place)}"
        fields["file"] = name
    if folder := posixpath.dirname(name):
        fields["folder"] = folder
    if file.format == "notes":
        targets = [resolve(link, name) for link in link_targets(str(fields.get("text", "")))]
        fields["links"] = [target for target in dict.fromkeys(targets) if target not in (None, name)]
    return fields


def _look(entry: Entry, left_out: list[str]) -> _Found | None:
    """The file with its format, or None where it is of no use; the reason is added to `left_out`."""
    label = quoted(entry.name, length=300)
    try:
        with refusing(label, "a file"):
            data = entry.load()
            kind = detect(data, label, Report(label))
    except CorpusError as error:
        left_out.append(str(error))
        return None
    if kind == "zip":
        left_out.append(f"{label} is an archive, and those inside others are not unpacked.")
        return None
    return _Found(entry, label, kind, data)


def _tell(left_out: list[str], source: Source) -> None:
    """One warning a file when they are few, one for all when they are many."""
    if len(left_out) <= 5:
        for reason in left_out:
            source.report.warn(f"Left out: {reason}")
    else:
        source.report.warn(f"{count(len(left_out), 'file')} were left out. The first: {' '.join(left_out[:3])}")


def _one_sort(files: list[_Found], source: Source) -> list[_Found]:
    """Prose or records, whichever is more; a folder of notes may hold a table, and a table a read-me."""
    prose = [file for file in files if file.format in PROSE]
    tables = [file for file in files if file.format not in PROSE]
    prose_is_more = sum(len(file.data) for file in prose) >= sum(len(file.data) for file in tables)
    kept, left = (prose, tables) if prose_is_more else (tables, prose)
    if left:
        names = listed((file.entry.name for file in left), at_most=5)
        source.report.warn(f"{count(len(left), 'file')} of another sort were left out: {names}.")
    return kept


def _the_corpus(entries: list[Entry]) -> Entry | None:
    """The file that is the corpus where a folder holds one with that name, or a chat export."""
    by_name = {
        entry.name.rpartition("/")[2].lower(): entry for entry in reversed(entries) if entry.name.count("/") <= 1
    }
    return next((by_name[name] for name in (_CHAT_EXPORT, *_CORPUS) if name in by_name), None)


def _link_resolver(names: Sequence[str]) -> Callable[[str, str], str | None]:
    """Finds the file that a link means: relative to the note, to the folder, or by its name alone."""
    files = set(names)
    by_stem: dict[str, str] = {}
    for name in names:
        by_stem.setdefault(posixpath.splitext(posixpath.basename(name))[0].casefold(), name)

    def resolve(target: str, origin: str) -> str | None:
        for base in (posixpath.dirname(origin), ""):
            path = posixpath.normpath(posixpath.join(base, target))
            for candidate in (path, f"{path}.md"):
                if candidate in files:
                    return candidate
        stem = posixpath.basename(target)
        return by_stem.get(posixpath.splitext(stem)[0].casefold()) or by_stem.get(stem.casefold())

    return resolve


def _without_common_folder(entries: list[Entry]) -> list[Entry]:
    """Names without the one folder that many archives wrap around everything."""
    visible = [entry for entry in entries if not _is_hidden(entry.name)]
    tops = {entry.name.partition("/")[0] for entry in visible if "/" in entry.name}
    if len(tops) != 1 or any("/" not in entry.name for entry in visible):
        return visible
    return [replace(entry, name=entry.name.partition("/")[2]) for entry in visible]


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") or part in {"__MACOSX", "node_modules"} for part in name.split("/") if part)
