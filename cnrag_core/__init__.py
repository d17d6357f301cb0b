"""cnrag: a pile of documents becomes a graph that people explore, tune and question.

The pipeline, in order: `config` says how documents are compared, `corpus` reads them, `chunking` cuts
long texts, `embedding` makes rows of them, `similarity` scores pairs, `storage` keeps what was made,
`graph` links the pairs, `topology` finds communities, hubs and bridges, `retrieval` answers questions,
`traversal` follows the thread, `evaluation` measures. `NetworkRAG` holds it together.

Names are loaded on first use, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "errors": (
        "CNRagError ConfigError CorpusError DuplicateIdError StorageError StorageFullError StorageCorruptError "
        "EmbeddingError ResourceLimitError NotBuiltError UnknownNameError Problem"
    ),
    "config.spec": (
        "PipelineConfig FieldSpec ChunkingStrategy FieldEmbeddingComponent AttributeSimilarityComponent "
        "CompositeEmbeddingComponent CompositeField EdgeRule CommunitySpec RetrievalSpec TraversalSpec"
    ),
    "config.loader": "load_config to_yaml",
    "config.infer": "infer_config",
    "corpus.document": "Document Corpus Provenance",
    "corpus.readers": "read_corpus",
    "corpus.records": "corpus_of_records",
    "corpus.samples": "load_sample sample_names",
    "chunking.chunker": "TextChunker Chunk",
    "chunking.tokens": "count_tokens",
    "embedding.provider": "EmbeddingProvider",
    "embedding.tfidf": "TFIDFEmbedding",
    "embedding.sentence_transformer": "SentenceTransformerEmbedding",
    "embedding.ollama": "OllamaEmbedding",
    "embedding.aggregation": "EmbeddingAggregator chunk_and_aggregate",
    "embedding.weighting": "WeightedEmbeddingConfig",
    "embedding.store": "EmbeddingStore",
    "similarity.structured": "StructuredSimilarity PairExplanation Contribution",
    "storage.sqlite_storage": "SQLiteStorage",
    "storage.sqlite_embedding_store": "SQLiteEmbeddingStore",
    "graph.similarity_graph": "SimilarityGraph CandidateEdges",
    "graph.builder": "NetworkBuilder",
    "graph.thresholds": "ThresholdCurve",
    "graph.threshold_suggestion": "ThresholdSuggestion",
    "graph.concept_graph": "ConceptGraph ChunkNode ConceptEdge",
    "topology.analyzer": "NetworkAnalyzer",
    "topology.communities": "Communities",
    "retrieval.ranking": "RankedResults ScoredNode PathStep",
    "retrieval.strategy": "RetrievalStrategy",
    "retrieval.similarity": "SimilarityRetrieval",
    "retrieval.community": "CommunityRetrieval",
    "retrieval.hub": "HubRetrieval",
    "retrieval.bridge": "BridgeRetrieval",
    "retrieval.hybrid": "HybridRetrieval",
    "retrieval.comparison": "StrategyComparison",
    "traversal.budget": "Budget",
    "traversal.trace": "TraversalTrace Seed Step",
    "traversal.audited_walk": "audited_walk",
    "traversal.notebook_walk": "notebook_walk",
    "traversal.completeness": "CompletenessCheck RequiredEvidence ContextFunction LanguageModelCheck",
    "traversal.language_model": "LanguageModel",
    "traversal.query_cost": "QueryAwareCost",
    "traversal.reach": "ReachReport measure_reach",
    "traversal.seeds": "seeds_of",
    "traversal.walker": "Walker",
    "evaluation.judgements": "JudgedQuery read_judgements",
    "evaluation.report": "EvaluationReport",
    "network": "Network build_network",
    "rag": "NetworkRAG NetworkRAGBuilder",
    "workspace": "Workspace",
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = sorted(_HOME_OF)
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
