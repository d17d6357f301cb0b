"""A chat that WhatsApp exported as text: one document a conversation, until nobody writes for some hours.

Enters: lines such as ``12/03/21, 10:15 - Anna: text`` (Android) or ``[12.03.21, 10:15:03] Anna: text`` (iPhone).
Leaves: records with `messages` as ``{role, content}``, as other chats have. Lines of the app itself (who joined,
encryption) and pictures that were left out are counted, not read; what was written below a picture is read. Day and
month are told apart by the whole file.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from cnrag_core.corpus.readers.passages import first_words
from cnrag_core.corpus.readers.source import Source
from cnrag_core.corpus.records import Record
from cnrag_core.corpus.wording import count

PAUSE = datetime.timedelta(hours=6)
"""Where nobody writes for so long, a conversation ends."""

_MARKS = "\u200e\u200f\u202a\u202c\ufeff"
_BLANKS = _MARKS + " \u00a0\u202f"
_BLANK = "[ \u00a0\u202f]"
_HEAD = re.compile(
    rf"[{_MARKS}]*+(?P<open>\[)?(?P<a>\d{{1,4}})(?P<sign>[./-])(?P<b>\d{{1,2}})(?P=sign)(?P<c>\d{{1,4}})(?P<comma>,)?"
    rf"{_BLANK}(?P<hour>\d{{1,2}})[:.](?P<minute>\d{{2}})(?:[:.](?P<second>\d{{2}}))?"
    rf"(?:{_BLANK}?(?P<half>[AaPp])\.?{_BLANK}?[Mm]\.?)?(?(open)\]|{_BLANK}[-–])[ ](?P<rest>.*)"
)
_SAID = re.compile(rf"[{_MARKS}]*+(?P<sender>[^:“”\"«»\n]{{1,100}}?):(?: (?P<text>.*)|$)")
_MEDIA = re.compile(rf"[{_MARKS}]*+(?:<[^<>\n]{{3,60}}>|\S{{1,80}}-WA\d{{4}}\.\w{{2,5}} \([^()\n]{{3,40}}\))")
_EDITED = re.compile(r" ?\u200e<[^<>\n]{3,60}>$")
_OF_PROGRAMS = frozenset({"trace", "debug", "info", "notice", "warn", "warning", "error", "fatal", "critical"})
"""What stands in place of the sender in the log of a program."""


class _Message(NamedTuple):
    date: tuple[int, int, int]
    clock: tuple[int, int]
    sender: str
    lines: list[str]


def is_chat(sample: str) -> bool:
    """Whether the beginning of a text is such a chat; ordinary text and logs of programs are not.

    The first line and half of all lines must begin like messages, and there must be two people or three messages;
    three of one sender do not do where a date is written as 2021-03-12, which is how programs write it.
    """
    heads = [_head(line) for line in sample.splitlines() if line.strip()]
    if not heads or heads[0] is None or 2 * sum(head is not None for head in heads) < len(heads):
        return False
    said = [found["sender"] for head in heads if head is not None and (found := _SAID.match(head["rest"]))]
    is_log = any(sender.strip().casefold() in _OF_PROGRAMS for sender in said)
    is_log |= len(set(said)) == 1 and len(heads[0]["a"]) == 4 and heads[0]["sign"] == "-"
    return not is_log and (len(said) >= 3 or len(set(said)) >= 2)


def read(source: Source) -> Iterator[Record]:
    """The conversations of the chat, or all of it where `split` is ``whole``."""
    messages, n_left_out = _messages(source.text())
    times = _times(messages, source)
    starts = _starts(times) if source.split != "whole" else [0] if messages else []
    base = source.name.rpartition(".")[0] or source.name
    for number, (start, end) in enumerate(pairwise([*starts, len(messages)]), start=1):
        said, begun = messages[start:end], times[start]
        record = {
            "id": f"{base}-{number:04d}",
            "title": first_words(said[0].lines[0]),
            "date": None if begun is None else begun.isoformat(timespec="minutes"),
            "people": list(dict.fromkeys(message.sender for message in said)),
            "messages": [{"role": message.sender, "content": "\n".join(message.lines).rstrip()} for message in said],
            "turns": len(said),
        }
        yield Record(record, row=number, unit="conversation")
    source.report.warn(
        f"{source.name} is a WhatsApp chat: {count(len(messages), 'message')} in "
        f"{count(len(starts), 'conversation')}, cut where nobody wrote for {PAUSE.seconds // 3600} hours; left out: "
        f"{count(n_left_out, 'notice, picture or file', 'notices, pictures and files')}."
    )


def _head(line: str) -> re.Match[str] | None:
    """The date and time that a message begins with."""
    found = _HEAD.match(line)
    # without a comma only messages of Android are written so; logs of programs have seconds or brackets
    if found is None or (found["comma"] is None and (found["open"] or found["second"])):
        return None
    digits = len(found["a"]), len(found["c"])
    is_date = (digits[0] <= 2 and digits[1] in (2, 4)) or (digits[0] == 4 and digits[1] <= 2)
    return found if is_date and int(found["hour"]) < 24 and int(found["minute"]) < 60 else None


def _messages(text: str) -> tuple[list[_Message], int]:
    """What people said, and how many notices, pictures and other files are left out."""
    messages: list[_Message] = []
    n_left_out = 0
    current: list[str] | None = None  # to which further lines belong; None behind what is left out
    for line in text.splitlines():
        if (head := _head(line)) is None:
            if current is not None:
                current.append(line.rstrip())
            continue
        said = _SAID.match(head["rest"])
        content = "" if said is None else _EDITED.sub("", said["text"] or "").rstrip()
        is_media = not content.strip(_BLANKS) or _MEDIA.fullmatch(content) is not None
        # the app speaks without a sender, or begins its own words with a mark
        if said is None or (content.startswith("\u200e") and not is_media):
            current, n_left_out = None, n_left_out + 1
            continue
        if is_media:
            n_left_out += 1
        date, hour = (int(head["a"]), int(head["b"]), int(head["c"])), int(head["hour"])
        hour = hour % 12 + 12 * (head["half"] in "Pp") if head["half"] else hour
        current = [] if is_media else [content.strip(_BLANKS)]  # below a picture stands what was written about it
        messages.append(_Message(date, (hour, int(head["minute"])), said["sender"].strip(_BLANKS + "~"), current))
    return [message for message in messages if _trimmed(message.lines)], n_left_out


def _trimmed(lines: list[str]) -> list[str]:
    """The lines, from which the empty ones before the first word were taken."""
    first = next((n for n, line in enumerate(lines) if line.strip(_BLANKS)), len(lines))
    del lines[:first]
    return lines


def _times(messages: Sequence[_Message], source: Source) -> list[datetime.datetime | None]:
    """When each message was sent, None where no date can be made of it.

    Day or month stands first: whichever gives more dates, or else lets time run back less often.
    """
    read = {order: [_time(message, order) for message in messages] for order in ((2, 1, 0), (2, 0, 1))}
    ranks = {
        order: (times.count(None), sum(later < earlier for earlier, later in pairwise(filter(None, times))))
        for order, times in read.items()
    }
    (day_first, month_first) = read
    differ = any(message.date[0] < 1000 and message.date[0] != message.date[1] for message in messages)
    if differ and ranks[day_first] == ranks[month_first]:
        source.report.warn(f"{source.name}: day and month cannot be told apart; dates were read as day, month, year.")
    return read[month_first] if ranks[month_first] < ranks[day_first] else read[day_first]


def _time(message: _Message, order: tuple[int, int, int]) -> datetime.datetime | None:
    written = message.date
    year, month, day = written if written[0] > 1000 else (written[place] for place in order)
    try:
        return datetime.datetime(year + 2000 if year < 100 else year, month, day, *message.clock)
    except ValueError:
        return None


def _starts(times: Sequence[datetime.datetime | None]) -> list[int]:
    """Numbers of the messages before which nobody wrote for `PAUSE` or more, the first one among them."""
    starts: list[int] = []
    last: datetime.datetime | None = None
    for number, time in enumerate(times):
        if not starts or (time is not None and last is not None and time - last >= PAUSE):
            starts.append(number)
        last = time or last
    return starts
