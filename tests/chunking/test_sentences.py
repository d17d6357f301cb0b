"""Where sentences end, and where they do not."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cnrag_core.chunking.sentences import paragraph_spans, sentence_spans


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    "expected",
    [
        [
            "Dr. Smith met J. R. R. Tolkien et al. in the U.S. at 3.14 p.m. sharp, e.g. for tea.",
            "It rained.",
        ],
        ["He moved to the U.S.", "The weather was better."],
        ["The U.S. Senate met at 5 p.m. on Monday."],
        ["See Fig. 3 and Eq. 4 of Mr. Brown.", "Then stop."],
        ["Really?!", "Yes!", "Well... maybe."],
        ['She said "Stop."', "He did not."],
        ["It cost 3.50 dollars.", "That is all"],
        ["Apples, pears, etc. are fruit.", "Others are not."],
        ["1. First item", "2. Second item"],
        ["Who am I?", "It is I.", "Good."],
        ["Yahoo! is a company.", "So is cnrag.org."],
        ["No end here"],
    ],
)
def test_sentences_are_found(expected: list[str]) -> None:
    separator = "\n\n" if expected[0].startswith("1.") else " "
    assert sentences(separator.join(expected)) == expected


def test_chinese_and_japanese_sentences_need_no_space() -> None:
    assert sentences("今天很好。明天呢？太好了！“是的。”他说") == [
        "今天很好。",
        "明天呢？",
        "太好了！",
        "“是的。”",
        "他说",
    ]


def test_arabic_and_hindi_sentences_end_at_their_own_marks() -> None:
    assert len(sentences("كيف حالك؟ أنا بخير.")) == 2
    assert len(sentences("यह अच्छा है। वह भी।")) == 2


def test_a_blank_line_ends_a_sentence_and_a_line_break_does_not() -> None:
    assert sentences("A heading\n\nThe text goes\non here.\r\n\r\nMore") == [
        "A heading",
        "The text goes\non here.",
        "More",
    ]


def test_blank_text_has_no_sentences() -> None:
    assert sentence_spans("") == sentence_spans(" \n\n ") == []


@given(st.text(alphabet='aB .!?。\n"(…', max_size=80))
def test_sentences_and_paragraphs_cover_everything_but_white_space(text: str) -> None:
    for spans in (sentence_spans(text), paragraph_spans(text)):
        assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())
        assert all(first[1] <= second[0] for first, second in pairwise(spans))
        assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)


HOSTILE = {
    "letters": "a" * 10**6,
    "dotted letters": "a." * 10**5,
    "spaces": " " * 10**6,
    "quotes then letters": '"' * 20 + "A" * 10**6,
    "dots then a letter": "." * 10**6 + "a",
    "spaced dots": ". " * 10**6,
    "short sentences": "a. " * 10**5,
    "blank lines": "\n " * 10**6,
    "one line break and spaces": "\n" + " " * 10**6 + "x",
    "brackets": "(" * 10**6 + ". ",
    "full stops": "。" * 10**6,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_megabyte_of_hostile_text_is_cut_in_one_pass(text: str) -> None:
    """Anything but a single pass over each of these would take hours."""
    spans = sentence_spans(text)
    assert sum(end - start for start, end in spans) <= len(text)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
