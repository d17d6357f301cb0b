"""Many questions and what the strategies answered, as tables and a sentence.

Enters: the answers of a batch. Leaves: data frames.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from cnrag_core.corpus.wording import count, percent
from cnrag_core.evaluation.batch import BatchAnswer
from cnrag_core.views.ranking_tables import TitleView, listed, path_line


def batch_sentence(answers: Sequence[BatchAnswer]) -> str:
    """How many questions were asked, how far the strategies agree, and who finds most of what was judged."""
    names = answers[0].comparison.strategies
    asked = count(len(answers), "question")
    text = f"{asked}, {len(names)} strateg{'y' if len(names) == 1 else 'ies'}"
    if len(names) > 1:
        mean = sum(answer.agreement for answer in answers) / len(answers)
        text += f"; on average they agree on {percent(mean)} of the documents that any of them returns"
    judged = [answer for answer in answers if answer.query.relevant]
    if not judged:
        return f"{text}."
    n_relevant = sum(len(answer.query.relevant) for answer in judged)
    found = {name: sum(answer.found(name) for answer in judged) for name in names}
    best = max(found.values())
    leaders = [name for name in names if found[name] == best]
    return (
        f"{text}. Of {count(n_relevant, 'judged document')} {listed(leaders)} find{'s' * (len(leaders) == 1)} {best:,}."
    )


def batch_table(answers: Sequence[BatchAnswer]) -> pd.DataFrame:
    """One row a question: how far the strategies agree, and how many judged documents each found."""
    names = answers[0].comparison.strategies
    judged = any(answer.query.relevant for answer in answers)
    columns: dict[str, list[object]] = {
        "id": [answer.query.id for answer in answers],
        "question": [answer.query.text for answer in answers],
        "agreement": [round(answer.agreement, 2) for answer in answers],
    }
    for name in names:
        if judged:
            columns[f"{name} found"] = [
                f"{answer.found(name)} of {len(answer.query.relevant)}" if answer.query.relevant else ""
                for answer in answers
            ]
        else:
            columns[f"{name} results"] = [len(answer.comparison.results[name]) for answer in answers]
    return pd.DataFrame(columns)


def batch_results(answers: Sequence[BatchAnswer], network: TitleView) -> pd.DataFrame:
    """One row a result: question, strategy, rank, document, score and why; a question without any has one row."""
    rows: list[dict[str, object]] = []
    for answer in answers:
        for name, results in answer.comparison.results.items():
            head = {"id": answer.query.id, "question": answer.query.text, "strategy": name}
            if not len(results):
                rows.append({**head, "rank": None, "why": results.reason})
            for rank, node in enumerate(results, start=1):
                boosts = [f"{boost} {value:+.3f}" for boost, value in node.boosts.items() if value]
                matched = [f"matched: {', '.join(node.matched_terms)}"] if node.matched_terms else []
                path = [path_line(node, network)] if node.path else []
                rows.append(
                    {
                        **head,
                        "rank": rank,
                        "document": network.title(node.node_id),
                        "score": round(node.score, 4),
                        "similarity": round(node.similarity, 4),
                        "judged": "relevant" if node.node_id in answer.query.relevant else "",
                        "why": "; ".join([*boosts, *matched, *path]),
                        "document id": node.node_id,
                    }
                )
    names = ["id", "question", "strategy", "rank", "document", "score", "similarity", "judged", "why", "document id"]
    return pd.DataFrame(rows, columns=names).astype({"rank": "Int64"})
