"""A context pack: what was found, as one text with numbered citations, to paste into a language model.

Enters: passages, best first, and a budget of tokens. Leaves: `ContextPack`, whose citations point back to
document, field, page and characters. A document that does not fit is cut to its best sentences; where
not even one fits, it is left out and named, and the next one is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from cnrag_core.chunking.sentences import sentence_spans
from cnrag_core.chunking.tokens import count_tokens
from cnrag_core.corpus.document import Document
from cnrag_core.errors import ConfigError
from cnrag_core.retrieval.query import QueryScorer
from cnrag_core.retrieval.ranking import RankedResults

DEFAULT_TOKENS = 4000
LONG_PASSAGE = 400
"""Tokens above which only the sentences around the matched words of a document are packed."""

MIN_SHARE_OF_SENTENCE = 0.05
"""A sentence that holds less of the question than this is packed only where no other is."""


@dataclass(frozen=True)
class Passage:
    """A stretch of a document's field, ``[start, end)`` in characters; the whole field if `end` is None."""

    document: Document
    field: str
    start: int = 0
    end: int | None = None
    title: str = ""

    @property
    def text(self) -> str:
        return self.document.text(self.field)[self.start : self.end]


@dataclass(frozen=True)
class Citation:
    """Where a numbered piece of the pack comes from; ``document.text(field)[start:end]`` is its text.

    `page` is 1-based, None where the source has no pages.
    """

    number: int
    node_id: str
    title: str
    field: str
    start: int
    end: int
    page: int | None = None

    def __str__(self) -> str:
        title = f"{self.title} " if self.title and self.title != self.node_id else ""
        page = f", page {self.page}" if self.page is not None else ""
        return f"[{self.number}] {title}({self.node_id}, {self.field}{page}, characters {self.start}-{self.end})"


@dataclass(frozen=True)
class ContextPack:
    """One text with numbered citations.

    Attributes
    ----------
    text
        The question, the pieces with their numbers, and the list of sources.
    citations
        In the order of the numbers; pieces of one document are numbered apart.
    n_tokens
        Of `text`, as counted.
    left_out
        Ids of documents that did not fit.
    """

    text: str
    citations: tuple[Citation, ...]
    n_tokens: int
    left_out: tuple[str, ...] = ()


def pack_context(
    question: str,
    passages: Iterable[Passage],
    *,
    max_tokens: int = DEFAULT_TOKENS,
    relevance: Callable[[str], float] | None = None,
    count: Callable[[str], int] = count_tokens,
) -> ContextPack:
    """Pack passages, best first, into a budget of tokens.

    Parameters
    ----------
    question
        Stands first in the text; counted like everything else.
    passages
        Of a search, or chunks of a walk.
    max_tokens
        Most tokens of the whole text.
    relevance
        Share of the question that a sentence holds; decides which sentences of a long passage are kept.
        Without it, the first ones.
    count
        Counts tokens; words x 1.3 by default.

    Raises
    ------
    ConfigError
        If `max_tokens` is not positive.
    """
    if max_tokens < 1:
        raise ConfigError(f"A context pack needs a budget of at least 1 token; got {max_tokens}.")
    pack = _Pack(question, max_tokens, count)
    for passage in passages:
        pack.add(passage, relevance or (lambda sentence: 0.0))
    return pack.finished()


def pack_results(
    results: RankedResults,
    scorer: QueryScorer,
    *,
    max_tokens: int = DEFAULT_TOKENS,
    fields: Sequence[str] | None = None,
    count: Callable[[str], int] = count_tokens,
) -> ContextPack:
    """The documents that a search found, packed in their order."""
    passages = passages_of_results(results, scorer, fields=fields)
    relevance = question_relevance(results.query, scorer)
    return pack_context(results.query, passages, max_tokens=max_tokens, relevance=relevance, count=count)


def passages_of_results(
    results: RankedResults, scorer: QueryScorer, *, fields: Sequence[str] | None = None
) -> list[Passage]:
    """The texts of found documents, in their order: every text field, without the title."""
    documents = {document.id: document for document in scorer.documents}
    title = scorer.title_field
    chosen = fields or scorer.name_fields
    return [
        Passage(document, name, title=document.text(title) if title else "")
        for node in results
        for document in (documents[node.node_id],)
        for name in chosen
        if document.text(name).strip()
    ]


def question_relevance(question: str, scorer: QueryScorer) -> Callable[[str], float]:
    """How much of a question a sentence holds, by the rarity of its terms: in [0, 1]."""
    index = scorer.index
    terms = index.query_terms(question)
    weights = dict(zip(terms.columns.tolist(), (index.idf[terms.columns] * terms.counts).tolist(), strict=True))
    total: float = sum(weights.values()) or 1.0

    def relevance(sentence: str) -> float:
        held = {index.vocabulary.get(term, -1) for term in index.analyzer.terms(sentence)}
        return float(sum(weight for column, weight in weights.items() if column in held) / total)

    return relevance


class _Pack:
    """A pack in the making; knows what one more piece would cost."""

    def __init__(self, question: str, max_tokens: int, count: Callable[[str], int]) -> None:
        self._question = question
        self._max_tokens = max_tokens
        self._count = count
        self._pieces: list[tuple[Citation, str]] = []
        self._left_out: dict[str, None] = {}

    def add(self, passage: Passage, relevance: Callable[[str], float]) -> None:
        whole = [(0, len(passage.text))]
        fits_whole = self._count(passage.text) <= LONG_PASSAGE and self._fits(self._with(passage, whole))
        if fits_whole:
            self._pieces = self._with(passage, whole)
            return
        kept: list[tuple[int, int]] = []
        for span in _best_sentences(passage.text, relevance):
            tried = _joined(sorted([*kept, span]), passage.text)
            text = sum(self._count(passage.text[start:end]) for start, end in tried)
            if text > LONG_PASSAGE and kept:
                break
            if self._fits(self._with(passage, tried)):
                kept = tried
        if kept:
            self._pieces = self._with(passage, kept)
        else:
            self._left_out[passage.document.id] = None

    def _with(self, passage: Passage, spans: Sequence[tuple[int, int]]) -> list[tuple[Citation, str]]:
        pieces = list(self._pieces)
        for start, end in spans:
            citation = Citation(
                len(pieces) + 1, passage.document.id, passage.title, passage.field,
                passage.start + start, passage.start + end, passage.document.provenance.page,
            )  # fmt: skip
            pieces.append((citation, passage.text[start:end]))
        return pieces

    def _fits(self, pieces: Sequence[tuple[Citation, str]]) -> bool:
        return self._count(self._text_of(pieces)) <= self._max_tokens

    def _text_of(self, pieces: Sequence[tuple[Citation, str]]) -> str:
        head = f"Question: {self._question}\n\n" if self._question else ""
        body = "\n\n".join(f"[{citation.number}] {text}" for citation, text in pieces)
        sources = "\n".join(str(citation) for citation, _ in pieces)
        return f"{head}{body}\n\nSources:\n{sources}\n" if pieces else head

    def finished(self) -> ContextPack:
        text = self._text_of(self._pieces)
        packed = {citation.node_id for citation, _ in self._pieces}
        left_out = tuple(node_id for node_id in self._left_out if node_id not in packed)
        return ContextPack(text, tuple(citation for citation, _ in self._pieces), self._count(text), left_out)


def _best_sentences(text: str, relevance: Callable[[str], float]) -> list[tuple[int, int]]:
    """Sentences in the order in which they deserve room: those about the question, or the first ones."""
    spans = sentence_spans(text)
    scored = [(relevance(text[start:end]), place) for place, (start, end) in enumerate(spans)]
    telling = [item for item in scored if item[0] >= MIN_SHARE_OF_SENTENCE] or scored
    return [spans[place] for _, place in sorted(telling, key=lambda item: (-item[0], item[1]))]


def _joined(spans: Sequence[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """Spans in order, those with nothing but white space between them made one."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and not text[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined
