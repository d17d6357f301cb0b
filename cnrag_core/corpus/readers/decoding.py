"""From bytes to text: byte order marks, UTF-8, declared encodings, and an honest guess.

A guess is told to the person. What cannot be decoded is replaced and counted, never dropped silently.
"""

from __future__ import annotations

import codecs
import re

from cnrag_core.corpus.limits import MEGABYTE
from cnrag_core.corpus.report import Report
from cnrag_core.corpus.wording import count

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_COMMON = (
    *("cp1252", "iso8859_15", "cp1250", "iso8859_2", "cp1251", "koi8_r", "iso8859_5", "cp866", "cp1253", "cp1254"),
    *("cp1255", "cp1256", "cp1257", "cp1258", "gb18030", "big5", "cp932", "euc_jp", "cp949", "euc_kr", "cp874"),
)
_WESTERN = frozenset(
    "àâäáãåæçéèêëíìîïñóòôöõøœúùûüýÿßšž" + "ÀÂÄÁÃÅÆÇÉÈÊËÍÌÎÏÑÓÒÔÖÕØŒÚÙÛÜÝŠŽ" + "“”‘’„‚–—…€£§°«»©®™·¿¡ºª\u00a0"
)
FEW = 200
"""Bytes of text below which the statistics of an encoding mean nothing."""

_SAMPLE_BYTES = 64 * 1024
_MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_NO_TEXT = re.compile(r"idna|puny|.*escape|undefined|utf[-_]?7", re.IGNORECASE)
"""Python calls these encodings too; they are ways to write names and program text, and slow on long ones."""

_HIGH = re.compile(rb"[\x80-\xff]")
_HIGH_BYTES = bytes(range(0x80, 0x100))


_LEAST_PLAIN = 16
_PRINTABLE = bytes([*b"\t\n\r\f", *range(0x20, 0x7F)])


def decode(data: bytes, name: str, report: Report, *, declared: str | None = None) -> str:
    """The text of a file.

    Tried in this order: a byte order mark, UTF-8, UTF-16 without a mark, UTF-8 with a few broken places,
    the encoding that the file declares, and what charset-normalizer finds likely, with a preference for
    Windows-1252 where several fit equally well.

    Parameters
    ----------
    data, name
        The bytes of the file, and its label.
    report
        Told when the encoding was guessed or characters were replaced.
    declared
        Encoding that the format itself names (HTML, XML).
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            rest = data[len(mark) :]
            if encoding == "utf-8" or _is_plain(rest):
                data = rest  # what follows the mark may be something else all the same
                break
            return _replacing(rest, encoding, name, report)
    wide = _wide_encoding(data)
    if wide is not None:
        return _replacing(data, wide, name, report)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    head = data[: 4 * MEGABYTE]
    broken, n_good = _MULTIBYTE.subn(b"", head)
    n_broken = len(broken) - len(broken.translate(None, _HIGH_BYTES))
    if n_good >= 20 * n_broken:
        return _replacing(data, "utf-8", name, report)
    if declared is not None and (text := _strict(data, declared)) is not None:
        return text
    encoding = _guess(data)
    report.warn(f"{name} is not UTF-8; it was read as {encoding}, which is a guess.")
    return _replacing(data, encoding, name, report)


def _is_plain(data: bytes) -> bool:
    """Whether bytes behind a mark of two-byte text are plain ASCII all the same: no such text has so many in a row."""
    return len(data) >= _LEAST_PLAIN and data.isascii() and not data.translate(None, _PRINTABLE)


def looks_binary(data: bytes) -> bool:
    """Whether the beginning of a file is no text in any encoding that this module reads."""
    head = data[:4096]
    encoding = next((name for mark, name in _MARKS if head.startswith(mark)), None) or _wide_encoding(head)
    text = head.decode(encoding or "latin-1", errors="replace")
    controls = sum(character < " " and character not in "\t\n\r\f\x1b" for character in text)
    return controls > max(8, 0.1 * len(text)) or ("\x00" in text and controls > 3)


def _wide_encoding(data: bytes) -> str | None:
    """UTF-16 without a mark: every other byte of most Western text is NUL."""
    head = data[:4096]
    if len(head) < 4:
        return None
    even, odd = head[::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    if odd > 0.4 * half and even <= 0.02 * half:
        return "utf-16-le"
    if even > 0.4 * half and odd <= 0.02 * half:
        return "utf-16-be"
    return None


def _strict(data: bytes, encoding: str) -> str | None:
    if _NO_TEXT.match(encoding):
        return None
    try:
        return data.decode(encoding)
    except (LookupError, UnicodeError, ValueError):
        # a declared encoding may be unknown, wrong, or no text encoding at all
        return None


def _replacing(data: bytes, encoding: str, name: str, report: Report) -> str:
    text = data.decode(encoding, errors="replace")
    replaced = text.count("\ufffd")
    if replaced:
        written = data.count("\ufffd".encode(encoding)) if encoding.startswith("utf") else 0
        if replaced > written:
            places = count(replaced - written, "place")
            report.warn(f"{name} is not valid {encoding} in {places}; the characters were replaced by \ufffd.")
    return text


def _is_western(sample: bytes) -> bool:
    """Whether the text makes sense as Windows-1252: Latin letters with some accents among them."""
    text = _strict(sample, "cp1252") or ""
    high = [character for character in text if not character.isascii()]
    letters = sum(character.isalpha() for character in text)
    return bool(high) and all(character in _WESTERN for character in high) and 2 * len(high) <= letters


def _guess(data: bytes) -> str:
    """The likeliest encoding of a sample of lines that hold anything but ASCII."""
    from charset_normalizer import from_bytes

    first = _HIGH.search(data)
    start = max(0, first.start() - 1000) if first else 0
    lines = data[start : start + 16 * _SAMPLE_BYTES].split(b"\n")
    sample = b"\n".join(line for line in lines if not line.isascii())[:_SAMPLE_BYTES]
    western = _is_western(sample)
    if western and len(sample) < FEW:
        return "cp1252"
    matches = from_bytes(sample, cp_isolation=list(_COMMON))
    if not len(matches):
        return "cp1252"
    best = matches[0]
    for match in matches if western else ():
        same = {match.encoding, *match.could_be_from_charset}
        if "cp1252" in same and match.chaos <= best.chaos + 0.02 and match.coherence >= best.coherence - 0.1:
            return "cp1252"
    return str(best.encoding)
