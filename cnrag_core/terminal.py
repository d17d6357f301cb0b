"""What commands show on a terminal: tables, JSON, and a bar while something takes long."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from cnrag_core.types import Progress


@contextmanager
def progress_bar(quiet: bool = False) -> Iterator[Progress]:
    """A bar on stderr with the step, its share and the time left; nothing where nobody watches."""
    from cnrag_core.types import silent

    if quiet or not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def report(step: str, share: float) -> None:
            if step not in tasks:
                tasks[step] = bars.add_task(step, total=1.0)
            bars.update(tasks[step], completed=share)

        yield report


def print_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def print_pairs(title: str, pairs: dict[str, Any]) -> None:
    print_table(title, ["", ""], [[name, str(value)] for name, value in pairs.items()])


def print_table(title: str, columns: list[str], rows: list[list[str]]) -> None:
    """A table whose numbers stand below each other; one line where it has no row."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    if not rows:
        typer.echo(f"{title}\n" if title.endswith(".") else f"{title}: none\n")  # a sentence says why itself
        return
    table = Table(title=escape(title), title_justify="left", header_style="bold", box=None, pad_edge=False)
    for place, column in enumerate(columns):
        numbers = all(_is_number(row[place]) for row in rows)
        table.add_column(escape(column), overflow="fold", justify="right" if numbers else "left")
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    Console().print(table)
    typer.echo()


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace(",", "").removesuffix("%") or 0)
    except ValueError:
        return False
    return True
