"""WhatsApp's exports are conversations; ordinary texts and logs of programs are not."""
# ruff: noqa: E501  (lines are as WhatsApp writes them)

from __future__ import annotations

import io
import time
import zipfile
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cnrag_core.config.infer import infer_config
from cnrag_core.corpus.document import Corpus
from cnrag_core.corpus.limits import Limits
from cnrag_core.corpus.readers import read_bytes
from cnrag_core.corpus.readers.whatsapp import is_chat
from cnrag_core.errors import CNRagError
from cnrag_core.workspace import Workspace

ANDROID = """\
12/03/21, 10:15 - Messages and calls are end-to-end encrypted. No one outside of this chat can read them.
12/03/21, 10:15 - Anna: Shall we go to the reef?
It is warm.

See you
12/03/21, 10:16 - Ben: <Media omitted>
12/03/21, 10:16 - Ben: IMG-20210312-WA0001.jpg (file attached)
12/03/21, 10:17 - Ben: yes: at noon
12/03/21, 10:17 - Ben changed the subject to “Reef: trip”
13/03/21, 18:00 - Anna: How was it?
"""
IPHONE = """\
\u200e[3/12/21, 10:15:03\u202fPM] Anna: \u200eMessages and calls are end-to-end encrypted.
[3/12/21, 10:15:05\u202fPM] Anna: Hi
\u200e[3/12/21, 10:16:03\u202fPM] Ben: \u200eimage omitted
[3/13/21, 12:16:03\u202fAM] ~\u202fBen: Hello \u200e<This message was edited>
"""


def read(text: str, name: str = "WhatsApp Chat with Ben.txt", **options: object) -> Corpus:
    return read_bytes(text.encode(), name, **options)  # type: ignore[arg-type]


def dates(text: str) -> list[str]:
    return [document.fields["date"] for document in read(text)]


def two(first: str, second: str) -> str:
    return f"{first}: Shall we go?\n{second}: Yes, let us go."


def test_android_messages_are_conversations_until_nobody_writes() -> None:
    first, second = read(ANDROID).documents
    assert first.id == "WhatsApp Chat with Ben-0001"
    assert first.fields == {
        "title": "Shall we go to the reef?",
        "date": "2021-03-12T10:15",
        "people": ["Anna", "Ben"],
        "messages": [
            {"role": "Anna", "content": "Shall we go to the reef?\nIt is warm.\n\nSee you"},
            {"role": "Ben", "content": "yes: at noon"},
        ],
        "turns": 2,
    }
    assert (second.fields["date"], second.fields["turns"]) == ("2021-03-13T18:00", 1)


def test_what_is_left_out_is_told() -> None:
    assert read(ANDROID).warnings == (
        "WhatsApp Chat with Ben.txt is a WhatsApp chat: 3 messages in 2 conversations, cut where nobody wrote for 6 hours; "
        "left out: 4 notices, pictures and files.",
    )


@pytest.mark.parametrize(
    "media",
    ["IMG-20210312-WA0001.jpg (file attached)", "<Media omitted>", "\u200e<attached: 00000012-PHOTO.jpg>", ""],
)
def test_what_stands_below_a_picture_is_kept_and_the_picture_counted(media: str) -> None:
    corpus = read(
        f"12/03/21, 10:15 - Anna: Hi\n12/03/21, 10:16 - Ben: {media}\n\nThe reef\nat noon\n"
        f"12/03/21, 10:17 - Ben: {media}\n\n12/03/21, 10:18 - Ben: \u200eThis message was deleted\nby the app\n"
        f"13/03/21, 10:17 - Ben: {media}\nThe boat\n"
    )
    assert [document.fields["messages"] for document in corpus] == [
        [{"role": "Anna", "content": "Hi"}, {"role": "Ben", "content": "The reef\nat noon"}],
        [{"role": "Ben", "content": "The boat"}],
    ]
    assert corpus.documents[1].fields["title"] == "The boat"
    assert "3 messages in 2 conversations" in corpus.warnings[0]
    assert "left out: 4 notices" in corpus.warnings[0]


def test_iphone_messages_with_marks_and_half_days() -> None:
    (only,) = read(IPHONE, "_chat.txt").documents
    assert only.fields["messages"] == [{"role": "Anna", "content": "Hi"}, {"role": "Ben", "content": "Hello"}]
    assert only.fields["date"] == "2021-03-12T22:15"


@pytest.mark.parametrize(
    ("first", "second", "date"),
    [
        ("[12.03.21, 10:15:03] Anna", "[13.03.21, 10:15:03] Ben", "2021-03-12T10:15"),
        ("3/12/21, 10:15 PM - Anna", "3/13/21, 10:15 PM - Ben", "2021-03-12T22:15"),
        ("12/03/2021 10:15 - Anna", "13/03/2021 10:16 - Ben", "2021-03-12T10:15"),
        ("2021-03-12, 10:15 - Anna", "2021-03-12, 10:16 - Ben", "2021-03-12T10:15"),
        ("2021/3/12, 10:15 - Anna", "2021/3/12, 10:16 - Ben", "2021-03-12T10:15"),
        ("12/3/21, 10:15 p. m. - Anna", "13/3/21, 10:16 p. m. - Ben", "2021-03-12T22:15"),
        ("12-03-21 10.15 - +49 170 1234567", "13-03-21 10.16 - Ben", "2021-03-12T10:15"),
    ],
)
def test_dates_as_phones_of_many_countries_write_them(first: str, second: str, date: str) -> None:
    assert dates(two(first, second))[0] == date


def test_the_whole_file_tells_day_from_month() -> None:
    late = "\n".join(f"{day:02}/01/21, 10:00 - Anna: the tide of day {day}" for day in range(1, 14))
    assert dates(late)[:2] == ["2021-01-01T10:00", "2021-01-02T10:00"]
    # no number above twelve: the order in which time never runs back
    assert (
        dates("01/05/21, 10:00 - Anna: a\n02/03/21, 10:00 - Ben: b\n03/01/21, 10:00 - Anna: c")[0] == "2021-01-05T10:00"
    )
    unclear = read(two("03/04/21, 10:00 - Anna", "05/06/21, 10:00 - Ben"))
    assert unclear.documents[0].fields["date"] == "2021-04-03T10:00"
    assert any("day and month cannot be told apart" in warning for warning in unclear.warnings)


def test_a_chat_can_be_kept_whole() -> None:
    (only,) = read(ANDROID, split="whole").documents
    assert only.fields["turns"] == 3


def test_a_zip_of_a_phone_is_read_at_its_chat() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("_chat.txt", IPHONE)
        archive.writestr("00000001-PHOTO.jpg", b"\xff\xd8\xff\xe0" + bytes(100))
    corpus = read_bytes(buffer.getvalue(), "WhatsApp Chat.zip")
    assert corpus.documents[0].fields["people"] == ["Anna", "Ben"]


def test_several_chats_of_a_folder_are_one_corpus(tmp_path) -> None:  # type: ignore[no-untyped-def]
    from cnrag_core.corpus.readers import read_corpus

    (tmp_path / "a.txt").write_text(ANDROID)
    (tmp_path / "b.txt").write_text(ANDROID)
    assert [document.id for document in read_corpus(tmp_path)] == ["a-0001", "a-0002", "b-0001", "b-0002"]


def test_a_chat_makes_a_network_of_what_was_said() -> None:
    corpus = read(ANDROID)
    config = infer_config(corpus)
    assert "messages" in config.text_fields
    assert Workspace.build(corpus, config).network.search("reef").top(1).ids == ["WhatsApp Chat with Ben-0001"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "12/03/21, 10:15 - Anna: only one line",
        "12/03/21, 10:15 - the meeting began.\nAnna: We should start.\nBen: Yes.\n",
        "Minutes\n12/03/21, 10:15 - Anna: hello\n12/03/21, 10:16 - Ben: hello\n",
        "12/03/21, 10:15 - Anna: a\n12/03/21, 10:16 - Ben: b\n" + "A long text about the reef.\n" * 5,
        "[12/03/2021, 10:15:03] INFO: started\n[12/03/2021, 10:15:04] ERROR: failed\n[12/03/2021, 10:15:05] INFO: ended\n",
        "[2021-03-12 10:15:03] app: started\n[2021-03-12 10:15:04] db: ready\n[2021-03-12 10:15:05] app: ended\n",
        "2021-03-12 10:15:03 - app: started\n2021-03-12 10:15:04 - db: ready\n2021-03-12 10:15:05 - app: ended\n",
        "2024-01-02 10:15 - server: started\n2024-01-02 10:16 - server: ready\n2024-01-02 10:17 - server: ended\n",
        "2021-03-12T10:15:03 app: started\n2021-03-12T10:15:04 db: ready\n",
        "12/03/21, 10:15, Anna, text\n12/03/21, 10:16, Ben, text\n12/03/21, 10:17, Ben, text\n",
        "99/99/99, 99:99 - Anna: a\n99/99/99, 99:99 - Ben: b\n",
        "1.2.3, 10:15 - Anna: a\n1.2.3, 10:16 - Ben: b\n",
        "Romeo: But soft.\nJuliet: O Romeo.\nRomeo: I take thee at thy word.\n",
    ],
)
def test_ordinary_text_and_logs_are_no_chat(text: str) -> None:
    assert not is_chat(text)


def test_a_chat_named_as_a_note_or_table_is_taken_for_what_its_name_says() -> None:
    assert "messages" not in read(ANDROID, "notes.md").documents[0].fields


def test_dates_that_cannot_be_are_left_out_and_the_message_stays() -> None:
    corpus = read("31/02/21, 10:00 - Anna: a\n31/02/21, 10:01 - Ben: b\n31/02/21, 10:02 - Ben: c")
    assert (corpus.documents[0].fields.get("date"), corpus.documents[0].fields["turns"]) == (None, 3)


def test_a_chat_of_notices_alone_has_no_documents() -> None:
    notices = "".join(f"12/03/21, 10:1{n} - Anna: <Media omitted>\n" for n in range(4))
    with pytest.raises(CNRagError, match="there is no document in it"):
        read(notices)


@pytest.mark.parametrize(
    "line",
    [
        "\u200e" * 200_000, "12/03/21, 10:15 - " + "a" * 300_000, "12/03/21, 10:15 - Anna: " + "<" * 300_000,
        "12/03/21, 10:15" + "\u202f" * 300_000, "[" * 300_000, "1" * 300_000, "12/03/21, 10:15 - " + ":" * 300_000,
        "12/03/21, 10:15 - Anna: " + "x" * 100_000 + "-WA0001" * 30_000,
    ],
)  # fmt: skip
def test_hostile_lines_take_no_time(line: str) -> None:
    begun = time.process_time()
    with suppress(CNRagError):
        read(ANDROID + line + "\n" + ANDROID, limits=Limits())
    assert time.process_time() - begun < 5


PIECES = (
    "12/03/21, 10:15 - ",
    "[12.03.21, 10:15:03] ",
    "Anna: ",
    "\u200e",
    "<x y z>",
    "\n",
    "\r\n",
    ":",
    "a",
    "13/13/13, 1:61 - ",
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_order_of_its_words_is_read_or_refused_in_a_sentence(text: str) -> None:
    try:
        for document in read(two("12/03/21, 10:15 - Anna", "12/03/21, 10:16 - Ben") + "\n" + text):
            assert all(turn["content"].strip() for turn in document.fields.get("messages", ()))
    except CNRagError as error:
        assert "\n" not in str(error)  # noqa: PT017 (a property, not an expected error)
