"""The plain values of a workspace: names, numbers and sentences, each of its kind and in its range.

Enters: a network, or the JSON that was written of one. Leaves: a `Manifest`; what does not fit is
refused with the place where it stands.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, NonNegativeFloat, NonNegativeInt, PositiveInt

from cnrag_core.config.spec import FieldKind
from cnrag_core.embedding.words import Analyzer

FORMAT = "cnrag workspace"
VERSION = 1

MOST_SAID_OF_VIEW = 40
"""Settings of a view that are read."""

Share = Annotated[float, Field(ge=0.0, le=1.0)]

ViewName = Annotated[str, Field(max_length=20, pattern=r"^[a-z]+$")]
ViewValue = Annotated[str, Field(max_length=2000)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, allow_inf_nan=False)


class CorpusAbout(_Part):
    """The corpus without its documents."""

    name: str
    kinds: dict[str, FieldKind]
    warnings: list[str]


class GraphAbout(_Part):
    """How the edges were chosen."""

    threshold: Share
    strong_similarity: Share
    rule: str


class CommunitiesAbout(_Part):
    """How good the communities are, and who found them."""

    modularity: Annotated[float, Field(ge=-1.0, le=1.0)] | None
    library: str


class Vocabulary(_Part):
    """State of a fitted `TFIDFEmbedding` without its idf, which is an array."""

    max_features: PositiveInt | None
    analyzer: Analyzer
    sublinear_tf: bool
    terms: list[str]
    n_fitted: NonNegativeInt


class ComponentAbout(_Part):
    """The embedded rows of a component without their numbers."""

    notes: list[str]
    slot_scales: Annotated[list[FiniteFloat], Field(min_length=1)]
    is_sparse: bool
    shape: Annotated[list[NonNegativeInt], Field(min_length=2, max_length=2)]
    tfidf: Vocabulary | None


class Manifest(_Part):
    """Everything in ``workspace.json``."""

    format: Literal["cnrag workspace"]
    version: Annotated[int, Field(ge=1, le=VERSION)]
    name: str
    sample: str | None
    view: Annotated[dict[ViewName, ViewValue], Field(max_length=MOST_SAID_OF_VIEW)] = Field(default_factory=dict)
    corpus: CorpusAbout
    floor: Share
    graph: GraphAbout
    timings: dict[str, NonNegativeFloat]
    warnings: list[str]
    communities: CommunitiesAbout
    layout_spacing: Annotated[float, Field(gt=0.0)]
    tags: dict[str, list[str]]
    components: dict[str, ComponentAbout]


def first_problem(errors: list[Any]) -> str:
    """The first thing that pydantic found, with its place."""
    place = ".".join(map(str, errors[0]["loc"])) or "the whole"
    return f"{place}: {errors[0]['msg'].lower()}"
