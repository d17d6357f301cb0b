"""Colours that people with any colour vision can tell apart, on light and on dark ground.

Enters: community numbers or field values. Leaves: hex colours. Ten colours are as many as eyes can
match with a legend; everything beyond them is grey, and every view says so in words as well.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

CATEGORIES = (
    "#3b7dd8",  # blue
    "#e07b00",  # orange
    "#1aa37a",  # green
    "#c95aa6",  # pink
    "#8f6bd1",  # violet
    "#d64545",  # red
    "#17a2b8",  # cyan
    "#b59a00",  # ochre
    "#7a8b2e",  # olive
    "#a0613a",  # brown
)
REST = "#8a93a3"
"""Communities and values beyond the ten largest."""

ISOLATED = "#b8bec9"
"""Documents that are linked to nothing."""

# From Matplotlib's viridis, which is perceptually even; seven stops are enough to interpolate.
SEQUENTIAL = ("#440154", "#443983", "#31688e", "#21918c", "#35b779", "#90d743", "#fde725")


def category_color(rank: int) -> str:
    """Colour of the category of this rank, 0 the largest; grey beyond the tenth.

    Examples
    --------
    >>> category_color(0), category_color(10) == REST
    ('#3b7dd8', True)
    """
    return CATEGORIES[rank] if 0 <= rank < len(CATEGORIES) else REST


def sequential_colors(values: NDArray[np.float64]) -> list[str]:
    """Colours from dark to light over the range of the values; NaN is grey."""
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    span = high - low
    return [REST if not np.isfinite(v) else _between((float(v) - low) / span if span else 0.5) for v in values]


def _between(share: float) -> str:
    at = share * (len(SEQUENTIAL) - 1)
    low = min(int(at), len(SEQUENTIAL) - 2)
    first, second = (_rgb(SEQUENTIAL[low]), _rgb(SEQUENTIAL[low + 1]))
    mixed = (round(a + (b - a) * (at - low)) for a, b in zip(first, second, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _rgb(color: str) -> Sequence[int]:
    return [int(color[i : i + 2], 16) for i in (1, 3, 5)]
