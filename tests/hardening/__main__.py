"""Every test of this folder with its full counts, in the order of their numbers.

::

    python -m tests.hardening                # everything
    python -m tests.hardening -k "t1 or t4"  # options go to pytest
    CNRAG_SEED=7 python -m tests.hardening   # other random numbers
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def main() -> int:
    os.environ["CNRAG_FULL"] = "1"  # before the first module asks for it
    os.environ.setdefault("CNRAG_REQUIRE_BROWSER", "1")
    numbered = sorted(HERE.glob("test_t[0-9]*.py"))
    others = sorted(set(HERE.glob("test_*.py")) - set(numbered))
    os.chdir(HERE.parents[1])
    no_timeout = ["-o", "timeout=0"]  # full counts take as long as they take
    return int(pytest.main(["-s", *no_timeout, *sys.argv[1:], *map(str, numbered + others)]))


if __name__ == "__main__":
    sys.exit(main())
