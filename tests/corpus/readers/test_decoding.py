"""Bytes become text: marks, declarations, and guesses that are told."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cnrag_core.corpus.readers.decoding import decode, looks_binary
from cnrag_core.corpus.report import Report

GERMAN = "Straße, Mädchen, Übermut und süße Öfen; naïve café\n" * 3


def decoded(data: bytes, declared: str | None = None) -> tuple[str, tuple[str, ...]]:
    report = Report("x.txt")
    return decode(data, "x.txt", report, declared=declared), report.sentences(0)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8"])
def test_unicode_encodings_are_read_without_a_warning(encoding: str) -> None:
    assert decoded(GERMAN.encode(encoding)) == (GERMAN, ())


def test_a_byte_order_mark_is_no_text() -> None:
    assert decoded(codecs.BOM_UTF8 + b"id") == ("id", ())


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "Le café est fermé – “quoted”, naïve façade\n"),
        ("latin-1", GERMAN),
        ("cp1252", "Béjaïa est là\n"),
        ("gb18030", "标题,内容\n今天天气很好，我们去公园散步。\n"),
        ("big5", "這是一個測試文件，用於檢測編碼\n"),
        ("shift_jis", "これは日本語のテキストです。文字コードの検出\n"),
        ("euc-jp", "これは日本語のテキストです。文字コードの検出\n"),
        ("cp949", "한국어 텍스트 예제입니다. 인코딩 감지\n"),
        ("cp1251", "Привет, это русский текст для проверки кодировки\n"),
        ("koi8-r", "Привет, это русский текст для проверки кодировки\n"),
        ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy\n"),
        ("cp1253", "Αυτό είναι ένα ελληνικό κείμενο για δοκιμή\n"),
    ],
)
def test_older_encodings_are_guessed_and_told(encoding: str, text: str) -> None:
    found, warnings = decoded((text * 5).encode(encoding))
    assert found == text * 5
    assert "x.txt is not UTF-8; it was read as" in warnings[0]
    assert "which is a guess" in warnings[0]


def test_a_late_accent_in_a_long_file_is_found() -> None:
    data = b"plain line\n" * 200_000 + "Béjaïa, où l'été est chaud\n".encode("cp1252") * 3
    assert decoded(data)[0].endswith("Béjaïa, où l'été est chaud\n")


def test_one_broken_byte_does_not_change_the_encoding_of_a_long_text() -> None:
    text = "Übermäßig schöne Grüße aus Köln. " * 50
    data = text.encode("utf-8") + b"\xff" + text.encode("utf-8")
    found, warnings = decoded(data)
    assert found == f"{text}\ufffd{text}"
    assert warnings == ("x.txt is not valid utf-8 in 1 place; the characters were replaced by \ufffd.",)


def test_a_replacement_character_that_was_written_is_not_counted() -> None:
    assert decoded("37\ufffd36".encode())[1] == ()
    assert decoded("37\ufffd36".encode("utf-16"))[1] == ()


def test_a_declared_encoding_is_believed_when_it_fits() -> None:
    assert decoded("Привет".encode("koi8-r"), "koi8-r") == ("Привет", ())


@pytest.mark.parametrize("declared", ["no-such-codec", "hex", "zip", "ascii", "idna", "\x00"])
def test_a_declared_encoding_that_does_not_fit_is_passed_over(declared: str) -> None:
    assert "café" in decoded("un café très noir".encode("cp1252"), declared)[0]


@pytest.mark.parametrize("data", [b"\x00\x01\x02\x03" * 50, bytes(range(32)) * 10])
def test_binary_data_is_no_text(data: bytes) -> None:
    assert looks_binary(data)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-32", "cp1252"])
def test_text_is_not_binary(encoding: str) -> None:
    assert not looks_binary(GERMAN.encode(encoding))


@given(st.binary(max_size=300))
@settings(max_examples=200, deadline=None)
def test_any_bytes_become_text_that_can_be_stored(data: bytes) -> None:
    decoded(data)[0].encode("utf-8")


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=100),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
)
@settings(max_examples=200, deadline=None)
def test_unicode_round_trips(text: str, encoding: str) -> None:
    data = text.encode(encoding)
    if encoding == "utf-8" and text.startswith("\ufeff"):
        return
    assert decoded(data)[0] == text
