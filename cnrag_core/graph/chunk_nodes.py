"""Documents cut into the chunks that a walk visits, with ids that never change on the way.

Enters: documents, the fields that are read, how they are cut. Leaves: `ChunkNode`s with offsets, field and
page, and the same chunks as documents, so that whatever compares or links documents does so with chunks.
Guide 001, "Split", and "Stable chunk IDs carried through compression remove the guess".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from cnrag_core.chunking.chunker import TextChunker
from cnrag_core.config.spec import ChunkingStrategy
from cnrag_core.corpus.document import Document
from cnrag_core.graph.concept_graph import ChunkNode

WHOLE = 2_000
"""Characters up to which a document stays one chunk unless a strategy is given."""

GUIDE_STRATEGY = ChunkingStrategy(method="recursive", max_chars=1000, overlap_chars=200)
"""How guide 001 cuts: 1,000 characters with 200 of overlap, at the coarsest separator that fits."""

BETWEEN_FIELDS = "\n\n"


@dataclass(frozen=True)
class TextFields:
    """Which fields of a document are its name and its body.

    A document without a body is read by its title.
    """

    title: str | None
    body: tuple[str, ...]

    def body_of(self, document: Document) -> list[tuple[str, str]]:
        """(field, text) of the body's fields that hold something."""
        found = [(name, text) for name in self.body if (text := document.text(name)).strip()]
        if not found and self.title is not None:
            found = [(self.title, document.text(self.title))]
        return found

    def title_of(self, document: Document) -> str:
        """The title, or nothing."""
        return document.text(self.title) if self.title is not None else ""


@dataclass(frozen=True, eq=False)
class ChunkedCorpus:
    """Documents, which of their fields are read, and the chunks that they make, in the order of the documents."""

    documents: tuple[Document, ...]
    fields: TextFields
    chunks: tuple[ChunkNode, ...]

    @property
    def is_uncut(self) -> bool:
        """Whether every document is one chunk, so that whatever is known of documents holds for chunks."""
        return len(self.chunks) == len(self.documents)

    @cached_property
    def of_document(self) -> Mapping[str, tuple[str, ...]]:
        """Ids of the chunks of each document, in order."""
        found: dict[str, list[str]] = {}
        for chunk in self.chunks:
            found.setdefault(chunk.document_id, []).append(chunk.id)
        return {document_id: tuple(ids) for document_id, ids in found.items()}

    @property
    def n_cut(self) -> int:
        """Documents of more than one chunk."""
        return sum(len(ids) > 1 for ids in self.of_document.values())

    def as_documents(self, *, name_all: bool) -> tuple[Document, ...]:
        """Each chunk as a document: its id as id, its text in the field that it was cut from.

        Parameters
        ----------
        name_all
            Whether every chunk has the title and the other fields of its document, or only the first one:
            a search should find any part of a titled document, but a title names it once.
        """
        by_id = {document.id: document for document in self.documents}
        found = []
        for chunk in self.chunks:
            document = by_id[chunk.document_id]
            if chunk.id == document.id:
                found.append(document)
                continue
            is_first = chunk.id == self.of_document[document.id][0]
            kept = {name: value for name, value in document.fields.items() if name not in self.fields.body}
            named = kept if is_first or name_all else {}
            found.append(Document(chunk.id, {**named, chunk.field: chunk.text}, document.provenance))
        return tuple(found)


def cut_documents(
    documents: Iterable[Document], fields: TextFields, strategy: ChunkingStrategy | None = None
) -> ChunkedCorpus:
    """Cut documents into chunks.

    A document that is short enough is one chunk with the document's id, and its fields are joined by a
    blank line; otherwise its fields are cut one by one into ``id#0``, ``id#1``, ... Offsets count characters
    of the field that a chunk names (of the joined text where it names several, as ``abstract+body``).

    Parameters
    ----------
    strategy
        How to cut; by default what is longer than 2,000 characters is cut as guide 001 does.

    Raises
    ------
    ResourceLimitError
        If one text would be cut into more than 2,000 chunks.
    """
    documents = tuple(documents)
    whole_up_to = WHOLE if strategy is None else 0
    chunker = TextChunker(strategy or GUIDE_STRATEGY)
    chunks = [chunk for document in documents for chunk in _chunks_of(document, fields, chunker, whole_up_to)]
    return ChunkedCorpus(documents, fields, tuple(chunks))


def _chunks_of(document: Document, fields: TextFields, chunker: TextChunker, whole_up_to: int) -> list[ChunkNode]:
    body = fields.body_of(document)
    joined = BETWEEN_FIELDS.join(text for _, text in body)
    title, page = fields.title_of(document), document.provenance.page
    if len(joined) <= whole_up_to or len(chunker.spans(joined)) <= 1:
        name = "+".join(name for name, _ in body)
        return [ChunkNode(document.id, document.id, joined, (), title, name, 0, len(joined), page)]
    spans = [(name, span) for name, text in body for span in chunker.spans(text)]
    return [
        ChunkNode(f"{document.id}#{number}", document.id, span.text, (), title, name, span.start, span.end, page)
        for number, (name, span) in enumerate(spans)
    ]
