"""Questions put to one corpus: from documents to a concept graph, from a question to seeds and a walk.

Enters: documents, their configuration and their embedded components. Leaves: `Walker`, whose traces are
those of `audited_walk`, `notebook_walk` and `flat_retrieval`, all from the same scores.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal, TypeAlias, TypedDict, get_args

import numpy as np

from cnrag_core.arguments import checked_function, checked_question, checked_several, checked_whole
from cnrag_core.config.spec import AttributeSimilarityComponent, PipelineConfig
from cnrag_core.corpus.document import Document
from cnrag_core.corpus.wording import shown
from cnrag_core.embedding.fields import EmbeddedComponent, embed_component
from cnrag_core.errors import ConfigError
from cnrag_core.graph.chunk_nodes import ChunkedCorpus, TextFields, cut_documents
from cnrag_core.graph.concept_builder import build_concept_graph
from cnrag_core.graph.concept_graph import ConceptGraph
from cnrag_core.graph.concepts import find_concepts
from cnrag_core.retrieval.query import QueryScorer, QueryScores
from cnrag_core.similarity.components import ComponentColumn, VectorColumn, build_columns
from cnrag_core.traversal.audited_walk import EdgeCost, audited_walk, inverse_weight
from cnrag_core.traversal.budget import Budget
from cnrag_core.traversal.completeness import CompletenessCheck
from cnrag_core.traversal.flat import flat_retrieval
from cnrag_core.traversal.notebook_walk import notebook_walk
from cnrag_core.traversal.query_cost import QueryAwareCost, QuestionTerms
from cnrag_core.traversal.seeds import seeds_of
from cnrag_core.traversal.tokenizer import Tokenizer, default_tokenizer
from cnrag_core.traversal.trace import Seed, TraversalTrace, WalkName
from cnrag_core.types import Progress, silent

CostName: TypeAlias = Literal["auto", "weight", "question"]

TITLE_FIELDS = ("title", "name", "subject", "headline")
"""Fields that name a document where the configuration does not say which one does."""

RANKED = 100
"""Chunks that flat retrieval considers at least; a walk of more nodes is given twice as many as it may visit."""


class _Common(TypedDict):
    """What every kind of walk is told."""

    query: str
    check: CompletenessCheck | None
    required_evidence: tuple[str, ...]
    tokenizer: Tokenizer | None


@dataclass(frozen=True, eq=False)
class Walker:
    """Walks over the chunks of one corpus.

    Attributes
    ----------
    graph
        Chunks and their edges.
    scorer
        Scores chunks for a question, in the order of `graph.chunks`.
    config
        Its `traversal` section gives the budgets and the number of seeds.
    """

    graph: ConceptGraph
    scorer: QueryScorer
    config: PipelineConfig

    def traverse(
        self,
        query: str,
        *,
        budget: Budget | None = None,
        required_evidence: Sequence[str] | None = None,
        walk: WalkName = "audited",
        n_seeds: int | None = None,
        check: CompletenessCheck | None = None,
        cost: CostName | EdgeCost = "auto",
        tokenizer: Tokenizer | None = None,
        gate: bool = False,
    ) -> TraversalTrace:
        """Answer a question with a walk, or with the notebook's walk or flat retrieval beside it.

        Parameters
        ----------
        budget
            What may be spent; that of the configuration by default.
        required_evidence
            Ids of chunks or documents that the answer needs.
        walk
            ``audited``; ``notebook``, with its faults, from the same seeds; ``flat``, which follows nothing.
        n_seeds
            Best matches to start from; that of the configuration by default.
        check
            Whether the context suffices; the required evidence decides where none is given.
        cost
            ``question``: `QueryAwareCost`; ``weight``: 1 / weight, as in guide 001; ``auto``: the first over
            typed links, the second over the seed's graph; or a function of its own.
        gate
            For teaching: expand only chunks that bring a new concept.

        Raises
        ------
        ConfigError
            For a walk or cost that does not exist.
        """
        query = checked_question(query)
        budget = Budget.of(self.config.traversal) if budget is None else budget
        if not isinstance(budget, Budget):
            raise ConfigError(f"`budget` should be a Budget, such as Budget(max_tokens=2000); found {shown(budget)}.")
        evidence = () if required_evidence is None else required_evidence
        n_seeds = None if n_seeds is None else checked_whole(n_seeds, "n_seeds")
        check = None if check is None else checked_function(check, "check")
        if walk not in get_args(WalkName):
            raise ConfigError(f"{walk!r} is not a walk; use one of 'audited', 'flat', 'notebook'.")
        common: _Common = {
            "query": query,
            "check": check,
            "required_evidence": tuple(checked_several(evidence, "required_evidence", of="ids")),
            "tokenizer": tokenizer or self._tokenizer,
        }
        scores = self.scorer.score(query)
        if walk == "flat":
            return flat_retrieval(self.graph, self._best(scores, max(RANKED, 2 * budget.max_nodes)), budget, **common)
        seeds = self._best(scores, self.config.traversal.seeds if n_seeds is None else n_seeds)
        if walk == "notebook":
            return notebook_walk(self.graph, self._as_distances(query, seeds), budget, **common)
        edge_cost = self._edge_cost(query, scores, cost)
        return audited_walk(self.graph, seeds, budget, edge_cost=edge_cost, gate=gate, **common)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        """The default tokenizer, each chunk counted once for all walks."""
        default = default_tokenizer()
        return Tokenizer(default.name, lru_cache(maxsize=None)(default.count))

    @cached_property
    def _ids(self) -> tuple[str, ...]:
        return tuple(self.graph.chunks)

    @cached_property
    def _number(self) -> Mapping[str, int]:
        return {chunk_id: number for number, chunk_id in enumerate(self._ids)}

    def _best(self, scores: QueryScores, n: int) -> tuple[Seed, ...]:
        """The `n` most similar chunks that have anything in common with the question, ties by id."""
        similarity = scores.similarity
        order = np.lexsort((np.arange(len(similarity)), -similarity))[: max(n, 0)]
        # rounded, so that the noise of a matrix product in another order does not decide between equals
        found = [(self._ids[i], min(round(float(similarity[i]), 12), 1.0)) for i in order if similarity[i] > 0]
        return seeds_of(found, kind="similarity")

    def _as_distances(self, query: str, seeds: Sequence[Seed]) -> tuple[Seed, ...]:
        """The same seeds with the L2 distance of their embeddings to the question's: what FAISS returns."""
        names = tuple(self.scorer.embedded)
        if not names:
            cosines = {seed.chunk_id: seed.score for seed in seeds}
        else:
            cosine = self.scorer.cosine(query, names)
            cosines = {seed.chunk_id: float(cosine[self._number[seed.chunk_id]]) for seed in seeds}
        distances = [(chunk_id, math.sqrt(max(2.0 - 2.0 * value, 0.0))) for chunk_id, value in cosines.items()]
        return seeds_of(distances, kind="distance")

    def _edge_cost(self, query: str, scores: QueryScores, cost: CostName | EdgeCost) -> EdgeCost:
        if callable(cost):
            return cost
        if cost not in get_args(CostName):
            raise ConfigError(f"{cost!r} is not a cost of edges; use one of 'auto', 'question', 'weight'.")
        if cost == "weight" or (cost == "auto" and self.config.traversal.links == "seed"):
            return inverse_weight
        similarity = {self._ids[i]: float(scores.similarity[i]) for i in np.flatnonzero(scores.similarity > 0)}
        return QueryAwareCost(similarity, QuestionTerms.of(query, self.scorer.index, self._number))


def make_walker(
    documents: Sequence[Document],
    config: PipelineConfig,
    embedded: Mapping[str, EmbeddedComponent],
    scorer: QueryScorer,
    *,
    progress: Progress = silent,
) -> Walker:
    """Cut documents into chunks, find their concepts, link them, and prepare to score them.

    Parameters
    ----------
    documents
        In the order of their ids.
    embedded
        Rows of every embedding component, whose models embed the chunks of documents that are cut.
    scorer
        Of the documents; it serves the chunks as well where no document is cut.

    Raises
    ------
    ConfigError
        For concepts or links that the corpus cannot give.
    ResourceLimitError
        For too many chunks, or too many pairs above the cosine threshold.
    """
    progress("Cutting documents", 0.0)
    corpus = cut_documents(documents, text_fields(documents, config, scorer), config.traversal.chunking_strategy)
    if corpus.is_uncut:
        of_chunks: Mapping[str, EmbeddedComponent] = embedded
    else:
        cut = corpus.as_documents(name_all=False)
        of_chunks = {
            name: embed_component(cut, part.component, provider=part.provider, progress=progress)
            for name, part in embedded.items()
        }
        scorer = QueryScorer(corpus.as_documents(name_all=True), config, of_chunks)
    language = scorer.index.analyzer.language
    progress("Finding concepts", 0.0)
    concepts = find_concepts(
        [chunk.text for chunk in corpus.chunks],
        source=config.traversal.concepts,
        documents=corpus.as_documents(name_all=True),
        field=config.traversal.concept_field,
        stop_words=language.function_words,
        stemmer=language.stemmer,
    )
    columns = text_columns(corpus, config, of_chunks)
    graph = build_concept_graph(
        corpus,
        concepts,
        columns,
        config.traversal,
        links=config.links,
        stop_words=language.function_words,
        progress=progress,
    )
    return Walker(graph, scorer, config)


def text_fields(documents: Sequence[Document], config: PipelineConfig, scorer: QueryScorer) -> TextFields:
    """Which fields name a document, and which are its body: the embedded texts without the title."""
    held = {name for document in documents for name in document.fields}
    named = config.display.title
    title = named if named in held else next((name for name in TITLE_FIELDS if name in held), None)
    read = config.text_fields or scorer.text_fields
    body = tuple(name for name in read if name != title)
    if not body and config.display.text in held and config.display.text is not None:
        body = (config.display.text,)
    return TextFields(title, body)


def text_columns(
    corpus: ChunkedCorpus, config: PipelineConfig, embedded: Mapping[str, EmbeddedComponent]
) -> tuple[ComponentColumn, ...]:
    """What chunks are compared by: the embedded components alone, their weights renormalised.

    A component's own minimum is left out: it would make 0 of a cosine, and the edge has a threshold of its own.
    """
    parts = [part for part in config.components if not isinstance(part, AttributeSimilarityComponent) and part.weight]
    if not parts:
        return ()
    texts_only = config.model_copy(update={"components": tuple(parts)})
    columns = build_columns(corpus.as_documents(name_all=True), texts_only, embedded)
    return tuple(replace(column, min_similarity=None) for column in columns if isinstance(column, VectorColumn))
