"""Where the parts outside the package are: the dashboard and the sample corpora.

In a checkout they lie beside the package; an installed wheel puts them under ``share/cnrag``.
"""

from __future__ import annotations

import sysconfig
from pathlib import Path

from cnrag_core.errors import CNRagError

_PACKAGE = Path(__file__).resolve().parent


def installed(name: str) -> Path | None:
    """A file or folder of the product by its name, or None where it was not installed."""
    roots = (_PACKAGE.parent, Path(sysconfig.get_path("data")) / "share" / "cnrag")
    return next((root / name for root in roots if (root / name).exists()), None)


def dashboard_folder() -> Path:
    """The folder of ``app.py``, its pages and its settings.

    Raises
    ------
    CNRagError
        If the dashboard was not installed.
    """
    app = installed("app.py")
    if app is None:
        raise CNRagError("The dashboard is not installed with this copy of cnrag; install it with: pip install cnrag")
    return app.parent
