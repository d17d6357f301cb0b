"""A corpus of any size with the statistics of real ones, from a fixed random state.

Words follow a Zipf-Mandelbrot law over 60,000 words. A document belongs to one of 150 topics with 5
subtopics each and mixes common words with those of its topic and subtopic: 8 different words of title,
30 of summary and 90 of abstract, 3 to 6 of 3,000 tags, 2 to 5 authors. Three in a hundred are near-copies
of an earlier document.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cnrag_core.corpus.document import Document
from cnrag_core.similarity.components import ComponentColumn, SetColumn, VectorColumn

N_WORDS = 60_000
N_TOPICS = 150
N_SUBTOPICS = 5
N_TAGS = 3_000
LENGTHS = {"title": 8, "summary": 30, "abstract": 90}
WORDS_OF_TOPIC = 100
WORDS_OF_SUBTOPIC = 22
TAGS_OF_TOPIC = 9
SHARE_OF_TOPIC = 0.22
SHARE_OF_SUBTOPIC = 0.35
SHARE_OF_COPIES = 0.03


@dataclass(frozen=True, eq=False)
class SyntheticCorpus:
    """Word, tag and author numbers of each document; -1 fills the ends of short rows.

    `words` maps a text field to (n, length) int32; `tags` is (n, 6), `authors` (n, 5), `topic` (n,) is the
    number of the subtopic that each document was made from.
    """

    words: dict[str, NDArray[np.int32]]
    tags: NDArray[np.int32]
    authors: NDArray[np.int32]
    topic: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.topic)

    def documents(self) -> Iterator[Document]:
        """The same corpus as texts and lists, with ids in sorted order."""
        width = len(str(len(self)))
        for row in range(len(self)):
            fields = {name: " ".join(f"w{word}" for word in words[row]) for name, words in self.words.items()}
            fields["tags"] = [f"t{tag}" for tag in self.tags[row] if tag >= 0]
            fields["authors"] = [f"a{author}" for author in self.authors[row] if author >= 0]
            yield Document(f"d{row:0{width}d}", fields)

    def columns(self) -> tuple[ComponentColumn, ...]:
        """.3 cos(title) + .4 cos(abstract) + .2 jaccard(tags) + .1 jaccard(authors), rows as TF-IDF makes them."""
        n = len(self)
        somewhere = np.zeros(n, dtype=bool)
        return (
            VectorColumn("title", 0.3, None, tfidf_rows(self.words["title"], N_WORDS), somewhere),
            VectorColumn("abstract", 0.4, None, tfidf_rows(self.words["abstract"], N_WORDS), somewhere),
            _set_column("tags", 0.2, self.tags),
            _set_column("authors", 0.1, self.authors),
        )


def make_corpus(n: int, *, random_state: int = 0) -> SyntheticCorpus:
    """A corpus of n documents; the same every time for one random state."""
    rng = np.random.default_rng(random_state)
    common = _zipf(N_WORDS, 2.7, 1.05)
    middle = np.arange(200, N_WORDS)
    of_topic = np.stack([rng.choice(middle, WORDS_OF_TOPIC, replace=False) for _ in range(N_TOPICS)])
    of_subtopic = np.stack(
        [rng.choice(middle, WORDS_OF_SUBTOPIC, replace=False) for _ in range(N_TOPICS * N_SUBTOPICS)]
    )
    tags_of = np.stack([rng.choice(N_TAGS, TAGS_OF_TOPIC, replace=False) for _ in range(N_TOPICS)])
    subtopic = rng.integers(0, N_TOPICS * N_SUBTOPICS, n)
    topic = subtopic // N_SUBTOPICS
    words = {
        name: _distinct_words(rng, length, common, of_topic[topic], of_subtopic[subtopic])
        for name, length in LENGTHS.items()
    }
    tags = _some(rng, tags_of[topic], 6, 3)
    n_authors = max(20, n // 3)
    circle = (topic[:, None] * 7919 + rng.integers(0, max(8, n_authors // N_TOPICS), (n, 12))) % n_authors
    authors = _some(rng, circle, 5, 2)
    _copy_some(rng, words, tags, authors)
    return SyntheticCorpus(words, tags.astype(np.int32), authors.astype(np.int32), subtopic.astype(np.int32))


def tfidf_rows(words: NDArray[np.int32], n_words: int) -> sp.csr_matrix:
    """L2-normalised (n, n_words) float32 CSR of rows of different words, with smoothed idf."""
    n, length = words.shape
    ordered = np.sort(words, axis=1)
    present = np.bincount(ordered.reshape(-1), minlength=n_words)
    idf = np.log((1 + n) / (1 + present)) + 1.0
    values = idf[ordered]
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    indptr = np.arange(0, n * length + 1, length, dtype=np.int32)
    return sp.csr_matrix((values.reshape(-1).astype(np.float32), ordered.reshape(-1), indptr), shape=(n, n_words))


def _zipf(n: int, shift: float, power: float) -> NDArray[np.float64]:
    """Cumulative Zipf-Mandelbrot probabilities of n ranks."""
    mass = (np.arange(1, n + 1) + shift) ** -power
    return np.cumsum(mass / mass.sum())


def _distinct_words(
    rng: np.random.Generator,
    length: int,
    common: NDArray[np.float64],
    of_topic: NDArray[np.int64],
    of_subtopic: NDArray[np.int64],
) -> NDArray[np.int32]:
    """(n, length) different words a row: half common, the rest of the topic and subtopic."""
    n, draws = len(of_topic), 3 * length + 8
    rows = []
    for start in range(0, n, 20_000):
        part = slice(start, min(n, start + 20_000))
        size = (part.stop - part.start, draws)
        words = np.searchsorted(common, rng.random(size)).astype(np.int64)
        source = rng.random(size)
        rank = (rng.random(size) ** 2 * of_topic.shape[1]).astype(np.int64)  # earlier words of a topic are commoner
        words = np.where(
            source < SHARE_OF_TOPIC + SHARE_OF_SUBTOPIC, np.take_along_axis(of_topic[part], rank, axis=1), words
        )
        rank = (rng.random(size) ** 2 * of_subtopic.shape[1]).astype(np.int64)
        words = np.where(source < SHARE_OF_SUBTOPIC, np.take_along_axis(of_subtopic[part], rank, axis=1), words)
        rows.append(_first_distinct(words, length))
    return np.concatenate(rows)


def _first_distinct(words: NDArray[np.int64], length: int) -> NDArray[np.int32]:
    """The first `length` different numbers of each row; the few rows that lack some are filled with rare ones."""
    order = np.argsort(words, axis=1, kind="stable")
    ordered = np.take_along_axis(words, order, axis=1)
    repeat = np.zeros(words.shape, dtype=bool)
    np.put_along_axis(repeat, order[:, 1:], ordered[:, 1:] == ordered[:, :-1], axis=1)
    filler = N_WORDS - 1 - np.arange(words.shape[1])
    position = np.where(repeat, words.shape[1], np.arange(words.shape[1]))
    kept = np.argsort(position, axis=1, kind="stable")[:, :length]
    result = np.take_along_axis(words, kept, axis=1)
    missing = np.take_along_axis(repeat, kept, axis=1)
    return np.where(missing, filler[:length], result).astype(np.int32)


def _some(rng: np.random.Generator, pool: NDArray[np.int64], most: int, least: int) -> NDArray[np.int64]:
    """(n, most) of the numbers in each row of the pool, all different, between `least` and `most` of them."""
    mixed = rng.permuted(pool, axis=1)[:, :most].copy()
    ordered = np.sort(mixed, axis=1)
    ordered[:, 1:][ordered[:, 1:] == ordered[:, :-1]] = -1
    ordered = rng.permuted(ordered, axis=1)
    count = rng.integers(least, most + 1, len(pool))
    ordered[np.arange(most)[None, :] >= count[:, None]] = -1
    return ordered


def _copy_some(
    rng: np.random.Generator,
    words: dict[str, NDArray[np.int32]],
    tags: NDArray[np.int64],
    authors: NDArray[np.int64],
) -> None:
    """Turn a few documents into near-copies of others: one word in ten stays their own."""
    n = len(tags)
    copies = rng.choice(n, int(SHARE_OF_COPIES * n), replace=False)
    sources = rng.integers(0, n, len(copies))
    for rows in words.values():
        own = rng.random((len(copies), rows.shape[1])) < 0.1
        mixed = np.where(own, rows[copies], rows[sources])
        ordered = np.sort(mixed, axis=1)
        clash = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
        mixed[clash] = rows[sources][clash]
        rows[copies] = mixed
    tags[copies], authors[copies] = tags[sources], authors[sources]


def _set_column(name: str, weight: float, numbers: NDArray[np.int32]) -> SetColumn:
    n = len(numbers)
    present = numbers >= 0
    size = int(numbers.max(initial=0)) + 1
    ordered = np.sort(np.where(present, numbers, np.iinfo(np.int32).max), axis=1)
    indptr = np.concatenate([[0], np.cumsum(present.sum(axis=1))]).astype(np.int32)
    indices = ordered[ordered < np.iinfo(np.int32).max].astype(np.int32)
    items = sp.csr_matrix((np.ones(len(indices), np.float32), indices, indptr), shape=(n, size))
    return SetColumn(name, weight, None, "jaccard", items, tuple(map(str, range(size))), ~present.any(axis=1))
