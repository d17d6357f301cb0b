"""The frame of the tests: the same seed gives the same numbers, and sums are sums."""

from __future__ import annotations

import pytest

from tests.hardening import campaign
from tests.hardening.campaign import Line


def test_random_numbers_depend_on_the_seed_and_the_test_alone() -> None:
    first = campaign.random_of("T1").random()
    campaign.random_of("T2").random()
    assert campaign.random_of("T1").random() == first
    assert campaign.random_of("T2").random() != first


def test_the_summary_sums_what_was_survived_and_what_was_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        Line("T1", 99, 100, "1 lost", "faults", 1),
        Line("T2", 30, 30, "", "faults", 0),
        Line("T6", 10, 10, "", "sessions", 0),
    ]
    monkeypatch.setattr(campaign, "LINES", lines)
    *shown, sums = campaign.summary()
    assert shown[0].startswith("T1: 99/100, 1 lost (seed ")
    assert sums.startswith("faults survived / injected 129 / 130; documents lost 1; bad inputs handled / tried 0 / 0;")
    assert "sessions ok / tried 10 / 10" in sums
