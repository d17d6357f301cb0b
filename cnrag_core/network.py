"""What one build produced: embedded rows, columns, candidate edges, the graph, and its topology.

Enters: documents and a `PipelineConfig`. Leaves: a `Network`, immutable; whatever is derived from it
(communities, betweenness, layout, threshold curve, query index) is computed once, on first use. A
network at another threshold shares everything that the threshold does not change.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from cnrag_core.config.spec import AttributeSimilarityComponent, PipelineConfig, SharedConceptLinks
from cnrag_core.corpus.document import Document
from cnrag_core.errors import NotBuiltError, memory_named
from cnrag_core.graph.similarity_graph import CandidateEdges, SimilarityGraph
from cnrag_core.similarity.components import ComponentColumn, build_columns
from cnrag_core.types import Progress, silent

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from cnrag_core.embedding.fields import EmbeddedComponent
    from cnrag_core.embedding.provider import EmbeddingProvider
    from cnrag_core.embedding.store import EmbeddingStore
    from cnrag_core.graph.concept_graph import ConceptGraph
    from cnrag_core.graph.links import TypedLinks
    from cnrag_core.graph.threshold_suggestion import ThresholdSuggestion
    from cnrag_core.graph.thresholds import ThresholdCurve
    from cnrag_core.retrieval.query import QueryScorer
    from cnrag_core.retrieval.search import Search
    from cnrag_core.similarity.structured import StructuredSimilarity
    from cnrag_core.topology.analyzer import NetworkAnalyzer
    from cnrag_core.topology.centrality import Betweenness
    from cnrag_core.topology.cohesion import Cohesion
    from cnrag_core.topology.communities import Communities
    from cnrag_core.topology.layout import Layout
    from cnrag_core.topology.terms import TermTable
    from cnrag_core.traversal.budget import Budget
    from cnrag_core.traversal.completeness import CompletenessCheck
    from cnrag_core.traversal.trace import TraversalTrace, WalkName
    from cnrag_core.traversal.walker import Walker

T = TypeVar("T")

MOST_RESOLUTIONS = 4
"""Resolutions whose communities are kept."""

TITLE_LENGTH = 80
"""Characters of a text that stands in for a missing title."""


@dataclass(frozen=True, eq=False)
class Network:
    """Documents, how they compare, and the graph that this makes.

    Attributes
    ----------
    documents
        In the sorted order of their ids; node i of every array is ``documents[i]``.
    embedded
        Fitted rows of each embedding component, by component name.
    columns
        What pairs are scored on, one per component.
    candidates
        Every pair at or above a floor, for other thresholds.
    graph
        The edges that the configuration's rule kept.
    timings
        Seconds of each step of the build, by its name.
    warnings
        Sentences that the person should read.
    base
        The network as built, where this one shows it at another threshold.
    """

    documents: tuple[Document, ...]
    config: PipelineConfig
    embedded: Mapping[str, EmbeddedComponent]
    columns: tuple[ComponentColumn, ...]
    candidates: CandidateEdges
    graph: SimilarityGraph
    timings: Mapping[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    base: Network | None = None

    @property
    def node_ids(self) -> tuple[str, ...]:
        return self.graph.node_ids

    def document(self, node_id: str) -> Document:
        """The document of a node; `UnknownNameError` where there is none."""
        return self.documents[self.graph.index(node_id)]

    @cached_property
    def cut_at(self) -> float | None:
        """The threshold, where the edges are all candidates at or above it; None where a rule chose others."""
        threshold = self.graph.threshold
        return threshold if self.graph.n_edges == self.candidates.n_edges_at(threshold) else None

    def at_threshold(self, threshold: float) -> Network:
        """The same network with the candidate edges of at least this weight; nothing is compared again."""
        origin = self.base or self
        candidates = origin.candidates
        n = candidates.n_edges_at(threshold)
        graph = SimilarityGraph(
            candidates.node_ids,
            candidates.left[:n],
            candidates.right[:n],
            candidates.weight[:n],
            threshold=threshold,
            strong_similarity=origin.graph.strong_similarity,
            rule=f"similarity at least {threshold:.2f}",
        )
        return replace(origin, graph=graph, base=origin)

    # What a threshold changes.

    @cached_property
    def communities(self) -> Communities:
        from cnrag_core.topology.communities import find_communities

        spec = self.config.communities
        return find_communities(
            self.graph,
            algorithm=spec.algorithm,
            resolution=spec.resolution,
            random_state=self.config.random_state,
        )

    @cached_property
    def betweenness(self) -> Betweenness:
        from cnrag_core.topology.centrality import betweenness

        return betweenness(self.graph, random_state=self.config.random_state)

    @cached_property
    def clustering(self) -> NDArray[np.float64]:
        from cnrag_core.topology.centrality import clustering

        return clustering(self.graph)

    @cached_property
    def participation(self) -> NDArray[np.float64]:
        from cnrag_core.topology.centrality import participation

        return participation(self.graph, self.communities.labels)

    @cached_property
    def tags(self) -> dict[int, list[str]]:
        """The words that set each community apart, by community number."""
        from cnrag_core.topology.tagging import community_tags

        return community_tags(self.documents, self.communities.labels, self.tag_fields, table=self.terms)

    @cached_property
    def cohesion(self) -> tuple[Cohesion, ...]:
        """How tight each community is, by its number."""
        from cnrag_core.topology.cohesion import cohesion

        return cohesion(self.graph, self.communities.labels)

    def with_resolution(self, resolution: float) -> Network:
        """The same graph with communities found at another resolution; the last few are kept."""
        if resolution == self.config.communities.resolution:
            return self
        if resolution not in self._resolutions:
            spec = self.config.communities.model_copy(update={"resolution": resolution})
            config = self.config.model_copy(update={"communities": spec})
            self._resolutions[resolution] = replace(self, config=config, base=self.base or self)
            while len(self._resolutions) > MOST_RESOLUTIONS:
                self._resolutions.pop(next(iter(self._resolutions)))
        return self._resolutions[resolution]

    @cached_property
    def _resolutions(self) -> dict[float, Network]:
        return {}

    # What it does not.

    @cached_property
    def terms(self) -> TermTable | None:
        """Which document uses which term, read once for the tags at every threshold; None for a large corpus."""
        if self.base is not None:
            return self.base.terms
        from cnrag_core.topology.tagging import MAX_DOCUMENTS
        from cnrag_core.topology.terms import term_table

        return term_table(self.documents, self.tag_fields) if len(self.documents) <= MAX_DOCUMENTS else None

    @cached_property
    def similarity(self) -> StructuredSimilarity:
        from cnrag_core.similarity.structured import StructuredSimilarity

        names = {name: terms for name, part in self.embedded.items() if (terms := part.terms()) is not None}
        return StructuredSimilarity(self.node_ids, self.columns, term_names=names)

    @cached_property
    def layout(self) -> Layout:
        if self.base is not None:
            return self.base.layout
        from cnrag_core.topology.layout import compute_layout

        return compute_layout(self.graph, random_state=self.config.random_state)

    @cached_property
    def curve(self) -> ThresholdCurve:
        if self.base is not None:
            return self.base.curve
        from cnrag_core.graph.thresholds import threshold_curve

        return threshold_curve(self.candidates, communities=self.communities_of)

    @cached_property
    def suggestion(self) -> ThresholdSuggestion:
        if self.base is not None:
            return self.base.suggestion
        from cnrag_core.graph.threshold_suggestion import suggest_threshold

        return suggest_threshold(self.curve)

    @cached_property
    def scorer(self) -> QueryScorer:
        if self.base is not None:
            return self.base.scorer
        from cnrag_core.retrieval.query import QueryScorer

        return QueryScorer(self.documents, self.config, self.embedded)

    @cached_property
    def networkx(self) -> nx.Graph[str]:
        """The graph for networkx, made on first use."""
        return self.graph.to_networkx()

    @cached_property
    def analyzer(self) -> NetworkAnalyzer:
        """The topology by node id (guide 002)."""
        from cnrag_core.topology.analyzer import NetworkAnalyzer

        return NetworkAnalyzer(self.graph, documents=self.documents, fields=self.tag_fields, found=self.communities)

    def search(self, query: str) -> Search:
        """A question, refined step by step."""
        from cnrag_core.retrieval.search import Search

        return Search(query, self)

    @cached_property
    def links(self) -> TypedLinks:
        if self.base is not None:
            return self.base.links
        from cnrag_core.graph.links import find_links
        from cnrag_core.retrieval.language import language_of_documents

        fields = [name for link in self.config.links if isinstance(link, SharedConceptLinks) for name in link.fields]
        words = language_of_documents(self.documents, fields).function_words if fields else ()
        return find_links(self.documents, self.config.links, function_words=words)

    @cached_property
    def walker(self) -> Walker:
        """Walks over the chunks of the documents; made on first use, the same at every threshold."""
        if self.base is not None:
            return self.base.walker
        from cnrag_core.traversal.walker import make_walker

        return make_walker(self.documents, self.config, self.embedded, self.scorer)

    @property
    def concept_graph(self) -> ConceptGraph:
        """The chunks of the documents and what joins them: what a walk follows."""
        return self.walker.graph

    def traverse(
        self,
        query: str,
        *,
        budget: Budget | None = None,
        required_evidence: Sequence[str] | None = None,
        walk: WalkName = "audited",
        n_seeds: int | None = None,
        check: CompletenessCheck | None = None,
        **options: Any,
    ) -> TraversalTrace:
        """Walk the concept graph from the best matches; `Walker.traverse` says what the options mean."""
        return self.walker.traverse(
            query,
            budget=budget,
            required_evidence=required_evidence,
            walk=walk,
            n_seeds=n_seeds,
            check=check,
            **options,
        )

    def communities_of(self, graph: SimilarityGraph) -> tuple[int, float | None]:
        """How many communities of two or more a graph has, and their modularity."""
        from cnrag_core.topology.communities import find_communities

        spec = self.config.communities
        found = find_communities(
            graph, algorithm=spec.algorithm, resolution=spec.resolution, random_state=self.config.random_state
        )
        return int(np.count_nonzero(found.sizes >= 2)), found.modularity

    # How documents are shown.

    @property
    def tag_fields(self) -> tuple[str, ...]:
        """Fields whose words describe a document: embedded texts, then compared lists."""
        lists = [
            part.field
            for part in self.config.components
            if isinstance(part, AttributeSimilarityComponent) and part.metric in ("jaccard", "dice", "overlap")
        ]
        return tuple(dict.fromkeys([*self.config.text_fields, *lists]))

    @property
    def most_connected(self) -> str | None:
        """Id of the document with most neighbours, the smallest id of several; None without documents."""
        return self.node_ids[int(np.argmax(self.graph.degree))] if self.node_ids else None

    @cached_property
    def longest_document(self) -> str | None:
        """Id of the document with the longest compared text."""
        lengths = [sum(len(document.text(name)) for name in self.config.text_fields) for document in self.documents]
        return self.node_ids[int(np.argmax(lengths))] if lengths else None

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """The title of every document, in the order of the node ids."""
        if self.base is not None:
            return self.base.titles
        return tuple(map(self.title, self.node_ids))

    def title(self, node_id: str) -> str:
        """What people call the document: its title field, or the beginning of its text, or its id."""
        document = self.document(node_id)
        for name in filter(None, (self.config.display.title, "title", "name", *self.config.text_fields)):
            text = " ".join(document.text(name).split())
            if text:
                return text if len(text) <= TITLE_LENGTH else text[: TITLE_LENGTH - 1].rstrip() + "…"
        return node_id


class _Timer:
    """Names each step to the watcher and records its seconds."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.seconds: dict[str, float] = {}

    def run(self, step: str, work: Callable[[Progress], T]) -> T:
        self.progress(step, 0.0)
        start = time.perf_counter()
        result = work(lambda _, share: self.progress(step, share))
        self.seconds[step] = self.seconds.get(step, 0.0) + time.perf_counter() - start
        self.progress(step, 1.0)
        return result


@memory_named("This network")
def build_network(
    documents: Iterable[Document],
    config: PipelineConfig,
    *,
    providers: Mapping[str, EmbeddingProvider] | None = None,
    store: EmbeddingStore | None = None,
    max_edges: int | None = None,
    resume: str | Path | None = None,
    executor: Executor | Callable[[], Executor] | None = None,
    progress: Progress = silent,
) -> Network:
    """Embed, compare and link documents.

    Parameters
    ----------
    documents
        In any order; the result does not depend on it.
    providers
        Providers to use instead of the configured ones, by component name.
    store
        Keeps embeddings, so that unchanged text is never embedded twice.
    max_edges
        Most edges, and most candidate edges to keep; by default what free memory holds, see `edge_limit`.
    resume
        Folder that keeps the pairs found so far, so that an interrupted build of the same documents goes on
        where it stopped; made where it is not there, and left for the person to delete.
    executor
        Who compares the pairs, instead of the configured engine; see `similarity.crews.ExecutorCrew`. The
        network does not depend on it.
    progress
        Called with the name and share of the step at work; raising from it cancels the build.

    Raises
    ------
    ConfigError
        If the configured engine is not there, or the folder belongs to another build.
    NotBuiltError
        If there are no documents.
    CorpusError
        If a field that the configuration names is in no document.
    EmbeddingError, ResourceLimitError
        From the stages; ResourceLimitError also where memory runs out.
    """
    from cnrag_core.config.dialect import weight_notes
    from cnrag_core.corpus.checks import check_fields
    from cnrag_core.embedding.fields import embed_component
    from cnrag_core.embedding.parts import role_notes
    from cnrag_core.graph.builder import build_graph
    from cnrag_core.similarity.engines import engine_of

    ordered = tuple(sorted(documents, key=lambda document: document.id))
    if not ordered:
        raise NotBuiltError("There are no documents yet: add some, then build the network.")
    warnings = [
        *config.notes,
        *weight_notes(config.components),
        *check_fields(ordered, config),
        *role_notes(config.components, ordered),
    ]
    timer = _Timer(progress)
    embedded: dict[str, Any] = {}
    # Opened before anything long begins: whoever has no cluster, or no such folder, hears of it at once.
    with engine_of(config.engine, resume=resume, executor=executor) as engine:
        for part in config.components:
            if isinstance(part, AttributeSimilarityComponent):
                continue
            provider = (providers or {}).get(part.name)
            embedded[part.name] = timer.run(
                f"Embedding {part.name}",
                lambda step, part=part, provider=provider: embed_component(  # type: ignore[misc]
                    ordered, part, provider=provider, store=store, progress=step
                ),
            )
            warnings.extend(embedded[part.name].notes)
        columns = timer.run("Preparing the comparison", lambda _: build_columns(ordered, config, embedded))
        node_ids = tuple(document.id for document in ordered)
        built = timer.run(
            "Comparing all pairs",
            lambda step: build_graph(
                node_ids, columns, config.edges, max_edges=max_edges, engine=engine, progress=step
            ),
        )
    network = Network(ordered, config, embedded, columns, built.candidates, built.graph, timer.seconds, tuple(warnings))
    timer.run("Finding communities", lambda _: network.communities)
    network_warnings = [*warnings, *isolation_warnings(network)]
    final = replace(network, warnings=tuple(dict.fromkeys(network_warnings)))
    final.__dict__["communities"] = network.communities  # the cached value, carried over the copy
    return final


def isolation_warnings(network: Network) -> Sequence[str]:
    """A sentence where the rule isolates more than half of the documents, with a threshold that does not."""
    n = network.graph.n_nodes
    isolated = int(np.count_nonzero(network.graph.degree == 0))
    if n < 2 or isolated * 2 <= n:
        return []
    suggestion = network.suggestion
    told = f"{isolated:,} of {n:,} documents are linked to nothing at threshold {network.graph.threshold:.2f}. "
    if network.candidates.n_edges:  # else no threshold links anything, and the reason says that
        told += f"Suggested: {suggestion.threshold:.2f}. "
    return [told + suggestion.reason]
