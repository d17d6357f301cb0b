"""Every spelling that the guides use, and the one name that we report.

The guides call the same method by different names; this is the only place that knows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CHUNKING_ALIASES = {"fixed": "fixed_tokens", "sentence": "sentences", "paragraph": "paragraphs"}
AGGREGATION_ALIASES = {"weighted_average": "weighted_avg", "average": "mean", "max": "max_pool"}
AGGREGATIONS_WITHOUT_WEIGHTS = ("max_pool", "first", "last")
"""Aggregations that have no use for weights: what is combined counts, or it does not."""

METRIC_ALIASES = {"equal": "exact", "containment": "overlap", "gaussian": "numeric"}
MODEL_ALIASES = {
    "tf-idf": "tfidf",
    "tf_idf": "tfidf",
    "sentence-bert": "sentence_bert",
    "sbert": "sentence_bert",
    "sentence_transformer": "sentence_bert",
    "sentence_transformers": "sentence_bert",
    "sentence-transformers": "sentence_bert",
}
FIELD_KIND_ALIASES = {
    "string": "text",
    "str": "text",
    "array": "list",
    "set": "list",
    "int": "number",
    "integer": "number",
    "float": "number",
    "bool": "boolean",
    "enum": "category",
    "datetime": "date",
}

OTHER_WORDS_FOR_KEYS: Mapping[str, tuple[str, ...]] = {
    "threshold": ("min_combined_similarity", "min", "min_similarity"),
    "min_similarity": ("min", "min_combined_similarity"),
    "min": ("min_similarity", "min_combined_similarity"),
    "min_combined_similarity": ("min",),
    "k": ("max_per_node",),
    "top_k": ("max_per_node",),
    "max_neighbors": ("max_per_node",),
    "neighbors": ("min_neighbors",),
    "seed": ("random_state",),
    "random_seed": ("random_state",),
    "id": ("id_field", "component_id"),
    "name": ("component_id",),
    "fields": ("schema", "in"),
    "kind": ("type",),
    "embedding": ("ref",),
    "similarity": ("ref",),
}
"""Words that people use for a key of ours; the first that is known at that place is proposed."""


TRANSFORMS = ("strip", "lower", "upper", "title", "collapse", "strip_html", "split", "lines", "unique", "sort")
"""What `transform` in a schema can do to a value."""


def canonical(value: Any, aliases: Mapping[str, str]) -> Any:
    """The reported name of a spelling; anything that is no known spelling passes unchanged.

    Examples
    --------
    >>> canonical("fixed", CHUNKING_ALIASES)
    'fixed_tokens'
    """
    return aliases.get(value, value) if isinstance(value, str) else value


ALIASES: Mapping[str, str] = {
    **CHUNKING_ALIASES,
    **AGGREGATION_ALIASES,
    **METRIC_ALIASES,
    **MODEL_ALIASES,
    **FIELD_KIND_ALIASES,
}
"""All of them, for guessing what a misspelt word stands for."""
