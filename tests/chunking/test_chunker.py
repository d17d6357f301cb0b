"""Every chunking method: limits, overlap, spans, nothing lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cnrag_core.chunking.chunker import MAX_CHUNKS, Chunk, TextChunker
from cnrag_core.chunking.tokens import count_tokens
from cnrag_core.config.spec import ChunkingStrategy
from cnrag_core.errors import ConfigError, ResourceLimitError

METHODS = ("none", "fixed_tokens", "sentences", "paragraphs", "sliding", "recursive")
CUTTING = METHODS[1:]
PROSE = (
    "Graphs join things. A node is a thing; an edge is a tie.\n\nCommunities are dense parts. "
    "Bridges join them.\nHubs have many ties.\n\n" * 40
)
BATTERY = {
    "prose": PROSE,
    "one sentence": "word " * 2000 + "end.",
    "one word": "x" * 5000,
    "chinese": "今天天气很好。我们去公园吧！" * 100,
    "mixed scripts": "Deep 深度学习 methods: सीखना और ग्राफ। Это граф. " * 100,
    "repeats": "same same same. " * 500,
    "emoji and marks": "👩‍👩‍👧 e\u0301 नमस्ते. " * 200,
    "line breaks": "line\r\n" * 800,
}


def strategy(method: str, max_tokens: int = 40, overlap: int = 0) -> ChunkingStrategy:
    return ChunkingStrategy(
        method=method, max_tokens=max_tokens, overlap=overlap, max_chars=200, overlap_chars=min(overlap * 4, 150)
    )


def solid(text: str) -> str:
    return "".join(text.split())


def covered(text: str, chunks: list[Chunk]) -> str:
    """The text that the chunks cover, without white space and without what overlaps."""
    at, pieces = 0, []
    for chunk in chunks:
        pieces.append(text[max(at, chunk.start) : chunk.end])
        at = max(at, chunk.end)
    return solid("".join(pieces))


def check_battery(text: str, chunks: list[Chunk]) -> None:
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    assert all(text[chunk.start : chunk.end] == chunk.text != "" for chunk in chunks)
    assert all(one.start < two.start and one.end < two.end for one, two in pairwise(chunks))
    assert covered(text, chunks) == solid(text)


@pytest.mark.parametrize("overlap", [0, 1, 20, 39])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("text", BATTERY.values(), ids=BATTERY.keys())
def test_every_method_cuts_every_text_into_ordered_spans_and_loses_nothing(
    text: str, method: str, overlap: int
) -> None:
    chunks = TextChunker(strategy(method, overlap=overlap)).spans(text)
    check_battery(text, chunks)
    if method == "recursive":
        assert all(len(chunk.text) <= 200 for chunk in chunks)
    elif method != "none":
        assert all(count_tokens(chunk.text) <= 40 for chunk in chunks)


@given(
    text=st.text(alphabet="ab .\n!今。", max_size=200),
    method=st.sampled_from(METHODS),
    max_tokens=st.integers(2, 30),
    overlap=st.integers(0, 29),
)
def test_any_text_is_cut_within_the_limits(text: str, method: str, max_tokens: int, overlap: int) -> None:
    overlap = min(overlap, max_tokens - 1)
    chunks = TextChunker(strategy(method, max_tokens, overlap)).spans(text)
    check_battery(text, chunks)
    if method not in ("none", "recursive"):
        assert all(count_tokens(chunk.text) <= max_tokens for chunk in chunks)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("blank", ["", "   ", "\n\n\t"])
def test_a_blank_text_has_no_chunks(method: str, blank: str) -> None:
    assert TextChunker(strategy(method)).chunk(blank) == []


@pytest.mark.parametrize("method", CUTTING)
def test_a_short_text_is_one_chunk(method: str) -> None:
    assert TextChunker(strategy(method)).chunk(" Short. Text.\n") == ["Short. Text."]


def test_method_none_keeps_the_text_as_it_is() -> None:
    assert TextChunker(strategy("none")).chunk("  As is.\n") == ["  As is.\n"]


@pytest.mark.parametrize("method", METHODS)
def test_cutting_twice_gives_the_same_chunks(method: str) -> None:
    chunker = TextChunker(strategy(method, overlap=10))
    assert chunker.spans(PROSE) == chunker.spans(PROSE)


def test_fixed_windows_step_by_the_limit_less_the_overlap() -> None:
    words = [f"w{number}" for number in range(25)]
    chunks = TextChunker(ChunkingStrategy(method="fixed", max_tokens=13, overlap=4)).chunk(" ".join(words))
    assert chunks == [" ".join(words[at : at + 10]) for at in (0, 7, 14)] + [" ".join(words[21:])]


def test_sliding_windows_are_all_full() -> None:
    words = [f"w{number}" for number in range(25)]
    chunks = TextChunker(ChunkingStrategy(method="sliding", max_tokens=13, overlap=6)).chunk(" ".join(words))
    assert chunks == [" ".join(words[at : at + 10]) for at in (0, 6, 12, 15)]


def test_sentences_are_never_cut_when_they_fit() -> None:
    text = "One two three four. Five six. Seven eight nine ten eleven. A b."
    chunks = TextChunker(strategy("sentences", 10)).chunk(text)
    assert chunks == ["One two three four. Five six.", "Seven eight nine ten eleven. A b."]


def test_overlap_repeats_whole_sentences_where_they_fit() -> None:
    text = "One two three four five six. Seven eight. Nine ten eleven twelve."
    chunks = TextChunker(ChunkingStrategy(method="sentences", max_tokens=11, overlap=3)).chunk(text)
    assert chunks == ["One two three four five six. Seven eight.", "Seven eight. Nine ten eleven twelve."]


def test_overlap_repeats_words_where_no_sentence_fits() -> None:
    text = "One two three four five six. Seven eight nine."
    chunks = TextChunker(ChunkingStrategy(method="sentences", max_tokens=8, overlap=3)).chunk(text)
    assert chunks == ["One two three four five six.", "five six. Seven eight nine."]


def test_paragraphs_are_kept_together_and_long_ones_are_cut_at_sentences() -> None:
    text = "A b c.\n\nD e f.\n\n" + "Long one here now. " * 5
    chunks = TextChunker(ChunkingStrategy(method="paragraphs", max_tokens=13)).chunk(text)
    assert chunks[0].startswith("A b c.\n\nD e f.")
    assert all(chunk.endswith(".") for chunk in chunks)


@pytest.mark.parametrize("method", CUTTING[:4])
def test_one_sentence_of_two_thousand_words_keeps_all_words_in_order(method: str) -> None:
    words = [f"w{number}" for number in range(2000)]
    chunks = TextChunker(ChunkingStrategy(method=method, max_tokens=256)).chunk(" ".join(words))
    assert all(count_tokens(chunk) <= 256 for chunk in chunks)
    seen = list(dict.fromkeys(word for chunk in chunks for word in chunk.split()))
    assert seen == words


@pytest.mark.parametrize("method", CUTTING[:3])
def test_ten_thousand_chinese_characters_make_at_least_thirty_chunks(method: str) -> None:
    text = "数据网络图谱" * 1666 + "结束好吧"
    chunks = TextChunker(ChunkingStrategy(method=method, max_tokens=256)).chunk(text)
    assert len(chunks) >= 30
    assert "".join(chunks) == text


@pytest.mark.parametrize(("max_tokens", "overlap"), [(512, 512), (512, 513), (512, -1), (0, 0)])
def test_sizes_that_would_never_end_are_refused_when_the_strategy_is_built(max_tokens: int, overlap: int) -> None:
    with pytest.raises(ConfigError, match=r"overlap|max_tokens"):
        ChunkingStrategy(method="fixed_tokens", max_tokens=max_tokens, overlap=overlap)


@pytest.mark.parametrize("method", CUTTING)
def test_too_many_chunks_are_refused_with_the_numbers(method: str) -> None:
    small = ChunkingStrategy(method=method, max_tokens=2, max_chars=10, overlap_chars=0)
    with pytest.raises(ResourceLimitError, match=r"more than 2,000 chunks of (2 tokens|10 characters)"):
        TextChunker(small).chunk("word. " * (4 * MAX_CHUNKS))


def test_one_token_at_most_still_gives_one_word_a_chunk() -> None:
    assert TextChunker(ChunkingStrategy(method="fixed_tokens", max_tokens=1)).chunk("a b c") == ["a", "b", "c"]


def four_characters(text: str) -> int:
    """A tokenizer of the kind that cuts words: four characters a token, white space included."""
    return -(-len(text) // 4)


@pytest.mark.parametrize("method", CUTTING[:4])
@pytest.mark.parametrize("text", BATTERY.values(), ids=BATTERY.keys())
@pytest.mark.parametrize("count", [four_characters, len], ids=["four characters", "characters"])
def test_a_tokenizer_decides_what_fits(text: str, method: str, count: Callable[[str], int]) -> None:
    chunks = TextChunker(strategy(method, overlap=10), count_tokens=count).spans(text)
    check_battery(text, chunks)
    assert all(count(chunk.text) <= 40 for chunk in chunks)


def test_recursive_cuts_at_the_coarsest_border_that_fits() -> None:
    chunks = TextChunker(ChunkingStrategy(method="recursive", max_chars=20, overlap_chars=0)).chunk(
        "First part.\n\nSecond part is longer.\nLine two.\n\nEnd."
    )
    assert chunks == ["First part.", "Second part is", "longer.", "Line two.", "End."]


def test_recursive_repeats_what_fits_into_the_overlap() -> None:
    chunks = TextChunker(ChunkingStrategy(method="recursive", max_chars=10, overlap_chars=4)).chunk("aaa bbb ccc ddd")
    assert chunks == ["aaa bbb", "bbb ccc", "ccc ddd"]


def test_recursive_cuts_a_word_without_borders_by_characters() -> None:
    chunks = TextChunker(ChunkingStrategy(method="recursive", max_chars=4, overlap_chars=1)).chunk("abcdefghij")
    assert chunks == ["abcd", "defg", "ghij"]


def test_ten_pages_make_the_thirty_known_chunks(corpora: Path) -> None:
    import pypdf

    pages = pypdf.PdfReader(corpora / "pdf" / "Understanding_Climate_Change.pdf").pages[:10]
    chunker = TextChunker(ChunkingStrategy(method="recursive"))
    found = [(number, text) for number, page in enumerate(pages, 1) for text in chunker.chunk(page.extract_text())]
    lines = (corpora / "pdf" / "climate_30_chunks.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(found) == 30
    assert found == [(chunk["page"], chunk["text"]) for chunk in map(json.loads, lines)]
