"""Cutting texts where others never ended, lost words, or made one chunk of a book."""

from __future__ import annotations

import pytest

from cnrag_core.chunking.chunker import TextChunker
from cnrag_core.chunking.sentences import sentence_spans
from cnrag_core.chunking.tokens import count_tokens, count_words
from cnrag_core.config.spec import ChunkingStrategy
from cnrag_core.errors import ConfigError
from tests.hardening.watched import watched

METHODS = ("fixed_tokens", "sliding", "sentences", "paragraphs")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("overlap", [512, 513])
def test_g16_an_overlap_as_long_as_the_chunk_is_refused_with_both_numbers(method: str, overlap: int) -> None:
    with pytest.raises(ConfigError, match=f"overlap {overlap} must be smaller than max_tokens 512"):
        ChunkingStrategy(method=method, max_tokens=512, overlap=overlap)


@pytest.mark.parametrize(("key", "value"), [("overlap", -1), ("max_tokens", 0), ("max_tokens", -5)])
def test_g16_sizes_below_their_bounds_are_refused(key: str, value: int) -> None:
    with pytest.raises(ConfigError, match=rf"{key}.*must be {0 if key == 'overlap' else 1} or more, got {value}"):
        ChunkingStrategy(**{key: value})


@pytest.mark.parametrize("method", METHODS)
def test_g16_the_largest_overlap_that_is_allowed_ends(method: str) -> None:
    text = " ".join(f"w{i}" for i in range(1_500))
    with watched(hang=60):
        chunks = TextChunker(ChunkingStrategy(method=method, max_tokens=512, overlap=511)).chunk(text)
    assert chunks[-1].endswith("w1499")


@pytest.mark.parametrize("method", METHODS)
def test_g17_a_sentence_longer_than_a_chunk_is_cut_and_no_word_is_lost(method: str) -> None:
    words = [f"w{i}" for i in range(2_000)]
    chunks = TextChunker(ChunkingStrategy(method=method, max_tokens=256)).chunk(" ".join(words) + ".")
    assert all(count_tokens(chunk) <= 256 for chunk in chunks)
    found = [word.strip(".") for chunk in chunks for word in chunk.split()]
    if method == "sliding":  # its last window reaches back, so that it is full
        found = list(dict.fromkeys(found))
    assert found == words


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("max_tokens", [1, 2])
def test_g17_a_chunk_smaller_than_a_word_is_one_word(method: str, max_tokens: int) -> None:
    assert TextChunker(ChunkingStrategy(method=method, max_tokens=max_tokens)).chunk("one two three.") == [
        "one",
        "two",
        "three.",
    ]


def test_g18_chinese_is_counted_by_its_characters_and_cut_at_its_stops() -> None:
    text = "".join(chr(0x4E00 + i % 5_000) for i in range(10_000))
    chunks = TextChunker(ChunkingStrategy(max_tokens=256)).spans(text)
    assert len(chunks) >= 30
    assert "".join(chunk.text for chunk in chunks) == text
    assert count_words(text) == 10_000
    assert [text[a:b] for text in ["今天。明天！后天？好"] for a, b in sentence_spans(text)] == [
        "今天。",
        "明天！",
        "后天？",
        "好",
    ]


def test_g19_abbreviations_initials_and_numbers_end_no_sentence() -> None:
    text = "Dr. Smith met J. R. R. Tolkien et al. in the U.S. at 3.14 p.m. sharp, e.g. for tea. It rained."
    assert [text[a:b] for a, b in sentence_spans(text)] == [text.removesuffix(" It rained."), "It rained."]


@pytest.mark.parametrize("text", ["a" * 10**6, "a." * 5 * 10**5, " " * 10**6, '"' * 20 + "A" * 10**6])
def test_g20_a_megabyte_without_sentences_is_cut_soon(text: str) -> None:
    with watched(hang=30) as watch:
        sentence_spans(text)
    print(f"G20 {text[:3]!r}: {watch.cpu:.3f} CPU s per MB")
