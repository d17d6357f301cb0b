"""What counts the tokens of a context: a model's tokenizer where one is installed, words x 1.3 otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

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
    try:
        from tokenizers import Tokenizer as Trained

        from cnrag_core.embedding.sentence_transformer import packaged_model_folder

        folder = packaged_model_folder()
        if folder is None or not (folder / "tokenizer.json").is_file():
            return APPROXIMATE
        trained = Trained.from_file(str(folder / "tokenizer.json"))
    except ImportError:
        return APPROXIMATE
    trained.no_truncation()
    trained.no_padding()
    return Tokenizer("all-MiniLM-L6-v2 WordPiece", lambda text: len(trained.encode(text, add_special_tokens=False).ids))
