"""Ids: exactly as written, found where they are, never two alike."""

from __future__ import annotations

from typing import Any

import pytest

from cnrag_core.corpus.records import corpus_of_records
from cnrag_core.errors import CorpusError


def ids(records: list[dict[str, Any]], **options: Any) -> list[str]:
    return [document.id for document in corpus_of_records(records, name="x", **options)]


def test_ids_are_text_exactly_as_written() -> None:
    assert ids([{"id": name} for name in ("007", "7", "1_2", "NA", " 7", "7.0")]) == [
        "007",
        "7",
        "1_2",
        "NA",
        " 7",
        "7.0",
    ]


def test_numbers_and_booleans_give_their_writing() -> None:
    assert ids([{"id": value} for value in (1, True, 1.0, 2**70)]) == ["1", "true", "1.0", str(2**70)]


def test_one_and_text_one_are_the_same_id() -> None:
    with pytest.raises(CorpusError, match=r"id '1' is used by record 1 and record 2"):
        ids([{"id": 1}, {"id": "1"}])


def test_null_nan_and_blank_ids_are_generated_with_a_warning() -> None:
    corpus = corpus_of_records([{"id": "a"}, {"id": None}, {"id": float("nan")}, {"id": " "}, {}])
    assert [document.id for document in corpus] == ["a", "doc-00002", "doc-00003", "doc-00004", "doc-00005"]
    assert any("4 records have no id and got a generated one (first: record 2)" in text for text in corpus.warnings)


def test_documents_come_out_as_many_as_went_in() -> None:
    records = [{"id": value} for value in (1, True, 1.0, None, float("nan"), "x")]
    assert len(corpus_of_records(records)) == 6


def test_a_generated_id_never_takes_a_written_one() -> None:
    assert ids([{"id": "doc-00002"}, {"id": None}]) == ["doc-00002", "doc-00002#2"]


def test_duplicate_ids_are_refused_naming_both_rows() -> None:
    with pytest.raises(CorpusError, match=r"x: id 'a' is used by record 1 and record 3\. Every document needs an id"):
        ids([{"id": "a"}, {"id": "b"}, {"id": "a"}])


def test_many_duplicates_are_named_and_counted() -> None:
    with pytest.raises(CorpusError, match=r"and 5 more"):
        ids([{"id": str(n % 10)} for n in range(20)])


def test_duplicates_are_kept_with_a_number_on_request() -> None:
    assert ids([{"id": "x"}, {"id": "x"}, {"id": "x#2"}, {"id": "x"}], keep_duplicates=True) == [
        "x",
        "x#3",
        "x#2",
        "x#4",
    ]


def test_a_hundred_thousand_equal_ids_are_kept_quickly() -> None:
    assert len(set(ids([{"id": "x"}] * 20_000, keep_duplicates=True))) == 20_000


def test_duplicates_are_rejected_and_counted_when_bad_rows_are_skipped() -> None:
    corpus = corpus_of_records([{"id": "x", "t": "1"}, {"id": "x", "t": "2"}, {"id": "y"}], skip_bad_rows=True)
    assert [document.id for document in corpus] == ["x", "y"]
    assert "2 records loaded, 1 rejected; the first: record 2: the id 'x' is taken by record 1." in corpus.warnings


def test_another_field_can_hold_the_ids() -> None:
    corpus = corpus_of_records([{"code": "A1", "title": "One"}, {"code": "A2", "title": "Two"}], id_field="code")
    assert [document.id for document in corpus] == ["A1", "A2"]
    assert "code" not in corpus.documents[0].fields


def test_an_id_field_that_no_record_has_is_refused_with_the_nearest() -> None:
    with pytest.raises(
        CorpusError, match=r"no record has the field 'isbm'.*the fields are 'isbn' and 'title'.*Did you mean 'isbn'"
    ):
        ids([{"isbn": "1", "title": "x"}], id_field="isbm")


@pytest.mark.parametrize("name", ["_id", "doc_id", "ID", "Id", "key", "doi", "url", "movieId", "NDB_No", "paper_id"])
def test_ids_are_found_under_other_names(name: str) -> None:
    corpus = corpus_of_records([{"title": "T", name: "u1"}, {"title": "T", name: "u2"}])
    assert [document.id for document in corpus] == ["u1", "u2"]
    assert f"There is no field 'id'; '{name}' is unique and was taken as the id." in corpus.warnings


def test_a_field_that_is_not_unique_or_not_everywhere_is_no_id() -> None:
    assert ids([{"key": "a"}, {"key": "a"}]) == ["doc-00001", "doc-00002"]
    assert ids([{"doi": "a"}, {"title": "x"}]) == ["doc-00001", "doc-00002"]


def test_an_address_that_is_the_id_stays_a_field() -> None:
    corpus = corpus_of_records([{"url": "http://a"}, {"url": "http://b"}])
    assert corpus["http://a"].text("url") == "http://a"


def test_a_list_is_no_id() -> None:
    with pytest.raises(CorpusError, match="record 1: the id should be a text or a number, found a list of 1"):
        ids([{"id": ["a"]}])


def test_an_endless_id_is_refused() -> None:
    with pytest.raises(CorpusError, match="the id is 2,000 characters long"):
        ids([{"id": "x" * 2000}])


def test_documents_without_ids_are_numbered_with_a_warning() -> None:
    corpus = corpus_of_records([{"title": "A b"}, {"title": "C d"}])
    assert [document.id for document in corpus] == ["doc-00001", "doc-00002"]
    assert any("numbered doc-00001" in text for text in corpus.warnings)
