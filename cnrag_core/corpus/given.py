"""What a caller in Python hands over as documents, checked before anything is stored.

Enters: the arguments of `NetworkRAG.add`, `update` and `add_corpus`. Leaves: records with an id each, or
documents; what is neither is refused with the argument, what was found and what would be right.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

from cnrag_core.corpus.document import Corpus, Document
from cnrag_core.corpus.identity import id_text
from cnrag_core.corpus.report import RowError
from cnrag_core.corpus.wording import shown
from cnrag_core.errors import CorpusError

CONTENT_FIELD = "content"


def given_record(content: Any, node_id: Any, document: Any, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """One record of the three forms of `NetworkRAG.add`.

    Raises
    ------
    CorpusError
        If there is nothing to add, or an argument is of another kind.

    Examples
    --------
    >>> given_record("text", "doc1", None, {"year": 2020}), given_record("doc1", None, {"title": "Trees"}, {})
    ({'content': 'text', 'year': 2020, 'id': 'doc1'}, {'title': 'Trees', 'id': 'doc1'})
    """
    if document is not None:
        fields = {**given_fields(document), **metadata}
        node_id = content if node_id is None else node_id
    elif isinstance(content, Mapping):
        fields = {**content, **metadata}
    elif isinstance(content, (str, list, tuple)):  # a list holds texts, or the turns of a conversation
        fields = {CONTENT_FIELD: content, **metadata}
    elif content is None and metadata:
        fields = dict(metadata)
    else:
        raise CorpusError(f"A document to add should be a text or a mapping of fields, found {shown(content)}.")
    return fields if node_id is None else {**fields, "id": given_id(node_id)}


def given_fields(value: Any, *, what: str = "a document's fields") -> Mapping[str, Any]:
    """The mapping; raises CorpusError, where `what` begins the sentence, if it is none."""
    if not isinstance(value, Mapping):
        raise CorpusError(f"{what[:1].upper()}{what[1:]} should be a mapping of names to values, found {shown(value)}.")
    return value


def given_id(value: Any) -> str:
    """An id that was named on purpose: a text or a number, not blank; raises CorpusError otherwise."""
    try:
        found = None if _is_blank(value) else id_text(value)
    except RowError as problem:
        raise CorpusError(f"A document cannot be added: {problem}") from None
    if found is None:
        raise CorpusError("The id of a document should not be empty; where none is given, the document is numbered.")
    return found


def given_documents(values: Any) -> list[Document]:
    """The documents of a corpus or of any other collection.

    Raises
    ------
    CorpusError
        If it is none, or holds anything else.
    """
    if isinstance(values, Corpus):
        return list(values)
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise CorpusError(f"A corpus to add should be a Corpus or a list of Documents, found {shown(values)}.")
    documents = list(values)
    if other := next((n for n, value in enumerate(documents, start=1) if not isinstance(value, Document)), None):
        raise CorpusError(
            f"Entry {other:,} of the corpus should be a Document, found {shown(documents[other - 1])}; "
            "`corpus_of_records` makes a corpus of mappings."
        )
    return documents


def identified(
    record: Mapping[str, Any], id_field: str, taken: Container[str], n_taken: int
) -> tuple[Mapping[str, Any], str]:
    """The record, and the field that holds its id: `id`, else the configured one, else the first free number.

    Examples
    --------
    >>> identified({"doi": "x1", "title": "Trees"}, "doi", (), 0)
    ({'doi': 'x1', 'title': 'Trees'}, 'doi')
    >>> identified({"title": "Trees"}, "doi", ("doc-00001",), 1)
    ({'title': 'Trees', 'id': 'doc-00002'}, 'id')
    """
    given, configured = record.get("id"), record.get(id_field)
    if _is_blank(given) and _is_blank(configured):
        free = next(name for n in range(n_taken + 1, 2 * n_taken + 2) if (name := f"doc-{n:05d}") not in taken)
        return {**record, "id": free}, "id"
    if id_field != "id" and (_is_blank(given) or str(given) == str(configured)):  # the same id twice is written once
        return {name: value for name, value in record.items() if name != "id"}, id_field
    return record, "id"


def _is_blank(value: Any) -> bool:
    return value is None or value != value or (isinstance(value, str) and not value.strip())
