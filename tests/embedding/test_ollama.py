"""A model server that behaves, and one that does not."""

from __future__ import annotations

import numpy as np
import pytest

from cnrag_core.config.spec import FieldEmbeddingComponent
from cnrag_core.corpus.document import Document
from cnrag_core.embedding import ollama as ollama_module
from cnrag_core.embedding.fields import embed_component, make_provider
from cnrag_core.embedding.ollama import OllamaEmbedding, Patience
from cnrag_core.errors import ConfigError, EmbeddingError

QUICK = Patience(connect=0.5, read=0.2, total=5.0, wait=0.0)


@pytest.fixture
def provider(ollama) -> OllamaEmbedding:
    return OllamaEmbedding(ollama.url, "nomic-embed-text", batch_size=2, patience=QUICK)


def test_texts_go_in_batches_of_the_fixed_size_and_rows_keep_their_order(ollama, provider) -> None:
    rows = provider.embed(["a", "b", "c", "d", "e"])
    assert [body["input"] for _, body in ollama.asked] == [["a", "b"], ["c", "d"], ["e"]]
    assert rows.shape == (5, 4)
    assert rows.dtype == np.float32
    assert [provider.embed([text])[0].round(3).tolist() for text in "abcde"] == rows.round(3).tolist()


def test_batch_size_is_part_of_the_configuration(ollama, provider) -> None:
    assert provider.get_model_config() == {"host": ollama.url, "batch_size": 2, "max_tokens": 1536}


def test_the_same_texts_give_identical_rows(provider) -> None:
    texts = ["a", "b", "c"]
    np.testing.assert_array_equal(provider.embed(texts), provider.embed(texts))


def test_an_older_server_is_asked_text_by_text(ollama, provider) -> None:
    ollama.has_batches = False
    rows = provider.embed(["a", "b"])
    assert rows.shape == (2, 4)
    assert [path for path, _ in ollama.asked] == ["/api/embed", "/api/embeddings", "/api/embeddings"]
    provider.embed(["c"])
    assert [path for path, _ in ollama.asked][3:] == ["/api/embeddings"]


def test_a_server_without_either_endpoint_is_not_an_ollama_server(ollama, provider) -> None:
    ollama.has_batches = False
    ollama.faults = ["", "no_endpoint"]
    handler = ollama.RequestHandlerClass
    handler.fault_no_endpoint = lambda self: self.answer(404, "404 page not found", kind="text/plain")
    with pytest.raises(EmbeddingError, match="is it an Ollama server"):
        provider.embed(["a"])


def test_nothing_is_asked_before_the_first_text(ollama, provider) -> None:
    assert provider.get_model_name() == "nomic-embed-text"
    assert provider.max_tokens == 1536
    assert ollama.asked == []


def test_dimension_is_learned_with_one_request(ollama, provider) -> None:
    assert provider.embed([]).shape == (0, 4)
    assert provider.embed(["", " "]).tolist() == [[0.0] * 4] * 2
    assert len(ollama.asked) == 1


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("400", "answered with status 400"),
        ("no_model", "does not have the model 'nomic-embed-text'; run: ollama pull"),
        ("not_json", "something else than the JSON"),
        ("html", "something else than the JSON"),
        ("list", "something else than the JSON"),
        ("deep", "something else than the JSON"),
        ("redirect", "a redirect"),
        ("nan", "NaN or infinity"),
        ("words", "rows of numbers"),
        ("ragged", "without a row for each text"),
        ("too_few", "without a row for each text"),
        ("empty_row", "rows of numbers"),
    ],
)
def test_a_final_fault_is_one_sentence_after_one_request(ollama, provider, fault: str, message: str) -> None:
    ollama.always = fault
    with pytest.raises(EmbeddingError, match=message) as caught:
        provider.embed(["a"])
    assert "secret" not in str(caught.value)
    assert len(ollama.asked) == 1


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("500", "answered with status 500"),
        ("429", "answered with status 429"),
        ("silence", "did not answer within 0.2 s"),
        ("drip", "did not answer within 0.2 s"),
        ("drip_headers", "did not answer within 0.2 s"),
        ("hang_up", "broke off the connection"),
    ],
)
def test_a_passing_fault_is_tried_three_times(ollama, provider, fault: str, message: str) -> None:
    ollama.always = fault
    with pytest.raises(EmbeddingError, match=message) as caught:
        provider.embed(["a"])
    assert "secret" not in str(caught.value)
    assert len(ollama.asked) == 3


@pytest.mark.parametrize("fault", ["500", "429", "silence", "hang_up"])
def test_a_fault_that_passes_is_got_over(ollama, provider, fault: str) -> None:
    ollama.faults = [fault, fault]
    assert provider.embed(["a"]).shape == (1, 4)
    assert len(ollama.asked) == 3


def test_an_endless_answer_is_not_read_to_its_end(ollama, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ollama_module, "MAX_ANSWER_BYTES", 2**21)
    ollama.always = "huge"
    with pytest.raises(EmbeddingError, match="more than 2 MB"):
        OllamaEmbedding(ollama.url, patience=Patience(read=30.0)).embed(["a"])
    assert len(ollama.asked) == 1


def test_a_server_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_ALLOWED_HOSTS", "http://127.0.0.1:9")
    with pytest.raises(EmbeddingError, match=r"http://127\.0\.0\.1:9 cannot be reached"):
        OllamaEmbedding("http://127.0.0.1:9", patience=QUICK).embed(["a"])


def test_no_more_tries_than_the_total_time_allows(ollama) -> None:
    ollama.always = "500"
    patient = Patience(connect=1, read=1, total=1, tries=3, wait=10)
    with pytest.raises(EmbeddingError, match="status 500"):
        OllamaEmbedding(ollama.url, patience=patient).embed(["a"])
    assert len(ollama.asked) == 1


def test_proxies_of_the_environment_are_not_used(ollama, provider, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert provider.embed(["a"]).shape == (1, 4)


@pytest.mark.parametrize(
    "host",
    [
        "http://169.254.169.254/",
        "http://127.0.0.1:22",
        "file:///etc/passwd",
        "gopher://localhost:11434",
        "http://localhost:11434@evil.example/",
        "http://evil.example#localhost:11434",
        "http://user:word@localhost:11434",
        "https://localhost:11434",
        "http://localhost",
        "http://LOCALHOST:11434",
        "http://127.0.0.1:11434",
        "http://2130706433:11434",
        "http://0x7f000001:11434",
        "http://[::1]:11434",
        "http://[::ffff:127.0.0.1]:11434",
        "http://localhost:11434/../x",
        "http://localhost:11434\\@evil.example",
        "localhost:11434",
        " http://localhost:11434",
        "http://localhost:11434\r\nX: y",
    ],
)
def test_only_an_exact_entry_of_the_allow_list_is_accepted(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OLLAMA_ALLOWED_HOSTS", raising=False)
    with pytest.raises(ConfigError, match="not a model server that this installation may ask"):
        OllamaEmbedding(host)


@pytest.mark.parametrize("listed", ["localhost:11434", "ftp://a:1", "http://a:b", "http://a:99999", "http://u:p@a:1"])
def test_an_allow_list_that_cannot_be_meant_is_refused(listed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_ALLOWED_HOSTS", listed)
    with pytest.raises(ConfigError, match=r"OLLAMA_ALLOWED_HOSTS: .* should be scheme://host:port"):
        OllamaEmbedding(listed)


def test_the_local_server_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OLLAMA_ALLOWED_HOSTS", raising=False)
    assert OllamaEmbedding().host == "http://localhost:11434"
    component = FieldEmbeddingComponent(field="x", model="ollama", model_name="all-minilm:l6")
    made = make_provider(component)
    assert made.get_model_name() == "all-minilm:l6"
    assert made.max_tokens == 192


@pytest.mark.parametrize("name", ["", "../../x", "a b", "x" * 200, "a\nb", "-x"])
def test_what_is_no_model_name_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="is not the name of a model"):
        OllamaEmbedding(model_name=name)


def test_options_that_cannot_be_are_refused() -> None:
    with pytest.raises(ConfigError, match="batch_size"):
        OllamaEmbedding(batch_size=0)
    with pytest.raises(ConfigError, match="at least one try"):
        Patience(tries=0)


def test_a_failed_component_can_be_embedded_once_the_server_is_back(ollama, provider) -> None:
    documents = [Document("a", {"title": "one"}), Document("b", {"title": "two"})]
    component = FieldEmbeddingComponent(field="title", model="ollama")
    ollama.faults = ["500"] * 3
    with pytest.raises(EmbeddingError):
        embed_component(documents, component, provider=provider)
    assert embed_component(documents, component, provider=provider).rows.shape == (2, 4)
