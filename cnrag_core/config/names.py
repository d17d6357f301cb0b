"""Every spelling that the guides use, and the one name that we report.

The guides call the same method by different names; this is the only place that knows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CHUNKING_ALIASES = {"fixed": "fixed_tokens", "sentence": "sentences", "paragraph": "paragraphs"}
AGGREGATION_ALIASES = {"weighted_average": "weighted_avg", "average": "mean", "max": "max_pool"}
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


def canonical(value: Any, aliases: Mapping[str, str]) -> Any:
    """The reported name of a spelling; anything that is no known spelling passes unchanged.

    Examples
    --------
    >>> canonical("fixed", CHUNKING_ALIASES)
    'fixed_tokens'
    """
    return aliases.get(value, value) if isinstance(value, str) else value
