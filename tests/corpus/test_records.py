"""Records become a corpus: in order, typed, with provenance, or refused in one sentence."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from cnrag_core.config.spec import FieldSpec
from cnrag_core.corpus.limits import Limits
from cnrag_core.corpus.records import Record, corpus_of_records
from cnrag_core.errors import CorpusError


def test_documents_keep_the_order_of_the_records() -> None:
    assert [document.id for document in corpus_of_records([{"id": "b"}, {"id": "a"}])] == ["b", "a"]


def test_every_document_knows_where_it_came_from() -> None:
    record = {"id": "a", "title": "T"}
    document = corpus_of_records([Record(record, row=14)], name="papers", file="papers.jsonl").documents[0]
    assert (document.provenance.file, document.provenance.row) == ("papers.jsonl", 14)
    assert document.provenance.sha256 == hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()


def test_a_page_is_provenance_too() -> None:
    document = corpus_of_records([Record({"text": "x"}, page=3, file="a.pdf")]).documents[0]
    assert str(document.provenance) == "a.pdf, page 3"


def test_no_record_is_an_error() -> None:
    with pytest.raises(CorpusError, match="papers: there is no document in it"):
        corpus_of_records([], name="papers")


def test_a_record_that_is_no_object_is_refused_with_its_place() -> None:
    with pytest.raises(
        CorpusError, match=r"x, record 2: a document should be an object with fields, found the number 3"
    ):
        corpus_of_records([{"id": "a"}, 3], name="x")  # type: ignore[list-item]


def test_skipped_records_are_counted() -> None:
    corpus = corpus_of_records([{"id": "a"}, 3, None, {"id": "b"}], skip_bad_rows=True)  # type: ignore[list-item]
    assert len(corpus) == 2
    assert corpus.warnings[0].startswith("2 records loaded, 2 rejected; the first: record 2: a document should be")


def test_when_all_are_rejected_there_is_no_corpus() -> None:
    with pytest.raises(CorpusError, match="all 2 records were rejected"):
        corpus_of_records([3, 4], skip_bad_rows=True)  # type: ignore[list-item]


def test_documents_are_counted_while_they_stream() -> None:
    def endless() -> Any:
        while True:
            yield {"t": "x"}

    with pytest.raises(CorpusError, match=r"x has more than 100 documents, the most that is allowed here"):
        corpus_of_records(endless(), name="x", limits=Limits(documents=100))


def test_records_that_share_no_fields_are_no_corpus() -> None:
    with pytest.raises(CorpusError, match="more than 100 different fields"):
        corpus_of_records(({f"field{n}": 1} for n in range(1000)), limits=Limits(fields=100))


def test_a_field_that_is_empty_everywhere_is_still_a_field() -> None:
    corpus = corpus_of_records([{"id": "a", "t": None}, {"id": "b", "t": ""}])
    assert corpus.kinds == {"t": "text"}
    assert corpus["a"].is_missing("t")


def test_numbers_in_texts_of_json_stay_texts() -> None:
    corpus = corpus_of_records([{"id": "a", "year": "2015"}, {"id": "b", "year": "2016"}])
    assert corpus.kinds["year"] == "number"
    assert corpus["a"].fields["year"] == "2015"


def test_lists_written_as_one_text_are_split_and_told() -> None:
    corpus = corpus_of_records([{"id": "a", "tags": "x;y"}, {"id": "b", "tags": "y; z"}])
    assert corpus["b"].items("tags") == ("y", "z")
    assert corpus.kinds["tags"] == "list"
    assert "Field 'tags' was read as a list, split at ';'." in corpus.warnings


def test_a_schema_overrules_the_guess() -> None:
    corpus = corpus_of_records([{"id": "a", "tags": "x;y"}], fields={"tags": FieldSpec(kind="text")})
    assert (corpus.kinds["tags"], corpus["a"].text("tags")) == ("text", "x;y")


def test_fields_beside_the_schema_are_kept() -> None:
    corpus = corpus_of_records([{"id": "a", "title": "T u", "year": 1999}], fields={"title": FieldSpec()})
    assert corpus["a"].number("year") == 1999.0
    assert corpus.kinds == {"title": "text", "year": "number"}


def test_the_same_records_give_the_same_digest() -> None:
    records = [{"id": "a", "t": "x"}, {"id": "b", "t": "y"}]
    assert corpus_of_records(records).digest == corpus_of_records(list(reversed(records))).digest


def test_a_number_where_text_is_expected_reads_as_text() -> None:
    assert corpus_of_records([{"id": "a", "title": 3}])["a"].text("title") == "3"


def test_the_caller_keeps_its_records() -> None:
    record = {"id": "a", "tags": "x|y", "inner": {"n": 1}}
    corpus_of_records([record])
    assert record == {"id": "a", "tags": "x|y", "inner": {"n": 1}}
