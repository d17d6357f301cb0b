"""TF-IDF: sparse rows whose columns are words, without a model.

Enters: texts. Leaves: CSR float32 rows, L2-normalised. Guide 000, "TF-IDF Embedding"; guide 002,
"Embedding Layer".
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cnrag_core.arguments import checked_whole
from cnrag_core.embedding.provider import EmbeddingProvider
from cnrag_core.embedding.rows import normalize_rows, zero_rows
from cnrag_core.embedding.words import (
    NGRAM_RANGE,
    Analyzer,
    WordCounts,
    choose_analyzer,
    count_words,
    features_of,
    is_one_feature,
)
from cnrag_core.errors import ConfigError, EmbeddingError, ResourceLimitError

ANALYZERS = ("auto", *get_args(Analyzer))
MAX_DENSE_BYTES = 2_000_000_000
NO_WORDS = "No text has a usable word, so there is no vocabulary and nothing resembles anything."


class TFIDFEmbedding(EmbeddingProvider):
    """Term frequency times inverse document frequency, ``idf = ln((1 + n) / (1 + df)) + 1``.

    The vocabulary and the idf are learned by `fit` and then frozen: a later text is weighed with the
    statistics of the fitted ones, and its unknown words count for nothing. Fitting does not depend on
    the order of the texts.

    Parameters
    ----------
    max_features
        Keep only the features that occur in most texts; None keeps all.
    analyzer
        ``auto`` chooses by the texts that are fitted: ``english_words`` drops English function
        words, ``words`` keeps all words, ``character_ngrams`` uses pieces of 2 to 4 characters
        within words. Words of scripts without spaces are always cut into such pieces.
    sublinear_tf
        Count a word that occurs c times as 1 + ln(c), so that long texts are not ruled by the words
        that they repeat. Among ten neighbours it puts 2 to 7 in a hundred more of the same label
        than plain counts do (news, papers); False for plain counts.

    Attributes
    ----------
    warning
        A sentence when the fitted texts gave no vocabulary, else None.
    n_fitted
        Number of fitted texts that have words, the n of the idf.

    Notes
    -----
    Same weights as scikit-learn's `TfidfVectorizer` with ``token_pattern=r"(?u)\\b\\w+\\b"`` and the same
    `sublinear_tf`.

    Examples
    --------
    >>> tfidf = TFIDFEmbedding()
    >>> rows = tfidf.fit_embed(["red apples", "green apples", "C"])
    >>> tfidf.terms()
    ['apples', 'c', 'green', 'red']
    >>> round(float(rows[0].dot(rows[1].T).toarray()[0, 0]), 3)
    0.366
    """

    def __init__(
        self,
        max_features: int | None = None,
        *,
        analyzer: Analyzer | Literal["auto"] = "auto",
        sublinear_tf: bool = True,
    ) -> None:
        if analyzer not in ANALYZERS:
            raise ConfigError(f"analyzer: {analyzer!r} is not known; use one of {', '.join(map(repr, ANALYZERS))}.")
        if max_features is not None and checked_whole(max_features, "max_features") < 1:
            raise ConfigError(f"max_features should be at least 1, got {max_features}.")
        self.max_features = max_features
        self.analyzer: Analyzer | Literal["auto"] = analyzer
        self.sublinear_tf = sublinear_tf
        self.warning: str | None = None
        self.n_fitted = 0
        self._chosen: Analyzer | None = None
        self._terms: tuple[str, ...] = ()
        self._column_of: dict[str, int] = {}
        self._idf: NDArray[np.float64] = np.empty(0)

    @property
    def is_fitted(self) -> bool:
        """Whether a vocabulary has been learned (it may be empty)."""
        return self._chosen is not None

    @property
    def analyzer_in_use(self) -> Analyzer | Literal["auto"]:
        """The analyzer that the fitted texts chose; before `fit`, the one that was asked for."""
        return self._chosen or self.analyzer

    def fit(self, texts: Sequence[str]) -> TFIDFEmbedding:
        """Learn the vocabulary and the idf of `texts`, replacing what was learned before."""
        self._learn(count_words(texts))
        return self

    def fit_embed(self, texts: Sequence[str]) -> sp.csr_matrix:
        """Fit and embed the same texts, cutting them into words once; (n, d) CSR float32."""
        return self._weigh(self._learn(count_words(texts)))

    def embed_rows(self, texts: Sequence[str]) -> sp.csr_matrix:
        """(n, d) CSR float32 rows; a text without known words has a zero row.

        A provider that was never fitted is fitted on these texts first.
        """
        words = count_words(texts)
        return self._weigh(self._spread(words, self._column_of)[1] if self.is_fitted else self._learn(words))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The same rows as a dense array, for small collections.

        Raises
        ------
        ResourceLimitError
            If the array would take more than 2 GB; `embed_rows` gives the sparse form.
        """
        rows = self.embed_rows(texts)
        n_bytes = rows.shape[0] * rows.shape[1] * 4
        if n_bytes > MAX_DENSE_BYTES:
            raise ResourceLimitError(
                f"{rows.shape[0]} dense rows of {rows.shape[1]} words would take {n_bytes / 1e9:.1f} GB, "
                f"the limit is {MAX_DENSE_BYTES / 1e9:.0f} GB; use embed_rows, which stays sparse."
            )
        dense: NDArray[np.float32] = rows.toarray()
        return dense

    def get_dimension(self) -> int:
        """Size of the vocabulary; 0 before `fit`."""
        return len(self._terms)

    def get_model_name(self) -> str:
        return "tfidf"

    def get_model_config(self) -> dict[str, Any]:
        """The analyzer that was chosen and a digest of the vocabulary with its idf."""
        digest = hashlib.sha256("\n".join(self._terms).encode("utf-8", "replace") + self._idf.astype("<f8").tobytes())
        return {
            "analyzer": self._chosen or self.analyzer,
            "ngram_range": list(NGRAM_RANGE),
            "max_features": self.max_features,
            "sublinear_tf": self.sublinear_tf,
            "n_fitted": self.n_fitted,
            "vocabulary": digest.hexdigest(),
        }

    def terms(self) -> list[str]:
        """Words or character pieces in the order of the columns, sorted."""
        return list(self._terms)

    def unknown_share(self, texts: Sequence[str]) -> float:
        """Share of the words of `texts` that the vocabulary lacks, in [0, 1]: how far it has drifted since `fit`."""
        words = count_words(texts)
        all_features, known = self._spread(words, self._column_of)
        return 1.0 - float(known.sum()) / all_features if all_features else 0.0

    def unfitted(self) -> TFIDFEmbedding:
        """Another provider with the same options and no vocabulary: each field learns its own."""
        return TFIDFEmbedding(self.max_features, analyzer=self.analyzer, sublinear_tf=self.sublinear_tf)

    def to_state(self) -> dict[str, Any]:
        """Everything that `fit` learned, to be saved and given to `from_state`."""
        if self._chosen is None:
            raise EmbeddingError("This TFIDFEmbedding was never fitted, so there is no vocabulary to save.")
        return {
            "analyzer": self._chosen,
            "max_features": self.max_features,
            "sublinear_tf": self.sublinear_tf,
            "n_fitted": self.n_fitted,
            "terms": list(self._terms),
            "idf": self._idf.copy(),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> TFIDFEmbedding:
        """A provider that embeds exactly as the saved one did.

        Raises
        ------
        EmbeddingError
            If there is not one finite idf for every term.
        """
        terms, idf = tuple(state["terms"]), np.asarray(state["idf"], dtype=np.float64)
        if idf.shape != (len(terms),) or not np.isfinite(idf).all():
            raise EmbeddingError(f"A saved vocabulary of {len(terms)} terms needs as many finite idf values.")
        restored = cls(state["max_features"], analyzer=state["analyzer"], sublinear_tf=bool(state["sublinear_tf"]))
        restored._set_vocabulary(state["analyzer"], terms, idf, int(state["n_fitted"]))
        return restored

    def _learn(self, words: WordCounts) -> sp.csr_matrix:
        """Set the vocabulary and the idf, and return the counts of its features, (n, d)."""
        analyzer = choose_analyzer(words) if self.analyzer == "auto" else self.analyzer
        self._chosen = analyzer
        simple = {word for word in words.words if is_one_feature(word, analyzer)}
        others = (feature for word in words.words if word not in simple for feature in features_of(word, analyzer))
        vocabulary = sorted(simple.union(others))
        _, counts = self._spread(words, {feature: column for column, feature in enumerate(vocabulary)})
        frequency = np.bincount(counts.indices, minlength=len(vocabulary))
        n_fitted = int((~zero_rows(words.counts)).sum())
        if self.max_features is not None and len(vocabulary) > self.max_features:
            # the most frequent features, ties in alphabetical order, back in alphabetical order
            kept = np.sort(np.argsort(-frequency, kind="stable")[: self.max_features])
            vocabulary, frequency, counts = [vocabulary[column] for column in kept], frequency[kept], counts[:, kept]
        idf = np.log((1.0 + n_fitted) / (1.0 + frequency)) + 1.0
        self._set_vocabulary(analyzer, tuple(vocabulary), idf, n_fitted)
        return counts

    def _set_vocabulary(self, analyzer: Analyzer, terms: tuple[str, ...], idf: NDArray[Any], n_fitted: int) -> None:
        self._chosen = analyzer
        self._terms = terms
        self._column_of = {term: column for column, term in enumerate(terms)}
        self._idf = idf
        self.n_fitted = n_fitted
        self.warning = None if terms else NO_WORDS

    def _weigh(self, counts: sp.csr_matrix) -> sp.csr_matrix:
        """Rows of feature counts, weighted and normalised."""
        frequency = 1.0 + np.log(counts.data, dtype=np.float64) if self.sublinear_tf else counts.data
        weighted = sp.csr_matrix((frequency * self._idf[counts.indices], counts.indices, counts.indptr), counts.shape)
        return normalize_rows(weighted)

    def _spread(self, words: WordCounts, column_of: Mapping[str, int]) -> tuple[int, sp.csr_matrix]:
        """Counts of words turned into counts of features: one sparse product, however a word is cut.

        Returns the number of feature occurrences including unknown ones, and (n, d) CSR.
        """
        assert self._chosen is not None or not column_of
        analyzer = self._chosen or "words"
        lengths = np.zeros(len(words.words) + 1, np.int64)
        columns: list[int] = []
        all_features = np.ones(len(words.words), np.int64)
        for number, word in enumerate(words.words):
            if is_one_feature(word, analyzer):
                column = column_of.get(word)
                if column is not None:
                    columns.append(column)
                    lengths[number + 1] = 1
                continue
            features = features_of(word, analyzer)
            known = [column for feature in features if (column := column_of.get(feature)) is not None]
            columns.extend(known)
            lengths[number + 1] = len(known)
            all_features[number] = len(features)
        spread = sp.csr_matrix(
            (np.ones(len(columns), np.float32), np.array(columns, np.int32), np.cumsum(lengths)),
            shape=(len(words.words), len(column_of)),
        )
        counts = sp.csr_matrix(words.counts @ spread)
        counts.sort_indices()
        occurrences = np.asarray(words.counts.sum(axis=0), dtype=np.float64).ravel()
        return int(occurrences @ all_features), counts
