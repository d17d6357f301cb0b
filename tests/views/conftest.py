from __future__ import annotations

import pytest

from cnrag_core.network import Network
from tests.views.network_of_tags import network_of_tags


@pytest.fixture(scope="session")
def network() -> Network:
    """Two triangles a1 a2 a3 and b1 b2 b3, joined by a3 and b3; c1 is linked to nothing."""
    return network_of_tags()
