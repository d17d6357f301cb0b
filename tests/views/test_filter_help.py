"""The help of the question box names fields of the corpus at hand."""

from __future__ import annotations

from cnrag_core.corpus.document import Document
from cnrag_core.retrieval.filters import allowed_by, parse_query
from cnrag_core.views.filter_help import filter_examples

TICKETS = [
    Document(
        f"t{number}",
        {
            "Kategorie": ("Drucker", "Netz")[number % 2 and number > 3],
            "Text": f"Der Drucker {number} druckt seit gestern nicht mehr, und niemand weiß warum.",
            "Zimmer Nr": 1,
            "Jahr": 2015 + number,
        },
    )
    for number in range(8)
]


def test_examples_are_of_the_corpus_and_find_something():
    found = filter_examples(TICKETS)
    assert found == ("Kategorie:Drucker", "Jahr:2019..2022")
    for example in found:
        rest, conditions = parse_query(example, {"Kategorie", "Jahr"})
        assert rest == ""
        assert allowed_by(TICKETS, conditions).any()


def test_a_value_of_several_words_is_quoted():
    movies = [Document(str(n), {"genres": ["Science fiction", f"g{n}"], "note": "x" * 30}) for n in range(3)]
    assert filter_examples(movies) == ('genres:"Science fiction"',)


def test_nothing_to_narrow_by_gives_no_example():
    assert filter_examples([]) == ()
    assert filter_examples([Document("a", {"text": "one"}), Document("b", {"text": "two"})]) == ()
