"""Files that others read wrongly: marks, long cells, broken lines, words that are no words, scans, formulas."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from cnrag_core.config.loader import load_config
from cnrag_core.corpus.readers import read_bytes
from cnrag_core.errors import ConfigError, CorpusError
from cnrag_core.export.csv_table import csv_bytes
from tests.hardening.hostile_files import pdf, zip_of

MARK = b"\xef\xbb\xbf"
CONFIG = "similarity:\n  components:\n    - {type: field_embedding, field: title}\n  min_combined_similarity: "


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b"id,title\na,One\n"),
        ("a.tsv", b"id\ttitle\na\tOne\n"),
        ("a.json", b'[{"id":"a","title":"One"}]'),
        ("a.jsonl", b'{"id":"a","title":"One"}\n'),
        ("a.yaml", b"- id: a\n  title: One\n"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be-mark"])
def test_g42_a_byte_order_mark_is_no_part_of_the_first_name(name: str, content: bytes, encoding: str) -> None:
    text = content.decode("ascii")
    data = b"\xfe\xff" + text.encode("utf-16-be") if encoding == "utf-16-be-mark" else text.encode(encoding)
    corpus = read_bytes(data, name)
    assert (corpus.documents[0].id, corpus.documents[0].fields) == ("a", {"title": "One"})


def test_g42_a_mark_is_no_part_of_a_text_or_a_configuration() -> None:
    assert read_bytes(MARK + b"Trees drink water.", "a.txt").documents[0].text("text") == "Trees drink water."
    assert load_config(MARK + (CONFIG + "0.4\n").encode()).edges.min_similarity == 0.4


@pytest.mark.parametrize("length", [131_072, 131_073, 200_000])
def test_g43_a_long_cell_is_read(length: int) -> None:
    corpus = read_bytes(b"id,abstract\na," + b"x" * length + b"\n", "a.csv")
    assert len(corpus["a"].text("abstract")) == length


LINES = [json.dumps({"id": f"n{i}", "title": "One"}) for i in range(1, 11)]
LINES[3] = LINES[3][:-3]


def test_g44_one_broken_line_stops_the_reading_and_is_named() -> None:
    with pytest.raises(CorpusError, match=r"^a\.jsonl, line 4: not valid JSON at column \d+"):
        read_bytes("\n".join(LINES).encode(), "a.jsonl")


def test_g44_or_it_is_left_out_and_both_numbers_are_told() -> None:
    corpus = read_bytes("\n".join(LINES).encode(), "a.jsonl", skip_bad_rows=True)
    assert [document.id for document in corpus] == ["n1", "n2", "n3", "n5", "n6", "n7", "n8", "n9", "n10"]
    assert corpus.warnings[0].startswith("9 records loaded, 1 rejected; the first: line 4: not valid JSON")


def test_g45_a_number_in_scientific_notation_is_that_number() -> None:
    assert load_config(CONFIG + "4e-1\n") == load_config(CONFIG + "0.4\n")
    graph = "similarities: {s: {field: title}}\nnetwork: {edges: {similarity: s, min: 4e-1}}\n"
    try:
        assert load_config(graph).edges.min_similarity == 0.4
    except ConfigError as error:
        assert "min" not in str(error), error  # noqa: PT017  (the dialect may want more keys than these two)


def test_g46_a_key_given_twice_is_refused_with_both_lines() -> None:
    with pytest.raises(ConfigError, match=r"'min_combined_similarity' is given twice, on lines 4 and 5; keep one"):
        load_config(CONFIG + "0.4\n  min_combined_similarity: 0.9\n")
    with pytest.raises(CorpusError, match=r"a\.yaml, line 2: the key 'id' appears twice"):
        read_bytes(b"- id: a\n  id: b\n", "a.yaml")


def test_g47_no_is_a_word_and_a_version_is_no_number() -> None:
    config = load_config("similarity:\n  components:\n    - {type: field_embedding, field: no}\n")
    assert config.components[0].name == "no"
    corpus = read_bytes(b"- id: a\n  country: no\n  version: 1.10\n", "a.yaml")
    assert corpus["a"].fields == {"country": "no", "version": "1.10"}
    with pytest.raises(ConfigError, match=r"field must be text, got boolean: quote it"):
        load_config("similarity:\n  components:\n    - {type: field_embedding, field: true}\n")


def test_g48_a_bomb_is_refused_and_an_ordinary_file_of_60_kb_is_read() -> None:
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{'bcdefgh'[n]}: &{'bcdefgh'[n]} [{','.join(['*' + 'abcdefgh'[n]] * 9)}]\n" for n in range(7)
    )
    with pytest.raises(ConfigError, match=r"aliases repeat more than 10,000 values"):
        load_config(bomb)
    components = "".join(
        f"    - {{type: field_embedding, field: field_{n}, component_id: component_{n}, weight: 1}}\n"
        for n in range(700)
    )
    text = "similarity:\n  components:\n" + components
    assert 55_000 < len(text) < 65_536
    assert len(load_config(text).components) == 700


def test_g49_a_scan_is_named_and_the_other_file_loads() -> None:
    corpus = read_bytes(zip_of([("scan.pdf", pdf(None, None)), ("text.pdf", pdf("Trees drink water"))]), "both.zip")
    assert len(corpus) == 1
    assert "scan.pdf: no text was found on any of its 2 pages" in " ".join(corpus.warnings)


def test_g50_a_formula_is_text_in_and_out_and_a_negative_number_stays_one() -> None:
    corpus = read_bytes(b"id,title,year\na,=1+1,-5\nb,plain,2\n", "a.csv")
    assert (corpus["a"].text("title"), corpus["a"].number("year")) == ("=1+1", -5.0)
    table = pd.DataFrame({"title": [d.text("title") for d in corpus], "year": [d.fields["year"] for d in corpus]})
    assert csv_bytes(table).decode("utf-8-sig").split() == ["title,year", "'=1+1,-5", "plain,2"]
