"""Plain text, Markdown and web pages: whole when short, in passages when long."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cnrag_core.corpus.document import Corpus
from cnrag_core.corpus.readers import read_bytes
from cnrag_core.corpus.readers.notes import link_targets
from cnrag_core.corpus.readers.passages import first_words, passages_of
from cnrag_core.errors import CorpusError

PARAGRAPH = "The brook ran over the stones, and nobody heard it but the owl. " * 6


def read(text: str, name: str, **options: Any) -> Corpus:
    return read_bytes(text.encode(), name, **options)


def test_a_short_text_is_one_document() -> None:
    (document,) = read("First line here.\n\nAnd more.", "note.txt")
    assert (document.id, document.text("title")) == ("note", "First line here. And more.")
    assert document.text("text") == "First line here.\n\nAnd more."


def test_a_long_text_becomes_passages_with_sections() -> None:
    three = f"{PARAGRAPH}\n\n" * 3
    corpus = read(f"Some words before.\n\nCHAPTER I.\nDown the Hole\n\n{three}Chapter 2\n\n{PARAGRAPH * 3}", "book.txt")
    sections = [document.fields.get("section") for document in corpus]
    assert sections == [None, "CHAPTER I. Down the Hole", "CHAPTER I. Down the Hole", "Chapter 2"]
    assert corpus["passage-0002"].number("position") == 2
    assert any("cut into 4 passages" in text for text in corpus.warnings)


def test_a_long_text_can_stay_whole() -> None:
    assert len(read(PARAGRAPH * 20, "book.txt", split="whole")) == 1


def test_a_short_text_can_be_cut() -> None:
    assert len(read("# One\n\nWords.\n\n# Two\n\nMore words.", "a.md", split="passages")) == 2


def test_a_megabyte_on_one_line_is_cut_behind_sentences() -> None:
    pieces = list(passages_of("One sentence of some words. " * 40_000))
    assert all(len(piece.text) <= 3000 for piece in pieces)
    assert all(piece.text.endswith(".") for piece in pieces)


def test_a_megabyte_without_a_space_is_cut_too() -> None:
    assert sum(len(piece.text) for piece in passages_of("a" * 1_000_000)) == 1_000_000


@given(st.text(st.sampled_from("ab .\n#一。"), max_size=300))
@settings(max_examples=200, deadline=None)
def test_no_word_is_lost_and_the_order_is_kept(text: str) -> None:
    def letters(part: str) -> str:
        return "".join(character for character in part if character in "ab一")

    pieces = list(passages_of(text, target=40))
    marked = sum(line.strip().startswith("#") for line in text.splitlines())
    if not marked:
        assert letters("".join(piece.text for piece in pieces)) == letters(text)
    assert [piece.position for piece in pieces] == list(range(1, len(pieces) + 1))


def test_first_words_end_at_a_word() -> None:
    assert (
        first_words("# A heading of several words that goes on and on without an end", 30)
        == "A heading of several words…"
    )


def test_front_matter_becomes_fields() -> None:
    text = (
        "---\ntitle: My note\ntags: [a, b]\nid: 7\ndate: 2020-01-02\n---\n\n# Heading\n\nBody with [[Other|a link]].\n"
    )
    (document,) = read(text, "note.md")
    assert document.text("title") == "My note"
    assert document.items("tags") == ("a", "b")
    assert document.fields["note_id"] == 7
    assert document.text("text").startswith("# Heading")


def test_the_first_heading_is_the_title() -> None:
    assert read("Some intro\n\n## Real title\n\nBody", "note.md").documents[0].text("title") == "Real title"


@pytest.mark.parametrize("front", ["a: *x", "- 1\n- 2", "a: !!python/none x", "a: [b", "just words"])
def test_front_matter_that_is_none_stays_text(front: str) -> None:
    (document,) = read(f"---\n{front}\n---\nBody", "note.md")
    assert "Body" in document.text("text")


def test_links_of_notes() -> None:
    text = "[[A b#part|name]] [x](sub/c%20d.md 'T') ![img](pic.png) [out](https://x.org) [mail](mailto:a@b) [[A b]]"
    assert link_targets(text) == ["A b", "pic.png"] or link_targets(text) == ["A b", "sub/c d.md", "pic.png"]


PAGE = """<!DOCTYPE html><html lang="en"><head><title> My
page </title><meta name="keywords" content="a, b"><meta name="Description" content="About it"><style>p{}</style></head>
<body><nav>Menu</nav><h1>Heading</h1><p>First <b>bold</b> words,<br>second line.</p><ul><li>One</li><li>Two</li></ul>
<script>alert(1)</script><!-- hidden --><table><tr><td>a</td><td>b</td></tr></table><footer>Imprint</footer></body>
</html>"""


def test_a_page_is_what_a_person_would_read() -> None:
    (document,) = read(PAGE, "page.html")
    assert document.text("title") == "My page"
    assert document.text("text") == "# Heading\n\nFirst bold words,\nsecond line.\n\nOne\n\nTwo\n\na b"
    assert document.items("keywords") == ("a", "b")
    assert (document.text("description"), document.text("language")) == ("About it", "en")


def test_a_long_page_is_cut_at_its_headings() -> None:
    page = (
        "<html><title>Long</title>" + "".join(f"<h2>Part {n}</h2><p>{PARAGRAPH * 3}</p>" for n in range(5)) + "</html>"
    )
    corpus = read(page, "page.html")
    assert {document.text("section") for document in corpus} == {f"Part {n}" for n in range(5)}
    assert corpus["passage-0001"].text("source_title") == "Long"


def test_a_declared_encoding_is_used() -> None:
    page = '<html><head><meta charset="koi8-r"></head><p>Привет, мир</p></html>'.encode("koi8-r")
    assert read_bytes(page, "x.html").documents[0].text("text") == "Привет, мир"


@pytest.mark.parametrize("page", ["<html></html>", "<html><script>x</script><nav>y</nav></html>"])
def test_a_page_without_text_is_refused(page: str) -> None:
    with pytest.raises(CorpusError, match="is a web page without readable text"):
        read(page, "x.html")


def test_a_page_nested_without_end_is_cut_off_and_not_hung_on() -> None:
    with pytest.raises(CorpusError, match="is a web page without readable text"):
        read("<html>" + "<div>" * 100_000 + "words", "x.html")


def test_a_page_of_very_many_elements_is_read_in_one_pass() -> None:
    corpus = read("<html>" + "<p>Some words.</p><b></b>" * 20_000, "x.html", split="whole")
    assert corpus.documents[0].text("text").count("Some words.") == 20_000
