"""What other chunks or another aggregation make of a document's neighbours, as a table and a sentence.

Enters: a `Reaggregation` and a network. Leaves: a data frame, a sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from cnrag_core.corpus.wording import count
from cnrag_core.graph.similarity_graph import TIE_TOLERANCE
from cnrag_core.similarity.reaggregation import Reaggregation

if TYPE_CHECKING:
    from cnrag_core.network import Network

N_NEAREST = 10


def reaggregation_table(found: Reaggregation, network: Network) -> pd.DataFrame:
    """The nearest documents as it is and as it would be: similarities, ranks, and whether the pair is linked."""
    before, after = _ranks(found.before), _ranks(found.after)
    near = np.flatnonzero(((before <= N_NEAREST) | (after <= N_NEAREST)) & (np.maximum(found.before, found.after) > 0))
    near = near[np.lexsort((near, after[near]))]
    return pd.DataFrame(
        {
            "document": [network.titles[number] for number in near],
            "similarity now": np.round(found.before[near], 4),
            "then": np.round(found.after[near], 4),
            "change": np.round(found.after[near] - found.before[near], 4),
            "rank now": before[near],
            "rank then": after[near],
            "linked": [_linked(found, number, network.graph.threshold) for number in near.tolist()],
        }
    )


def reaggregation_sentence(found: Reaggregation, network: Network) -> str:
    """How much of the row and of the nearest documents stays, and how many pairs change sides of the threshold."""
    if found.row_cosine > 1 - 1e-6:
        return f"What {found.component} makes of this document stays as it is, and with it every neighbour."
    before, after = _ranks(found.before) <= N_NEAREST, _ranks(found.after) <= N_NEAREST
    kept, n = int(np.count_nonzero(before & after)), min(N_NEAREST, len(found.before) - 1)
    least = network.graph.threshold - TIE_TOLERANCE
    gained = int(np.count_nonzero((found.after >= least) & (found.before < least)))
    lost = int(np.count_nonzero((found.after < least) & (found.before >= least)))
    stay = "document stays" if n == 1 else "documents stay"
    return (
        f"Cut and combined like this, {kept} of its {n} nearest {stay}; at the threshold of "
        f"{network.graph.threshold:.2f} it gains {gained:,} and loses {count(lost, 'link')}. The new embedding of "
        f"{found.component} has cosine {found.row_cosine:.3f} with the stored one."
    )


def _ranks(similarity: np.ndarray) -> np.ndarray:
    """1 for the most similar document, ties by number."""
    ranks = np.empty(len(similarity), dtype=np.int64)
    ranks[np.lexsort((np.arange(len(similarity)), -similarity))] = np.arange(1, len(similarity) + 1)
    return ranks


def _linked(found: Reaggregation, number: int, threshold: float) -> str:
    now, then = (values[number] >= threshold - TIE_TOLERANCE for values in (found.before, found.after))
    return {(True, True): "yes", (True, False): "no longer", (False, True): "newly", (False, False): "no"}[(now, then)]
