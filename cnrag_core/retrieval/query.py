"""How near every document is to a question, before any graph is asked.

Enters: a question. Leaves: `QueryScores`, one similarity in [0, 1] a document. Four ways:

- ``bm25``: words in common, rare ones counting more, divided by the best match's score;
- ``cosine``: the question embedded like each text component, weights renormalised over these;
- ``fused``: half BM25, half cosine of the dense model, each min-max scaled over its 100 best;
- ``auto``: ``fused`` where a dense model is configured that reads the corpus's language, else ``bm25``.

BM25 is the default without a model because it finds the judged documents of most collections better
than TF-IDF cosine does (cacm 49.5 against 39.2 nDCG@10). Design: decision 8.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, get_args

import numpy as np
import scipy.sparse as sp

from cnrag_core.config.spec import AttributeSimilarityComponent, MentionLinks, PipelineConfig
from cnrag_core.corpus.document import Document
from cnrag_core.errors import ConfigError, EmbeddingError
from cnrag_core.graph.name_index import NameIndex, index_names, mention_rate
from cnrag_core.retrieval.bm25 import QueryTerms, TermIndex
from cnrag_core.retrieval.filters import known_fields
from cnrag_core.retrieval.sentences import SentenceReader
from cnrag_core.types import Rows, Scores

if TYPE_CHECKING:
    from cnrag_core.embedding.provider import EmbeddingProvider

QueryMode: TypeAlias = Literal["auto", "bm25", "cosine", "fused"]

BY_WORDS = "Documents are compared by the words that they share with the question, not by meaning"
WAYS_IN_WORDS: Mapping[str, str] = {
    "bm25": BY_WORDS,
    "cosine": "Documents are compared by how like the question their texts are",
    "fused": "Documents are compared half by the words that they share with the question, half by meaning",
}

FUSED_OVER = 100
"""Min-max scaling looks at this many best documents of either list; what lies below them counts 0."""

DENSE_DECIMALS = 6
"""Cosines of dense rows are rounded to this: float32 products differ in the seventh with the number of
threads, and a ranking must not."""

ENGLISH_ONLY_MODELS = ("all-minilm", "all-mpnet", "all-distilroberta", "multi-qa", "-en", "gte-small", "gte-base")


class EmbeddedText(Protocol):
    """What is read of an embedded component (`embedding.fields.EmbeddedComponent`)."""

    @property
    def rows(self) -> Rows: ...

    @property
    def provider(self) -> EmbeddingProvider: ...

    def embed_query(self, text: str) -> Rows: ...


@dataclass(frozen=True, eq=False)
class QueryScores:
    """Similarity of one question to every document.

    Attributes
    ----------
    similarity
        (n,) float64 in [0, 1], in the order of the documents; 0 = nothing in common.
    matched_terms
        Document number -> words of the question found in it; looked up on demand.
    method
        ``bm25``, ``cosine`` or ``fused``: what was used, after ``auto`` has chosen.
    reason
        Why this method, or why nothing matched; a sentence for people.
    """

    similarity: Scores
    matched_terms: Mapping[int, tuple[str, ...]]
    method: str
    reason: str = ""


class QueryScorer:
    """Scores questions against the documents of one corpus.

    Parameters
    ----------
    documents
        In the order of the graph's nodes (sorted by id).
    config
        Names the text fields and the components' weights.
    embedded
        Embedded component by component name, with rows in the order of `documents`; attribute
        components are not asked. May be empty where only ``bm25`` is used.

    Examples
    --------
    >>> from cnrag_core.config.spec import FieldEmbeddingComponent
    >>> pages = [Document("a", {"text": "cats and dogs"}), Document("b", {"text": "parliament and law"})]
    >>> scorer = QueryScorer(pages, PipelineConfig(components=[FieldEmbeddingComponent(field="text")]), {})
    >>> scorer.score("a dog").similarity.tolist()
    [1.0, 0.0]
    """

    def __init__(
        self, documents: Sequence[Document], config: PipelineConfig, embedded: Mapping[str, EmbeddedText]
    ) -> None:
        self.documents = tuple(documents)
        self.config = config
        self.embedded = dict(embedded)
        weights = config.normalized_weights
        self._text_weights = {
            component.name: weights[component.name]
            for component in config.components
            if not isinstance(component, AttributeSimilarityComponent) and component.name in self.embedded
        }
        self._inverted: dict[str, sp.csr_matrix] = {}

    @cached_property
    def text_fields(self) -> tuple[str, ...]:
        """Fields that are searched for words: those that are embedded, and compared lists such as tags or authors.

        All fields where the configuration compares neither.
        """
        lists = [
            part.field
            for part in self.config.components
            if isinstance(part, AttributeSimilarityComponent) and part.metric in ("jaccard", "dice", "overlap")
        ]
        fields = tuple(dict.fromkeys([*self.config.text_fields, *lists]))
        return fields or _fields_with_text(self.documents, self.config.id_field)

    @cached_property
    def fields(self) -> frozenset[str]:
        """Names of the fields that some document has: what a filter may name."""
        return known_fields(self.documents)

    @property
    def texts(self) -> tuple[str, ...]:
        """The searched text of every document, one field a line."""
        return tuple("\n".join(filter(None, map(d.text, self.text_fields))) for d in self.documents)

    @cached_property
    def index(self) -> TermIndex:
        """The BM25 index; built when first asked for."""
        return TermIndex(self.texts)

    @cached_property
    def title_field(self) -> str | None:
        """The field that names a document: as the mention links or the display say, else ``title`` or ``name``."""
        said = [link.of for link in self.config.links if isinstance(link, MentionLinks)]
        candidates = (*said, self.config.display.title, "title", "name")
        return next((name for name in candidates if name is not None and name in self.fields), None)

    @cached_property
    def name_fields(self) -> tuple[str, ...]:
        """The fields in which names are looked for: as the mention links say, else the texts without the title."""
        said = next((link.fields for link in self.config.links if isinstance(link, MentionLinks)), ())
        texts = self.config.text_fields or self.text_fields
        return said or tuple(name for name in texts if name != self.title_field)

    @cached_property
    def names(self) -> NameIndex:
        """Titles and capitalised phrases, and where they occur; built when first asked for."""
        return index_names(self.documents, title_field=self.title_field, text_fields=self.name_fields)

    def adopt_names(self, index: NameIndex) -> None:
        """Use an index that mention links were found with, where it is the one that `names` would build."""
        if index.title_field == self.title_field and index.fields == self.name_fields:
            self.__dict__.setdefault("names", index)

    @cached_property
    def sentences(self) -> SentenceReader:
        """The sentences of the texts, as sets of terms."""
        return SentenceReader(self.documents, self.index)

    @cached_property
    def mentions_per_document(self) -> float:
        """How often documents name others by their title, estimated from at most 1,000 of them; 0 without titles."""
        if self.title_field is None:
            return 0.0
        return mention_rate(self.documents, title_field=self.title_field, text_fields=self.name_fields)

    @property
    def dense_components(self) -> tuple[str, ...]:
        """Names of the text components whose rows are dense: those with a learned model."""
        return tuple(name for name in self._text_weights if not sp.issparse(self.embedded[name].rows))

    def score(self, query: str, mode: QueryMode | None = None) -> QueryScores:
        """Similarity of every document to a question.

        Parameters
        ----------
        query
            The question as typed, without filters (`retrieval.filters` separates them).
        mode
            How to compare; what the configuration says if None.

        Raises
        ------
        ConfigError
            For a mode that does not exist, or ``cosine`` and ``fused`` without an embedded text component.
        """
        chosen, reason = self._choose(mode or self.config.retrieval.query)
        if not query.strip():
            return self._nothing(chosen, "The question is empty.")
        terms = self.index.query_terms(query) if chosen != "cosine" else None
        if chosen == "bm25":
            assert terms is not None  # only cosine asks without terms
            similarity = _relative(self.index.score(terms))
        elif chosen == "cosine":
            similarity = self.cosine(query, tuple(self._text_weights))
        else:
            assert terms is not None
            dense = self.dense_components or tuple(self._text_weights)
            parts = [self.index.score(terms), self.cosine(query, dense)]
            similarity = sum(0.5 * min_max(part) for part in parts)  # type: ignore[assignment]
        if not similarity.any():
            return self._nothing(chosen, self._why_nothing(query, chosen))
        return QueryScores(similarity, MatchedTerms(self, query, terms), chosen, reason)

    def cosine(self, query: str, names: Sequence[str]) -> Scores:
        """(n,) weighted mean of the components' cosines to the question; a negative cosine counts as 0.

        A component's `min_similarity` is a rule for pairs of documents and not applied here: a question
        is far shorter than a document, so its cosines are lower by nature.
        """
        total = sum(self._text_weights[name] for name in names)
        if not total:  # components of weight 0 only: they are equally unimportant
            shares = {name: 1 / len(names) for name in names}
        else:
            shares = {name: self._text_weights[name] / total for name in names}
        similarity = np.zeros(len(self.documents))
        for name, share in shares.items():
            similarity += share * np.clip(self._cosines(name, query), 0.0, 1.0)
        return similarity

    def _cosines(self, name: str, query: str) -> Scores:
        rows, row = self.embedded[name].rows, self.embedded[name].embed_query(query)
        if row.shape[1] != rows.shape[1]:
            raise EmbeddingError(
                f"Component {name!r} embedded the question in {row.shape[1]} dimensions, "
                f"its documents in {rows.shape[1]}."
            )
        if isinstance(rows, np.ndarray):
            vector = np.asarray(row, dtype=np.float32).ravel()
            cosines: Scores = (rows @ vector).astype(np.float64)
            return cosines.round(DENSE_DECIMALS)
        if name not in self._inverted:
            self._inverted[name] = rows.T.tocsr()
        product = sp.csr_matrix(row) @ self._inverted[name]
        return np.asarray(product.toarray(), dtype=np.float64).ravel()

    def _choose(self, mode: str) -> tuple[str, str]:
        if mode not in get_args(QueryMode):
            known = ", ".join(repr(name) for name in get_args(QueryMode))
            raise ConfigError(f"{mode!r} is not a way to compare a question with documents; use one of {known}.")
        if mode in ("cosine", "fused") and not self._text_weights:
            raise ConfigError(
                f"mode {mode!r} compares embedded texts, but no text component is embedded; use 'bm25', "
                "or add a component of type field_embedding or composite_embedding."
            )
        if mode != "auto":
            return mode, f"{WAYS_IN_WORDS[mode]} ({f'bm25, {self._language_note}' if mode == 'bm25' else mode})."
        if not self.dense_components:
            return "bm25", f"{BY_WORDS} (bm25, as no dense model is configured; {self._language_note})."
        language = self.index.analyzer.language
        names = [self.embedded[name].provider.get_model_name() for name in self.dense_components]
        if language.name not in ("english", "unknown") and all(map(_reads_english_only, names)):
            return "bm25", f"{BY_WORDS} (bm25, as {names[0]} reads English only; {language})."
        return "fused", f"{WAYS_IN_WORDS['fused']} (bm25 and {', '.join(dict.fromkeys(names))})."

    @property
    def _language_note(self) -> str:
        return str(self.index.analyzer.language)

    def _nothing(self, method: str, reason: str) -> QueryScores:
        return QueryScores(np.zeros(len(self.documents)), {}, method, reason)

    def _why_nothing(self, query: str, method: str) -> str:
        if not self.documents:
            return "There are no documents."
        if method != "cosine" and not self.index.analyzer.terms(query):
            return "The question holds no word."
        if method == "bm25":
            return "No word of the question occurs in the documents."
        return "Nothing in the documents resembles the question."


@dataclass(frozen=True, eq=False)
class MatchedTerms(Mapping[int, tuple[str, ...]]):
    """Words of a question by document number, looked up only for the documents that are shown."""

    scorer: QueryScorer
    query: str
    terms: QueryTerms | None = field(default=None)

    @cached_property
    def _terms(self) -> QueryTerms:
        return self.scorer.index.query_terms(self.query) if self.terms is None else self.terms

    def __getitem__(self, document: int) -> tuple[str, ...]:
        if not 0 <= document < len(self):
            raise KeyError(document)
        return _without_parts(self.scorer.index.words_in(self._terms, document))

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self)))

    def __len__(self) -> int:
        return len(self.scorer.documents)


def min_max(scores: Scores, over: int = FUSED_OVER) -> Scores:
    """The `over` best scores stretched to [0, 1], everything below them 0; equal scores all count 1.

    Examples
    --------
    >>> min_max(np.array([4.0, 2.0, 3.0, 0.0]), over=3).tolist()
    [1.0, 0.0, 0.5, 0.0]
    """
    if not len(scores) or scores.max() <= 0:
        return np.zeros(len(scores))
    best = float(scores.max())
    least = float(np.partition(scores, -over)[-over]) if over < len(scores) else float(scores.min())
    least = max(least, 0.0)
    if best == least:
        return (scores >= best).astype(np.float64)
    return np.clip((scores - least) / (best - least), 0.0, 1.0)


def _relative(scores: Scores) -> Scores:
    """Scores divided by the best one: BM25 has no unit, and boosts are given in shares of the best match."""
    best = scores.max(initial=0.0)
    return scores / best if best > 0 else scores


def _without_parts(words: tuple[str, ...]) -> tuple[str, ...]:
    """Character grams that a longer matched gram contains say nothing new; words of letters stay."""
    return tuple(w for w in words if w.isascii() or not any(w != other and w in other for other in words))


def _reads_english_only(model_name: str) -> bool:
    name = model_name.lower()
    return "multilingual" not in name and any(part in name for part in ENGLISH_ONLY_MODELS)


def _fields_with_text(documents: Sequence[Document], id_field: str) -> tuple[str, ...]:
    """Every field but the id, in the order of first appearance."""
    names: dict[str, None] = {}
    for document in documents:
        names.update((name, None) for name in document.fields if name != id_field)
    return tuple(names)
