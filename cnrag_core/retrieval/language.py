"""Which language a corpus is written in, as far as stemming and stop words need to know.

Enters: texts. Leaves: a `Language` with the name of its Snowball stemmer and its stop words, or the
neutral one where nothing is certain. A wrong stemmer harms more than none, so a language is named only
when its function words are plainly there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from cnrag_core.corpus.document import Document

MIN_SHARE_OF_FUNCTION_WORDS = 0.15
"""Running text of a listed language has 25-50 % function words; a foreign one has under 10 %."""

SAMPLED_TEXTS = 200
SAMPLED_CHARACTERS = 2000

_STEMMER_OF_SCRIPT = {"arabic": "arabic", "greek": "greek", "devanagari": "hindi", "tamil": "tamil"}
_SCRIPTS = {
    "latin": r"[A-Za-zÀ-ɏ]",
    "cyrillic": r"[Ѐ-ӿ]",
    "arabic": r"[؀-ۿ]",
    "greek": r"[Ͱ-Ͽ]",
    "devanagari": r"[ऀ-ॿ]",
    "tamil": r"[஀-௿]",
    "unspaced": r"[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]",
}
_LATIN_LISTS = {
    "english": "STOPWORDS_EN_PLUS",
    "german": "STOPWORDS_GERMAN",
    "french": "STOPWORDS_FRENCH",
    "spanish": "STOPWORDS_SPANISH",
    "italian": "STOPWORDS_ITALIAN",
    "portuguese": "STOPWORDS_PORTUGUESE",
    "dutch": "STOPWORDS_DUTCH",
    "swedish": "STOPWORDS_SWEDISH",
    "danish": "STOPWORDS_DANISH",
    "norwegian": "STOPWORDS_NORWEGIAN",
    "turkish": "STOPWORDS_TURKISH",
}

# What the library's list of German lacks: frequent in any text, and in a small corpus sometimes rare.
_MORE_GERMAN = """
ab aber beim bereits bevor bitte bloß da dabei dadurch dafür dagegen daher dahin damals danach daneben daran darauf
daraus darin darüber darum darunter davon davor dazu deshalb deswegen doch dort eben ebenfalls ebenso eher eigentlich
einfach einmal etwa etwas falls fast gar gegen gegenüber genau genug gerade gern gleich immer indem infolge innerhalb
irgendwie ja je jedoch jedes jemals jemand kaum leider mal mehr mehrere mehrfach meist meistens mindestens
nachdem nachher nämlich neben nie niemals niemand noch nun nur oben obwohl oft ohne plötzlich schon sehr seit seitdem
sobald sofort sogar solange sonst sowie sowohl sondern stets teils teilweise trotz trotzdem überall überhaupt übrigens
umso ungefähr unten vielleicht viel viele vielen vieler vieles vorher vorhin wann warum wegen weiter weiterhin weniger
wenigstens weshalb wieder wieso wohl worden wurde wurden würde würden ziemlich zudem zuerst zuletzt zumindest zurück
zusammen zwar
darf dürfen durfte geworden hätte hätten kann kannst konnte konnten könnte könnten mag möchte möchten mögen müssen
musste mussten müsste sei seien sollte sollten wäre wären wollen wollte wollten
"""


@dataclass(frozen=True)
class Language:
    """What is known about the language of a corpus.

    `stemmer` is a Snowball algorithm, or None; `script` is the script that most letters belong to.
    """

    name: str = "unknown"
    script: str = "latin"
    stemmer: str | None = None
    stop_words: frozenset[str] = field(default=frozenset(), repr=False)

    @property
    def function_words(self) -> frozenset[str]:
        """Words that are no topic: the stop words, and more where their list is short.

        A search leaves the additional ones to their rarity; what joins two documents must not rest on them.
        """
        return self.stop_words | (frozenset(_MORE_GERMAN.split()) if self.name == "german" else frozenset())

    def __str__(self) -> str:
        if self.script == "unspaced":
            return "a script without spaces: character 2- to 4-grams"
        if self.stemmer is None:
            return "words as they are: no language was recognised"
        return f"{self.name}: word endings and {len(self.stop_words)} common words left aside"


def detect_language(texts: Sequence[str]) -> Language:
    """The language that most of the texts are written in, judged by script and function words.

    Parameters
    ----------
    texts
        Any texts; at most 200 of them, spread evenly, are read for at most 2,000 characters each.

    Returns
    -------
    Language
        The neutral `Language()` for no text, or where no list of function words covers 15 % of the words.

    Examples
    --------
    >>> detect_language(["The cat sat on the mat and it was happy there."]).name
    'english'
    >>> detect_language(["黑豹队的防守只丢了分"]).script
    'unspaced'
    """
    step = max(1, len(texts) // SAMPLED_TEXTS)
    sample = [text[:SAMPLED_CHARACTERS] for text in texts[::step]]
    script = _main_script(sample)
    if script == "unspaced":
        return Language("unspaced", script)
    if script in _STEMMER_OF_SCRIPT:
        return Language(_STEMMER_OF_SCRIPT[script], script, _STEMMER_OF_SCRIPT[script])

    from bm25s import stopwords

    lists = {"russian": "STOPWORDS_RUSSIAN"} if script == "cyrillic" else _LATIN_LISTS
    # single letters are initials and symbols more often than function words
    words = [word for text in sample for word in re.findall(r"[^\W\d_]{2,}", text.lower())]
    shares = {name: _share_of(words, frozenset(getattr(stopwords, constant))) for name, constant in lists.items()}
    name = max(shares, key=lambda key: (shares[key], key))
    if shares[name] < MIN_SHARE_OF_FUNCTION_WORDS:
        return Language(script=script)
    listed = getattr(stopwords, lists[name])
    # lists hold the remains of cut words ("d" of "I'd"), but a lone letter may be the point: vitamin D
    return Language(name, script, name, frozenset(word for word in listed if len(word) > 1 or word in "aiyoeàé"))


def language_of_documents(documents: Sequence[Document], fields: Sequence[str]) -> Language:
    """The language of some fields, judged by as many documents as `detect_language` reads."""
    read = documents[:: max(1, len(documents) // SAMPLED_TEXTS)]
    return detect_language(["\n".join(document.text(name) for name in fields) for document in read])


def _main_script(texts: Iterable[str]) -> str:
    joined = "".join(texts)
    counts = {name: len(re.findall(pattern, joined)) for name, pattern in _SCRIPTS.items()}
    # one character of a script without spaces carries about as much as half a word of the others
    counts["unspaced"] *= 2
    best = max(counts, key=lambda key: (counts[key], key))
    return best if counts[best] else "latin"


def _share_of(words: Sequence[str], listed: frozenset[str]) -> float:
    return sum(word in listed for word in words) / len(words) if words else 0.0
