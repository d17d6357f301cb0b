"""Concepts of texts without a language model: names, rare words and two-word terms.

Enters: texts, and what is known of their language. Leaves: `Concepts`, a few concepts a text with the
source they came from. Guide 001, "Concepts", where a model is called once a chunk; here they are

- ``keywords``: capitalised phrases, words and two-word terms, ranked by tf-idf; always available;
- ``noun_phrases``: noun phrases and named entities, where spaCy and one of its models are installed;
- ``field``: a list field that somebody filled in.
"""

from __future__ import annotations

import importlib.util
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from cnrag_core.corpus.document import Document
from cnrag_core.embedding.stop_words import ENGLISH_STOP_WORDS
from cnrag_core.errors import ConfigError
from cnrag_core.graph.names import Name, Words, phrases_of
from cnrag_core.graph.spelling import WrittenForms, keys_of

ConceptSource: TypeAlias = Literal["auto", "keywords", "noun_phrases", "field"]

MAX_CONCEPTS = 10
"""Concepts kept of one text: about what a person would underline in a thousand characters."""

MIN_LETTERS = 4
"""A shorter word that is no name is more often a particle than a concept."""

MOST_TEXTS = 0.5
"""A term in more than this share of the texts says nothing about any of them."""

FEW_TEXTS = 4
"""Fewer texts than this are too few to tell a frequent term from a rare one."""

LONELY = 0.5
"""A term that no second text holds can join nothing, so it counts half."""

ENTITY_LABELS = frozenset({"PERSON", "PER", "ORG", "GPE", "LOC", "WORK_OF_ART", "PRODUCT", "EVENT", "FAC", "MISC"})


@dataclass(frozen=True)
class Concepts:
    """Concepts of every text, in the order of the texts, and a sentence on where they came from."""

    of: tuple[tuple[str, ...], ...]
    source: Literal["keywords", "noun_phrases", "field"]
    note: str


def find_concepts(
    texts: Sequence[str],
    *,
    source: ConceptSource = "auto",
    documents: Sequence[Document] = (),
    field: str | None = None,
    stop_words: Collection[str] = ENGLISH_STOP_WORDS,
    stemmer: str | None = "english",
) -> Concepts:
    """Concepts of texts, from the source that was asked for or the best that there is.

    Parameters
    ----------
    texts
        All texts of the corpus: what is rare is seen from all of them.
    source
        ``auto``: the field where one is named, else noun phrases where spaCy and a model are installed,
        else keywords.
    documents, field
        The document of each text, and its list field, for ``field``.
    stop_words, stemmer
        Of the language of the texts; a Snowball algorithm, or None to take words as they are.

    Raises
    ------
    ConfigError
        If noun phrases are asked for without spaCy or a model, or ``field`` without a field.
    """
    if source == "field" or (source == "auto" and field):
        if not field:
            raise ConfigError("traversal.concepts: 'field' needs `concept_field`, the list field that holds them.")
        found = tuple(tuple(item.lower() for item in document.items(field)) for document in documents)
        return Concepts(found, "field", f"Concepts come from the field '{field}'.")
    vocabulary = _Vocabulary(stop_words, stemmer)
    language = spacy_language(stemmer) if source in ("auto", "noun_phrases") else None
    if language is not None:
        candidates = [_phrases_of_spacy(document, vocabulary) for document in language.pipe(texts)]
        name = language.meta.get("name", "model")
        return Concepts(
            _ranked(candidates, vocabulary),
            "noun_phrases",
            f"Concepts are noun phrases and names (spaCy, {language.lang}_{name}).",
        )
    if source == "noun_phrases":
        raise ConfigError(
            "traversal.concepts: 'noun_phrases' needs spaCy and one of its models "
            "(pip install spacy; python -m spacy download en_core_web_sm). Use 'keywords', which needs nothing."
        )
    candidates = [_keywords_of(Words(text), vocabulary) for text in texts]
    return Concepts(_ranked(candidates, vocabulary), "keywords", "Concepts are names, rare words and two-word terms.")


def spacy_language(stemmer: str | None) -> Any | None:
    """The smallest installed spaCy model of the language, or None; nothing is ever downloaded."""
    if importlib.util.find_spec("spacy") is None:
        return None
    import spacy  # type: ignore[import-not-found,unused-ignore]

    code = {"english": "en", "german": "de", "french": "fr", "spanish": "es", "italian": "it"}.get(stemmer or "")
    sizes = ("sm", "md", "lg", "trf")
    names = [name for name in spacy.util.get_installed_models() if code and name.startswith(f"{code}_")]
    if not names:
        return None
    order = {size: place for place, size in enumerate(sizes)}
    smallest = min(names, key=lambda name: (order.get(name.rsplit("_", 1)[-1], len(sizes)), name))
    return spacy.load(smallest)


class _Stems(dict[str, str]):
    """Stem of every word that was asked for."""

    def __init__(self, stemmer: str | None) -> None:
        self._stem = _stem_function(stemmer)

    def __missing__(self, word: str) -> str:
        stem = self[word] = self._stem(word)
        return stem


class _Telling(dict[str, bool]):
    """Whether a word may be part of a term: no function word, number, English adverb or participle."""

    def __init__(self, stop_words: frozenset[str], stemmer: str | None) -> None:
        self._stop_words, self._english = stop_words, stemmer == "english"

    def __missing__(self, word: str) -> bool:
        no_noun = self._english and len(word) > 5 and word.endswith(("ly", "ed"))
        long_enough = len(word) > 2 or is_character(word)
        telling = self[word] = (
            long_enough and not no_noun and word not in self._stop_words and any(map(str.isalpha, word))
        )
        return telling


class _Vocabulary:
    """What is known of the words of a corpus."""

    def __init__(self, stop_words: Collection[str], stemmer: str | None) -> None:
        # a tokenizer may give words with accents, texts give keys without
        self.stop_words = frozenset(stop_words) | keys_of(stop_words)
        self.stems = _Stems(stemmer)
        self.telling = _Telling(self.stop_words, stemmer)
        self.words: Counter[str] = Counter()
        self.written = WrittenForms()

    def spellings(self) -> dict[str, str]:
        """The commonest spelling of each stem, ties by the alphabet: what people see."""
        best: dict[str, tuple[int, str]] = {}
        for word, count in self.words.items():
            stem = self.stems[word]
            best[stem] = min(best.get(stem, (0, "")), (-count, word))
        return {stem: word for stem, (_, word) in best.items()}


def is_character(word: str) -> bool:
    """Whether a word is one character of a script without spaces.

    Examples
    --------
    >>> is_character("\u732b"), is_character("a"), is_character("\u00e9")
    (True, False, False)
    """
    return len(word) == 1 and word.isalpha() and not (word.islower() or word.isupper())


@dataclass(frozen=True)
class _Candidates:
    """Terms of one text and how often each occurs: names as written, other terms as stems."""

    names: Counter[Name]
    terms: Counter[Name]


def _keywords_of(words: Words, vocabulary: _Vocabulary) -> _Candidates:
    keys, telling, stems = words.keys, vocabulary.telling, vocabulary.stems
    vocabulary.words.update(keys)
    vocabulary.written.read(words)
    names = Counter(filter(None, (_trimmed(phrase, vocabulary.stop_words) for phrase in phrases_of(words))))
    named = {word for name in names for word in name}
    terms: Counter[Name] = Counter(
        (stems[key],) for key in keys if len(key) >= MIN_LETTERS and telling[key] and (key,) not in names
    )
    terms.update(
        (before, stems[key])
        for at, (before, key) in enumerate(pairwise(keys), start=1)
        if telling[before] and telling[key] and words.is_joined(at) and not (before in named and key in named)
    )
    return _Candidates(names, terms)


def _trimmed(phrase: Name, stop_words: frozenset[str]) -> Name:
    """A capitalised phrase without function words at its ends, as headings have them; empty if nothing is left."""
    start, end = 0, len(phrase)
    while start < end and phrase[start] in stop_words:
        start += 1
    while start < end and phrase[end - 1] in stop_words:
        end -= 1
    kept = phrase[start:end]
    return () if len(kept) == 1 and (len(kept[0]) < 2 or kept[0].isdigit()) else kept


def _ranked(texts: Sequence[_Candidates], vocabulary: _Vocabulary) -> tuple[tuple[str, ...], ...]:
    """The best candidates of each text, longer terms before their parts.

    score = (1 + ln tf) ln(1 + n / df), halved where df is 1; a two-word term that is no name counts only
    where it occurs at least twice in the corpus.
    """
    n = len(texts)
    uses: Counter[Name] = Counter()
    frequency: Counter[Name] = Counter()
    for text in texts:
        uses.update(text.terms)
        frequency.update(text.terms.keys())
        frequency.update(text.names.keys())
    most = MOST_TEXTS * n if n >= FEW_TEXTS else n
    rarity = {term: math.log1p(n / df) * (LONELY if df == 1 else 1.0) for term, df in frequency.items() if df <= most}
    spelling = vocabulary.spellings()
    result = []
    for text in texts:
        counts = {term: count for term, count in text.terms.items() if len(term) == 1 or uses[term] > 1}
        for name, count in text.names.items():
            counts[name] = counts.get(name, 0) + count
        scored = sorted(
            (-(1.0 + math.log(count)) * rarity[term], -len(term), term)
            for term, count in counts.items()
            if term in rarity
        )
        chosen = _without_overlap((term for _, _, term in scored), vocabulary.stems)
        result.append(
            tuple(_shown(term, spelling if term in text.terms else {}, vocabulary.written) for term in chosen)
        )
    return tuple(result)


def _without_overlap(candidates: Iterable[Name], stems: _Stems) -> list[Name]:
    """The first `MAX_CONCEPTS` candidates that say something that those before them do not."""
    taken: list[Name] = []
    covered: set[str] = set()
    for term in candidates:
        said = {stems[word] for word in term}
        if not covered.issuperset(said):
            covered |= said
            taken.append(term)
            if len(taken) == MAX_CONCEPTS:
                break
    return taken


def _shown(term: Name, spelling: Mapping[str, str], written: WrittenForms) -> str:
    """A term as people see it: its last word in its commonest form, all with the accents of the texts, characters
    without spaces between them."""
    last = spelling.get(term[-1], term[-1])
    words = tuple(map(written, (*term[:-1], last)))
    return ("" if all(map(is_character, words)) else " ").join(words)


def _phrases_of_spacy(document: Any, vocabulary: _Vocabulary) -> _Candidates:
    """Named entities as written, and noun phrases by their stems, without the words that carry nothing."""
    entities = [Words(entity.text) for entity in document.ents if entity.label_ in ENTITY_LABELS]
    for words_of_entity in entities:
        vocabulary.written.read(words_of_entity)
    names = Counter(filter(None, (_trimmed(entity.keys, vocabulary.stop_words) for entity in entities)))
    terms: Counter[Name] = Counter()
    for phrase in document.noun_chunks:
        words = [token.text.lower() for token in phrase if not (token.is_stop or token.is_punct or token.is_space)]
        if any(len(word) >= MIN_LETTERS for word in words) and tuple(words) not in names:
            vocabulary.words.update(words)
            terms[(*words[:-1], vocabulary.stems[words[-1]])] += 1
    return _Candidates(names, terms)


@lru_cache(maxsize=16)
def _stem_function(algorithm: str | None) -> Callable[[str], str]:
    """Maps a word to its stem; the word itself without an algorithm."""
    if algorithm is None:
        return str
    import Stemmer

    stem: Callable[[str], str] = Stemmer.Stemmer(algorithm).stemWord
    return stem
