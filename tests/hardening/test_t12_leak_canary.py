"""T12: ten visitors each load a corpus with a word of their own, and nobody receives another's.

Every byte of every message and of every download is looked at, and so are the log and the output of the server.
"""

from __future__ import annotations

import json
from typing import Any

from tests.hardening.campaign import IS_FULL, count, random_of, report
from tests.hardening.visitors import Served, Visitor, together

N_VISITORS = count(10, 4)
ALL_PAGES = ["Network", "Threshold", "Communities", "Similarity", "Search", "Traversal", "Chunks", "Export"]
PAGES = ALL_PAGES if IS_FULL else ["Network", "Search", "Export"]
DOWNLOADS = ["get_documents.csv", "get_edges.csv", "get_network.json", "get_network.html", "get_workspace.cnrag"]
LETTERS = "bcdfghjklmnpqrstvwxz"


def canary(number: int) -> str:
    """A word of 16 letters that occurs nowhere else."""
    return "".join(random_of(f"T12 {number}").choices(LETTERS, k=16))


def corpus(word: str) -> bytes:
    topics = ["coral reefs in warm seas", "bond yields and inflation", "protein folding in cells"]
    records = [
        {"id": f"{word}-{i}", "title": f"{word} {topics[i % 3]} {i}", "text": f"{topics[i % 3]} {word} number {i}",
         "tags": [word, topics[i % 3].split()[0]]}
        for i in range(60)
    ]  # fmt: skip
    return "\n".join(map(json.dumps, records)).encode()


def visit(server: Served, word: str) -> tuple[list[bytes], int]:
    """Load, build, look at every page, download; all bytes received, and how often the own word was in a message."""
    with Visitor(server, sample="larkspur") as visitor:
        visitor.keep = True
        assert visitor.run("", seconds=120).ok
        assert visitor.set("source", "My own documents", seconds=120).ok
        broken = visitor.upload(
            "corpus_file", f"{word}.jsonl", corpus(word) + b'\n{"id": "x", "title": ' + word.encode()
        )
        assert broken.errors, "a broken file made no error"
        assert visitor.upload("corpus_file", f"{word}.jsonl", corpus(word), seconds=120).ok
        [button] = [key for key in visitor.elements if key.startswith("build_")]
        visitor.press(button, seconds=120)
        assert visitor.wait_for("^60 documents ·", 120), visitor.texts
        for page in PAGES:
            run = visitor.run(page, seconds=120, q=f"{word} coral", doc=f"{word}-0")
            assert run.ok, (page, run)
            if page == "Export":
                files = [visitor.download(key) for key in DOWNLOADS]
        assert all(word.encode() in data for data in files if not data.startswith(b"PK"))
        return [*visitor.received, *files], sum(word.encode() in data for data in visitor.received)


def test_t12_nobody_receives_a_word_of_anybody_else(served: Served) -> None:
    words = [canary(number) for number in range(N_VISITORS)]
    results: list[tuple[list[bytes], Any]] = together([lambda word=word: visit(served, word) for word in words])
    foreign = sum(
        other.encode() in data
        for word, (received, _) in zip(words, results, strict=True)
        for data in received
        for other in words
        if other != word
    )
    logs = served.all_logs()
    logged = sum(word in logs for word in words)
    n_bytes = sum(len(data) for received, _ in results for data in received)
    clean = N_VISITORS - int(bool(foreign))
    report(
        "T12", clean, N_VISITORS,
        f"{foreign} foreign words in {n_bytes / 1e6:.1f} MB of {sum(len(r) for r, _ in results):,} messages and "
        f"downloads, {logged} in the log; own words in {sum(own for _, own in results):,} messages",
        score="sessions",
    )  # fmt: skip
    assert all(own > 10 for _, own in results), "the own words were not seen: the test looks at the wrong bytes"
    assert foreign == 0
    assert logged == 0


def test_b26_another_session_finds_nothing_by_hash_path_or_question(served: Served) -> None:
    word = canary(99)
    data = corpus(word)
    with Visitor(served, sample="larkspur") as owner, Visitor(served) as other:
        assert owner.run("", seconds=120).ok
        owner.set("source", "My own documents", seconds=120)
        owner.upload("corpus_file", f"{word}.jsonl", data, seconds=120)
        [button] = [key for key in owner.elements if key.startswith("build_")]
        owner.press(button, seconds=120)
        assert owner.wait_for("^60 documents ·", 120)
        owner.keep = True
        owner.run("Export", seconds=120)
        known = owner.received
        other.keep = True
        guesses: list[dict[str, str]] = [
            {"sample": f"{word}.jsonl"},
            {"sample": "../" * 8 + "etc/passwd"},
            {"sample": "/tmp", "doc": f"{word}-0"},
            {"own": "A" * 32},
            {"own": "../" * 10 + "0" * 2},
            {"workspace": word, "q": "coral", "doc": f"{word}-0"},
        ]
        for guess in guesses:
            for page in ("", "Search"):
                run = other.run(page, seconds=120, **guess)
                assert not run.exceptions, run
        asked = {value for guess in guesses for value in guess.values() if word in value}
        titles = f"{word} coral reefs in warm seas".encode()
        assert asked
        assert any(titles in message for message in known) or owner.download("get_documents.csv").count(titles) > 0
        assert not any(titles in message for message in other.received)
    report("B26", 1, 1, f"{len(guesses)} guesses found nothing", score="faults")
