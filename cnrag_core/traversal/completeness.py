"""Whether the context so far suffices: by required evidence, by a function, or by a language model.

Enters: the question, and the chunks in the context. Leaves: yes or no. A language model saying
"complete" is a stopping heuristic (guide 001); required evidence is a checklist.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from cnrag_core.traversal.language_model import LanguageModel


class CompletenessCheck(Protocol):
    """Asked after a chunk was added; ids and texts are those of the whole context, in order."""

    def __call__(self, query: str, chunk_ids: Sequence[str], texts: Sequence[str]) -> bool: ...


@dataclass(frozen=True)
class RequiredEvidence:
    """Complete once every required chunk is in the context; nothing required is never complete."""

    chunk_ids: Collection[str]

    def __call__(self, query: str, chunk_ids: Sequence[str], texts: Sequence[str]) -> bool:
        return bool(self.chunk_ids) and set(self.chunk_ids) <= set(chunk_ids)


@dataclass(frozen=True)
class ContextFunction:
    """Complete when a function of the question and the context says so."""

    function: Callable[[str, str], bool]

    def __call__(self, query: str, chunk_ids: Sequence[str], texts: Sequence[str]) -> bool:
        return bool(self.function(query, "\n\n".join(texts)))


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
        return answer.strip().lower().startswith("yes")
