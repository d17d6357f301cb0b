"""What a person should know before a build: whether the configuration fits the documents.

Enters: documents and a configuration. Leaves: sentences about fields that are empty or of another kind than
their comparison needs; a field that no document has is an error, with the nearest one that there is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cnrag_core.config.spec import (
    AdjacentLinks,
    AttributeSimilarityComponent,
    CompositeEmbeddingComponent,
    FieldEmbeddingComponent,
    MentionLinks,
    PipelineConfig,
    ReferenceLinks,
    SharedConceptLinks,
)
from cnrag_core.corpus.document import Document
from cnrag_core.corpus.kinds import LONG_TEXT, is_present, list_separator
from cnrag_core.corpus.wording import listed, nearest, quoted, shown
from cnrag_core.errors import CorpusError

SPARSE = 0.9
"""Share of documents without a field beyond which the person is told."""

SAMPLE = 2_000
"""Documents whose values are looked at for their kind."""

_DISPLAY = "the display"


@dataclass(frozen=True)
class _Use:
    """A field that something in the configuration reads, and what for."""

    field: str
    by: str
    needed: bool = True


def check_fields(documents: Iterable[Document], config: PipelineConfig) -> list[str]:
    """Warnings about a configuration and the documents that it is meant for.

    Parameters
    ----------
    documents
        A corpus, or documents.
    config
        What will be compared, linked and shown.

    Returns
    -------
    list of str
        One sentence each, in the order of the configuration.

    Raises
    ------
    CorpusError
        If there are no documents, if no document has a field that is compared or linked, or if all compared
        fields are empty everywhere.
    """
    found = tuple(documents)
    if not found:
        raise CorpusError("There are no documents.")
    uses = _uses(config)
    filled = {use.field: sum(not document.is_missing(use.field) for document in found) for use in uses}
    warnings = _missing(found, config, uses)
    if len(found) == 1:
        warnings.append("There is only one document, so there is nothing that it could be linked with.")

    compared = [use.field for use in uses if use.by.startswith("component")]
    if compared and not any(filled[field] for field in compared):
        raise CorpusError(
            f"There is nothing to compare: {listed(dict.fromkeys(compared))} "
            f"{'is' if len(set(compared)) == 1 else 'are'} empty in every document."
        )
    for field, by in {use.field: use.by for use in reversed(uses)}.items():
        share = 1 - filled[field] / len(found)
        if not filled[field] and by == _DISPLAY and not any(field in document.fields for document in found):
            continue  # told already, as a field that no document has
        if not filled[field]:
            warnings.append(f"Field '{quoted(field)}' is empty in every document; {by} counts as missing everywhere.")
        elif share >= SPARSE:
            empty = f"{len(found) - filled[field]:,} of {len(found):,} documents"
            warnings.append(f"Field '{quoted(field)}' is empty in {empty}; {by} says nothing about those.")
    warnings += _declared_in_vain(found, config, filled)
    for component in config.components:
        if isinstance(component, AttributeSimilarityComponent):
            warnings += _attribute_warnings(component, found)
        elif isinstance(component, FieldEmbeddingComponent):
            warnings += _embedding_warnings(component.field, found)
        else:
            for part in component.fields:
                warnings += _embedding_warnings(part.field, found)
    return list(dict.fromkeys(warnings))


def _uses(config: PipelineConfig) -> list[_Use]:
    uses: list[_Use] = []
    for component in config.components:
        by = f"component '{quoted(component.name)}'"
        if isinstance(component, CompositeEmbeddingComponent):
            uses += [_Use(part.field, by) for part in component.fields]
        else:
            uses.append(_Use(component.field, by))
    for link in config.links:
        by = f"the link '{link.type}'"
        if isinstance(link, MentionLinks):
            uses += [_Use(link.of, by), *(_Use(name, by) for name in link.fields)]
        elif isinstance(link, SharedConceptLinks):
            uses += [_Use(name, by) for name in link.fields]
        elif isinstance(link, ReferenceLinks):
            uses.append(_Use(link.source, by))
            if link.target != "id":
                uses.append(_Use(link.target, by))
        elif isinstance(link, AdjacentLinks):
            uses += [_Use(link.within, by), _Use(link.order, by)]
    if config.traversal.concepts == "field" and config.traversal.concept_field:
        uses.append(_Use(config.traversal.concept_field, "the concepts of a walk"))
    display = (config.display.title, config.display.text, config.display.color)
    uses += [_Use(name, _DISPLAY, needed=False) for name in display if name and name != "id"]
    return uses


def _missing(documents: Sequence[Document], config: PipelineConfig, uses: Sequence[_Use]) -> list[str]:
    """Fields that no document has: refused where they are compared, told where they are only shown."""
    known = list(dict.fromkeys(name for document in documents for name in document.fields))
    names = set(known)
    problems: list[str] = []
    warnings: list[str] = []
    for use in {use.field: use for use in reversed(uses)}.values():
        declared = config.fields.get(use.field)
        if use.field in names or (declared is not None and not declared.required):
            continue  # a declared field may well be missing everywhere: that is told as emptiness
        close = nearest(use.field, known)
        hint = f" Did you mean '{quoted(close)}'?" if close else ""
        sentence = f"no document has the field '{quoted(use.field)}' that {use.by} reads.{hint}"
        (problems if use.needed else warnings).append(sentence[:1].upper() + sentence[1:])
    if problems:
        raise CorpusError(f"{' '.join(reversed(problems))} The fields are {listed(known, at_most=20)}.")
    return warnings


def _declared_in_vain(documents: Sequence[Document], config: PipelineConfig, used: Mapping[str, int]) -> list[str]:
    """Fields of the schema that nothing reads and no document has: names that were misspelt, mostly."""
    found = {name for document in documents for name in document.fields if not document.is_missing(name)}
    told = []
    for name, spec in config.fields.items():
        if name in used or name in found:
            continue
        close = nearest(name, sorted(found)) if spec.source is None else None
        hint = f" Did you mean '{quoted(close)}'?" if close else ""
        where = f" where `from` looks, '{quoted(spec.source)}'" if spec.source is not None else ""
        told.append(f"The schema declares field '{quoted(name)}', but no document has it{where}.{hint}")
    return told


def _attribute_warnings(component: AttributeSimilarityComponent, documents: Sequence[Document]) -> list[str]:
    name, metric = component.field, component.metric
    label = f"'{quoted(name)}'"
    values = [value for document in documents[:SAMPLE] if is_present(value := document.fields.get(name))]
    if not values:
        return []
    if metric == "numeric":
        present = [document for document in documents if not document.is_missing(name)]
        wrong = sum(document.number(name) is None for document in present)
        if wrong:
            first = next(document.fields[name] for document in present if document.number(name) is None)
            which = (
                "none of its values is one"
                if wrong == len(present)
                else f"{wrong:,} of its {len(present):,} values {'is' if wrong == 1 else 'are'} none"
            )
            return [
                f"Field {label} is compared as a number, but {which} (such as {shown(first)}); what is none counts as "
                "missing."
            ]
        return []
    texts = [value for value in values if isinstance(value, str)]
    if metric != "exact" and len(texts) == len(values):
        if sum(map(len, texts)) > LONG_TEXT * len(texts):
            return [
                f"Field {label} holds long texts, and '{metric}' takes each as one item, so only identical ones are "
                "similar; compare it with a field_embedding instead."
            ]
        separator = list_separator(texts) or ("," if _holds_commas(texts) else None)
        if separator:
            return [
                f"Field {label} holds texts with '{separator}' in them, and '{metric}' takes each as one item; "
                f"declare it in the schema as a list with separator '{separator}' to compare the parts."
            ]
    return _nothing_shared(name, documents)


def _nothing_shared(name: str, documents: Sequence[Document]) -> list[str]:
    seen: Counter[str] = Counter()
    n_holding = 0
    for document in documents:
        items = document.items(name)
        n_holding += bool(items)
        seen.update(items)
    if n_holding > 1 and max(seen.values(), default=0) == 1:
        return [f"No two documents share a value of field '{quoted(name)}', so comparing it links nothing."]
    return []


def _embedding_warnings(name: str, documents: Sequence[Document]) -> list[str]:
    values = [value for document in documents[:SAMPLE] if is_present(value := document.fields.get(name))]
    if values and all(isinstance(value, (int, float)) for value in values):
        return [
            f"Field '{quoted(name)}' holds numbers; as text, near numbers have nothing in common. "
            "Compare it with metric 'numeric' or 'exact'."
        ]
    return []


def _holds_commas(texts: Sequence[str]) -> bool:
    """Whether most texts are short parts between commas."""
    holding = [text for text in texts if "," in text]
    parts = [part.strip() for text in holding for part in text.split(",")]
    return 2 * len(holding) > len(texts) and sum(map(len, parts)) <= 25 * len(parts)
