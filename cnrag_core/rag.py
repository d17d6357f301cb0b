"""`NetworkRAG`: documents in, a network to explore and question out. Guide 002, "Main Interface".

It holds what was added and what was built, and forwards; every algorithm lives in a stage.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx

from cnrag_core.arguments import (
    checked_function,
    checked_id,
    checked_kind,
    checked_number,
    checked_path,
    checked_several,
)
from cnrag_core.config.spec import (
    Component,
    EdgeRule,
    FieldEmbeddingComponent,
    PipelineConfig,
)
from cnrag_core.corpus.document import Corpus, Document, as_text
from cnrag_core.corpus.given import (
    CONTENT_FIELD,
    given_documents,
    given_fields,
    given_id,
    given_record,
    identified,
)
from cnrag_core.corpus.wording import shown
from cnrag_core.errors import ConfigError, CorpusError, NotBuiltError, UnknownNameError
from cnrag_core.network import Network, build_network
from cnrag_core.types import Progress, silent

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from cnrag_core.embedding.provider import EmbeddingProvider
    from cnrag_core.embedding.store import EmbeddingStore
    from cnrag_core.evaluation.judgements import JudgedQuery
    from cnrag_core.evaluation.report import EvaluationReport
    from cnrag_core.graph.similarity_graph import SimilarityGraph
    from cnrag_core.graph.threshold_suggestion import ThresholdSuggestion
    from cnrag_core.graph.thresholds import ThresholdCurve
    from cnrag_core.retrieval.comparison import StrategyComparison
    from cnrag_core.retrieval.ranking import RankedResults
    from cnrag_core.retrieval.search import Search
    from cnrag_core.similarity.structured import PairExplanation
    from cnrag_core.storage.sqlite_storage import SQLiteStorage
    from cnrag_core.topology.analyzer import NetworkAnalyzer
    from cnrag_core.traversal.budget import Budget
    from cnrag_core.traversal.trace import TraversalTrace


class NetworkRAG:
    """Documents, the network that they make, and every question that can be put to it.

    Parameters
    ----------
    storage
        A `SQLiteStorage`, or the path of one; ``":memory:"`` keeps nothing after the process ends.
    embedding_provider
        Embeds the text fields; TF-IDF where none is given.
    min_similarity, strong_similarity
        An edge needs the first; edges at or above the second are marked ``strong``. Both in [0, 1].
    embedding_store
        Keeps chunk and aggregated embeddings, so that unchanged text is never embedded twice.
    similarity_spec
        Components to compare, or None for the field ``content`` alone.

    Examples
    --------
    >>> rag = NetworkRAG(min_similarity=0.2)
    >>> for node_id, text in [("a", "coral reefs bleach"), ("b", "coral reefs recover"), ("c", "bond yields")]:
    ...     _ = rag.add_node(node_id, text, {})
    >>> rag.get_neighbors("a")
    {'b'}
    """

    def __init__(
        self,
        storage: SQLiteStorage | str | Path = ":memory:",
        embedding_provider: EmbeddingProvider | None = None,
        min_similarity: float = 0.7,
        strong_similarity: float = 0.8,
        *,
        embedding_store: EmbeddingStore | None = None,
        similarity_spec: Sequence[Component] | None = None,
        config: PipelineConfig | None = None,
    ) -> None:
        from cnrag_core.embedding.provider import EmbeddingProvider
        from cnrag_core.storage.sqlite_storage import SQLiteStorage

        self.storage = (
            storage if isinstance(storage, SQLiteStorage) else SQLiteStorage(checked_path(storage, "storage"))
        )
        self.embedding_store = embedding_store
        if config is None:
            parts = (
                () if similarity_spec is None else checked_several(similarity_spec, "similarity_spec", of="components")
            )
            config = PipelineConfig(
                components=tuple(parts or (FieldEmbeddingComponent(field=CONTENT_FIELD),)),
                edges=EdgeRule(min_similarity=min_similarity, strong_similarity=strong_similarity),
            )
        self.config: PipelineConfig = checked_kind(
            config, "config", PipelineConfig, what="a PipelineConfig; `from_config` reads a path, a text or a mapping"
        )
        if embedding_provider is not None:
            checked_kind(embedding_provider, "embedding_provider", EmbeddingProvider, what="an EmbeddingProvider")
        self._provider = embedding_provider
        self._lock = threading.RLock()
        self._documents: dict[str, Document] = {document.id: document for document in self.storage.load_documents()}
        self._network: Network | None = None
        self._analyzers: dict[int, NetworkAnalyzer] = {}

    @classmethod
    def from_config(
        cls,
        config: PipelineConfig | Mapping[str, Any] | str | Path,
        storage: SQLiteStorage | str | Path = ":memory:",
        **options: Any,
    ) -> NetworkRAG:
        """From a `PipelineConfig`, or the path or text of a YAML in either dialect."""
        from cnrag_core.config.loader import load_config

        return cls(storage, config=load_config(config), **options)

    @classmethod
    def of_network(cls, network: Network, storage: SQLiteStorage | str | Path = ":memory:") -> NetworkRAG:
        """Around a network that is already built; its documents are in memory only."""
        checked_kind(network, "network", Network, what="a built Network")
        rag = cls(storage, config=network.config)
        rag._documents = {document.id: document for document in network.documents}
        rag._network = network
        return rag

    @staticmethod
    def builder() -> NetworkRAGBuilder:
        """A fluent constructor: ``NetworkRAG.builder().with_storage(p).with_tfidf_embeddings().build()``."""
        return NetworkRAGBuilder()

    # Documents.

    def __len__(self) -> int:
        return len(self._documents)

    @property
    def documents(self) -> tuple[Document, ...]:
        """All documents, in the sorted order of their ids."""
        return tuple(self._documents[node_id] for node_id in sorted(self._documents))

    def add(self, content: Any = None, id: str | None = None, *, document: Any = None, **metadata: Any) -> str:
        """Add one document and return its id.

        Three forms: ``add({"id": "doc1", "title": "..."})``, ``add("text", id="doc1", year=2020)`` and
        ``add("doc1", document={"title": "..."})``.

        Raises
        ------
        CorpusError
            If a document of that id exists already (`update` replaces it), or there is nothing to add.
        """
        return self._add([self._document_of(given_record(content, id, document, metadata))])[0]

    def add_node(self, node_id: str, content: str, metadata: Mapping[str, Any] | None = None) -> str:
        """Add a text with metadata (the signature of guide 002)."""
        fields = {} if metadata is None else given_fields(metadata, what="the metadata of a node")
        if not isinstance(content, str):
            raise CorpusError(f"The content of a node should be a text, found {shown(content)}.")
        return self.add({**fields, "id": given_id(node_id), CONTENT_FIELD: content})

    def add_corpus(self, corpus: Corpus | Iterable[Document], *, progress: Progress | None = None) -> list[str]:
        """Add many documents in one transaction: all of them, or none.

        Raises
        ------
        CorpusError
            If an id is taken, in the corpus or by a document added before.
        """
        return self._add(
            given_documents(corpus), silent if progress is None else checked_function(progress, "progress")
        )

    def remove(self, node_id: str) -> None:
        """Take a document out; the graph follows without comparing the others again."""
        with self._lock:
            self._require(node_id)
            self.storage.delete_node(node_id)
            del self._documents[node_id]
            self._follow(added=(), removed=(node_id,))

    def update(self, node_id: str, document: Mapping[str, Any]) -> None:
        """Replace the fields of a document; the graph follows without comparing the others again."""
        with self._lock:
            former = self._require(node_id)
            record = {**given_fields(document), "id": node_id}
            if as_text(former.fields.get(self.config.id_field)) == node_id:  # the field that named it goes on to
                record[self.config.id_field] = node_id
            changed = self._document_of(record)
            self.storage.save_documents([changed])
            self._documents[node_id] = changed
            self._follow(added=(changed,), removed=(node_id,))

    def _document_of(self, record: Mapping[str, Any]) -> Document:
        from cnrag_core.corpus.records import corpus_of_records

        record, id_field = identified(record, self.config.id_field, self._documents, len(self))
        fields = self.config.fields or None
        return corpus_of_records([record], name="documents", id_field=id_field, fields=fields).documents[0]

    def _add(self, documents: Sequence[Document], progress: Progress = silent) -> list[str]:
        with self._lock:
            taken = [document for document in documents if document.id in self._documents]
            if taken:
                raise CorpusError(
                    f"There is already a document {taken[0].id!r} ({taken[0].provenance}); "
                    "ids must be unique, and update() replaces one."
                )
            self.storage.save_documents(documents, replace=False, progress=progress)
            self._documents.update((document.id, document) for document in documents)
            self._follow(added=tuple(documents), removed=())
            return [document.id for document in documents]

    def _require(self, node_id: str) -> Document:
        try:
            return self._documents[checked_id(node_id)]
        except KeyError:
            raise UnknownNameError(f"There is no document {node_id!r}.") from None

    def _follow(self, *, added: tuple[Document, ...], removed: tuple[str, ...]) -> None:
        """Carry the built network along, or drop it where following would cost more than building."""
        if self._network is None:
            return
        from cnrag_core.incremental import updated_network, worth_following

        network, self._network = self._network, None  # where following fails, the next build sees all documents
        if self._documents and worth_following(network, len(added) + len(removed)):
            self._network = updated_network(network, added=added, removed=removed)

    # The network.

    def build_network(
        self,
        rebuild: bool = False,
        *,
        resume: str | Path | None = None,
        executor: Executor | Callable[[], Executor] | None = None,
        progress: Progress | None = None,
    ) -> nx.Graph[str]:
        """Build what is not built yet and return the graph; `rebuild` fits the vocabulary anew.

        `resume` is a folder from which an interrupted build goes on, `executor` compares the pairs instead of the
        configured engine; see `cnrag_core.network.build_network`.

        Raises
        ------
        NotBuiltError
            If nothing was added.
        ConfigError
            If the engine is not there, or the folder belongs to another build.
        """
        resume = None if resume is None else checked_path(resume, "resume")
        if executor is not None and not hasattr(executor, "submit"):
            checked_function(executor, "executor")
        progress = silent if progress is None else checked_function(progress, "progress")
        with self._lock:
            if self._network is None or rebuild:
                self._network = build_network(
                    self._documents.values(),
                    self.config,
                    providers=self._providers(),
                    store=self.embedding_store,
                    resume=resume,
                    executor=executor,
                    progress=progress,
                )
            return self.graph

    def _providers(self) -> dict[str, EmbeddingProvider]:
        """The caller's provider, for every component that it can serve."""
        if self._provider is None:
            return {}
        from cnrag_core.embedding.tfidf import TFIDFEmbedding

        only_content = [part.name for part in self.config.components] == [CONTENT_FIELD]
        if isinstance(self._provider, TFIDFEmbedding):
            return {
                part.name: self._provider if only_content else self._provider.unfitted()
                for part in self.config.components
                if getattr(part, "model", None) == "tfidf"
            }
        return {
            part.name: self._provider
            for part in self.config.components
            if hasattr(part, "model") and (only_content or part.model != "tfidf")
        }

    @property
    def network(self) -> Network:
        """Everything that was built, building it first where needed."""
        if self._network is None:
            self.build_network()
        if self._network is None:
            raise NotBuiltError("There are no documents yet: add some, then build the network.")
        return self._network

    @property
    def graph(self) -> nx.Graph[str]:
        """The graph for networkx: nodes are ids, edges carry ``weight`` and ``strong``."""
        return self.network.networkx

    @property
    def similarity_graph(self) -> SimilarityGraph:
        """The array form behind `graph`."""
        return self.network.graph

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences about the last build that a person should read."""
        return self.network.warnings

    def at_threshold(self, threshold: float) -> NetworkRAG:
        """A view of the same documents at another threshold; no similarity is computed again.

        Raises
        ------
        ConfigError
            If the threshold lies outside [0, 1] or below the floor of the candidate edges.
        """
        return NetworkRAG.of_network(self.network.at_threshold(checked_threshold(self.network, threshold)))

    def threshold_curve(self) -> ThresholdCurve:
        """Edges, density, components, giant component, isolates and communities at every threshold."""
        return self.network.curve

    def suggest_threshold(self) -> ThresholdSuggestion:
        """A threshold, and why."""
        return self.network.suggestion

    def explain(self, a: str, b: str) -> PairExplanation:
        """Why two documents are similar: each component's share of their combined similarity."""
        return self.network.similarity.explain(checked_id(a), checked_id(b))

    def drift(self) -> dict[str, float]:
        """Share of the present documents' words that the fitted vocabulary lacks, by component.

        Documents that came after the build are weighed by its words; ``build_network(rebuild=True)`` refits.
        """
        from cnrag_core.incremental import drift

        return drift(self.network, self.documents)

    # Topology.

    @property
    def _analyzer(self) -> NetworkAnalyzer:
        return self.network.analyzer

    def detect_communities(self) -> dict[str, int]:
        """Community number of every document; 0 is the largest."""
        return self._analyzer.detect_communities()

    @property
    def modularity(self) -> float | None:
        """Quality of the communities; None without edges."""
        return self.network.communities.modularity

    def get_community_for_node(self, node_id: str) -> int:
        return self._analyzer.get_community_for_node(node_id)

    def sample_community_nodes(self, community_id: int, n: int = 20) -> list[str]:
        """Up to `n` documents of a community, the same ones every time."""
        return self._analyzer.sample_community_nodes(community_id, n)

    def auto_tag_community(self, community_id: int, n_samples: int = 20) -> list[str]:
        """Words that set a community apart from the rest of the corpus."""
        return self._analyzer.auto_tag_community(community_id, n_samples)

    def get_hub_nodes(self, min_degree: int = 10, *, top: int | None = None) -> list[str]:
        """Documents with at least `min_degree` neighbours, most first."""
        return self._analyzer.get_hub_nodes(min_degree, top=top)

    def get_hubs_for_community(self, community_id: int, min_degree: int = 5) -> list[str]:
        return self._analyzer.get_hubs_for_community(community_id, min_degree)

    def get_bridge_nodes(self, min_betweenness: float = 0.1, *, top: int | None = None) -> list[str]:
        """Documents with at least this betweenness, or the `top` ones, highest first.

        Beyond a few thousand documents nobody reaches 0.1; ask for `top` there.
        """
        return self._analyzer.get_bridge_nodes(min_betweenness, top=top)

    def get_bridges_for_community(self, community_id: int) -> list[str]:
        """Documents of the community with neighbours in others, highest betweenness first."""
        return self._analyzer.get_bridges_for_community(community_id)

    def get_neighbors(self, node_id: str, k_hops: int = 1) -> set[str]:
        """Documents within `k_hops` edges, without the document itself."""
        return self._analyzer.get_neighbors(node_id, k_hops)

    def shortest_path(self, a: str, b: str) -> list[str] | None:
        """Ids along a path of fewest hops, or None where there is none."""
        from cnrag_core.topology.neighborhood import shortest_path

        path = shortest_path(self.similarity_graph, checked_id(a), checked_id(b))
        return None if path is None else list(path.node_ids)

    # Questions.

    def search(self, query: str) -> Search:
        """A question, refined step by step: ``rag.search(q).with_strategy("hybrid").top(10)``."""
        return self.network.search(query)

    def find_similar(self, query: str, n: int = 10, strategy: str = "hybrid") -> RankedResults:
        """The best `n` documents for a question, each explained."""
        return self.search(query).with_strategy(strategy).top(n)

    def compare(self, query: str, strategies: Sequence[str] | None = None, n: int = 10) -> StrategyComparison:
        """Several strategies on one question, side by side."""
        from cnrag_core.retrieval.comparison import compare

        return compare(self.search(query), strategies, n)

    def traverse(
        self, query: str, budget: Budget | None = None, required_evidence: Sequence[str] | None = None, **options: Any
    ) -> TraversalTrace:
        """Walk the concept graph from the best matches, inside a budget, logging every step."""
        return self.network.traverse(query, budget=budget, required_evidence=required_evidence, **options)

    def evaluate(
        self,
        queries: Iterable[JudgedQuery],
        strategies: Sequence[str] | None = None,
        k: Sequence[int] = (2, 5, 10),
    ) -> EvaluationReport:
        """Measure strategies on judged queries, with intervals against plain similarity."""
        from cnrag_core.evaluation.report import evaluate

        return evaluate(self.search, queries, strategies, k)


def checked_threshold(network: Network, threshold: float) -> float:
    """The threshold, where the candidate edges can answer for it."""
    floor = network.candidates.floor
    if not 0.0 <= checked_number(threshold, "threshold") <= 1.0:
        raise ConfigError(f"A threshold lies in [0, 1]; {threshold} does not.")
    if threshold < floor:
        raise ConfigError(
            f"Threshold {threshold:.2f} is below {floor:.2f}, the floor down to which pairs were kept; "
            "set it in the configuration and build again."
        )
    return float(threshold)


class NetworkRAGBuilder:
    """Collects options and builds a `NetworkRAG`; every method returns the builder."""

    def __init__(self) -> None:
        self._storage: SQLiteStorage | str | Path = ":memory:"
        self._provider: EmbeddingProvider | None = None
        self._store: EmbeddingStore | None = None
        self._spec: Sequence[Component] | None = None
        self._config: PipelineConfig | None = None
        self._min_similarity = 0.7
        self._strong_similarity = 0.8

    def with_storage(self, storage: SQLiteStorage | str | Path) -> NetworkRAGBuilder:
        """A `SQLiteStorage`, or the path of one."""
        self._storage = storage
        return self

    def with_embedding_store(self, store: EmbeddingStore) -> NetworkRAGBuilder:
        """Where chunk and aggregated embeddings are kept."""
        self._store = store
        return self

    def with_embeddings(self, provider: EmbeddingProvider) -> NetworkRAGBuilder:
        """Any provider."""
        self._provider = provider
        return self

    def with_tfidf_embeddings(self, **options: Any) -> NetworkRAGBuilder:
        """TF-IDF, fitted on the documents."""
        from cnrag_core.embedding.tfidf import TFIDFEmbedding

        return self.with_embeddings(TFIDFEmbedding(**options))

    def with_sentence_transformer_embeddings(self, model_name: str = "all-MiniLM-L6-v2") -> NetworkRAGBuilder:
        """A local sentence-transformers model."""
        from cnrag_core.embedding.sentence_transformer import SentenceTransformerEmbedding

        return self.with_embeddings(SentenceTransformerEmbedding(model_name=model_name))

    def with_ollama_embeddings(
        self, host: str = "http://localhost:11434", model_name: str = "nomic-embed-text"
    ) -> NetworkRAGBuilder:
        """An Ollama server."""
        from cnrag_core.embedding.ollama import OllamaEmbedding

        return self.with_embeddings(OllamaEmbedding(host=host, model_name=model_name))

    def with_similarity_threshold(self, min_similarity: float, strong_similarity: float = 0.8) -> NetworkRAGBuilder:
        """What an edge needs, and from where it is marked strong."""
        self._min_similarity, self._strong_similarity = min_similarity, strong_similarity
        return self

    def with_similarity_spec(self, components: Sequence[Component]) -> NetworkRAGBuilder:
        """The components to compare."""
        self._spec = components
        return self

    def with_config(self, config: PipelineConfig | Mapping[str, Any] | str | Path) -> NetworkRAGBuilder:
        """A whole configuration; it replaces threshold and components given before."""
        from cnrag_core.config.loader import load_config

        self._config = load_config(config)
        return self

    def build(self) -> NetworkRAG:
        """The object; documents are added and the network is built afterwards."""
        return NetworkRAG(
            self._storage,
            self._provider,
            self._min_similarity,
            self._strong_similarity,
            embedding_store=self._store,
            similarity_spec=self._spec,
            config=self._config,
        )
