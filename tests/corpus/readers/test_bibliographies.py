"""BibTeX, RIS and news feeds."""

from __future__ import annotations

import pytest

from cnrag_core.corpus.readers import read_bytes
from cnrag_core.errors import CorpusError

BIBTEX = r"""
@string{jan = "January"}
% a comment line
@article{key1,
  title = {The {T}itle of \"{U}ber and na\"ive 50\% more},
  author = {Doe, John and Jane Smith AND {World Health Organization}},
  year = 2001, month = jan, keywords = {alpha, beta; gamma delta},
  abstract = {Formula $x^2 \le 3$ stays.}, doi = {10.1000/x_y}, url = {https://example.org/a_b~c}
}
@comment{not read}
@book{Key2, title="Two" # " parts", year={in press}}
"""


def test_bibtex_entries() -> None:
    corpus = read_bytes(BIBTEX.encode(), "refs.bib")
    assert [document.id for document in corpus] == ["key1", "Key2"]
    first = corpus["key1"]
    assert first.text("title") == "The Title of Über and naïve 50% more"
    assert first.fields["authors"] == ["Doe, John", "Jane Smith", "World Health Organization"]
    assert first.fields["keywords"] == ["alpha", "beta", "gamma delta"]
    assert (first.fields["year"], first.fields["month"], first.fields["type"]) == (2001, "January", "article")
    assert first.text("abstract") == r"Formula $x^2 \le 3$ stays."
    assert (first.text("doi"), first.text("url")) == ("10.1000/x_y", "https://example.org/a_b~c")
    assert corpus["Key2"].text("title") == "Two parts"
    assert corpus["Key2"].fields["year"] == "in press"


def test_a_broken_entry_stops_with_its_line() -> None:
    text = BIBTEX + "@misc{key3, title={unfinished\n"
    with pytest.raises(CorpusError, match=r"refs\.bib, line 12: this entry cannot be read"):
        read_bytes(text.encode(), "refs.bib")
    corpus = read_bytes(text.encode(), "refs.bib", skip_bad_rows=True)
    assert len(corpus) == 2
    assert corpus.warnings[0].startswith("2 records loaded, 1 rejected")


def test_two_entries_with_one_key_are_refused_or_kept() -> None:
    text = "@misc{a, title={One title}}\n@misc{a, title={Two titles}}\n"
    with pytest.raises(CorpusError, match="id 'a' is used by entry 1 and entry 2"):
        read_bytes(text.encode(), "refs.bib")
    assert [document.id for document in read_bytes(text.encode(), "refs.bib", keep_duplicates=True)] == ["a", "a#2"]


def test_braces_that_do_not_pair_are_kept_as_written() -> None:
    corpus = read_bytes(rb"@misc{a, title={A \textbf broken $ value}}" + b"\n", "refs.bib")
    assert "broken" in corpus["a"].text("title")


def test_no_entry_is_refused() -> None:
    with pytest.raises(CorpusError, match=r"there is no BibTeX entry in it|there is no document"):
        read_bytes(b"@comment{key, nothing}\n", "refs.bib")


def test_nothing_of_a_document_reaches_the_log(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CorpusError):
        read_bytes(b"@misc{a, title={secret words\n", "refs.bib")
    assert "secret" not in caplog.text
    captured = capfd.readouterr()
    assert "secret" not in captured.out + captured.err


RIS = """TY  - JOUR
AU  - Doe, John
A1  - Smith, Jane
TI  - A title
PY  - 2001/03//
KW  - alpha; beta
KW  - gamma
AB  - First line
      and second.
JO  - Journal of Things
DO  - 10.1000/x
UR  - https://example.org/1
ZZ  - something unknown
ER  -

TY  - BOOK
T1  - Another title
ER  -
"""


def test_ris_references() -> None:
    corpus = read_bytes(RIS.encode(), "refs.ris")
    first = corpus.documents[0].fields
    assert first["title"] == "A title"
    assert first["authors"] == ["Smith, Jane", "Doe, John"]
    assert first["keywords"] == ["alpha", "beta", "gamma"]
    assert (first["year"], first["journal"], first["doi"]) == (2001, "Journal of Things", "10.1000/x")
    assert first["abstract"] == "First line and second."
    assert corpus.documents[1].text("title") == "Another title"


def test_a_reference_without_an_end_is_not_lost() -> None:
    text = "TY  - JOUR\nTI  - One title\n\nTY  - JOUR\nTI  - Two titles\nER  - \nTY  - JOUR\nTI  - Three titles\n"
    corpus = read_bytes(text.encode(), "refs.ris")
    assert [document.text("title") for document in corpus] == ["One title", "Two titles", "Three titles"]
    assert any(
        "without an end (ER) was read up to the next (2 times, first in reference 1)" in t for t in corpus.warnings
    )


RSS = """<?xml version="1.0" encoding="koi8-r"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel><title>Blog</title>
<item><title>Привет &amp; пока</title><link>http://example.org/1</link><guid>http://example.org/1</guid>
<dc:creator>Ann</dc:creator><category>General</category><category>Trees</category>
<pubDate>Wed, 28 Dec 2005 08:53:15 +0000</pubDate><description>short</description>
<content:encoded><![CDATA[<p>Long <b>text</b></p><script>x</script>]]></content:encoded></item>
<item><title>Two</title><guid>http://example.org/2</guid></item>
</channel></rss>"""


def test_items_of_a_feed() -> None:
    corpus = read_bytes(RSS.encode("koi8-r"), "feed.xml")
    assert [document.id for document in corpus] == ["http://example.org/1", "http://example.org/2"]
    assert corpus.documents[0].fields == {
        "title": "Привет & пока",
        "text": "Long text",
        "url": "http://example.org/1",
        "categories": ["General", "Trees"],
        "authors": ["Ann"],
        "date": "Wed, 28 Dec 2005 08:53:15 +0000",
    }


def test_entries_of_an_atom_feed() -> None:
    atom = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>urn:1</id><title>One</title><link href="http://e.org/1"/>'
        '<category term="x"/><updated>2020-01-02</updated><content type="html">&lt;p&gt;Words&lt;/p&gt;</content>'
        "</entry></feed>"
    )
    document = read_bytes(atom.encode(), "feed.atom").documents[0]
    assert (document.id, document.text("url"), document.items("categories")) == ("urn:1", "http://e.org/1", ("x",))
    assert document.text("text") == "Words"


def test_other_xml_is_refused_with_what_to_do() -> None:
    with pytest.raises(CorpusError, match=r"x\.xml is XML, and no news feed; of XML only RSS and Atom are read"):
        read_bytes(b'<?xml version="1.0"?><graphml><node id="a"/></graphml>', "x.xml")


def test_entities_are_neither_expanded_nor_fetched() -> None:
    bomb = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
    corpus = read_bytes(f"{bomb}<rss><item><title>T &b; &f;</title></item></rss>".encode(), "x.xml")
    assert "root" not in corpus.documents[0].text("title")
