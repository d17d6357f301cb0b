"""What every embedding provider promises.

Enters: texts. Leaves: one float32 row a text, in order. Guide 002, "Embedding Layer".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cnrag_core.chunking.tokens import count_tokens as approximate_tokens
from cnrag_core.types import Rows


class EmbeddingProvider(ABC):
    """Turns texts into rows of one vector space.

    Blank texts are never sent to a model; they get a zero row, which is similar to nothing.
    """

    max_tokens: int | None = None
    """Longest text that the model reads whole, in its own tokens; None where it has no limit."""

    @abstractmethod
    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Dense (n, d) float32 rows, one a text, in order; ``(0, d)`` for no texts."""

    @abstractmethod
    def get_dimension(self) -> int:
        """Length of a row, d."""

    @abstractmethod
    def get_model_name(self) -> str:
        """Name of the model, as recorded beside stored rows."""

    @abstractmethod
    def get_model_config(self) -> dict[str, Any]:
        """Everything besides the text that decides a row; JSON-serialisable."""

    def count_tokens(self, text: str) -> int:
        """Tokens of a text as this model counts them; words x 1.3 where it has no tokenizer at hand."""
        return approximate_tokens(text)

    def embed_rows(self, texts: Sequence[str]) -> Rows:
        """L2-normalised rows in the provider's natural form: CSR for TF-IDF, dense otherwise."""
        from cnrag_core.embedding.rows import normalize_rows

        return normalize_rows(self.embed(texts))
