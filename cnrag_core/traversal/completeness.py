"""Whether the context so far suffices: by required evidence, by a function, or by a language model.

Enters: the question, and the chunks in the context. Leaves: yes or no. A language model saying
"complete" is a stopping heuristic (guide 001); required evidence is a checklist.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from cnrag_core.graph.concept_graph import ConceptGraph
from cnrag_core.traversal.language_model import LanguageModel


class CompletenessCheck(Protocol):
    """Asked after a chunk was added; ids and texts are those of the whole context, in order."""

    def __call__(self, query: str, chunk_ids: Sequence[str], texts: Sequence[str]) -> bool: ...


@dataclass(frozen=True)
class RequiredEvidence:
    """Complete once everything required is in the context; nothing required is never complete.

    `chunk_ids` are chunks; `any_of` gives for an id that is no chunk the chunks of which one will do.
    """

    chunk_ids: Collection[str]
    any_of: Mapping[str, Collection[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, graph: ConceptGraph, required: Collection[str]) -> RequiredEvidence:
        """The checklist of ids of chunks or documents."""
        return cls(tuple(required), {name: graph.chunk_ids_of(name) for name in required})

    def __call__(self, query: str, chunk_ids: Sequence[str], texts: Sequence[str]) -> bool:
        present = set(chunk_ids)
        return bool(self.chunk_ids) and all(
            not present.isdisjoint(self.any_of.get(name, (name,))) for name in self.chunk_ids
        )


@dataclass(frozen=True)
class ContextFunction:
    """Complete when a function of the question and the context says so."""

    function: Callable[[str, str], bool]

    def __call__(self, query: str, chunk_ids: Sequence[str], texts: Sequence[str]) -> bool:
        return bool(self.function(query, "\n\n".join(texts)))


_THOUGHTS = re.compile(r"<think>.*?</think>", re.DOTALL)
PROMPT = (
    "Question: {query}\n\nContext:\n{context}\n\n"
    "Does the context contain everything that is needed to answer the question? Answer with yes or no only."
)


@dataclass(frozen=True)
class LanguageModelCheck:
    """Complete when a language model answers yes to whether the context suffices."""

    model: LanguageModel

    def __call__(self, query: str, chunk_ids: Sequence[str], texts: Sequence[str]) -> bool:
        answer = self.model.complete(PROMPT.format(query=query, context="\n\n".join(texts)))
        return says_yes(answer)


def says_yes(answer: str) -> bool:
    """Whether an answer begins with yes, after what a model may have thought aloud and any markup.

    Examples
    --------
    >>> says_yes("<think>Is it? No ...</think> **Yes.**"), says_yes("Not yet"), says_yes("yesterday")
    (True, False, False)
    """
    spoken = _THOUGHTS.sub("", answer)
    return re.match(r"\W*yes\b", spoken, re.IGNORECASE) is not None
