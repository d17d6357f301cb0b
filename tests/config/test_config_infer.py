"""What is proposed for corpora that nobody described: from tiny to strange."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cnrag_core.config.infer import infer_config
from cnrag_core.config.loader import load_config, to_yaml
from cnrag_core.config.spec import (
    DEFAULT_EDGE_RULE,
    AdjacentLinks,
    AttributeSimilarityComponent,
    CompositeEmbeddingComponent,
    FieldKind,
    MentionLinks,
    PipelineConfig,
    ReferenceLinks,
)
from cnrag_core.corpus.document import Document
from cnrag_core.errors import ConfigError

SUBJECTS = ("graphs", "rivers", "bread", "stars", "trains", "bees", "paint", "tides", "glass", "music")
VERBS = ("remember", "connect", "grow", "surprise", "divide", "sing", "wait", "shine", "travel", "change")


@dataclass(frozen=True)
class Records:
    """The least that `infer_config` asks of a corpus."""

    documents: Sequence[Document]
    kinds: Mapping[str, FieldKind] = field(default_factory=dict)


def corpus(records: Sequence[Mapping[str, Any]], **kinds: FieldKind) -> Records:
    return Records([Document(f"d{i:04d}", record) for i, record in enumerate(records)], kinds)


def title(i: int) -> str:
    return f"How {SUBJECTS[i % 10]} {VERBS[i // 10 % 10]}"


def body(i: int) -> str:
    words = f"{SUBJECTS[i % 10]} {VERBS[i // 10 % 10]} when {SUBJECTS[(i + 3) % 10]} {VERBS[(i + 1) % 10]} again and "
    return f"Text {title(i)}: " + words * 6


def articles(n: int = 40) -> list[dict[str, Any]]:
    return [
        {
            "title": title(i),
            "abstract": body(i),
            "tags": [SUBJECTS[i % 10], VERBS[i // 10 % 10]],
            "category": ("science", "art", "life")[i % 3],
            "year": 1990 + i % 20,
            "url": f"https://example.org/a/{i}",
            "hash": f"{i:032x}",
            "price": 3.5 * i,
            "language": "en",
            "draft": i % 2 == 0,
            "remark": "",
            "published": f"2020-01-{1 + i % 28:02d}",
        }
        for i in range(n)
    ]


ARTICLE_KINDS: dict[str, FieldKind] = {
    "title": "text",
    "abstract": "text",
    "tags": "list",
    "category": "category",
    "year": "number",
    "url": "category",
    "hash": "category",
    "price": "number",
    "language": "category",
    "draft": "boolean",
    "remark": "text",
    "published": "date",
}


def inferred(records: Sequence[Mapping[str, Any]], **kinds: FieldKind) -> PipelineConfig:
    return infer_config(corpus(records, **kinds))


def test_titles_and_bodies_are_one_text_beside_attributes() -> None:
    config = inferred(articles(), **ARTICLE_KINDS)
    text, *attributes = config.components
    assert isinstance(text, CompositeEmbeddingComponent)
    assert {part.field: part.weight for part in text.fields} == {"title": 0.2, "abstract": 0.8}
    compared = [(c.field, c.metric) for c in attributes if isinstance(c, AttributeSimilarityComponent)]
    assert compared == [("tags", "jaccard"), ("category", "exact"), ("year", "numeric")]
    assert sum(component.weight for component in config.components) == 1.0
    assert text.weight == 0.7
    assert config.edges == DEFAULT_EDGE_RULE


def test_years_get_a_scale_in_whole_years() -> None:
    year = next(c for c in inferred(articles(), **ARTICLE_KINDS).components if c.name == "year")
    assert isinstance(year, AttributeSimilarityComponent)
    assert year.scale == 3  # half of the standard deviation of 0..19, which is 5.8


def test_ids_addresses_hashes_constants_and_empty_fields_are_not_compared_and_notes_say_why() -> None:
    notes = inferred(articles(), **ARTICLE_KINDS).notes
    for sentence in (
        "Not compared: 'url' (addresses).",
        "Not compared: 'hash' (ids or codes).",
        "Not compared: 'language' (the same everywhere).",
        "Not compared: 'draft' (only true or false).",
        "Not compared: 'remark' (empty everywhere).",
        "Not compared: 'published' (dates).",
        "Numbers are shown but not compared: 'price'. Metric `numeric` compares one when a `scale` says which "
        "difference is small.",
    ):
        assert sentence in notes


def test_people_see_a_title_a_text_and_a_colour() -> None:
    display = inferred(articles(), **ARTICLE_KINDS).display
    assert (display.title, display.text, display.color) == ("title", "abstract", "category")


def test_the_schema_names_every_field_that_holds_something() -> None:
    fields = inferred(articles(), **ARTICLE_KINDS).fields
    assert {name: spec.kind for name, spec in fields.items()} == {
        name: kind for name, kind in ARTICLE_KINDS.items() if name != "remark"
    }


def test_the_proposal_is_a_yaml_with_its_reasons_as_comments() -> None:
    config = inferred(articles(), **ARTICLE_KINDS)
    for dialect in ("components", "graph"):
        text = to_yaml(config, dialect)  # type: ignore[arg-type]
        assert text.startswith("# Titles 'title' (0.2) and texts 'abstract' (0.8) are compared as one text")
        assert load_config(text) == config


def test_the_order_of_documents_does_not_matter() -> None:
    records = corpus(articles(), **ARTICLE_KINDS)
    shuffled = list(records.documents)
    random.Random(1).shuffle(shuffled)
    assert infer_config(Records(shuffled, records.kinds)) == infer_config(records)
    assert infer_config(Records(shuffled, records.kinds)).notes == infer_config(records).notes


def test_kinds_are_guessed_where_no_reader_said_them() -> None:
    known, guessed = inferred(articles(), **ARTICLE_KINDS), inferred(articles())
    assert guessed.text_fields == known.text_fields
    assert {"tags", "category", "year"} <= set(guessed.normalized_weights)


def test_one_text_field_is_compared_alone() -> None:
    config = inferred([{"text": body(i)} for i in range(9)])
    assert config.normalized_weights == {"text": 1.0}
    assert (config.display.title, config.display.text) == ("text", "text")


def test_chinese_titles_and_texts_are_told_apart() -> None:
    records = [
        {"标题": f"第{i}号气候报告", "正文": "黑豹队的防守只丢了三百零八分,在联赛中排名第六。" * 4 + str(i)}
        for i in range(12)
    ]
    (component,) = inferred(records).components
    assert isinstance(component, CompositeEmbeddingComponent)
    assert {part.field: part.weight for part in component.fields} == {"标题": 0.2, "正文": 0.8}


def test_numbers_alone_are_compared_by_their_spread() -> None:
    config = inferred([{"height": i * i, "width": 7.5 * (i % 4)} for i in range(20)])
    assert [(c.name, c.type) for c in config.components] == [
        ("height", "attribute_similarity"),
        ("width", "attribute_similarity"),
    ]
    assert "There is no text to compare, so questions in words will find little." in config.notes


def test_lists_and_labels_alone_are_enough() -> None:
    config = inferred(
        [{"tags": ["a", "b"][: 1 + i % 2], "kind": ("x", "y")[i % 2]} for i in range(12)], kind="category"
    )
    assert list(config.normalized_weights) == ["kind"]  # every document has tag a
    config = inferred([{"tags": [str(SUBJECTS[i % 5])]} for i in range(12)])
    assert config.normalized_weights == {"tags": 1.0}


def test_a_conversation_is_one_text_and_its_parts_do_not_count_twice() -> None:
    records = [
        {
            "subject": title(i),
            "question": body(i),
            "messages": [{"role": "user", "content": body(i)}, {"role": "assistant", "content": body(i + 1)}],
        }
        for i in range(12)
    ]
    config = inferred(records, messages="text", question="text", subject="text")
    assert config.text_fields == ("subject", "messages")
    assert "Not compared: 'question' (part of 'messages')." in config.notes


def test_fields_that_say_the_same_count_once() -> None:
    records = [
        {"title": title(i), "name": title(i), "group": f"g{i % 3}", "group_name": ("one", "two", "three")[i % 3]}
        for i in range(30)
    ]
    config = inferred(records, group="category", group_name="category")
    assert list(config.normalized_weights) == ["title", "group"]
    assert "Not compared: 'name', 'group_name' (the same as another field)." in config.notes


def test_the_longer_of_two_short_texts_is_the_body() -> None:
    records = [{"winner": title(i), "reason": " ".join(title(i + k) for k in range(5))} for i in range(30)]
    config = inferred(records)
    assert (config.display.title, config.display.text) == ("winner", "reason")


def test_titles_link_where_they_are_mentioned() -> None:
    config = inferred(articles(), **ARTICLE_KINDS)
    assert config.links == (MentionLinks(of="title", fields=("abstract",)),)


def test_titles_that_repeat_make_no_links() -> None:
    records = [{**record, "title": title(i % 5)} for i, record in enumerate(articles())]
    assert inferred(records, **ARTICLE_KINDS).links == ()


def test_a_list_of_ids_links_and_is_not_compared() -> None:
    records = [{"text": body(i), "cites": [f"d{(i + 1) % 20:04d}", f"d{(i + 7) % 20:04d}"]} for i in range(20)]
    config = inferred(records)
    assert config.links == (ReferenceLinks(source="cites", target="id"),)
    assert config.normalized_weights == {"text": 1.0}
    assert "100% of the values of 'cites' are ids of documents, so it links them." in config.notes


def test_a_single_reference_links_too() -> None:
    records = [{"text": body(i), "reply_to": f"d{i - 1:04d}" if i else ""} for i in range(20)]
    assert inferred(records).links == (ReferenceLinks(source="reply_to", target="id"),)


def test_titles_can_be_what_a_list_refers_to() -> None:
    records = [
        {"title": title(i), "abstract": body(i), "see_also": [title((i + 1) % 20), title((i + 5) % 20)]}
        for i in range(20)
    ]
    assert ReferenceLinks(source="see_also", target="title") in inferred(records).links


def test_small_numbers_are_no_references_by_chance() -> None:
    documents = [Document(str(i), {"text": body(i), "rank": [str(1 + i % 9), str(2 + i % 9)]}) for i in range(20)]
    assert infer_config(Records(documents)).links == ()


def test_turns_of_a_conversation_are_neighbours() -> None:
    records = [{"conversation_id": f"c{i // 4}", "turn": i % 4, "text": body(i)} for i in range(100)]
    config = inferred(records, conversation_id="category", turn="number")
    assert config.links == (AdjacentLinks(within="conversation_id", order="turn"),)
    assert config.normalized_weights == {"text": 1.0}


def test_a_number_that_does_not_order_makes_no_neighbours() -> None:
    records = [{"conversation_id": f"c{i // 4}", "turn": 1 + i // 50, "text": body(i)} for i in range(100)]
    assert inferred(records, conversation_id="category", turn="number").links == ()


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([], "^There are no documents, so there is nothing to propose a configuration for"),
        ([{}], r"^Nothing in this corpus can be compared\. Documents need a field with text"),
        (
            [{"a": ""}, {"a": None}],
            r"^Nothing in this corpus can be compared \('a': empty everywhere\)\. Documents need",
        ),
        (
            [{"a": f"x{i}", "b": f"https://example.org/{i}"} for i in range(5)],
            r"^Nothing in this corpus can be compared \('a': ids or codes; 'b': addresses\)\.",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused_with_the_reason(records: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        inferred(records)


def test_one_document_is_enough() -> None:
    assert inferred([{"title": "One page", "text": body(1)}]).text_fields == ("title", "text")


def test_the_same_text_everywhere_is_still_a_text() -> None:
    assert inferred([{"text": "always the same words"}] * 4).text_fields == ("text",)


def test_a_field_of_many_values_in_a_few_documents_becomes_text_in_the_schema() -> None:
    records: list[dict[str, Any]] = [{"text": body(i), "venue": "Rome"} for i in range(20)]
    records[3]["venue"] = ["Rome", "Oslo"]
    assert inferred(records, venue="category").fields["venue"].kind == "text"


cells = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 3000),
    st.floats(),
    st.text(max_size=30),
    st.sampled_from([*SUBJECTS, title(3), body(4), "d0001", "https://example.org/1", "2020-01-01", "中文" * 20]),
    st.lists(st.sampled_from([*SUBJECTS, "d0002", "1", "2"]), max_size=4),
    st.lists(st.fixed_dictionaries({"role": st.just("user"), "content": st.text(max_size=20)}), max_size=3),
)
names = st.sampled_from(
    ["title", "text", "tags", "year", "turn", "conversation_id", "cites", "author", "x", "", "a" * 600]
)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.dictionaries(names, cells, max_size=6), max_size=12))
def test_any_corpus_gets_a_configuration_or_a_reason(records: list[dict[str, Any]]) -> None:
    try:
        config = inferred(records)
    except ConfigError as error:
        assert str(error).startswith(("There are no documents", "Nothing in this corpus"))  # noqa: PT017
        return
    assert load_config(to_yaml(config)) == config
    assert sum(config.normalized_weights.values()) == pytest.approx(1.0)
    assert config.notes


@pytest.mark.parametrize(
    ("name", "texts", "attributes", "links"),
    [
        ("movies", ("title", "plot"), {"cast", "genres", "year"}, {"mention"}),
        ("cacm", ("title", "text"), {"authors", "keywords", "cats", "year"}, {"mention", "reference"}),
        ("cranfield", ("title", "text"), {"authors"}, set()),
        ("xquad-zh", ("text",), {"article"}, set()),
        ("chat-taskmaster4", ("scenario", "messages"), set(), set()),
        ("med", ("text",), set(), set()),
    ],
)
def test_real_corpora(corpora: Path, name: str, texts: tuple[str, ...], attributes: set[str], links: set[str]) -> None:
    from cnrag_core.corpus.readers import read_corpus

    config = infer_config(read_corpus(corpora / name / "corpus.jsonl"))
    assert config.text_fields == texts
    found = {c.field for c in config.components if isinstance(c, AttributeSimilarityComponent)}
    assert found == attributes
    assert {link.type for link in config.links} == links


@pytest.mark.parametrize("name", ["papers", "products", "blog", "chats", "larkspur"])
def test_shipped_samples(name: str) -> None:
    folder = Path(__file__).resolve().parents[2] / "sample_data" / name
    lines = (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines if line.strip()]
    documents = [Document(str(record.pop("id")), record) for record in records]
    config = infer_config(Records(documents))
    assert config.display.title in ("title", "name")
    assert len(config.text_fields) >= 2
    assert config.display.color is not None
