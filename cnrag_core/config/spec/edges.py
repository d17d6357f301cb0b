"""Which pairs of documents become edges, which typed links stand beside them, how communities are found."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from cnrag_core.config.spec.values import Integer, Name, Names, Number, Share, Spec


class EdgeRule(Spec):
    """Which pairs become edges. Given rules hold together: density or neighbours choose, `min` and
    `max_per_node` then cut.

    `min`: combined similarity at or above it. `max_per_node`: an edge stays when it is among the k
    strongest of both its ends, so that no document has more than k. `density`: the top share of all
    pairs; `min_neighbors`: plus the m best neighbours of every document.
    """

    min_similarity: Share | None = Field(
        None, alias="min", description="threshold: pairs link at this combined similarity or above it"
    )
    max_per_node: Annotated[Integer, Field(ge=1, le=1_000_000)] | None = Field(
        None, description="an edge stays when it is among the k strongest of both its documents"
    )
    density: Annotated[Number, Field(gt=0.0, le=1.0)] | None = Field(
        None, description="link the top share of all pairs, e.g. 0.05, whatever their similarity"
    )
    min_neighbors: Annotated[Integer, Field(ge=0, le=1_000_000)] | None = Field(
        None, description="plus the m best neighbours of every document, so that few are left alone"
    )
    strong_similarity: Share = Field(0.8, alias="strong", description="edges at or above it are marked as strong")

    @property
    def is_empty(self) -> bool:
        """Whether nothing was asked, so that the default (density with neighbours) applies."""
        return self.min_similarity is None and self.max_per_node is None and not self.by_density

    @property
    def by_density(self) -> bool:
        """Whether edges are chosen by rank among all pairs rather than by their value."""
        return self.density is not None or self.min_neighbors is not None


DEFAULT_EDGE_RULE = EdgeRule(density=0.05, min_neighbors=3)


class MentionLinks(Spec):
    """A document's title occurs in another's text; directed from the text to the titled document."""

    type: Literal["mention"] = Field("mention", description="a document's title occurs in another's text; directed")
    of: Name = Field(description="the field with the titles")
    fields: Names = Field(alias="in", description="the text fields that may name them")


class SharedConceptLinks(Spec):
    """Rare terms or names in common; undirected."""

    type: Literal["shared_concepts"] = Field("shared_concepts", description="rare terms or names in common")
    fields: Names = Field(alias="in", description="the text fields that the terms come from")
    max_share: Annotated[Number, Field(gt=0.0, le=1.0)] = Field(
        0.02, description="a term in more than this share of the documents is not rare"
    )


class ReferenceLinks(Spec):
    """A field of one document names the id (or another field) of a second; directed."""

    type: Literal["reference"] = Field(
        "reference", description="a field of one document names the id of another; directed"
    )
    source: Name = Field(alias="from", description="the field with the references")
    target: Name = Field("id", alias="to", description="the field that they name")


class AdjacentLinks(Spec):
    """Neighbours in a conversation or a document."""

    type: Literal["adjacent"] = Field("adjacent", description="neighbours in a conversation or a document")
    within: Name = Field(description="the field that says what belongs together")
    order: Name = Field(description="the field with the place in it, a number")


LinkSpec: TypeAlias = Annotated[
    MentionLinks | SharedConceptLinks | ReferenceLinks | AdjacentLinks, Field(discriminator="type")
]


class CommunitySpec(Spec):
    """How communities are found."""

    algorithm: Literal["louvain", "leiden"] = Field(
        "louvain",
        title="community algorithm",
        description="both maximise modularity; leiden keeps communities connected",
    )
    resolution: Annotated[Number, Field(gt=0.0, le=100.0)] = Field(
        1.0, description="above 1: more and smaller communities; below 1: fewer and larger"
    )
