"""Everything that a YAML can say, as frozen models: what the rest of the product reads.

Enters: validated values, from either dialect or from Python keywords. Leaves: one `PipelineConfig`,
complete and concrete; nothing downstream asks "was this given?".

Every key has a `description`, and every closed choice a `title` that says what it chooses: the reference
(`config/reference.py`) and the messages (`config/problems.py`) are made of them.
"""

from cnrag_core.config.spec.answers import (
    HybridWeights,
    RetrievalSpec,
    TraversalSpec,
)
from cnrag_core.config.spec.components import (
    AggregationMethod,
    AttributeComparison,
    AttributeSimilarityComponent,
    ChunkingMethod,
    ChunkingStrategy,
    Component,
    CompositeEmbeddingComponent,
    CompositeField,
    FieldEmbeddingComponent,
    FieldKind,
    FieldSpec,
    FieldVectorOptions,
    Metric,
    ModelKind,
    Reduce,
)
from cnrag_core.config.spec.edges import (
    DEFAULT_EDGE_RULE,
    AdjacentLinks,
    CommunitySpec,
    EdgeRule,
    LinkSpec,
    MentionLinks,
    ReferenceLinks,
    SharedConceptLinks,
)
from cnrag_core.config.spec.pipeline import (
    DisplaySpec,
    EngineSpec,
    PipelineConfig,
    SharedSections,
)
from cnrag_core.config.spec.values import (
    Name,
    Share,
    Spec,
    Weight,
)

__all__ = [
    "DEFAULT_EDGE_RULE",
    "AdjacentLinks",
    "AggregationMethod",
    "AttributeComparison",
    "AttributeSimilarityComponent",
    "ChunkingMethod",
    "ChunkingStrategy",
    "CommunitySpec",
    "Component",
    "CompositeEmbeddingComponent",
    "CompositeField",
    "DisplaySpec",
    "EdgeRule",
    "EngineSpec",
    "FieldEmbeddingComponent",
    "FieldKind",
    "FieldSpec",
    "FieldVectorOptions",
    "HybridWeights",
    "LinkSpec",
    "MentionLinks",
    "Metric",
    "ModelKind",
    "Name",
    "PipelineConfig",
    "Reduce",
    "ReferenceLinks",
    "RetrievalSpec",
    "Share",
    "SharedConceptLinks",
    "SharedSections",
    "Spec",
    "TraversalSpec",
    "Weight",
]
