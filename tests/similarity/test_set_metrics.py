"""Set metrics: the guide's numbers, exact fractions as an oracle, and nothing to compare."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cnrag_core.similarity.set_metrics import dice, exact, jaccard, overlap, similarity_of_counts

A = ["ml", "nlp", "transformers"]
B = ["nlp", "transformers", "bert"]
METRICS = {"jaccard": jaccard, "dice": dice, "overlap": overlap, "exact": exact}
item_sets = st.frozensets(st.sampled_from("abcdefgh"))


def fraction_of(metric: str, a: frozenset[str], b: frozenset[str]) -> Fraction:
    if not a or not b:
        return Fraction(0)
    both = len(a & b)
    return {
        "jaccard": Fraction(both, len(a | b)),
        "dice": Fraction(2 * both, len(a) + len(b)),
        "overlap": Fraction(both, min(len(a), len(b))),
        "exact": Fraction(int(a == b)),
    }[metric]


@pytest.mark.parametrize(
    ("metric", "expected"), [("jaccard", 0.5), ("dice", 2 / 3), ("overlap", 2 / 3), ("exact", 0.0)]
)
def test_metrics_give_the_numbers_of_the_guide(metric: str, expected: float) -> None:
    assert METRICS[metric](A, B) == pytest.approx(expected, abs=1e-12)


def test_jaccard_of_two_papers_is_one_in_five() -> None:
    left, right = ["transformers", "attention", "seq2seq"], ["transformers", "pretraining", "nlp"]
    assert jaccard(left, right) == pytest.approx(1 / 5)


@settings(max_examples=250, deadline=None)
@given(st.sampled_from(sorted(METRICS)), item_sets, item_sets)
def test_metrics_equal_exact_fractions(metric: str, a: frozenset[str], b: frozenset[str]) -> None:
    found = METRICS[metric](sorted(a), sorted(b))
    assert found == pytest.approx(float(fraction_of(metric, a, b)), abs=1e-12)
    assert found == METRICS[metric](sorted(b), sorted(a))


@pytest.mark.parametrize("metric", sorted(METRICS))
@pytest.mark.parametrize(("a", "b"), [([], []), ([], ["x"]), (None, None), (None, ["x"]), ("", "")])
def test_nothing_to_compare_is_no_evidence(metric: str, a: object, b: object) -> None:
    assert METRICS[metric](a, b) == 0.0


@pytest.mark.parametrize("metric", sorted(METRICS))
def test_a_text_is_one_item_and_never_its_characters(metric: str) -> None:
    assert METRICS[metric]("nlp", "pln") == 0.0
    assert METRICS[metric]("nlp", "nlp") == 1.0
    assert METRICS[metric]("a, b", ["a", "b"]) == 0.0


def test_exact_compares_whole_values_whatever_their_order() -> None:
    assert exact("electronics", "electronics") == 1.0
    assert exact("electronics", "books") == 0.0
    assert exact(["a", "b"], ["b", "a"]) == 1.0


def test_counts_of_many_pairs_broadcast() -> None:
    shared = np.array([[0.0, 1.0], [2.0, 0.0]])
    sizes_a, sizes_b = np.array([[2.0], [2.0]]), np.array([[0.0, 4.0]])
    found = similarity_of_counts("overlap", shared, sizes_a, sizes_b)
    assert found.tolist() == [[0.0, 0.5], [0.0, 0.0]]
