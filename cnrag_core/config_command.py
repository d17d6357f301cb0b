"""The console command ``cnrag config``: check, convert, guess and explain configurations."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from cnrag_core.terminal import print_pairs

config_app = typer.Typer(help="Check, convert and explain configurations.", no_args_is_help=True)

Dialect: TypeAlias = Literal["components", "graph"]


@config_app.command("check")
def config_check(path: Annotated[Path, typer.Argument(help="YAML file.")]) -> None:
    """Say everything that is wrong with a configuration, or show its weights."""
    from cnrag_core.config.dialect import weight_notes
    from cnrag_core.file_kinds import load_config_file

    config = load_config_file(path)
    print_pairs("Weights", {name: f"{share:.1%}" for name, share in config.normalized_weights.items()})
    for note in (*config.notes, *weight_notes(config.components)):
        typer.secho(f"note: {note}", fg="yellow", err=True)
    typer.echo("The configuration is valid.")


@config_app.command("convert")
def config_convert(
    path: Annotated[Path, typer.Argument(help="YAML file in either dialect.")],
    to: Annotated[Dialect | None, typer.Option("--to", help="The dialect to write; the other one if absent.")] = None,
) -> None:
    """Rewrite a configuration in the other dialect; the graphs are identical."""
    from cnrag_core.config.loader import dialect_in, to_yaml
    from cnrag_core.file_kinds import load_config_file

    config = load_config_file(path)
    other: Dialect = "components" if dialect_in(path) == "graph" else "graph"
    typer.echo(to_yaml(config, dialect=to or other), nl=False)


@config_app.command("reference")
def config_reference() -> None:
    """Print every key of both dialects with its type, default and meaning."""
    from cnrag_core.config.reference import reference_markdown

    typer.echo(reference_markdown(), nl=False)


@config_app.command("guess")
def config_guess(
    source: Annotated[str, typer.Argument(help="A corpus file or folder, or a sample: papers, products, ...")],
) -> None:
    """Print a configuration to start from, guessed from the fields of a corpus."""
    from cnrag_core.config.infer import infer_config
    from cnrag_core.config.loader import to_yaml
    from cnrag_core.corpus.readers import read_corpus
    from cnrag_core.corpus.samples import load_sample
    from cnrag_core.errors import CorpusError
    from cnrag_core.file_kinds import check_source, kind_of_file

    check_source(source)
    kind, _ = kind_of_file(Path(source))
    if kind == "workspace":
        raise CorpusError(
            f"{source} is a saved workspace, which holds its configuration; "
            f"`cnrag export {source} config.yaml` writes it."
        )
    is_sample = kind == "sample"
    # an id that occurs twice does not change what a field is
    corpus = load_sample(source).corpus if is_sample else read_corpus(Path(source), keep_duplicates=True)
    typer.echo(to_yaml(infer_config(corpus)), nl=False)
