"""What auto reaches on real corpora, with the configuration that the product proposes by itself."""

from __future__ import annotations

import pytest

from cnrag_core.config.infer import infer_config
from cnrag_core.corpus.readers import read_corpus
from cnrag_core.evaluation.judgements import read_judgements
from cnrag_core.evaluation.report import EvaluationReport, evaluate
from cnrag_core.network import build_network

pytestmark = pytest.mark.slow


def report_of(folder) -> EvaluationReport:
    corpus = read_corpus(folder / "corpus.jsonl")
    network = build_network(corpus.documents, infer_config(corpus))
    return evaluate(network.search, read_judgements(folder), ["similarity", "auto"], k=(5, 10))


@pytest.mark.parametrize(
    ("name", "recall"), [("2wiki-migres", 0.975), ("hotpotqa-dev100", 0.965), ("musique-dev100", 0.73)]
)
def test_auto_finds_documents_that_only_a_path_leads_to(corpora, name, recall):
    report = report_of(corpora / name)
    assert report.of("auto").metrics["recall@5"] >= recall
    assert report.of("auto").differences["recall@5"].is_better


@pytest.mark.parametrize("name", ["cranfield", "med"])
def test_auto_beats_its_own_base_where_documents_do_not_name_each_other(corpora, name):
    assert report_of(corpora / name).of("auto").differences["ndcg@10"].is_better


@pytest.mark.parametrize("name", ["cacm", "xquad-en"])
def test_auto_is_never_clearly_worse_than_its_base(corpora, name):
    assert report_of(corpora / name).of("auto").differences["ndcg@10"].high >= -0.005


def test_chinese_is_found_without_words(corpora):
    assert report_of(corpora / "xquad-zh").of("auto").metrics["ndcg@10"] >= 0.94
