"""``cnrag serve`` and ``cnrag health``: the dashboard for a browser, and whether a running one is well.

Enters: where to listen and under which names people come. Leaves: a server that runs until it is told to
stop; or a report and an exit code that a monitor understands.
"""

from __future__ import annotations

import json
import os
import re
import runpy
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Annotated

import typer

from cnrag_core.errors import CNRagError, ConfigError

_HOST_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")
ANSWER_SECONDS = 10.0

NameOption = Annotated[
    list[str] | None,
    typer.Option("--name", help="Host name under which people reach it, for example behind a proxy; repeat for more."),
]


def serve(
    source: Annotated[str | None, typer.Argument(help="A saved workspace or a sample to open first.")] = None,
    port: Annotated[int, typer.Option(min=1, max=65_535, help="Port on this machine.")] = 8501,
    address: Annotated[
        str, typer.Option(help="Interface to listen on; the default is this machine only.")
    ] = "127.0.0.1",
    name: NameOption = None,
    log: Annotated[Path | None, typer.Option("--log", help="Append events to this file instead of stderr.")] = None,
    browser: Annotated[bool, typer.Option(help="Open a browser window.")] = True,
) -> None:
    """Open the dashboard in a browser."""
    from cnrag_core.installation import dashboard_folder
    from cnrag_core.limits import server_limits

    server_limits()  # a wrong variable is said now, not to the first visitor
    names = name or []
    for given in names:
        if not _HOST_NAME.fullmatch(given):
            raise ConfigError(f"--name: {given[:80]!r} is no host name; give it without scheme, port and path.")
    if log is not None and not log.resolve().parent.is_dir():
        raise ConfigError(f"--log: the folder {log.resolve().parent} does not exist.")
    if source is not None:
        from cnrag_core.file_kinds import check_source

        check_source(source)
        os.environ["CNRAG_OPEN"] = source if not Path(source).exists() else str(Path(source).resolve())
    script = dashboard_folder() / "pages" / "shared" / "serving.py"
    sys.argv = [str(script), str(port), address, "1" if browser else "0", str(log.resolve()) if log else "", *names]
    runpy.run_path(str(script), run_name="__main__")


def health(
    url: Annotated[str, typer.Option(help="Where the dashboard listens on this machine.")] = "http://127.0.0.1:8501",
) -> None:
    """Ask a running dashboard how it is: a report as JSON, exit code 0 where it is well and 1 where not."""
    if not url.startswith(("http://", "https://")):
        raise ConfigError(f"--url: {url[:80]!r} should begin with http:// or https://.")
    try:
        with urllib.request.urlopen(url.rstrip("/") + "/health", timeout=ANSWER_SECONDS) as answer:
            report = json.loads(answer.read(1_000_000))
    except urllib.error.HTTPError as error:
        with error:
            report = _report_of(error.read(1_000_000), url)
    except (OSError, ValueError):
        raise CNRagError(f"Nothing that answers like cnrag listens at {url}.") from None
    typer.echo(json.dumps(report, indent=2))
    if report.get("status") != "ok":
        raise typer.Exit(1)


def _report_of(body: bytes, url: str) -> dict[str, object]:
    try:
        report = json.loads(body)
    except ValueError:
        report = None
    if not isinstance(report, dict):
        raise CNRagError(f"Nothing that answers like cnrag listens at {url}.")
    return report
