"""Aliases with their shapes, and the two seams that long work shares: progress and cancelling.

Everything that travels between the stages is made of these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

NodeId: TypeAlias = str
"""Text, exactly as written: ``007`` and ``7`` are two documents."""

Rows: TypeAlias = "NDArray[np.float32] | sp.csr_matrix"
"""(n, d) float32, one L2-normalised row a text; a text without content has a zero row."""

Scores: TypeAlias = "NDArray[np.float64]"
"""(n,) float64, one number a node, in the order of the node ids."""

Progress: TypeAlias = Callable[[str, float], None]
"""Called as ``progress(step, share)`` with a step name and a share of that step in [0, 1].

It may raise to cancel the work; nothing half-done is kept.
"""


def silent(step: str, share: float) -> None:
    """Progress that nobody watches."""
