"""CSV and TSV as people have them."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cnrag_core.config.spec import FieldSpec
from cnrag_core.corpus.document import Corpus
from cnrag_core.corpus.limits import Limits
from cnrag_core.corpus.readers import read_bytes
from cnrag_core.corpus.readers.delimited import sniff_delimiter
from cnrag_core.errors import CorpusError


def read(text: str | bytes, name: str = "x.csv", **options: Any) -> Corpus:
    return read_bytes(text if isinstance(text, bytes) else text.encode(), name, **options)


def rows(corpus: Corpus) -> list[dict[str, Any]]:
    return [dict(document.fields) for document in corpus]


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_the_delimiter_is_found(delimiter: str) -> None:
    corpus = read(delimiter.join(["id", "title", "n"]) + "\n" + delimiter.join(["a", "Some title", "1"]) + "\n")
    assert rows(corpus) == [{"title": "Some title", "n": 1}]


def test_semicolons_beside_decimal_commas() -> None:
    assert sniff_delimiter("a;b;c\n1,5;2,5;3,5\n") == ";"


def test_a_delimiter_that_the_file_names_is_used() -> None:
    assert rows(read("sep=;\r\nid;title\r\na;One, two, three\r\n")) == [{"title": "One, two, three"}]


def test_a_table_of_one_column() -> None:
    assert rows(read("title\nOne title\nTwo titles\n")) == [{"title": "One title"}, {"title": "Two titles"}]


def test_quotes_separators_and_line_breaks_inside_cells() -> None:
    corpus = read('id,text\na,"one, ""two""\nthree"\nb,four five\n')
    assert corpus["a"].text("text") == 'one, "two"\nthree'


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_kind_of_line_end(end: str) -> None:
    assert len(read(end.join(["id,t", "a,x y", "b,z w"]))) == 2


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_marks_and_encodings(encoding: str) -> None:
    corpus = read("id,name\n1,Béjaïa est là\n2,Où ça déjà\n".encode(encoding))
    assert corpus["1"].text("name") == "Béjaïa est là"


def test_codes_are_kept_as_they_are_written() -> None:
    corpus = read(
        "id,zip,price,version,n\n007,08123,1.50,1.10,1\n7,01001,2.25,1.9,2\n1_2,10115,3.00,2,\nNA,00001,4.00,3,4\n"
    )
    assert [document.id for document in corpus] == ["007", "7", "1_2", "NA"]
    assert corpus["7"].fields == {"zip": "01001", "price": 2.25, "version": "1.9", "n": 2}
    assert corpus["1_2"].fields["n"] is None
    assert dict(corpus.kinds) == {"zip": "category", "price": "number", "version": "number", "n": "number"}


def test_a_cell_may_be_longer_than_the_module_allows() -> None:
    text = "word " * 40_000
    assert read(f"id,text\na,{text}\nb,short\n")["a"].text("text") == text


def test_a_row_with_too_many_cells_stops_with_its_line() -> None:
    text = "id,title\na,One\nb,Two, and more\nc,Three\n"
    with pytest.raises(
        CorpusError, match=r"x\.csv, line 3: 3 cells were found under 2 columns; a cell that holds the sep"
    ):
        read(text)
    corpus = read(text, skip_bad_rows=True)
    assert [document.id for document in corpus] == ["a", "c"]
    assert corpus.warnings[0].startswith("2 records loaded, 1 rejected; the first: line 3: 3 cells")


def test_a_row_with_too_few_cells_is_filled_and_told() -> None:
    corpus = read("id,title,n\na,One title\nb,Two titles,2\n")
    assert corpus["a"].fields == {"title": "One title", "n": None}
    assert "A row with fewer cells than the header was filled up with empty ones (line 2)." in corpus.warnings


def test_empty_cells_beyond_the_header_are_nothing() -> None:
    assert read("id,title\na,One title,,\nb,Two titles,\n").warnings == ()


def test_line_numbers_count_lines_and_not_records() -> None:
    with pytest.raises(CorpusError, match="line 5: 3 cells"):
        read('id,title\na,"One\ntitle\nof three"\nb,x,y\n')


def test_an_open_quote_is_refused_with_its_line() -> None:
    with pytest.raises(CorpusError, match=r"line 3: a quote is opened in this row and never closed"):
        read('id,title\na,One title\nb,"Two titles\nc,Three\n')


def test_quotes_in_tab_separated_files_may_be_ordinary_characters() -> None:
    corpus = read('id\ttitle\na\t"Heroes" of old\nb\t5" disks\nc\t"open\n', "x.tsv")
    assert [document.text("title") for document in corpus] == ['"Heroes" of old', '5" disks', '"open']


def test_blank_rows_are_passed_over() -> None:
    assert len(read("id,t\n\na,x y\n,\n\nb,z w\n\n")) == 2


def test_ten_million_empty_rows_are_no_documents() -> None:
    with pytest.raises(CorpusError, match="there is no document in it"):
        read(b"id,title\n" + b",\n" * 100_000)


def test_columns_of_one_name_are_both_kept_and_told() -> None:
    corpus = read("id,title,title\na,One title,Two titles\n")
    assert corpus["a"].fields == {"title": "One title", "title_2": "Two titles"}
    assert any("two columns 'title'" in text for text in corpus.warnings)


def test_a_column_without_a_name_gets_one() -> None:
    assert rows(read("id,,title\na,x y,One title\n")) == [{"column_2": "x y", "title": "One title"}]


def test_a_table_without_a_header_is_recognised() -> None:
    text = "".join(f"{n % 4},Some headline number {n},and its text\n" for n in range(20))
    corpus = read(text)
    assert len(corpus) == 20
    assert list(corpus.kinds) == ["column_1", "column_2", "column_3"]
    assert any("has no header" in text for text in corpus.warnings)


def test_years_above_a_table_are_a_header() -> None:
    corpus = read("country,1990,1991,1992\nFrance,1,2,3\nSpain,4,5,6\n")
    assert list(corpus.kinds) == ["country", "1990", "1991", "1992"]


def test_a_title_above_the_header_is_left_out_and_told() -> None:
    corpus = read("Report of 2020,,\n,,\nid,title,n\na,One title,1\nb,Two titles,2\n")
    assert [document.id for document in corpus] == ["a", "b"]
    assert any("1 row above the header of" in text and "was left out" in text for text in corpus.warnings)


def test_a_header_that_comes_again_is_left_out_and_told() -> None:
    corpus = read("id,title\na,One title\nid,title\nb,Two titles\n")
    assert [document.id for document in corpus] == ["a", "b"]
    assert any("repeats the header" in text for text in corpus.warnings)


def test_lists_and_objects_inside_cells() -> None:
    text = 'id,tags,place\na,"[""x"", ""y""]","{""lat"": 1.5, ""names"": [""n""]}"\nb,"[\'z\']",\n'
    corpus = read(text)
    assert corpus["a"].fields == {"tags": ["x", "y"], "place.lat": 1.5, "place.names": ["n"]}
    assert corpus["b"].fields["tags"] == ["z"]


def test_structures_inside_cells_are_as_clean_as_any_record() -> None:
    nested = "[" * 60 + "]" * 60
    corpus = read(f'id,t,deep,people\na,"[""x\\ud800""]",{nested},"[{{""name"": ""Ann""}}]"\n')
    assert corpus["a"].fields == {"t": ["x\ufffd"], "deep": nested, "people.name": ["Ann"]}


def test_objects_with_very_many_keys_stay_text() -> None:
    lines = "".join(f'r{n},"{{""key{n}"": 1}}"\n' for n in range(300))
    assert read("id,t\n" + lines)["r7"].text("t") == '{"key7": 1}'


def test_nul_and_formulas_are_data() -> None:
    corpus = read(b"id,title,year\na,=1+1,-5\nb,x\x00y z,3\n")
    assert corpus["a"].fields == {"title": "=1+1", "year": -5}
    assert corpus["b"].fields["title"] == "x\ufffdy z"


def test_a_field_that_is_too_large_names_row_and_field() -> None:
    with pytest.raises(CorpusError, match=r"x\.csv, record 2: field 'text' has 3\.9 kB; at most 1 kB are allowed"):
        read("id,text\na,x y\nb," + "z " * 2000 + "\n", limits=Limits(field_bytes=1024))


def test_too_many_columns_are_refused() -> None:
    with pytest.raises(CorpusError, match="2,500 columns; at most 2,000"):
        read(",".join(f"c{n}" for n in range(2500)) + "\n" + ",".join(["x"] * 2500) + "\n")


# control characters beyond those of text make a short file look binary, which is tested elsewhere
CELLS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc",), include_characters="\t\n\r"), max_size=12)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=2, max_size=6))
@settings(max_examples=150, deadline=None)
def test_what_the_csv_module_writes_is_read_back(cells: list[tuple[str, str]]) -> None:
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(["id", "first", "second"])
    for number, (first, second) in enumerate(cells):
        writer.writerow([f"row {number}", f"({first}", f"({second}"])
    corpus = read(buffer.getvalue(), fields={"first": FieldSpec(), "second": FieldSpec()})
    assert [document.text("first") for document in corpus] == [f"({first}" for first, _ in cells]
    assert [document.text("second") for document in corpus] == [f"({second}" for _, second in cells]


def test_decimal_commas_are_told_and_nothing_is_changed() -> None:
    text = "name;weight;price;year\na;1,234;1.299,00;1999\nb;2,500;0,5;2001\nc;12,750;-;2004\n"
    corpus = read_bytes(text.encode(), "cat.csv")
    assert corpus.documents[0].fields == {"name": "a", "weight": "1,234", "price": "1.299,00", "year": 1999}
    told = " ".join(corpus.warnings)
    assert "'price' seems to hold numbers with a decimal comma: '1.299,00' is read as text; write decimals" in told
    assert "'weight' seems to hold numbers with a decimal comma: '1,234' is read as 1234, its comma" in told
    assert "'year'" not in told


def test_commas_between_thousands_alone_are_not_told() -> None:
    corpus = read_bytes(b'name,people\na,"1,234"\nb,"2,500"\n', "towns.csv")
    assert corpus.kinds["people"] == "number"
    assert "decimal comma" not in " ".join(corpus.warnings)


def test_a_number_with_a_decimal_comma_is_refused_with_what_to_write() -> None:
    with pytest.raises(CorpusError, match=r'found the text "0,50"\. Write decimals with a point'):
        read_bytes(b"name;weight\na;0,50\n", "c.csv", fields={"weight": FieldSpec(type="number")})
