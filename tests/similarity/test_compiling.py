"""Compiled loops work where nothing may be written beside them."""

from __future__ import annotations

from typing import Any

import pytest

from cnrag_core.similarity import compiling


def test_an_installation_that_is_read_only_compiles_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[dict[str, Any]] = []

    def njit(**options: Any) -> Any:
        def decorate(function: Any) -> Any:
            tried.append(options)
            if options.get("cache"):
                raise RuntimeError("cannot cache function: no locator available")
            return function

        return decorate

    monkeypatch.setattr(compiling, "njit", njit)
    twice = compiling.compiled(lambda x: 2 * x)
    assert twice(4) == 8
    assert tried == [{"cache": True, "nogil": True}, {"nogil": True}]
