"""Messages are short, harmless, and told once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cnrag_core.corpus.report import MAX_WARNINGS, Report, refusing
from cnrag_core.corpus.wording import file_label, listed, nearest, quoted, shown, size, stem
from cnrag_core.errors import ConfigError, CorpusError


def test_the_same_sentence_is_told_once() -> None:
    report = Report("x")
    report.warn("Careful.")
    report.warn("Careful.")
    assert report.sentences(1) == ("Careful.",)


def test_too_many_sentences_are_counted() -> None:
    report = Report("x")
    for number in range(MAX_WARNINGS + 5):
        report.warn(f"Careful with {number}.")
    assert report.sentences(1)[-1] == "5 more warnings are not shown."


def test_a_rejected_row_stops_or_counts() -> None:
    with pytest.raises(CorpusError, match=r"x\.csv, line 4: it is broken\."):
        Report("x.csv").reject("line 4", "it is broken.")
    report = Report("x.csv", skip_bad_rows=True)
    report.reject("line 4", "it is broken.")
    report.reject("line 9", "so is this.")
    assert report.sentences(8) == ("8 records loaded, 2 rejected; the first: line 4: it is broken.",)


@pytest.mark.parametrize("error", [KeyError("k"), ValueError(), RecursionError(), MemoryError(), OSError("no")])
def test_whatever_a_parser_raises_becomes_one_sentence(error: Exception) -> None:
    with pytest.raises(CorpusError, match=r"^x\.bin cannot be read as a thing: .*\.$"), refusing("x.bin", "a thing"):
        raise error


def test_our_own_errors_pass_unchanged() -> None:
    with pytest.raises(ConfigError, match="mine"), refusing("x", "y"):
        raise ConfigError("mine")


def test_values_are_quoted_with_their_kind() -> None:
    assert shown("a\nb") == 'the text "a b"'
    assert shown(3) == "the number 3"
    assert shown(10**500) == "a very long number"
    assert shown({"a": 1}) == "an object with 1 key"
    assert shown(object()) == "a value of type object"
    assert len(shown("x" * 10_000)) < 80


def test_names_in_a_sentence() -> None:
    assert (listed([]), listed(["a"]), listed(["a", "b", "c"])) == ("", "'a'", "'a', 'b' and 'c'")
    assert listed(map(str, range(100))).endswith("and 92 more")


def test_sizes_for_people() -> None:
    assert [size(n) for n in (1, 24, 2048, 5 * 2**20, 3 * 2**19)] == ["1 byte", "24 bytes", "2 kB", "5 MB", "1.5 MB"]


def test_the_nearest_name() -> None:
    assert nearest("Titel", ["abstract", "title"]) == "title"
    assert nearest("zzz", ["abstract", "title"]) is None
    assert nearest("x", []) is None


@given(st.text(max_size=300))
def test_labels_fit_a_line_and_are_no_path(name: str) -> None:
    for label in (file_label(name), stem(name), quoted(name)):
        assert "\n" not in label
        assert len(label) <= 80
        label.encode("utf-8")
    assert "/" not in file_label(name)


def test_a_field_of_one_letter_is_not_the_nearest_of_a_long_name() -> None:
    assert nearest("pirority", ["t", "i", "priority"]) == "priority"
    assert nearest("zebra", ["z", "a"]) is None
