"""Bridges: where one document leads, by the names in its text and by its references.

Enters: a start document and a question. Leaves: `Bridges`, each target once with the strongest bridge
to it. `retrieval.paths` tells what they are for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cnrag_core.graph.links import KINDS, TypedLinks
from cnrag_core.retrieval.bm25 import QueryTerms
from cnrag_core.retrieval.path_setting import PathSetting
from cnrag_core.retrieval.query import QueryScorer
from cnrag_core.retrieval.ranking import PathStep
from cnrag_core.types import Scores

BRIDGE_KINDS = ("mention", "title_part", "shared_name", "reference", "adjacent")

ALWAYS_RARE = 5
"""A name in no more documents than this is rare in the smallest corpus."""


@dataclass(frozen=True, eq=False)
class Bridges:
    """Targets of one start document, ascending.

    Attributes
    ----------
    targets
        (n_targets,) int64 document numbers.
    weights
        (n_targets,) float64 weight of the strongest bridge to each.
    kinds
        (n_targets,) int8 places in `BRIDGE_KINDS`.
    places
        (n_targets,) int64: the occurrence of the name in the name index, or the number of the typed link.
    """

    targets: NDArray[np.int64]
    weights: Scores
    kinds: NDArray[np.int8]
    places: NDArray[np.int64]


class BridgeFinder:
    """Bridges for one question.

    Parameters
    ----------
    scorer
        Source of texts, terms and names.
    links
        Typed links; references and neighbours among them are bridges.
    terms
        The question's terms: sentences that hold them make stronger bridges.
    known
        Names that stand in the question, which lead to nothing new.
    """

    def __init__(
        self,
        scorer: QueryScorer,
        links: TypedLinks | None,
        terms: QueryTerms,
        known: Mapping[int, bool],
        setting: PathSetting,
    ) -> None:
        self._scorer = scorer
        self._names = scorer.names
        self._links = links
        self._known = known
        self._setting = setting
        self._most = max(ALWAYS_RARE, setting.max_share * len(scorer.documents))
        weights = scorer.index.idf[terms.columns] * terms.counts
        shares = weights / weights.sum() if len(terms) else weights
        self._share_of_term = dict(zip(terms.columns.tolist(), shares.tolist(), strict=True))
        self._found: dict[int, Bridges] = {}

    def of(self, start: int) -> Bridges:
        """Where a document leads; worked out once a question."""
        found = self._found.get(start)
        if found is None:
            found = self._found[start] = self._find(start)
        return found

    def _find(self, start: int) -> Bridges:
        names, setting = self._names, self._setting
        parts: list[tuple[NDArray[np.int32], float, int, str]] = []
        for place, overlap in self._strongest_places(start):
            name = int(names.name[place])
            weight = float(names.rarity[name]) * (1 + setting.sentence * overlap)
            if name in self._known or name in names.own[start]:
                weight *= setting.known
            parts.append((names.titled.of(name), weight, place, "mention"))
            parts.append((names.in_titles.of(name), weight * setting.indirect, place, "title_part"))
            if names.frequency[name] <= self._most:
                parts.append((names.in_texts.of(name), weight * setting.indirect, place, "shared_name"))
        parts.extend(self._over_links(start))
        return _strongest(start, parts)

    def _strongest_places(self, start: int) -> list[tuple[int, float]]:
        """For each name in the text, the occurrence whose sentence says most of the question, and how much."""
        strongest: dict[int, tuple[int, float]] = {}
        shares: dict[int, list[float]] = {}
        names = self._names
        places = names.occurrences(start)
        for place, name, field, begin in zip(
            places,
            names.name[places.start : places.stop].tolist(),
            names.field[places.start : places.stop].tolist(),
            names.start[places.start : places.stop].tolist(),
            strict=True,
        ):
            sentences = self._scorer.sentences.of(start, names.fields[field])
            if field not in shares:
                shares[field] = sentences.shares(self._share_of_term)
            at = sentences.at(begin)
            overlap = shares[field][at] if at >= 0 else 0.0
            if name not in strongest or overlap > strongest[name][1]:
                strongest[name] = (place, overlap)
        return list(strongest.values())

    def _over_links(self, start: int) -> list[tuple[NDArray[np.int32], float, int, str]]:
        """References and neighbours: as strong as a title that one document names."""
        parts = []
        for link in self._links.around(start) if self._links is not None else ():
            kind = KINDS[int(self._links.kind[link])]  # type: ignore[union-attr]  # the loop is empty without links
            source, target = int(self._links.source[link]), int(self._links.target[link])  # type: ignore[union-attr]
            if kind == "adjacent" or (kind == "reference" and source == start):
                other = target if source == start else source
                weight = float(self._links.weight[link])  # type: ignore[union-attr]
                parts.append((np.array([other], dtype=np.int32), weight, link, kind))
        return parts

    def step(self, start: int, target: int) -> PathStep:
        """The bridge from one document to another, in words."""
        bridges = self.of(start)
        found = int(np.searchsorted(bridges.targets, target))
        kind, place = BRIDGE_KINDS[int(bridges.kinds[found])], int(bridges.places[found])
        source, reached = self._scorer.documents[start].id, self._scorer.documents[target].id
        weight = float(bridges.weights[found])
        if self._links is not None and kind in ("reference", "adjacent"):
            return PathStep(source, reached, kind, weight, self._links.evidence(place), self._links.sentence(place))
        names = self._names
        text = self._scorer.documents[start].text(names.fields[int(names.field[place])])
        begin, end = int(names.start[place]), int(names.end[place])
        sentences = self._scorer.sentences.of(start, names.fields[int(names.field[place])])
        at = sentences.at(begin)
        sentence = text[slice(*sentences.spans[at])] if at >= 0 else ""
        return PathStep(source, reached, kind, weight, (text[begin:end],), sentence)


def _strongest(start: int, parts: Sequence[tuple[NDArray[np.int32], float, int, str]]) -> Bridges:
    """Each target once, with the strongest bridge; of equally strong ones, the first."""
    sizes = [len(documents) for documents, *_ in parts]
    targets = np.concatenate([documents for documents, *_ in parts] or [np.empty(0, np.int32)]).astype(np.int64)
    weights = np.repeat(np.array([weight for _, weight, *_ in parts], dtype=np.float64), sizes)
    places = np.repeat(np.array([place for *_, place, _ in parts], dtype=np.int64), sizes)
    kinds = np.repeat(np.array([BRIDGE_KINDS.index(kind) for *_, kind in parts], dtype=np.int8), sizes)
    order = np.lexsort((np.arange(len(targets)), -weights, targets))
    order = order[targets[order] != start]
    first = np.ones(len(order), dtype=bool)
    first[1:] = np.diff(targets[order]) != 0
    keep = order[first]
    return Bridges(targets[keep], weights[keep], kinds[keep], places[keep])
