"""A language model says whether the context suffices: over both protocols, and against servers that misbehave."""

from __future__ import annotations

import pytest

from cnrag_core.errors import ConfigError, EmbeddingError
from cnrag_core.graph.concept_graph import ChunkNode, graph_of_pairs
from cnrag_core.traversal.audited_walk import audited_walk
from cnrag_core.traversal.budget import Budget
from cnrag_core.traversal.completeness import LanguageModelCheck, says_yes
from cnrag_core.traversal.language_model import LanguageModel
from cnrag_core.traversal.seeds import seeds_of

PATHS = {"ollama": "/api/chat", "openai": "/v1/chat/completions"}


@pytest.fixture(params=["ollama", "openai"])
def model(request, model_server) -> LanguageModel:
    return LanguageModel(model_server.url, "little", request.param, read_seconds=5.0)


def test_a_model_answers_over_its_protocol(model, model_server):
    model_server.answers = lambda prompt: f"you said {prompt}"
    assert model.complete("hello") == "you said hello"
    ((path, body, _),) = model_server.asked
    assert path == PATHS[model.api]
    assert body["model"] == "little"
    assert body["stream"] is False
    assert body["messages"] == [{"role": "user", "content": "hello"}]


def test_answers_are_asked_for_without_chance(model, model_server):
    model.complete("hello")
    body = model_server.asked[0][1]
    options = body["options"] if model.api == "ollama" else body
    assert options["temperature"] == 0


def test_an_ollama_server_is_asked_to_keep_the_whole_context(model_server):
    LanguageModel(model_server.url, "little").complete("hello")
    assert model_server.asked[0][1]["options"]["num_ctx"] >= 8192


def test_the_walk_ends_when_the_model_says_yes(model, model_server):
    model_server.answers = lambda prompt: "Yes." if "text of c2" in prompt else "Not yet."
    chunks = [ChunkNode(f"c{i}", f"c{i}", f"text of c{i}") for i in range(5)]
    graph = graph_of_pairs(chunks, [(f"c{i}", f"c{i + 1}", 0.9) for i in range(4)])
    trace = audited_walk(
        graph, seeds_of([("c0", 1.0)], kind="similarity"), query="what?", check=LanguageModelCheck(model)
    )
    assert trace.path == ["c0", "c1", "c2"]
    assert trace.stopping_reason == "complete"
    assert len(model_server.asked) == trace.n_checks == 3
    assert "Question: what?" in model_server.asked[0][1]["messages"][0]["content"]


def test_no_model_is_asked_with_a_budget_of_no_checks(model, model_server):
    graph = graph_of_pairs([ChunkNode("a", "a", "text")], [])
    seeds = seeds_of([("a", 1.0)], kind="similarity")
    audited_walk(graph, seeds, Budget(max_checks=0), check=LanguageModelCheck(model))
    assert model_server.asked == []


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("redirect", "sends elsewhere .a redirect., which is not followed"),
        ("missing", "does not have the model 'little'"),
        ("broken", "answered with status 500"),
        ("nonsense", "sent something that is not an answer"),
        ("no text", "sent something that is not an answer"),
        ("flood", "answered with more than 4 MB"),
    ],
)
def test_a_server_that_misbehaves_is_one_sentence_that_repeats_nothing(model_server, fault, said):
    model_server.fault = fault
    with pytest.raises(EmbeddingError, match=said) as caught:
        LanguageModel(model_server.url, "little").complete("hello")
    assert "secret" not in str(caught.value)


def test_a_server_that_does_not_answer_is_not_waited_for(model_server):
    model_server.fault = "hangs"
    with pytest.raises(EmbeddingError, match=r"did not answer within 0\.2 s"):
        LanguageModel(model_server.url, "little", read_seconds=0.2).complete("hello")


def test_a_server_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setenv("OLLAMA_ALLOWED_HOSTS", "http://127.0.0.1:9")
    with pytest.raises(EmbeddingError, match=r"http://127\.0\.0\.1:9 cannot be reached; perhaps it is not running\.$"):
        LanguageModel("http://127.0.0.1:9", "little").complete("hello")


@pytest.mark.parametrize(
    "host",
    ["http://169.254.169.254", "http://localhost:11434@evil.example", "file:///etc/passwd", "http://127.0.0.1:22"],
)
def test_a_host_that_is_not_allowed_is_refused_before_anything_is_sent(host, model_server):
    with pytest.raises(ConfigError, match="is not a model server that this installation may ask"):
        LanguageModel(host, "little")
    assert model_server.asked == []


def test_a_host_that_is_no_longer_allowed_is_refused(model_server, monkeypatch):
    model = LanguageModel(model_server.url, "little")
    monkeypatch.setenv("OLLAMA_ALLOWED_HOSTS", "http://localhost:11434")
    with pytest.raises(ConfigError, match="is not a model server that this installation may ask"):
        model.complete("hello")


def test_proxies_of_the_environment_are_not_used(model_server, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert LanguageModel(model_server.url, "little").complete("hello") == "no"


def test_a_key_goes_to_the_server_that_wants_one(model_server, monkeypatch):
    monkeypatch.setenv("CNRAG_MODEL_KEY", "k1")
    LanguageModel(model_server.url, "little", "openai").complete("hello")
    LanguageModel(model_server.url, "little", "ollama").complete("hello")
    assert [headers.get("authorization") for _, _, headers in model_server.asked] == ["Bearer k1", None]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"model_name": " "}, "needs a name"),
        ({"api": "grpc"}, "'grpc' is not a way to ask a language model"),
        ({"read_seconds": 0.0}, "needs some time to answer"),
    ],
)
def test_a_model_that_cannot_be_asked_is_refused(model_server, options, said):
    with pytest.raises(ConfigError, match=said):
        LanguageModel(**{"host": model_server.url, "model_name": "little", **options})


@pytest.mark.parametrize("answer", ["yes", "Yes.", "  **YES** it does", "<think>no, no</think>\nyes"])
def test_yes_in_any_dress_is_yes(answer):
    assert says_yes(answer)


@pytest.mark.parametrize("answer", ["", "no", "No, yes is too early", "yesterday", "I think yes"])
def test_anything_else_is_not(answer):
    assert not says_yes(answer)
