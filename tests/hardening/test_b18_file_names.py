"""The name that an uploader gave is a label: never a path, never long, never code."""

from __future__ import annotations

import builtins
import os
from typing import Any

import pytest

from cnrag_core.corpus.readers import read_bytes
from cnrag_core.errors import CorpusError

CSV = b"id,title\na,One\n"
NAMES = {
    "../../etc/evil.csv": "evil.csv",
    "C:\\x\\y.csv": "y.csv",
    "\\\\server\\share\\z.csv": "z.csv",
    "/etc/passwd": "passwd",
    "a\x00.csv": "a.csv",
    "<img src=x onerror=alert(1)>.csv": "<img src=x onerror=alert(1)>.csv",
    "x" * 4_000 + ".csv": "x" * 79 + "…",
    "..": "..",
    "": "file",
    "/": "file",
    "\u202efdp.csv": "fdp.csv",
    "a\n\r\t\x1b[31m.csv": "a[31m.csv",
    "con.csv": "con.csv",
    "a.exe:$x.csv": "a.exe:$x.csv",
    ".hidden": ".hidden",
}


@pytest.mark.parametrize("name", NAMES)
def test_b18_a_name_is_shown_as_a_short_label_and_never_opened(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read_bytes(CSV, "warm.csv")

    def refuse(*arguments: Any, **_: Any) -> None:
        raise AssertionError(f"something was opened: {arguments}")

    with monkeypatch.context() as patched:
        for module, function in ((builtins, "open"), (os, "open"), (os, "stat"), (os, "listdir")):
            patched.setattr(module, function, refuse)
        corpus = read_bytes(CSV, name)
        with pytest.raises(CorpusError) as caught:
            read_bytes(b"", name)
    assert corpus["a"].provenance.file == NAMES[name]
    assert str(caught.value) == f"{NAMES[name]} is empty."
    assert len(corpus.name) <= 80
