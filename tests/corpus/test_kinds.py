"""What kind of field a set of values is."""

from __future__ import annotations

from typing import Any

import pytest

from cnrag_core.corpus.kinds import are_numbers, guess_kind, list_separator


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([], "text"),
        ([1, 2.5], "number"),
        ([True, False], "boolean"),
        ([1, True], "text"),
        (["1901", "-3.5", "1e-1", "1,234"], "number"),
        (["2015", "NA", *["3"] * 20], "number"),
        (["2015", "NA"], "text"),
        (["007", "7"], "category"),
        (["1_2", "3"], "category"),
        (["true", "FALSE"], "boolean"),
        (["yes", "no", "yes"], "category"),
        (["2015-11-01", "01/11/2015", "1 March 2016", "March 2016", "2015-11-01T10:00:00Z"], "date"),
        (["Wed, 28 Dec 2005 08:53:15 +0000"], "date"),
        (["2003-0160", "2002-0752"], "category"),
        (["1099-4300", "2077-0472"], "category"),
        (["poster", "oral", "poster"], "category"),
        (["https://a.org/x", "https://b.org/y"], "category"),
        (["a@b.org", "c@d.org"], "category"),
        (["An Apple a Day", "The Second Title"], "text"),
        (["C", "R", "C"], "category"),
        (["Alien", "Heat", "Jaws"], "text"),
        (["word " * 40, "other " * 40], "text"),
        (["帝京篇十首 一", "帝京篇十首 二", "饮马长城窟行"], "text"),
        (["太宗皇帝", "太宗皇帝", "李白", "李白"], "category"),
        ([["a"], ["b", "c"]], "list"),
        ([["a"], "b"], "list"),
        ([[{"role": "user", "content": "Hi"}]], "text"),
        ([["A paragraph of more than one hundred characters, " * 4, "Another of that length, " * 8]], "text"),
        ([[1, 2], [3]], "list"),
        (["text", 3], "text"),
    ],
)
def test_the_kind_of_values(values: list[Any], kind: str) -> None:
    assert guess_kind(values) == kind


def test_one_code_with_a_leading_zero_makes_the_field_one_of_codes() -> None:
    assert not are_numbers(["1", "2", "03"])


@pytest.mark.parametrize(
    ("texts", "separator"),
    [
        (["a|b|c", "a", "b"], "|"),
        (["squad;reading comprehension;qa", "attention", "nlp; vision"], ";"),
        (["a, b", "c, d", "e, f"], None),
        (["Smith, J.; Doe, A.", "Ono, Y."], ";"),
        (["It rained all day; nobody minded, since the garden had been dry for weeks on end; so it went."], None),
        (["Short; but prose in most others", *["A title without any"] * 9], None),
        (["https://a.org/x;y", "https://b.org/z;w"], None),
        (["R &amp; D", "Q &lt; P"], None),
        (["|", "||"], None),
    ],
)
def test_a_text_is_a_list_only_when_it_clearly_is(texts: list[str], separator: str | None) -> None:
    assert list_separator(texts) == separator
