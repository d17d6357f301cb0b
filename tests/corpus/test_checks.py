"""What a person is told before a build."""

from __future__ import annotations

from typing import Any

import pytest

from cnrag_core.config.loader import load_config
from cnrag_core.config.spec import PipelineConfig
from cnrag_core.corpus.checks import check_fields
from cnrag_core.corpus.records import corpus_of_records
from cnrag_core.errors import CorpusError

RECORDS = [
    {"id": "a", "title": "Trees in winter", "tags": ["x", "y"], "year": 1999, "abstract": "word " * 60, "empty": None},
    {"id": "b", "title": "Roots of trees", "tags": ["y"], "year": 2001, "abstract": "other " * 60, "empty": ""},
]


def warnings(*components: dict[str, Any], records: list[dict[str, Any]] = RECORDS, **rest: Any) -> list[str]:
    config = PipelineConfig.model_validate({"components": list(components), **rest})
    return check_fields(corpus_of_records(records), config)


def embedding(field: str) -> dict[str, Any]:
    return {"type": "field_embedding", "field": field}


def attribute(field: str, metric: str = "jaccard", **rest: Any) -> dict[str, Any]:
    return {"type": "attribute_similarity", "field": field, "metric": metric, **rest}


def test_a_fitting_configuration_has_no_warnings() -> None:
    assert warnings(embedding("title"), attribute("tags"), attribute("year", "numeric", scale=5)) == []


def test_a_field_that_no_document_has_is_refused_with_the_nearest() -> None:
    with pytest.raises(
        CorpusError,
        match=r"No document has the field 'abstrct' that component 'abstrct' reads\. Did you mean 'abstract'",
    ):
        warnings(embedding("abstrct"))


def test_all_unknown_fields_are_named_at_once() -> None:
    with pytest.raises(CorpusError, match=r"(?s)'titel'.*'tagz'"):
        warnings(embedding("titel"), attribute("tagz"))


def test_links_and_composites_are_checked_too() -> None:
    composite = {"type": "composite_embedding", "fields": [{"field": "title"}, {"field": "nowhere"}]}
    with pytest.raises(CorpusError, match="'nowhere'"):
        warnings(composite)
    with pytest.raises(CorpusError, match=r"'cites' that the link 'reference' reads"):
        warnings(embedding("title"), links=[{"type": "reference", "from": "cites", "to": "id"}])


def test_a_display_field_that_is_missing_is_only_told() -> None:
    (told,) = [
        text for text in warnings(embedding("title"), display={"color": "colour"}) if text.startswith("No document")
    ]
    assert "'colour' that the display reads" in told


def test_a_declared_field_may_be_missing_everywhere() -> None:
    told = warnings(embedding("title"), attribute("topics"), schema={"topics": {"type": "list", "default": []}})
    assert told == ["Field 'topics' is empty in every document; component 'topics' counts as missing everywhere."]


def test_an_empty_field_is_told() -> None:
    assert warnings(embedding("title"), embedding("empty")) == [
        "Field 'empty' is empty in every document; component 'empty' counts as missing everywhere."
    ]


def test_nothing_to_compare_is_refused() -> None:
    with pytest.raises(CorpusError, match="There is nothing to compare: 'empty' is empty in every document"):
        warnings(embedding("empty"))


def test_a_field_that_few_documents_have_is_told() -> None:
    records = [{"id": str(n), "title": f"Title {n} of it", "rare": "x y" if n == 3 else None} for n in range(20)]
    assert "empty in 19 of 20 documents" in warnings(embedding("title"), embedding("rare"), records=records)[0]


def test_one_document_is_told() -> None:
    assert warnings(embedding("title"), records=RECORDS[:1]) == [
        "There is only one document, so there is nothing that it could be linked with."
    ]


def test_no_documents_are_refused() -> None:
    config = PipelineConfig.model_validate({"components": [embedding("title")]})
    with pytest.raises(CorpusError, match="There are no documents"):
        check_fields([], config)


def test_a_set_metric_over_long_texts_is_told() -> None:
    assert "holds long texts, and 'jaccard' takes each as one item" in warnings(attribute("abstract"))[0]


def test_a_set_metric_over_joined_texts_is_told() -> None:
    records = [{"id": "a", "tags": "ml, nlp"}, {"id": "b", "tags": "nlp, vision"}]
    assert "declare it in the schema as a list with separator ','" in warnings(attribute("tags"), records=records)[0]


def test_a_numeric_metric_over_words_is_told() -> None:
    told = warnings(attribute("title", "numeric", scale=1))[0]
    assert 'none of its values is one (such as the text "Trees in winter")' in told
    records = [{"id": "a", "n": 1}, {"id": "b", "n": "x"}, {"id": "c", "n": 2}]
    assert (
        '1 of its 3 values is none (such as the text "x")'
        in warnings(attribute("n", "numeric", scale=1), records=records)[0]
    )


def test_an_embedding_of_numbers_is_told() -> None:
    assert "as text, near numbers have nothing in common" in warnings(embedding("year"))[0]


def test_a_field_in_which_nothing_is_shared_is_told() -> None:
    assert warnings(embedding("title"), attribute("year", "exact")) == [
        "No two documents share a value of field 'year', so comparing it links nothing."
    ]


def test_a_schema_field_that_no_document_has_is_told_with_the_nearest() -> None:
    documents = corpus_of_records([{"id": "a", "priority": "low", "t": "x"}, {"id": "b", "priority": "low", "t": "y"}])
    schema = {"pirority": {"type": "category"}, "when": {"type": "date", "from": "$.opend"}, "t": {"type": "text"}}
    config = load_config({"schema": schema, "similarity": {"components": [{"type": "field_embedding", "field": "t"}]}})
    told = check_fields(documents, config)
    assert "The schema declares field 'pirority', but no document has it. Did you mean 'priority'?" in told
    assert "The schema declares field 'when', but no document has it where `from` looks, '$.opend'." in told
    assert not [sentence for sentence in told if "'t'" in sentence]


def test_a_field_to_show_that_no_document_has_is_told_once() -> None:
    documents = corpus_of_records([{"id": "a", "title": "x"}, {"id": "b", "title": "y"}])
    components = {"components": [{"type": "field_embedding", "field": "title"}]}
    told = check_fields(documents, load_config({"similarity": components, "display": {"color": "tilte"}}))
    assert [sentence for sentence in told if "tilte" in sentence] == [
        "No document has the field 'tilte' that the display reads. Did you mean 'title'?"
    ]
