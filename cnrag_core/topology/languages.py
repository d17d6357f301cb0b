"""Function words and stemmers, so that tags are words that carry a topic.

Enters: the words of a document. Leaves: the `Language` whose function words they contain most of. Tags
need it document by document: a corpus may mix languages, and a stop word of one is a topic of another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from cnrag_core.embedding.stop_words import ENGLISH_STOP_WORDS

MIN_SHARE = 0.12
"""Running text of a listed language has .25 to .5 function words, of any other under .1."""

N_SAMPLED_WORDS = 200

_LISTS = {
    "danish": "STOPWORDS_DANISH",
    "dutch": "STOPWORDS_DUTCH",
    "french": "STOPWORDS_FRENCH",
    "german": "STOPWORDS_GERMAN",
    "italian": "STOPWORDS_ITALIAN",
    "norwegian": "STOPWORDS_NORWEGIAN",
    "portuguese": "STOPWORDS_PORTUGUESE",
    "russian": "STOPWORDS_RUSSIAN",
    "spanish": "STOPWORDS_SPANISH",
    "swedish": "STOPWORDS_SWEDISH",
    "turkish": "STOPWORDS_TURKISH",
}

# Frequent in any text without being function words; a tag made of them says nothing.
_ENGLISH_FILLERS = """
et al eg ie etc vs via use uses used using useful based new old one two three four five six seven eight nine ten
first second third last next much many well good better best large small several various different similar like
get gets got give gives given make makes made making take takes taken taking go goes going gone went come comes
came say says said tell tells told see seen show shows shown find finds found know known think want need needs
let lets put way ways thing things lot lots kind set sets non pre however therefore usually really actually
simply nothing something anything everything someone anyone everyone enough almost already maybe perhaps
please thanks thank yes ok okay mr mrs ms dr prof
"""


@dataclass(frozen=True)
class Language:
    """A language, or the neutral one: no function words, no stemmer.

    `name` is that of its Snowball stemmer, empty for the neutral one.
    """

    name: str = ""
    stop_words: frozenset[str] = field(default=frozenset(), repr=False)

    def stems(self, words: Sequence[str]) -> list[str]:
        """The stem of each word, by which plurals and other forms of one word are recognised."""
        return list(words) if not self.name else list(_stemmer(self.name).stemWords(list(words)))


NEUTRAL = Language()
ENGLISH = Language("english", ENGLISH_STOP_WORDS | frozenset(_ENGLISH_FILLERS.split()))


def language_of(words: Sequence[str]) -> Language:
    """The language of a text by its share of function words; neutral where no list covers an eighth of them.

    Examples
    --------
    >>> language_of("the cat sat on the mat and was happy".split()).name
    'english'
    >>> language_of("die Katze saß auf der Matte und war froh".lower().split()).name
    'german'
    >>> language_of(["attention", "transformer"]).name
    ''
    """
    sample = words[:N_SAMPLED_WORDS]
    if not sample:
        return NEUTRAL
    if _share(sample, ENGLISH_STOP_WORDS) >= 2 * MIN_SHARE:  # most corpora: nothing else need be asked
        return ENGLISH
    candidates = [(_share(sample, ENGLISH_STOP_WORDS), ENGLISH)]
    candidates += [(_share(sample, language.stop_words), language) for language in _others()]
    share, language = max(candidates, key=lambda candidate: candidate[0])  # the first of equals
    return language if share >= MIN_SHARE else NEUTRAL


def _share(words: Sequence[str], listed: frozenset[str]) -> float:
    return sum(map(listed.__contains__, words)) / len(words)


@cache
def _others() -> tuple[Language, ...]:
    from bm25s import stopwords

    return tuple(Language(name, frozenset(getattr(stopwords, constant))) for name, constant in _LISTS.items())


@cache
def _stemmer(name: str) -> Any:
    import Stemmer

    return Stemmer.Stemmer(name)
