"""Real files, messy and clean: each loads with sensible fields, or is refused with a sentence that says why."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cnrag_core.corpus.document import Corpus
from cnrag_core.corpus.readers import read_corpus
from cnrag_core.errors import CorpusError


def numbered(corpus: Corpus) -> bool:
    return corpus.documents[0].id == "doc-00001" and any("are numbered" in text for text in corpus.warnings)


def has(corpus: Corpus, n: int, **kinds: str) -> None:
    assert len(corpus) == n
    assert {name: corpus.kinds[name] for name in kinds} == kinds


def doaj(corpus: Corpus) -> None:
    has(corpus, 1001, Title="text", Authors="list", Subjects="list", ISSNs="list", Date="date", Language="category")
    has(corpus, 1001, DOI="category", URL="category", Publisher="category", Citation="text")
    assert corpus.documents[0].items("Authors") == ("Flavia Pennini", "Angelo Plastino")
    assert corpus.documents[0].text("Title") == "The Fisher Thermodynamics of Quasi-Probabilities"


def nobel(corpus: Corpus) -> None:
    has(corpus, 853, year="number", discipline="category", winner="text", desc="text")
    assert numbered(corpus)
    assert corpus.documents[0].fields["year"] == 1901


def with_mark(corpus: Corpus) -> None:
    has(corpus, 2)
    assert list(corpus.kinds) == ["ColA", "ColB"]


def disasters(corpus: Corpus) -> None:
    has(corpus, 2, Country="category", Location="text", Killed="number")
    assert [document.id for document in corpus] == ["2003-0160", "2002-0752"]
    assert corpus["2002-0752"].text("Location") == "Near Béjaïa, Tizi Ouzou ( ..."
    assert corpus["2003-0160"].text("Start") == "02042003"


def guessed_disasters(corpus: Corpus) -> None:
    disasters(corpus)
    assert any("is not UTF-8; it was read as cp1252" in text for text in corpus.warnings)


def line_breaks(corpus: Corpus) -> None:
    has(corpus, 2, name="text", description="text", yearOfBirth="number")
    assert corpus.documents[0].fields["yearOfBirth"] == 1662
    assert "\nHe was a military" in corpus.documents[1].text("description")


def movies(corpus: Corpus) -> None:
    has(corpus, 232, name="text", Genres="category", Languages="category")
    assert corpus.documents[0].text("name") == "Wayne's World"


def films(corpus: Corpus) -> None:
    has(corpus, 4, Title="text", Gross="number", Rank="number")
    assert corpus.documents[0].text("Title")


def food(corpus: Corpus) -> None:
    has(corpus, 199, Shrt_Desc="text", Water="number", GmWt_Desc1="category")
    assert len(corpus.kinds) == 50
    assert corpus["01001"].fields["Sugar_Tot"] == 0.059999999


def grid(corpus: Corpus) -> None:
    has(corpus, 8, name="text", established="number", acronyms="list", status="category")
    assert corpus["grid.1001.0"].items("addresses.city") == ("Canberra",)
    assert corpus["grid.1001.0"].items("relationships.id")


def korean_page(corpus: Corpus) -> None:
    has(corpus, len(corpus), text="text", title="text")
    assert corpus.documents[0].text("source_title") == "뽐뿌 - 사람이 좋아 함께하는 곳"
    assert "\ufffd" not in "".join(document.text("text") for document in corpus)


def russian_feed(corpus: Corpus) -> None:
    has(corpus, 10, title="text", text="text", date="date", categories="list")
    assert corpus.documents[1].text("title") == "Подготовка к юбилею"


def persons(corpus: Corpus) -> None:
    has(corpus, 3, Age="number")
    assert all(document.is_missing("Gender") for document in corpus)


def poets(corpus: Corpus) -> None:
    has(corpus, 1000, author="category", title="text", google="number")
    assert corpus.documents[0].text("author") == "太宗皇帝"


def alice(corpus: Corpus) -> None:
    assert 100 < len(corpus) < 400
    assert corpus.kinds["section"] == "category"
    assert corpus.documents[0].text("section") == "CHAPTER I. Down the Rabbit-Hole"
    assert len({document.text("section") for document in corpus}) == 12


def text_after_all(corpus: Corpus) -> None:
    assert corpus.documents[0].text("text") == "This is a text file masquerading as a zip file."
    assert any("named like a zip archive, but it holds plain text" in text for text in corpus.warnings)


def cells(*rows: dict[str, object]) -> Callable[[Corpus], None]:
    def check(corpus: Corpus) -> None:
        assert [dict(document.fields) for document in corpus] == list(rows)

    return check


Expectation = str | Callable[[Corpus], None]
MESSY: dict[str, Expectation] = {
    "README.md": lambda corpus: has(corpus, 1, title="text", text="text"),
    "alice_in_wonderland.txt": alice,
    "csv-with-bom.csv": with_mark,
    "doaj-article-sample.csv": doaj,
    "enc-KOI8-R-blog.mlmaster.com.xml": russian_feed,
    "euc-kr.html": korean_page,
    "example-latin1.tsv": guessed_disasters,
    "example-linebreaks-in-cells.csv": line_breaks,
    "example-utf16le-bom.tsv": disasters,
    "films.ods": films,
    "food.small.csv": food,
    "grid_small.json": grid,
    "movies.tsv": movies,
    "nobel-prize-winners.csv": nobel,
    "notazip.zip": text_after_all,
    "persons.csv.gz": r"persons\.csv\.gz is compressed with gzip; unpack it and give the file inside\.",
    "persons_with_empty_column.csv": persons,
    "poet-rank.json": poets,
    "spectrum-comma_in_quotes.csv": cells(
        {"first": "John", "last": "Doe", "address": "120 any st.", "city": "Anytown, WW", "zip": "08123"}
    ),
    "spectrum-empty.csv": cells({"a": 1, "b": None, "c": None}, {"a": 2, "b": 3, "c": 4}),
    "spectrum-empty_crlf.csv": cells({"a": 1, "b": None, "c": None}, {"a": 2, "b": 3, "c": 4}),
    "spectrum-escaped_quotes.csv": cells({"a": 1, "b": 'ha "ha" ha'}, {"a": 3, "b": "4"}),
    "spectrum-json.csv": cells({"val.type": "Point", "val.coordinates": [102.0, 0.5]}),
    "spectrum-location_coordinates.csv": cells(
        {
            "Contact Phone Number": 2095257564,
            "Location Coordinates": "37\ufffd36'37.8\"N 121\ufffd2'17.9\"W",
            "Cities": "Modesto",
            "Counties": "Stanislaus",
        }
    ),
    "spectrum-newlines.csv": cells(
        {"a": "1", "b": 2, "c": 3}, {"a": "Once upon \na time", "b": 5, "c": 6}, {"a": "7", "b": 8, "c": 9}
    ),
    "spectrum-newlines_crlf.csv": cells(
        {"a": "1", "b": 2, "c": 3}, {"a": "Once upon \na time", "b": 5, "c": 6}, {"a": "7", "b": 8, "c": 9}
    ),
    "spectrum-quotes_and_newlines.csv": cells({"a": 1, "b": 'ha \n"ha" \nha'}, {"a": 3, "b": "4"}),
    "spectrum-simple.csv": cells({"a": 1, "b": 2, "c": 3}),
    "spectrum-simple_crlf.csv": cells({"a": 1, "b": 2, "c": 3}),
    "spectrum-utf8.csv": cells({"a": 1, "b": 2, "c": "3"}, {"a": 4, "b": 5, "c": "ʤ"}),
}


@pytest.mark.parametrize("name", MESSY)
def test_a_messy_file_loads_or_says_why_not(corpora: Path, name: str) -> None:
    expectation = MESSY[name]
    path = corpora / "messy" / name
    if isinstance(expectation, str):
        with pytest.raises(CorpusError, match=expectation):
            read_corpus(path)
    else:
        corpus = read_corpus(path)
        expectation(corpus)
        assert all(document.provenance.file == name and document.provenance.sha256 for document in corpus)


def test_every_messy_file_has_an_expectation(corpora: Path) -> None:
    assert {path.name for path in (corpora / "messy").iterdir()} == set(MESSY)


CLEAN = {
    "2wiki-migres": (1294, {"title": "text", "text": "text"}),
    "agnews-2400": (2400, {"title": "text", "text": "text", "label": "category"}),
    "bbc-news": (2225, {"title": "text", "text": "text", "label": "category"}),
    "cacm": (3204, {"title": "text", "authors": "list", "cats": "list", "year": "number", "cites": "list"}),
    "chat-oasst100": (100, {"messages": "text", "lang": "category", "branches": "number"}),
    "chat-taskmaster4": (210, {"messages": "text", "topic": "category", "scenario": "text"}),
    "cranfield": (1400, {"title": "text", "authors": "list", "text": "text"}),
    "hotpotqa-dev100": (994, {"title": "text", "text": "text"}),
    "iclr2018": (
        995,
        {"abstract": "text", "authors": "list", "keywords": "list", "status": "category", "year": "number"},
    ),
    "med": (1033, {"text": "text"}),
    "movies": (3000, {"title": "text", "year": "number", "cast": "list", "genres": "list", "href": "category"}),
    "musique-dev100": (1880, {"title": "text", "text": "text"}),
    "papers-venues": (924, {"authors": "list", "keywords": "list", "venue": "category", "label": "category"}),
    "xquad-en": (240, {"text": "text", "article": "category"}),
    "xquad-zh": (240, {"text": "text", "article": "category"}),
}


@pytest.mark.parametrize("name", CLEAN)
def test_a_clean_corpus_has_sensible_kinds(corpora: Path, name: str) -> None:
    n, kinds = CLEAN[name]
    corpus = read_corpus(corpora / name / "corpus.jsonl")
    has(corpus, n, **kinds)
    assert "id" not in corpus.kinds
    assert not any("generated" in text or "numbered" in text for text in corpus.warnings)


def test_no_clean_corpus_is_forgotten(corpora: Path) -> None:
    assert {path.parent.name for path in corpora.glob("*/corpus.jsonl")} == set(CLEAN)


def test_conversations_keep_their_turns(corpora: Path) -> None:
    corpus = read_corpus(corpora / "chat-taskmaster4" / "corpus.jsonl")
    turns = corpus.documents[0].fields["messages"]
    assert set(turns[0]) == {"role", "content"}
    assert {turn["role"] for turn in turns} == {"user", "assistant"}


def test_a_corpus_folder_is_its_corpus(corpora: Path) -> None:
    assert len(read_corpus(corpora / "cranfield")) == 1400
