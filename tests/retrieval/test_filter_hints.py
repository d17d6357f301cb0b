"""What looks like a filter and is none is told, with the way to write it."""
# ruff: noqa: E501  (sentences stay on one line, as people read them)

from __future__ import annotations

import time

import pytest
from typer.testing import CliRunner

from cnrag_core.errors import ConfigError, UnknownNameError
from cnrag_core.rag import NetworkRAG
from cnrag_core.retrieval.filter_hints import filter_hints
from cnrag_core.retrieval.filters import parse_query

FIELDS = {"title", "year", "tags", "author.name"}


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("reefs yaer:2015", "'yaer' is no field here, so 'yaer:2015' was read as words. Did you mean 'year'?"),
        ("reefs Year>2015", "'Year>2015' was read as words; to narrow write 'Year:2015..'."),
        ('tag:"machine learning"', "'tag' is no field here, so 'tag:\"machine learning\"' was read as words. Did you mean 'tags'?"),
        ("reefs year>=2015", "'year>=2015' was read as words; to narrow write 'year:2015..'."),
        ("reefs year<2015", "'year<2015' was read as words; to narrow write 'year:..2015'."),
        ("reefs year=2015", "'year=2015' was read as words; to narrow write 'year:2015'."),
        ("reefs year!=2015", "'year!=2015' was read as words; a filter says what must be, and cannot say what must not."),
        ("year:>2015", "'year:>2015' looks for that very text; to narrow write 'year:2015..'."),
        ("year:2015...2020", "A range is written with two dots: 'year:2015..2020'."),
        ("year: 2015 reefs", "'year:' was read as a word, because a space follows; to narrow write 'year:2015'."),
    ],
)  # fmt: skip
def test_a_misspelt_filter_is_hinted_at(typed: str, hint: str) -> None:
    assert filter_hints(typed, FIELDS) == (hint,)


@pytest.mark.parametrize(
    "typed",
    [
        "", "reefs", "tags:ml year:2015..2020", "year:..2015", "at 10:30", "re: corals", "https://example.org/x",
        "x>3", "year:…", "C++: a language", 'tags:">5 stars"', "author.name:Ada", "Year:2015", "a=b", ":", "::", "year:2010-2020",
    ],
)  # fmt: skip
def test_what_is_understood_or_no_filter_at_all_is_left_alone(typed: str) -> None:
    assert filter_hints(typed, FIELDS) == ()


def test_a_dash_is_told_only_where_nothing_passes() -> None:
    assert filter_hints("year:2010-2020", FIELDS, nothing_passes=True) == (
        "A range is written with two dots: 'year:2010..2020'.",
    )


def test_hints_stay_few_and_quick_on_a_hostile_question() -> None:
    before = time.process_time()
    assert filter_hints("year:" + "…" * 20_000 + ".", FIELDS) == ()
    assert time.process_time() - before < 2  # two ways of reading each sign took 4 s
    assert len(filter_hints("yaer:1 yeer:2 yera:3 tegs:4 tigs:5 " + "year:" * 20_000 + " " + "=" * 50_000, FIELDS)) == 3


@pytest.fixture(scope="module")
def rag() -> NetworkRAG:
    rag = NetworkRAG(min_similarity=0.1)
    for number, text in enumerate(("coral reefs bleach", "coral reefs recover", "bond yields rise")):
        rag.add(text, id=f"d{number}", year=2000 + number)
    return rag


def test_a_hint_stands_beside_results_and_in_the_reason_where_there_are_none(rag: NetworkRAG) -> None:
    found = rag.search("coral yaer:2001").top(3)
    assert len(found) == 2
    assert found.hints == ("'yaer' is no field here, so 'yaer:2001' was read as words. Did you mean 'year'?",)
    assert rag.compare("coral yaer:2001", ["hybrid"]).hints == found.hints
    nothing = rag.search("coral year:>=2001").top(3)
    assert (nothing.nodes, nothing.hints) == ((), ())
    assert nothing.reason == (
        "No document passes the filters. 'year:>=2001' looks for that very text; to narrow write 'year:2001..'."
    )


def test_a_value_that_no_document_has_names_the_nearest() -> None:
    rag = NetworkRAG(min_similarity=0.1)
    for number, (who, tags) in enumerate((("Jäger", ["Drucker"]), ("Anna Weiß", ["Netz", "Büro"]), ("Koch", []))):
        rag.add(f"Der Drucker druckt nicht {number}", id=f"d{number}", Bearbeiter=who, tags=tags, year=2020)
    nothing = rag.search("Drucker bearbeiter:Jager").top(3)
    assert nothing.reason == (
        "No document passes the filters. No document has 'Jager' in 'Bearbeiter'. Did you mean 'Jäger'?"
    )
    assert rag.search("Drucker").filter(Bearbeiter="weis").top(3).reason.endswith("Did you mean 'Weiß'?")
    assert (
        rag.search("tags:Buro tags:drucker")
        .top(3)
        .reason.endswith("No document has 'Buro' in 'tags'. Did you mean 'Büro'?")
    )
    # each is a value of some document, or nothing like one, or a number
    for typed in ("bearbeiter:Koch tags:netz", "bearbeiter:Zimmermann", "year:2021", "tags:2020"):
        assert rag.search(typed).top(3).reason == "No document passes the filters."


def test_a_misspelt_keyword_names_the_nearest_field(rag: NetworkRAG) -> None:
    for name in ("yaer", "year__gte"):
        with pytest.raises(
            UnknownNameError, match=rf"There is no field '{name}' to filter by; .* Did you mean 'year'\?"
        ):
            rag.search("coral").filter(**{name: 2001}).top(3)


def test_an_operator_of_another_query_language_is_refused(rag: NetworkRAG) -> None:
    with pytest.raises(ConfigError, match=r"filter\(year=...\) takes a value, .* a range as a pair \(low, high\)"):
        rag.search("coral").filter(year={"$gte": 2001})


def test_the_command_line_tells_the_hint() -> None:
    from cnrag_core.cli import app

    assert "Did you mean 'year'?" in CliRunner().invoke(app, ["search", "papers", "graph yaer:2020"]).output


def test_a_question_of_many_colons_is_read_at_once() -> None:
    fields = {f"Feld{number}ä" for number in range(300)}
    before = time.process_time()
    rest, conditions = parse_query("feld7a:1 x:1 " * 10_000, fields)
    assert len(conditions) == 10_000
    assert rest.count("x:1") == 10_000
    assert time.process_time() - before < 2  # a look at every field for each took 12 s
