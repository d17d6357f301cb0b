"""How a text was cut, and what each way of combining the chunks makes of it.

Enters: chunks, rows of a provider. Leaves: data frames, a plotly figure, sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from cnrag_core.chunking.chunker import Chunk, TextChunker
from cnrag_core.chunking.tokens import count_tokens
from cnrag_core.config.spec import ChunkingMethod, ChunkingStrategy
from cnrag_core.corpus.wording import count
from cnrag_core.embedding.aggregation import EmbeddingAggregator
from cnrag_core.embedding.provider import EmbeddingProvider
from cnrag_core.embedding.rows import normalize_rows
from cnrag_core.views.figure import base_figure

if TYPE_CHECKING:
    import plotly.graph_objects as go

METHODS: tuple[ChunkingMethod, ...] = ("none", "fixed_tokens", "sentences", "paragraphs", "sliding", "recursive")
AGGREGATIONS = ("mean", "weighted_mean", "max_pool", "sum", "first", "last")
MOST_COLUMNS = 50_000
"""Dimensions beyond which rows are not compared: a vocabulary that large makes dense rows too costly."""


def chunk_table(chunks: Sequence[Chunk]) -> pd.DataFrame:
    """One row a chunk, with its place in the field and its size."""
    return pd.DataFrame(
        {
            "chunk": [chunk.index for chunk in chunks],
            "start": [chunk.start for chunk in chunks],
            "end": [chunk.end for chunk in chunks],
            "tokens": [count_tokens(chunk.text) for chunk in chunks],
            "text": [chunk.text for chunk in chunks],
        }
    )


def method_table(text: str, strategy: ChunkingStrategy) -> pd.DataFrame:
    """What every method makes of one text at the same sizes."""
    rows = []
    for method in METHODS:
        chunks = TextChunker(strategy.model_copy(update={"method": method})).spans(text)
        sizes = [count_tokens(chunk.text) for chunk in chunks]
        rows.append(
            {
                "method": method,
                "chunks": len(chunks),
                "smallest": min(sizes, default=0),
                "largest": max(sizes, default=0),
                "in all": sum(sizes),
            }
        )
    return pd.DataFrame(rows)


def aggregation_chart(chunks: Sequence[Chunk], provider: EmbeddingProvider) -> go.Figure | None:
    """Cosine between what every two aggregations make of the chunks; None where there is nothing to combine."""
    import plotly.graph_objects as go

    if len(chunks) < 2 or provider.get_dimension() > MOST_COLUMNS:
        return None
    rows = provider.embed([chunk.text for chunk in chunks])
    aggregator = EmbeddingAggregator()
    combined = normalize_rows(np.stack([aggregator.aggregate(rows, method) for method in AGGREGATIONS]))
    cosines = np.asarray(combined @ combined.T, dtype=np.float64)
    figure = base_figure(height=330)
    figure.add_trace(
        go.Heatmap(
            z=cosines,
            x=AGGREGATIONS,
            y=AGGREGATIONS,
            zmin=0,
            zmax=1,
            colorscale="Blues",
            texttemplate="%{z:.2f}",
            showscale=False,
            hovertemplate="%{y} and %{x}: cosine %{z:.3f}<extra></extra>",
        )
    )
    figure.update_xaxes(
        tickangle=0, tickvals=AGGREGATIONS, ticktext=[name.replace("_", "<br>") for name in AGGREGATIONS]
    )
    figure.update_yaxes(autorange="reversed")
    return figure


def aggregation_table(figure: go.Figure) -> pd.DataFrame:
    """The cosines of `aggregation_chart` as a table."""
    cosines = np.round(np.asarray(figure.data[0].z, dtype=np.float64), 3)
    return pd.DataFrame({"aggregation": AGGREGATIONS, **dict(zip(AGGREGATIONS, cosines.T, strict=True))})


def chunking_sentence(chunks: Sequence[Chunk], text: str) -> str:
    """How many chunks there are of how long a text."""
    if not chunks:
        return "This field is empty, so there is nothing to cut."
    tokens = count_tokens(text)
    repeated = sum(max(0, before.end - after.start) for before, after in pairwise(chunks))
    overlap = f"; {count(repeated, 'character stands', 'characters stand')} in two chunks" if repeated else ""
    length = f"{count(tokens, 'token')} (words × 1.3) and {count(len(text), 'character')}"
    return f"{count(len(chunks), 'chunk')} of a text of {length}{overlap}."
