"""Cutting a text into chunks by a strategy.

Enters: a text and a `ChunkingStrategy`. Leaves: `Chunk` spans of that text. Guide 003, "TextChunker".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cnrag_core.chunking.recursive import recursive_spans
from cnrag_core.chunking.sentences import paragraph_spans, sentence_spans
from cnrag_core.chunking.windows import SCALE, Words, fixed_windows, packed_windows, sliding_windows, split_long
from cnrag_core.config.spec import ChunkingStrategy
from cnrag_core.errors import ResourceLimitError
from cnrag_core.limits import server_limits

MAX_CHUNKS = server_limits().chunks
"""Chunks of one text; more are refused before anything is embedded."""

__all__ = ["MAX_CHUNKS", "Chunk", "ChunkingStrategy", "TextChunker"]


@dataclass(frozen=True)
class Chunk:
    """A piece of a text: ``text == source[start:end]``; `index` counts from 0."""

    index: int
    start: int
    end: int
    text: str


class TextChunker:
    """Cuts texts by one strategy; every chunk is a contiguous span and nothing but white space is lost.

    Parameters
    ----------
    strategy
        Method and sizes; sentences of at most 512 tokens if absent.
    count_tokens
        Tokenizer that counts the tokens of a text; words x 1.3 if absent. No chunk has more than
        `max_tokens` by this count. The one exception: with ``max_tokens=1`` and no tokenizer a chunk
        is one word, although a word counts 1.3.

    Examples
    --------
    >>> TextChunker(ChunkingStrategy(method="sentences", max_tokens=6)).chunk("It rained. We stayed. All day long.")
    ['It rained. We stayed.', 'All day long.']
    """

    def __init__(
        self, strategy: ChunkingStrategy | None = None, *, count_tokens: Callable[[str], int] | None = None
    ) -> None:
        self.strategy = strategy or ChunkingStrategy()
        self._count_tokens = count_tokens

    def chunk(self, text: str) -> list[str]:
        """The chunks' texts in order; none for a blank text.

        Raises
        ------
        ResourceLimitError
            If there would be more than 2,000 chunks.
        """
        return [chunk.text for chunk in self.spans(text)]

    def spans(self, text: str) -> list[Chunk]:
        """The chunks with their character offsets in `text`; raises as `chunk` does."""
        chunks: list[Chunk] = []
        if not text.strip():
            return chunks
        for start, end in self._cut(text):
            if len(chunks) == MAX_CHUNKS:
                raise self._too_many(text)
            chunks.append(Chunk(len(chunks), start, end, text[start:end]))
        return chunks

    def _cut(self, text: str) -> Iterator[tuple[int, int]]:
        strategy = self.strategy
        if strategy.method == "none":
            return iter([(0, len(text))])
        if strategy.method == "recursive":
            return recursive_spans(text, strategy.max_chars, strategy.overlap_chars)
        words = Words(text, max_tokens=strategy.max_tokens, count_tokens=self._count_tokens)
        limit, overlap = strategy.max_tokens * SCALE, strategy.overlap * SCALE
        if words.cost(0, len(words)) > limit * MAX_CHUNKS:  # refused before the sentences are looked for
            raise self._too_many(text)
        if strategy.method == "fixed_tokens":
            windows = fixed_windows(words, limit, overlap)
        elif strategy.method == "sliding":
            windows = sliding_windows(words, limit, overlap)
        else:
            sentences = words.units(sentence_spans(text))
            paragraphs = words.units(paragraph_spans(text)) if strategy.method == "paragraphs" else sentences
            windows = packed_windows(words, split_long(words, paragraphs, limit, sentences), limit, overlap)
        return (words.span(window) for window in windows)

    def _too_many(self, text: str) -> ResourceLimitError:
        by_characters = self.strategy.method == "recursive"
        size = f"{self.strategy.max_chars} characters" if by_characters else f"{self.strategy.max_tokens} tokens"
        return ResourceLimitError(
            f"A text of {len(text):,} characters would be cut into more than {MAX_CHUNKS:,} chunks of {size}; "
            "use larger chunks, or less overlap."
        )
