"""What a visitor asks a walk: the question, the budgets, who checks, as widgets that keep their values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import streamlit as st

from cnrag_core.embedding.hosts import allowed_hosts
from cnrag_core.evaluation.judgements import JudgedQuery
from cnrag_core.traversal.budget import Budget
from cnrag_core.traversal.completeness import LanguageModelCheck
from cnrag_core.traversal.language_model import LanguageModel
from cnrag_core.traversal.reach import evidence_of
from cnrag_core.workspace import Workspace
from pages.shared.question_row import question_row
from pages.shared.session import KEPT

MOST_ASKED = 1_000_000
"""What a box takes; a configuration may ask for more than anybody could wait for."""

BUDGET_KEYS = ("walk_tokens", "walk_nodes", "walk_hops", "walk_checks", "walk_every", "walk_seeds")


@dataclass(frozen=True)
class WalkRequest:
    """One question and everything that a walk is told with it."""

    question: str
    budget: Budget
    n_seeds: int
    evidence: tuple[str, ...] = ()
    cost: str = "auto"
    check: LanguageModelCheck | None = field(default=None)


def ask(workspace: Workspace) -> WalkRequest:
    """Draw the controls and return what they say; their values outlive a visit to another page."""
    judged = _judged(workspace)
    _forget_other(workspace)
    question = question_row(
        {text: len(query.required_evidence) for text, query in judged.items()},
        key="walk_question",
        picks="walk_judged",
        of="Questions whose evidence is known",
        offer="Pick one to see whether the walk finds all of it",
        placeholder="in plain words",
    ).strip()
    with st.expander("Budgets and options", icon=":material/tune:"):
        budget, n_seeds = _budgets(workspace)
        cost, evidence_wanted = _options(bool(judged))
        check = _language_model()
    asked = judged.get(question)
    evidence = evidence_of(asked) if asked is not None and evidence_wanted else ()
    return WalkRequest(question, budget, n_seeds, evidence, cost, check)


def _forget_other(workspace: Workspace) -> None:
    """What was asked of another corpus, or under other budgets, does not carry over."""
    here = f"{workspace.name}-{workspace.config.digest}"
    if st.session_state.get("walk_of") not in (None, here):
        for key in ("walk_question", "walk_judged", *BUDGET_KEYS):
            st.session_state.pop(key, None)
    st.session_state["walk_of"] = here


def _judged(workspace: Workspace) -> Mapping[str, JudgedQuery]:
    """Judged questions by their text, those that need several documents first."""
    ordered = sorted(workspace.queries, key=lambda query: len(query.required_evidence) < 2)
    return {query.text: query for query in ordered}


def _budgets(workspace: Workspace) -> tuple[Budget, int]:
    spec = workspace.config.traversal
    columns = st.columns(6)
    asked = [
        ("Context tokens", "walk_tokens", spec.max_tokens, "A chunk that does not fit is passed over and logged."),
        ("Chunks", "walk_nodes", spec.max_nodes, "Most chunks in the context."),
        ("Hops", "walk_hops", spec.max_hops, "Most edges away from a seed."),
        ("Checks", "walk_checks", spec.max_checks, "Most times that completeness is asked; 0 = never."),
        ("Check every", "walk_every", spec.check_every, "Chunks between two checks."),
        ("Seeds", "walk_seeds", spec.seeds, "Best matches that the walk starts from."),
    ]
    values = []
    for column, (label, key, default, explanation) in zip(columns, asked, strict=True):
        least = 1 if key == "walk_every" else 0
        if key not in st.session_state:
            st.session_state[key] = min(default, MOST_ASKED)
        values.append(
            int(column.number_input(label, least, MOST_ASKED, step=1, key=key, help=explanation, persist_state=KEPT))
        )
    tokens, nodes, hops, checks, every, seeds = values
    budget = Budget(max_tokens=tokens, max_nodes=nodes, max_hops=hops, max_checks=checks, check_every=every)
    return budget, min(seeds, 1000)


COSTS = {
    "auto": "as the graph suggests",
    "question": "by the question: strong edges to what is still to be explained",
    "weight": "by weight alone: 1 / weight, as in the guide",
}


def _options(has_evidence: bool) -> tuple[str, bool]:
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    cost = left.selectbox(
        "An edge costs", list(COSTS), format_func=COSTS.__getitem__, key="walk_cost", persist_state=KEPT
    )
    wanted = right.toggle(
        "Stop when the known evidence is there",
        value=True,
        key="walk_evidence",
        persist_state=KEPT,
        disabled=not has_evidence,
        help="Needs a question whose evidence is known. Off: the walk goes on until a budget ends it.",
    )
    return cost, wanted and has_evidence


def _language_model() -> LanguageModelCheck | None:
    """A language model that is asked whether the context suffices, where the visitor wants one."""
    if not st.toggle(
        "Ask a language model whether the context suffices",
        key="walk_model_on",
        persist_state=KEPT,
        help="Every check sends the whole context so far to the server that you choose.",
    ):
        return None
    hosts = allowed_hosts()
    if not hosts:
        st.info("This installation allows no model server; OLLAMA_ALLOWED_HOSTS sets them.")
        return None
    server, kind, name = st.columns([2, 1, 2])
    host = server.selectbox("Server", hosts, key="walk_model_host", persist_state=KEPT)
    api = kind.selectbox("Speaks", ["ollama", "openai"], key="walk_model_api", persist_state=KEPT)
    model = name.text_input("Model", key="walk_model_name", placeholder="as the server knows it", persist_state=KEPT)
    if not model.strip():
        st.caption("Name the model to ask it.")
        return None
    return LanguageModelCheck(LanguageModel(host, model.strip(), api))
