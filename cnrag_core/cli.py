"""The console command: ``cnrag build | search | traverse | reach | evaluate | export | config | check | serve``.

Enters: arguments. Leaves: tables on the terminal, or JSON with ``--json``; exit code 0 when it worked,
1 when the input was at fault (one sentence on stderr), 2 when the command line was.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from cnrag_core.errors import CNRagError

if TYPE_CHECKING:
    from cnrag_core.types import Progress
    from cnrag_core.workspace import Workspace

app = typer.Typer(
    name="cnrag",
    help="Turn a pile of documents into a graph that you explore, tune and question.\n\n"
    "Start with [bold]cnrag serve[/bold] for the dashboard, or [bold]cnrag build papers[/bold] to see a sample here.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
config_app = typer.Typer(help="Check, convert and explain configurations.", no_args_is_help=True)
app.add_typer(config_app, name="config")

Dialect: TypeAlias = Literal["components", "graph"]
Source = Annotated[
    str, typer.Argument(help="A corpus file or folder, a saved workspace (.cnrag), or a sample: papers, products, ...")
]
ConfigOption = Annotated[
    Path | None, typer.Option("--config", "-c", help="YAML that says how fields are compared; guessed where absent.")
]
ThresholdOption = Annotated[
    float | None, typer.Option("--threshold", "-t", min=0.0, max=1.0, help="Look at the graph at this threshold.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]


def main() -> None:
    """Entry point: bad input becomes one sentence on stderr and exit code 1."""
    try:
        app()
    except CNRagError as error:
        typer.secho(f"cnrag: {error}", fg="red", err=True)
        sys.exit(1)


@app.command()
def build(
    source: Source,
    config: ConfigOption = None,
    save: Annotated[Path | None, typer.Option("--save", "-o", help="Write the workspace to this .cnrag file.")] = None,
    threshold: ThresholdOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read documents, compare them, and show what hangs together."""
    workspace = _workspace(source, config, quiet=as_json)
    if save is not None:
        workspace.save(save)
    summary = workspace.at(threshold).summary()
    if as_json:
        _print_json(summary)
        return
    _print_pairs("Network", summary["figures"])
    _print_table(
        "Communities",
        ["#", "documents", "tags"],
        [[str(c["community"]), f"{c['size']:,}", ", ".join(c["tags"])] for c in summary["communities"]],
    )
    _print_table(
        "Bridges",
        ["document", "betweenness", "joins"],
        [[b["title"], f"{b['betweenness']:.4f}", ", ".join(map(str, b["communities"]))] for b in summary["bridges"]],
    )
    for warning in summary["warnings"]:
        typer.secho(f"note: {warning}", fg="yellow", err=True)
    if save is not None:
        typer.echo(f"Saved to {save}; open it with: cnrag serve {save}")


@app.command()
def search(
    source: Source,
    query: Annotated[str, typer.Argument(help="The question, in plain words; `tags:ml` narrows.")],
    config: ConfigOption = None,
    strategy: Annotated[
        list[str] | None, typer.Option("--strategy", "-s", help="Name of a strategy; repeat to compare several.")
    ] = None,
    n: Annotated[int, typer.Option("--top", "-n", min=1, max=1000, help="How many documents.")] = 10,
    as_json: JsonOption = False,
) -> None:
    """Find documents for a question, and say why each is there."""
    workspace = _workspace(source, config, quiet=as_json)
    network = workspace.network
    asked = network.search(query)
    rankings = [asked.with_strategy(name).top(n) for name in strategy] if strategy else [asked.top(n)]
    if as_json:
        _print_json([_ranking_record(workspace, ranking) for ranking in rankings])
        return
    for ranking in rankings:
        rows = [
            [
                str(rank),
                network.title(node.node_id),
                f"{node.score:.3f}",
                f"{node.similarity:.3f}",
                ", ".join(f"{name} +{value:.3f}" for name, value in node.boosts.items() if value),
                " ".join(node.matched_terms),
            ]
            for rank, node in enumerate(ranking, start=1)
        ]
        _print_table(
            f"{ranking.strategy}  ({ranking.seconds * 1000:.0f} ms)  {ranking.reason}",
            ["", "document", "score", "similarity", "boosts", "matched"],
            rows,
        )


@app.command()
def serve(
    source: Annotated[str | None, typer.Argument(help="A saved workspace or a sample to open first.")] = None,
    port: Annotated[int, typer.Option(help="Port on this machine.")] = 8501,
    address: Annotated[
        str, typer.Option(help="Interface to listen on; the default is this machine only.")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option(help="Open a browser window.")] = True,
) -> None:
    """Open the dashboard in a browser."""
    import runpy

    from cnrag_core.installation import dashboard_folder

    folder = dashboard_folder()
    if source is not None:
        os.environ["CNRAG_OPEN"] = source if not Path(source).exists() else str(Path(source).resolve())
    os.chdir(folder)  # Streamlit reads .streamlit/config.toml from the working directory
    sys.argv = [
        "streamlit", "run", "app.py",
        "--server.port", str(port), "--server.address", address, "--server.headless", str(not browser).lower(),
    ]  # fmt: skip
    runpy.run_module("streamlit", run_name="__main__")


@config_app.command("check")
def config_check(path: Annotated[Path, typer.Argument(help="YAML file.")]) -> None:
    """Say everything that is wrong with a configuration, or show its weights."""
    from cnrag_core.config.loader import load_config

    config = load_config(path)
    _print_pairs("Weights", {name: f"{share:.1%}" for name, share in config.normalized_weights.items()})
    for note in config.notes:
        typer.secho(f"note: {note}", fg="yellow", err=True)
    typer.echo("The configuration is valid.")


@config_app.command("convert")
def config_convert(
    path: Annotated[Path, typer.Argument(help="YAML file in either dialect.")],
    to: Annotated[Dialect, typer.Option("--to", help="The dialect to write.")] = "components",
) -> None:
    """Rewrite a configuration in the other dialect; the graphs are identical."""
    from cnrag_core.config.loader import load_config, to_yaml

    typer.echo(to_yaml(load_config(path), dialect=to), nl=False)


@config_app.command("reference")
def config_reference() -> None:
    """Print every key of both dialects with its type, default and meaning."""
    from cnrag_core.config.reference import reference_markdown

    typer.echo(reference_markdown(), nl=False)


@config_app.command("guess")
def config_guess(source: Source) -> None:
    """Print a configuration to start from, guessed from the fields of a corpus."""
    from cnrag_core.config.infer import infer_config
    from cnrag_core.config.loader import to_yaml
    from cnrag_core.corpus.readers import read_corpus

    typer.echo(to_yaml(infer_config(read_corpus(Path(source)))), nl=False)


@app.command()
def check(database: Annotated[Path, typer.Argument(help="A database written by cnrag.")]) -> None:
    """Look for damage in a database and name what is found."""
    from cnrag_core.storage.check import check_database

    findings = check_database(database)
    for finding in findings:
        typer.secho(f"damage: {finding}", fg="red", err=True)
    if findings:
        raise typer.Exit(1)
    typer.echo(f"{database}: no damage found.")


def _workspace(source: str, config: Path | None, *, quiet: bool = False) -> Workspace:
    """A workspace from a sample's name, a saved file, or a corpus with or without a configuration."""
    from cnrag_core.workspace import Workspace

    with _progress(quiet) as progress:
        return Workspace.of_source(source, config, progress=progress)


@contextmanager
def _progress(quiet: bool) -> Iterator[Progress]:
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


def _ranking_record(workspace: Workspace, ranking: Any) -> dict[str, Any]:
    return {
        "query": ranking.query,
        "strategy": ranking.strategy,
        "reason": ranking.reason,
        "results": [
            {
                "rank": rank,
                "id": node.node_id,
                "title": workspace.network.title(node.node_id),
                "score": node.score,
                "similarity": node.similarity,
                "base_rank": node.base_rank,
                "boosts": dict(node.boosts),
                "matched_terms": list(node.matched_terms),
                "path": [vars(step) for step in node.path],
            }
            for rank, node in enumerate(ranking, start=1)
        ],
    }


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def _print_pairs(title: str, pairs: dict[str, Any]) -> None:
    _print_table(title, ["", ""], [[name, str(value)] for name, value in pairs.items()])


def _print_table(title: str, columns: list[str], rows: list[list[str]]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=escape(title), title_justify="left", header_style="bold", box=None, pad_edge=False)
    for column in columns:
        table.add_column(escape(column), overflow="fold")
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    Console().print(table)
    typer.echo()


if __name__ == "__main__":
    main()
