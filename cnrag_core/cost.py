"""What a build will cost, before anyone waits for it.

Enters: a corpus and a configuration. Leaves: `BuildCost`, rough on purpose: the rates are those of one
ordinary core, and are there to tell seconds from minutes.
"""

from __future__ import annotations

from dataclasses import dataclass

from cnrag_core.config.spec import AttributeSimilarityComponent, PipelineConfig
from cnrag_core.corpus.document import Corpus
from cnrag_core.corpus.wording import count

CHARACTERS_A_SECOND = {"tfidf": 4_000_000, "sentence_bert": 20_000, "ollama": 8_000}
PAIRS_A_SECOND = 40_000_000
BYTES_A_CHARACTER = 6.0
"""Of rows, once TF-IDF has made words of them."""

BASE_SECONDS = 0.5


@dataclass(frozen=True)
class BuildCost:
    """Rough cost of a build: pairs to compare, characters to embed, seconds, bytes of memory."""

    n_documents: int
    n_pairs: int
    n_characters: int
    seconds: float
    bytes: float

    @property
    def in_words(self) -> str:
        """``924 documents, 426,426 pairs, about 2 seconds``."""
        if self.seconds < 90:
            duration = f"{max(1, round(self.seconds)):,} seconds" if self.seconds >= 1.5 else "a second"
        else:
            duration = f"{round(self.seconds / 60):,} minutes"
        return f"{count(self.n_documents, 'document')}, {count(self.n_pairs, 'pair')}, about {duration}"


def estimate_cost(corpus: Corpus, config: PipelineConfig) -> BuildCost:
    """The cost of building a corpus as a configuration says."""
    n = len(corpus)
    n_pairs = n * (n - 1) // 2
    n_characters, seconds = 0, BASE_SECONDS + n_pairs / PAIRS_A_SECOND
    for part in config.components:
        if isinstance(part, AttributeSimilarityComponent):
            continue
        names = [part.field] if part.type == "field_embedding" else [piece.field for piece in part.fields]
        characters = sum(len(document.text(name)) for document in corpus for name in names)
        n_characters += characters
        seconds += characters / CHARACTERS_A_SECOND[part.model]
    return BuildCost(n, n_pairs, n_characters, seconds, n_characters * BYTES_A_CHARACTER)
