"""Words of texts, counted: what TF-IDF is made from.

Enters: texts. Leaves: a matrix of word counts and the distinct words. A word is a run of letters,
digits, combining marks and underscores of any script (so one-letter words and Hindi vowel signs
stay), lower-cased, in Unicode form NFKC; ``'s`` and ``n't`` endings fall away.

The heavy lifting is a columnar library's: it cuts all texts at once, twice as fast as one by one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy.sparse as sp

from cnrag_core.chunking.scripts import SPACELESS
from cnrag_core.embedding.stop_words import ENGLISH_MARKERS, ENGLISH_STOP_WORDS, MIN_MARKER_SHARE

Analyzer: TypeAlias = Literal["words", "english_words", "character_ngrams"]
NGRAM_RANGE = (2, 4)
MAX_WORD_CHARS = 100
"""A longer run of letters is no word; its beginning stands for it."""
MAX_RUN_CHARS = 20_000
"""Of a run without spaces or punctuation no more is cut into pieces; no language writes longer ones."""

_BLOCK = 16_384  # texts cut at once; bounds the memory of the intermediate columns
_BETWEEN_WORDS = r"(?:['’](?:s|t|re|ve|ll|d|m)\b|[^\pL\pN\pM_])+"
_BETWEEN_ASCII_WORDS = r"(?:'(?:s|t|re|ve|ll|d|m)\b|[^a-z0-9_])+"  # the same for ASCII; compiles 40 times faster
_SPACELESS_LETTER = re.compile(f"[{SPACELESS}]")


@dataclass(frozen=True, eq=False)
class WordCounts:
    """How often each word occurs in each text.

    `counts` is (n_texts, n_words) CSR float32; `words` names its columns, in first-seen order.
    """

    counts: sp.csr_matrix
    words: tuple[str, ...]


def count_words(texts: Sequence[str]) -> WordCounts:
    """Cut `texts` into words and count them."""
    code_of: dict[str, int] = {}
    codes, lengths = [np.empty(0, np.int32)], [np.zeros(1, np.int64)]
    for start in range(0, len(texts), _BLOCK):
        values, block_lengths = _cut(texts[start : start + _BLOCK])
        encoded = values.dictionary_encode()
        words = encoded.dictionary.to_pylist()
        to_code = np.fromiter((code_of.setdefault(word, len(code_of)) for word in words), np.int32, len(words))
        codes.append(to_code[encoded.indices.to_numpy(zero_copy_only=False)])
        lengths.append(block_lengths)
    indices = np.concatenate(codes)
    indptr = np.cumsum(np.concatenate(lengths))
    counts = sp.csr_matrix((np.ones(len(indices), np.float32), indices, indptr), shape=(len(texts), len(code_of)))
    counts.sum_duplicates()
    return WordCounts(counts, tuple(code_of))


def _cut(texts: Sequence[str]) -> tuple[Any, Any]:
    """Words of a block of texts one after another, and how many each text has."""
    # Arrow's own pool reserves a gigabyte of addresses, which a limit of memory counts.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        column = pa.array(texts, pa.large_string())
    except UnicodeEncodeError:  # half of a surrogate pair, from a damaged JSON escape
        column = pa.array([text.encode("utf-8", "replace").decode("utf-8") for text in texts], pa.large_string())
    plain = pc.string_is_ascii(column)
    all_plain = pc.all(plain, min_count=0).as_py()
    if not all_plain:
        composed = pc.utf8_normalize(column.filter(pc.invert(plain)), form="NFKC")
        column = pc.replace_with_mask(column, pc.invert(plain), composed)
    between = _BETWEEN_ASCII_WORDS if all_plain else _BETWEEN_WORDS
    spaced = pc.ascii_trim(pc.replace_substring_regex(pc.utf8_lower(column), between, " "), characters=" ")
    parts = pc.split_pattern(spaced, " ")
    values, lengths = parts.flatten(), pc.list_value_length(parts).to_numpy(zero_copy_only=False)
    wordless = pc.equal(spaced, "").to_numpy(zero_copy_only=False)  # such a text is cut into one empty word
    if wordless.any():
        values, lengths = values.filter(pc.not_equal(values, "")), np.where(wordless, 0, lengths)
    return values, lengths


def choose_analyzer(words: WordCounts) -> Analyzer:
    """The analyzer that suits these texts, by the script of their letters and by English function words.

    Character n-grams where at least half of the letters belong to scripts without spaces; words
    without English stop words where the texts read as English; all words otherwise.
    """
    occurrences = np.asarray(words.counts.sum(axis=0)).ravel()
    total = occurrences.sum()
    if total == 0:
        return "words"
    letters = np.fromiter(map(len, words.words), np.float64, len(words.words)) * occurrences
    spaceless = np.zeros(len(words.words), bool)
    if not all(map(str.isascii, words.words)):
        spaceless = np.fromiter(map(_is_spaceless, words.words), bool, len(words.words))
    if letters[spaceless].sum() >= 0.5 * letters.sum():
        return "character_ngrams"
    markers = np.fromiter((word in ENGLISH_MARKERS for word in words.words), bool, len(words.words))
    return "english_words" if occurrences[markers].sum() >= MIN_MARKER_SHARE * total else "words"


def features_of(word: str, analyzer: Analyzer) -> tuple[str, ...]:
    """What a word contributes to the vocabulary.

    A word of a script without spaces is a whole clause, so it always counts by its character
    n-grams; otherwise a foreign title among English ones would resemble nothing.

    Examples
    --------
    >>> features_of("graph", "english_words"), features_of("the", "english_words")
    (('graph',), ())
    >>> features_of("天气", "words")
    (' 天', '天气', '气 ', ' 天气', '天气 ', ' 天气 ')
    """
    if analyzer == "character_ngrams" or _is_spaceless(word):
        return _ngrams(word[:MAX_RUN_CHARS])
    if analyzer == "english_words" and word in ENGLISH_STOP_WORDS:
        return ()
    return (word[:MAX_WORD_CHARS],)


def is_one_feature(word: str, analyzer: Analyzer) -> bool:
    """Whether a word is its own only feature; what can be said of most words at little cost.

    False does not say that it is not: `features_of` does.
    """
    if analyzer == "character_ngrams" or not word.isascii() or len(word) > MAX_WORD_CHARS:
        return False
    return analyzer != "english_words" or word not in ENGLISH_STOP_WORDS


def _ngrams(word: str) -> tuple[str, ...]:
    """Pieces of 2 to 4 characters, the edges of the word marked by a space; with repeats."""
    padded = f" {word} "
    shortest, longest = NGRAM_RANGE
    return tuple(
        padded[start : start + size]
        for size in range(shortest, min(longest, len(padded)) + 1)
        for start in range(len(padded) - size + 1)
    )


def _is_spaceless(word: str) -> bool:
    return not word.isascii() and _SPACELESS_LETTER.search(word) is not None
