"""Choosing the text model of a configuration as a whole.

Enters: a `PipelineConfig` and a model. Leaves: the same comparison with every text embedded by it.
"""

from __future__ import annotations

from importlib.util import find_spec

from cnrag_core.config.spec import AttributeSimilarityComponent, ModelKind, PipelineConfig

IN_WORDS: dict[ModelKind, str] = {
    "tfidf": "TF-IDF: words in common, fast",
    "sentence_bert": "MiniLM: meaning, slower",
}


def available_models() -> tuple[ModelKind, ...]:
    """Models that need no server and are installed here; TF-IDF always."""
    return ("tfidf", "sentence_bert") if find_spec("sentence_transformers") else ("tfidf",)


def with_model(config: PipelineConfig, model: ModelKind) -> PipelineConfig:
    """The configuration with this model in every embedding component.

    Examples
    --------
    >>> from cnrag_core.config.spec import FieldEmbeddingComponent
    >>> one = PipelineConfig(components=[FieldEmbeddingComponent(field="text")])
    >>> with_model(one, "sentence_bert").components[0].model
    'sentence_bert'
    """
    changed = tuple(
        part
        if isinstance(part, AttributeSimilarityComponent)
        else part.model_copy(update={"model": model, "model_name": None, "host": None})
        for part in config.components
    )
    return config.model_copy(update={"components": changed})
