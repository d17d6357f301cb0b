"""The words that set a community apart: its tags.

Enters: documents, community labels and the fields that describe the documents. Leaves: a few tags a
community, most telling first. In the style of c-TF-IDF, a term counts for how many of a community's documents
use it, and against how many of all others do. Guide 002, "Auto-tagging".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cnrag_core.arguments import checked_whole
from cnrag_core.corpus.document import Document
from cnrag_core.errors import ConfigError
from cnrag_core.topology.terms import Term, TermTable, term_table

N_TAGS = 5
MAX_DOCUMENTS = 10_000
"""Of a larger corpus a sample of every community is read; tags of topics do not need more."""

MIN_SAMPLED = 30
"""Documents of a community that are read at least, where it has as many."""

_PHRASE_SHARE = {1: 0.6, 2: 0.8}  # a longer phrase that scores this share of a term of one, of two words stands for it
_LEAST_STEM, _MOST_ENDING = 4, 2  # letters by which two words are told to be forms of one
_N_CANDIDATES = 60  # best terms among which repetitions are looked for


def community_tags(
    documents: Sequence[Document],
    labels: NDArray[np.int64],
    fields: Sequence[str],
    *,
    n_tags: int = N_TAGS,
    random_state: int = 0,
    table: TermTable | None = None,
) -> dict[int, list[str]]:
    """Tags of every community.

    Parameters
    ----------
    documents
        In the order of the labels.
    labels
        (n,) community numbers.
    fields
        Fields to read: texts by their words and word pairs, lists by their items as a whole.
    n_tags
        At most so many a community.
    random_state
        Chooses the documents that are read of a corpus of more than 10,000.
    table
        The terms of all documents in these fields, where they are known already: reading them takes
        longer than all the rest.

    Returns
    -------
    dict
        Community number to tags, for every community; an empty list for a community of one document,
        which has nothing in common, and where nothing sets it apart. `auto_tag` answers for one document.

    Raises
    ------
    ConfigError
        If there is not one label a document.
    """
    _check_labels(documents, labels)
    sizes = np.bincount(labels) if len(labels) else np.empty(0, dtype=np.int64)
    if table is None:
        chosen = _sampled(labels, sizes, random_state)
        table = term_table([documents[number] for number in chosen.tolist()], fields)
    else:
        chosen = np.arange(len(labels), dtype=np.int64)
    sampled = labels[chosen]
    members = np.split(np.argsort(sampled, kind="stable"), np.cumsum(np.bincount(sampled, minlength=len(sizes)))[:-1])
    everywhere = np.asarray(table.values.sum(axis=0)).ravel()
    return {
        community: _tags(table, members[community], everywhere, table.n_documents, n_tags) if size > 1 else []
        for community, size in enumerate(sizes.tolist())
    }


def auto_tag(
    documents: Sequence[Document],
    labels: NDArray[np.int64],
    community: int,
    fields: Sequence[str],
    *,
    n_samples: int = 20,
    n_tags: int = N_TAGS,
    random_state: int = 0,
) -> list[str]:
    """Tags of one community from `n_samples` of its documents, as guide 002 describes."""
    _check_labels(documents, labels)
    chosen = sample_members(np.flatnonzero(labels == community), n_samples, random_state)
    return tags_of_members(term_table(documents, fields), labels, community, chosen, n_tags=n_tags)


def tags_of_members(
    table: TermTable,
    labels: NDArray[np.int64],
    community: int,
    members: Sequence[int] | NDArray[np.int64],
    *,
    n_tags: int = N_TAGS,
) -> list[str]:
    """Tags of some members of a community, against all documents outside it.

    `table` holds all documents, so that it can be made once and asked for many communities.
    """
    members = np.asarray(members, dtype=np.int64)
    if not len(members):
        return []
    others = np.flatnonzero(labels != community)
    everywhere = np.asarray(table.values[np.concatenate([members, others])].sum(axis=0)).ravel()
    return _tags(table, members, everywhere, len(members) + len(others), n_tags)


def sample_members(members: NDArray[np.int64], n: int, random_state: int) -> NDArray[np.int64]:
    """Up to `n` of the members, ascending; the same ones for the same random state.

    Raises
    ------
    ConfigError
        If `n` is negative.
    """
    if checked_whole(n, "the size of a sample") < 0:
        raise ConfigError(f"A sample needs a number of at least 0, got {n}.")
    if len(members) <= n:
        return members
    return np.sort(np.random.default_rng(random_state).choice(members, n, replace=False))


def _check_labels(documents: Sequence[Document], labels: NDArray[np.int64]) -> None:
    if len(documents) != len(labels):
        raise ConfigError(f"{len(labels)} community labels were given for {len(documents)} documents.")


def _sampled(labels: NDArray[np.int64], sizes: NDArray[np.int64], random_state: int) -> NDArray[np.int64]:
    """Numbers of the documents to read: all of a corpus of the usual size, else a share of every community."""
    n = len(labels)
    if n <= MAX_DOCUMENTS:
        return np.arange(n, dtype=np.int64)
    random = np.random.default_rng(random_state)
    wanted = np.minimum(sizes, np.maximum(MIN_SAMPLED, sizes * MAX_DOCUMENTS // n))
    shuffled = random.permutation(n)
    order = shuffled[np.argsort(labels[shuffled], kind="stable")]
    place_in_community = np.arange(n) - np.repeat(np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
    return np.sort(order[place_in_community < wanted[labels[order]]])


def _tags(
    table: TermTable, members: NDArray[np.int64], everywhere: NDArray[np.float64], n_documents: int, n_tags: int
) -> list[str]:
    """The best terms of some documents against all `n_documents`, whose summed values are `everywhere`.

    A term scores p log(p / q), its part in the relative entropy of the community's use of words from the
    others': p and q are the shares of the documents inside and outside that use it.
    """
    rows = table.values[members]
    column, where = np.unique(rows.indices, return_inverse=True)
    used = np.bincount(where, rows.data, minlength=len(column))
    n_using = np.bincount(where, minlength=len(column))
    n_outside = n_documents - len(members)
    share = used / (len(members) + 0.5)
    elsewhere = (np.maximum(everywhere[column] - used, 0.0) + 0.5) / (n_outside + 1.0)
    # without others to differ from, a community's tags are what most of it shares
    score = share * np.log(share / elsewhere) if n_outside else share
    shared = n_using >= min(2, len(members))  # a word of one document does not speak for the others
    good = (score > 0) & shared
    column, score = column[good], np.round(score[good], 9)
    if len(score) > _N_CANDIDATES:
        least = -np.partition(-score, _N_CANDIDATES - 1)[_N_CANDIDATES - 1]
        column, score = column[score >= least], score[score >= least]  # before anything is sorted by its text
    texts = [table.terms[number].text for number in column.tolist()]
    ranked = sorted(range(len(column)), key=lambda at: (-score[at], texts[at]))[:_N_CANDIDATES]
    return _without_repetition([(table.terms[int(column[at])], float(score[at])) for at in ranked], n_tags)


def _without_repetition(candidates: Sequence[tuple[Term, float]], n_tags: int) -> list[str]:
    """The best terms of which none says again what another says.

    A word gives way to a phrase that contains it and scores nearly as much; what shares a word with a tag
    that was taken is left out.
    """
    chosen: list[Term] = []
    for term, score in candidates:
        if len(chosen) == n_tags:
            break
        best = _fullest(term, score, candidates)
        if not any(_overlap(best, other) for other in chosen):
            chosen.append(best)
    return [term.text for term in chosen]


def _fullest(term: Term, score: float, candidates: Sequence[tuple[Term, float]]) -> Term:
    """The term, lengthened step by step while a longer one scores nearly as much."""
    while True:
        enough = _PHRASE_SHARE.get(len(term.stems), 0.8) * score
        longer = next(
            ((other, value) for other, value in candidates if value >= enough and _contains(other, term)), None
        )
        if longer is None:
            return term
        term, score = longer


def _contains(longer: Term, term: Term) -> bool:
    if term.stems:
        return term.stems < longer.stems
    return not longer.stems and term.text != longer.text and term.text in longer.text


def _overlap(first: Term, second: Term) -> bool:
    if first.stems and second.stems:
        return bool(first.stems & second.stems) or _forms_of_one_word(first.text, second.text)
    if first.stems or second.stems:
        return first.text == second.text
    return _share_two_characters(first.text, second.text)


def _forms_of_one_word(first: str, second: str) -> bool:
    """Whether two words differ by an ending alone, which no stemmer says of words whose language is not known."""
    short, long = sorted((first, second), key=len)
    return _LEAST_STEM <= len(short) >= len(long) - _MOST_ENDING and long.startswith(short) and " " not in long


def _share_two_characters(first: str, second: str) -> bool:
    return any(first[at : at + 2] in second for at in range(len(first) - 1))
