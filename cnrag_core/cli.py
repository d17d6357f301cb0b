"""The console command: ``cnrag build | search | traverse | reach | evaluate | export | check``, with ``serve | health``
from `serve_command` and ``config`` from `config_command`.

Enters: arguments. Leaves: tables on the terminal, or JSON with ``--json``; exit code 0 when it worked,
1 when the input was at fault (one sentence on stderr), 2 when the command line was.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from cnrag_core.config_command import config_app
from cnrag_core.errors import CNRagError, ConfigError, memory_named
from cnrag_core.serve_command import health, serve
from cnrag_core.terminal import print_json, print_pairs, print_table, progress_bar

if TYPE_CHECKING:
    from cnrag_core.evaluation.judgements import JudgedQuery
    from cnrag_core.traversal.budget import Budget
    from cnrag_core.traversal.language_model import ModelApi
    from cnrag_core.traversal.trace import WalkName
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
app.add_typer(config_app, name="config")

Source = Annotated[
    str, typer.Argument(help="A corpus file or folder, a saved workspace (.cnrag), or a sample: papers, products, ...")
]
ConfigOption = Annotated[
    Path | None, typer.Option("--config", "-c", help="YAML that says how fields are compared; guessed where absent.")
]
ThresholdOption = Annotated[
    float | None, typer.Option("--threshold", "-t", min=0.0, max=1.0, help="Look at the graph at this threshold.")
]
TokensOption = Annotated[int | None, typer.Option("--tokens", min=0, help="Longest context, in tokens.")]
NodesOption = Annotated[int | None, typer.Option("--nodes", min=0, help="Most chunks that are visited.")]
ModelOption = Annotated[
    str | None, typer.Option("--ask-model", help="Language model that says whether the context suffices.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]


def main() -> None:
    """Entry point: bad input becomes one sentence on stderr and exit code 1."""
    try:
        with memory_named("This command"):
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
    resume: Annotated[
        Path | None,
        typer.Option("--resume", help="Folder that keeps the pairs found so far; an interrupted build goes on there."),
    ] = None,
    keep_duplicates: Annotated[
        bool, typer.Option("--keep-duplicates", help="Keep a repeated id as x#2 instead of refusing it.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Read documents, compare them, and show what hangs together."""
    workspace = _workspace(source, config, quiet=as_json, keep_duplicates=keep_duplicates, resume=resume)
    if save is not None:
        workspace.save(save)
    summary = workspace.at(threshold).summary()
    if as_json:
        print_json(summary)
        return
    print_pairs("Network", summary["figures"])
    print_table(
        "Communities",
        ["#", "documents", "tags"],
        [[str(c["community"]), f"{c['size']:,}", ", ".join(c["tags"])] for c in summary["communities"]],
    )
    print_table(
        "Bridges",
        ["document", "betweenness", "joins"],
        [[b["title"], f"{b['betweenness']:.4f}", " | ".join(b["joins"])] for b in summary["bridges"]],
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
    pack: Annotated[
        int | None, typer.Option("--pack", min=1, help="Print the results as one cited text of at most so many tokens.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find documents for a question, and say why each is there."""
    workspace = _workspace(source, config, quiet=as_json)
    network = workspace.network
    asked = network.search(query)
    rankings = [asked.with_strategy(name).top(n) for name in strategy] if strategy else [asked.top(n)]
    if pack is not None:
        from cnrag_core.retrieval.context_pack import pack_results

        typer.echo(pack_results(rankings[0], network.scorer, max_tokens=pack).text)
        return
    if as_json:
        print_json([_ranking_record(workspace, ranking) for ranking in rankings])
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
        print_table(
            f"{ranking.strategy}  ({ranking.seconds * 1000:.0f} ms)  {ranking.reason}",
            ["", "document", "score", "similarity", "boosts", "matched"],
            rows,
        )
    for hint in dict.fromkeys(hint for ranking in rankings for hint in ranking.hints):
        typer.secho(f"note: {hint}", fg="yellow", err=True)


@app.command()
def traverse(
    source: Source,
    question: Annotated[str, typer.Argument(help="The question, or the id of a judged question of the source.")],
    config: ConfigOption = None,
    walk: Annotated[str, typer.Option("--walk", help="audited, notebook (with its faults), or flat.")] = "audited",
    evidence: Annotated[
        list[str] | None, typer.Option("--evidence", "-e", help="Id that the answer needs; repeat for several.")
    ] = None,
    seeds: Annotated[int | None, typer.Option(min=0, max=1000, help="Best matches to start from.")] = None,
    tokens: TokensOption = None,
    nodes: NodesOption = None,
    hops: Annotated[int | None, typer.Option(min=0, help="Most steps away from a seed.")] = None,
    checks: Annotated[int | None, typer.Option(min=0, help="Most completeness checks; 0: none.")] = None,
    check_every: Annotated[int | None, typer.Option(min=1, help="Visited chunks between two checks.")] = None,
    model: ModelOption = None,
    model_host: Annotated[
        str, typer.Option("--model-host", help="Its server; must be among the allowed hosts.")
    ] = "http://localhost:11434",
    model_api: Annotated[str, typer.Option("--model-api", help="ollama or openai.")] = "ollama",
    audit: Annotated[Path | None, typer.Option("--audit", help="Write every step to this JSON Lines file.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Follow a question from chunk to chunk inside a budget, and show every step."""
    from cnrag_core.traversal.completeness import LanguageModelCheck
    from cnrag_core.traversal.language_model import LanguageModel
    from cnrag_core.traversal.reach import evidence_of
    from cnrag_core.views.traversal_steps import cost_of_checks, outcome, step_rows

    check = None if model is None else LanguageModelCheck(LanguageModel(model_host, model, cast("ModelApi", model_api)))
    workspace = _workspace(source, config, quiet=as_json)
    judged = next((query for query in workspace.queries if question in (query.id, query.text)), None)
    trace = workspace.network.traverse(
        judged.text if judged else question,
        budget=_budget(workspace, tokens, nodes, hops, checks, check_every),
        required_evidence=evidence or (evidence_of(judged) if judged else None),
        walk=cast("WalkName", walk),
        n_seeds=seeds,
        check=check,
    )
    if audit is not None:
        _write(audit, trace.to_jsonl().encode("utf-8"))
    if as_json:
        print_json(trace.to_dict())
        return
    print_table(f"{trace.query}  ({trace.walk} walk)", *step_rows(trace, workspace.network.concept_graph))
    typer.echo(outcome(trace))
    if trace.n_checks:
        typer.echo(cost_of_checks(trace))
    for sentence in trace.remarks:
        typer.secho(sentence, fg="yellow")
    if audit is not None:
        typer.echo(f"Every step is in {audit}.")


@app.command()
def reach(
    source: Source,
    config: ConfigOption = None,
    queries: Annotated[
        Path | None, typer.Option("--queries", "-q", help="Judged questions (JSONL, CSV); the source's own if absent.")
    ] = None,
    qrels: Annotated[Path | None, typer.Option("--qrels", help="TREC judgements for --queries.")] = None,
    tokens: TokensOption = None,
    nodes: NodesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure how much evidence a walk finds, beside flat retrieval with the same budget."""
    from cnrag_core.corpus.wording import count
    from cnrag_core.traversal.reach import at_nodes, measure_reach

    workspace = _workspace(source, config, quiet=as_json)
    judged = workspace.queries if queries is None else _judgements(queries, qrels)
    multi = [query for query in judged if len(query.required_evidence) > 1] or judged
    budget = _budget(workspace, tokens, nodes)
    if nodes is not None and tokens is None:
        budget = at_nodes(nodes, budget)
    with progress_bar(as_json) as progress:
        report = measure_reach(workspace.network.walker, multi, budget=budget, progress=progress)
    if as_json:
        print_json(report.to_dict())
        return
    summaries = [report.summary(walk) for walk in report.walks]
    limits = count(budget.max_nodes, "chunk") + (
        f", {count(budget.max_tokens, 'token')}" if nodes is None or tokens else ""
    )
    print_table(
        f"{count(len(report.questions), 'question')}, at most {limits} ({report.tokenizer})",
        ["", "evidence found", "questions with all", "tokens", "chunks", "checks", "chunks sent by checks"],
        [
            [
                s.walk,
                f"{s.recall:.1%}",
                f"{s.whole:.1%}",
                f"{s.tokens:,.0f}",
                f"{s.n_chunks:.1f}",
                f"{s.n_checks:.1f}",
                f"{s.n_chunks_sent:.1f}",
            ]
            for s in summaries
        ],
    )
    typer.echo(f"Evidence, walk over flat: {report.recall_gain()}")
    typer.echo(f"Questions with all their evidence, walk over flat: {report.whole_gain()}")
    missed = [question.id for question in report.questions if not question.by_walk["audited"].is_whole]
    if missed:
        typer.echo(f"The walk lacks evidence for {len(missed):,}: {', '.join(missed[:20])}")


@app.command()
def evaluate(
    source: Source,
    queries: Annotated[
        Path | None, typer.Argument(help="Judged questions: JSON Lines, CSV, or questions beside --qrels.")
    ] = None,
    qrels: Annotated[Path | None, typer.Option(help="TREC qrels that judge the questions.")] = None,
    config: ConfigOption = None,
    strategy: Annotated[
        list[str] | None, typer.Option("--strategy", "-s", help="Name of a strategy; all where absent.")
    ] = None,
    fit: Annotated[bool, typer.Option("--fit", help="Learn the weights of hybrid on half of the questions.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Measure strategies on judged questions, with intervals against plain similarity."""
    from cnrag_core.corpus.wording import count
    from cnrag_core.evaluation.fitting import fit_weights
    from cnrag_core.evaluation.report import evaluate as measure

    workspace = _workspace(source, config, quiet=as_json)
    judged = workspace.queries if queries is None else _judgements(queries, qrels)
    with progress_bar(as_json) as progress:
        report = measure(workspace.network.search, judged, strategy or None, progress=progress)
    fitted = fit_weights(workspace.network.search, judged) if fit else None
    if as_json:
        record = {"strategies": json.loads(report.to_frame().to_json(orient="records")), "notes": list(report.notes)}
        if fitted is not None:
            record["fitted_weights"] = fitted.weights.model_dump()
        print_json(record)
        return
    typer.echo(
        f"{count(report.n_queries, 'judged question')}; in brackets the 95 % interval of the difference to similarity"
    )
    typer.echo(report.to_text())
    if fitted is not None:
        print_pairs("Learned weights of hybrid", fitted.weights.model_dump())
        typer.echo(fitted.advice)


@app.command()
def export(
    source: Source,
    target: Annotated[
        Path, typer.Argument(help="File to write; its name decides: .html .graphml .gexf .json .net edges.csv .zip ...")
    ],
    config: ConfigOption = None,
    threshold: ThresholdOption = None,
    question: Annotated[
        str | None, typer.Option("--question", "-q", help="Whose walk is the audit log (audit.jsonl, .zip).")
    ] = None,
) -> None:
    """Write the network for another tool: a web page, GraphML, GEXF, JSON, Pajek, tables, or all in one zip.

    The name of the file decides; documents.csv, edges.csv and communities.csv are the tables.
    """
    from cnrag_core.takeaway import View, bundle, item_named, known_names

    item = item_named(target.name)
    if item is None and target.suffix != ".zip":
        raise ConfigError(
            f"{target.name}: the name says no format that can be written; use one of {known_names()}. "
            "A picture (PNG) is saved by the button of that name in the web page."
        )
    workspace = _workspace(source, config)
    link = dict(workspace.view) if threshold is None else {**workspace.view, "t": f"{threshold:.3f}"}
    view = View(workspace, workspace.at(threshold).network, link=link, question=question or "")
    with progress_bar(quiet=False) as progress:
        _write(target, bundle(view, progress=progress) if item is None else item.make(view))
    typer.echo(f"{target}: {view.counts}.")


app.command()(serve)
app.command()(health)


@app.command()
def check(file: Annotated[Path, typer.Argument(help="A database or a workspace (.cnrag) written by cnrag.")]) -> None:
    """Look for damage in a database or a saved workspace and name what is found."""
    from cnrag_core.file_kinds import expect_file, kind_of_file
    from cnrag_core.storage.check import check_database
    from cnrag_core.workspace import SUFFIX
    from cnrag_core.workspace_file import check_file

    expect_file(file, "storage")
    kind, _ = kind_of_file(file)
    is_workspace = kind == "workspace" or (file.suffix == SUFFIX and kind != "database")
    findings = check_file(file) if is_workspace else check_database(file)
    for finding in findings:
        typer.secho(f"damage: {finding}", fg="red", err=True)
    if findings:
        raise typer.Exit(1)
    typer.echo(f"{file}: no damage found.")


def _workspace(
    source: str,
    config: Path | None,
    *,
    quiet: bool = False,
    keep_duplicates: bool = False,
    resume: Path | None = None,
) -> Workspace:
    """A workspace from a sample's name, a saved file, or a corpus with or without a configuration."""
    from cnrag_core.workspace import Workspace

    with progress_bar(quiet) as progress:
        return Workspace.of_source(source, config, keep_duplicates=keep_duplicates, resume=resume, progress=progress)


def _judgements(queries: Path, qrels: Path | None) -> tuple[JudgedQuery, ...]:
    """Judged questions of a file; another kind of file is named."""
    from cnrag_core.evaluation.judgements import read_judgements
    from cnrag_core.file_kinds import expect_file

    expect_file(queries, "questions")
    return read_judgements(queries, qrels)


def _write(path: Path, data: bytes) -> None:
    """Write a file whole, or leave an older one of that name as it is."""
    from cnrag_core.storage.whole_file import whole_file

    with whole_file(path) as target:
        target.write(data)


def _budget(
    workspace: Workspace,
    tokens: int | None,
    nodes: int | None,
    hops: int | None = None,
    checks: int | None = None,
    check_every: int | None = None,
) -> Budget:
    """The budget of the configuration with what the command line says instead."""
    from cnrag_core.traversal.budget import Budget

    asked = {
        "max_tokens": tokens,
        "max_nodes": nodes,
        "max_hops": hops,
        "max_checks": checks,
        "check_every": check_every,
    }
    configured = Budget.of(workspace.config.traversal)
    return configured.model_copy(update={name: value for name, value in asked.items() if value is not None})


def _ranking_record(workspace: Workspace, ranking: Any) -> dict[str, Any]:
    return {
        "query": ranking.query,
        "strategy": ranking.strategy,
        "reason": ranking.reason,
        "hints": list(ranking.hints),
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


if __name__ == "__main__":
    main()
