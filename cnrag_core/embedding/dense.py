"""What providers of dense rows share: blank texts, empty lists, checks of what came back.

Enters: any texts. Leaves: finite float32 rows in the order of the texts. A provider of a model only
has to embed texts that are not blank.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cnrag_core.embedding.provider import EmbeddingProvider
from cnrag_core.errors import EmbeddingError


class DenseEmbedding(EmbeddingProvider):
    """Base of the providers that ask a model."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Dense (n, d) float32 rows in order; a blank text has a zero row and is never sent to the model.

        Raises
        ------
        EmbeddingError
            If the model fails, or answers anything but one finite row of one length a text.
        """
        spoken = [number for number, text in enumerate(texts) if text.strip()]
        if not spoken:
            return np.zeros((len(texts), self.get_dimension()), dtype=np.float32)
        found = self._checked(self._embed_texts([_encodable(texts[number]) for number in spoken]), len(spoken))
        rows = np.zeros((len(texts), found.shape[1]), dtype=np.float32)
        rows[spoken] = found
        return rows

    @abstractmethod
    def _embed_texts(self, texts: Sequence[str]) -> Any:
        """One row a text, in order; `texts` is not empty and holds no blank one."""

    def _checked(self, rows: Any, n_texts: int) -> NDArray[np.float32]:
        name = self.get_model_name()
        try:
            found = np.asarray(rows, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise EmbeddingError(f"{name} answered something else than rows of numbers of one length.") from None
        if found.ndim != 2 or found.shape[1] == 0:
            raise EmbeddingError(f"{name} answered something else than rows of numbers of one length.")
        if len(found) != n_texts:
            raise EmbeddingError(f"{name} gave {len(found)} rows for {n_texts} texts.")
        if not (np.abs(found) <= np.finfo(np.float32).max).all():  # NaN fails it too
            raise EmbeddingError(f"{name} gave a row with NaN or infinity; nothing of it was kept.")
        return found.astype(np.float32)


def _encodable(text: str) -> str:
    """The text with halves of surrogate pairs, which no model can read, replaced by question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")
