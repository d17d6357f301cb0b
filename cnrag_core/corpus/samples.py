"""The sample corpora that come with the product: found in a checkout or in an installed wheel.

A sample is a folder of ``sample_data``: ``corpus.jsonl``, ``config.yaml``, ``queries.jsonl`` with judged
questions, ``about.md`` whose first line is the title, and perhaps ``synonyms.json``, the words that name
each field of the corpus.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from cnrag_core.corpus.document import Corpus
from cnrag_core.corpus.readers import read_corpus
from cnrag_core.corpus.wording import listed, nearest, quoted, shown
from cnrag_core.errors import CorpusError, UnknownNameError
from cnrag_core.installation import installed


@dataclass(frozen=True, eq=False)
class Sample:
    """A sample corpus with everything that belongs to it.

    `queries` are judged questions: ``id``, ``text``, ``relevant`` (ids), and where given ``type`` and
    ``required_evidence``. `synonyms` gives for a label of the corpus the words that name it as well.
    """

    name: str
    title: str
    description: str
    corpus: Corpus
    config_yaml: str
    queries: tuple[dict[str, Any], ...] = ()
    synonyms: Mapping[str, tuple[str, ...]] | None = None


def sample_folder() -> Path | None:
    """Where the samples are, or None in an installation without them."""
    return installed("sample_data")


def sample_names() -> list[str]:
    """Names of the samples, in alphabetical order; empty where none are installed."""
    folder = sample_folder()
    if folder is None:
        return []
    return sorted(path.name for path in folder.iterdir() if (path / "corpus.jsonl").is_file())


def load_sample(name: str) -> Sample:
    """One sample by its name.

    Raises
    ------
    UnknownNameError
        If there is no sample of that name.
    CorpusError
        If a file of the sample is missing or damaged.

    Examples
    --------
    >>> load_sample("larkspur").corpus["cancellation-policy"].text("section")
    'Cancellation'
    """
    names = sample_names()
    if not isinstance(name, str):
        raise UnknownNameError(f"A sample is named by a text; found {shown(name)}.")
    folder = sample_folder()
    if folder is None or name not in names:
        close = nearest(name, names)
        hint = f" Did you mean '{close}'?" if close else ""
        there = f"the samples are {listed(names)}." if names else "no samples are installed."
        raise UnknownNameError(f"There is no sample '{quoted(name)}'; {there}{hint}")
    return _load(folder / name)


@lru_cache(maxsize=16)
def _load(folder: Path) -> Sample:
    """Samples do not change while the program runs, and hold nothing of any user."""
    title, _, description = _text(folder / "about.md").strip().partition("\n")
    corpus = read_corpus(folder / "corpus.jsonl")
    return Sample(
        name=folder.name,
        title=title.lstrip("# ").strip() or folder.name,
        description=description.strip(),
        corpus=Corpus(corpus.documents, corpus.kinds, folder.name, corpus.warnings),
        config_yaml=_text(folder / "config.yaml"),
        queries=_queries(folder / "queries.jsonl"),
        synonyms=_synonyms(folder / "synonyms.json"),
    )


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise CorpusError(f"The sample {path.parent.name} is incomplete: {path.name} cannot be read.") from None


def _queries(path: Path) -> tuple[dict[str, Any], ...]:
    if not path.is_file():
        return ()
    queries = []
    for number, line in enumerate(_text(path).split("\n"), start=1):
        if line.strip():
            query = _json(line, f"{path.parent.name}/{path.name}, line {number}")
            if not isinstance(query, dict) or not isinstance(query.get("relevant"), list) or "text" not in query:
                raise CorpusError(
                    f"{path.parent.name}/{path.name}, line {number}: a question needs 'text' and a list 'relevant'."
                )
            queries.append(query)
    return tuple(queries)


def _synonyms(path: Path) -> dict[str, tuple[str, ...]] | None:
    if not path.is_file():
        return None
    found = _json(_text(path), f"{path.parent.name}/{path.name}")
    return {str(label): tuple(map(str, words)) for label, words in found.items()}


def _json(text: str, place: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise CorpusError(f"{place}: not valid JSON: {error}.") from None
