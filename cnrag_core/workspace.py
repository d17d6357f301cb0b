"""A corpus, its configuration and what was built from them: what a person works on, saved and reopened.

Enters: a sample's name, files, or a saved workspace. Leaves: a `Workspace`, immutable; another threshold
or configuration makes another one. Knows nothing of browsers.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cnrag_core.arguments import checked_kind, checked_path, checked_text
from cnrag_core.config.spec import PipelineConfig
from cnrag_core.corpus.document import Corpus
from cnrag_core.errors import memory_named
from cnrag_core.network import Network, build_network
from cnrag_core.rag import checked_threshold
from cnrag_core.types import Progress, silent

if TYPE_CHECKING:
    from cnrag_core.evaluation.judgements import JudgedQuery
    from cnrag_core.workspace_file import Contents

SUFFIX = ".cnrag"
N_SHOWN = 10
"""Communities, hubs and bridges in a summary."""


@memory_named("This network")
def shown_network(
    corpus: Corpus,
    config: PipelineConfig,
    progress: Progress,
    *,
    resume: Path | None = None,
    max_edges: int | None = None,
) -> Network:
    """A network with everything that its pictures need, so that no page waits for it afterwards."""
    network = build_network(corpus, config, resume=resume, max_edges=max_edges, progress=progress)
    progress("Naming communities", 0.0)
    _ = network.tags
    progress("Laying out the network", 0.0)
    _ = network.layout
    return network


@dataclass(frozen=True, eq=False)
class Workspace:
    """Documents, how they are compared, and the network that this makes.

    Attributes
    ----------
    name
        What people call it: the sample or the file.
    corpus, config, network
        As read, as validated, as built.
    queries
        Judged questions about the corpus, if any.
    sample
        Name of the shipped sample, or None for a person's own corpus.
    view
        How it was looked at when it was saved, as a link of the dashboard carries it.
    """

    name: str
    corpus: Corpus
    config: PipelineConfig
    network: Network
    queries: tuple[JudgedQuery, ...] = ()
    sample: str | None = None
    view: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def build(
        cls,
        corpus: Corpus,
        config: PipelineConfig | None = None,
        *,
        name: str | None = None,
        queries: Sequence[JudgedQuery] = (),
        sample: str | None = None,
        resume: Path | None = None,
        max_edges: int | None = None,
        progress: Progress = silent,
    ) -> Workspace:
        """Build a network from a corpus; without a configuration one is guessed from its fields.

        `resume` is a folder from which an interrupted build of the same goes on, `max_edges` bounds the graph other
        than by memory; see `build_network`.
        """
        checked_kind(corpus, "corpus", Corpus, what="a Corpus, as `read_corpus` gives it")
        if config is None:
            from cnrag_core.config.infer import infer_config

            config = infer_config(corpus)
        network = shown_network(corpus, config, progress, resume=resume, max_edges=max_edges)
        return cls(name or corpus.name, corpus, config, network, tuple(queries), sample)

    @classmethod
    def of_sample(
        cls,
        name: str,
        config: PipelineConfig | None = None,
        *,
        resume: Path | None = None,
        progress: Progress = silent,
    ) -> Workspace:
        """Build one of the shipped samples."""
        from cnrag_core.config.loader import load_config
        from cnrag_core.corpus.samples import load_sample
        from cnrag_core.evaluation.judgements import judged_queries

        sample = load_sample(name)
        chosen = config or load_config(sample.config_yaml)
        queries = judged_queries(sample.queries) if sample.queries else ()
        return cls.build(
            sample.corpus, chosen, name=sample.title, queries=queries, sample=name, resume=resume, progress=progress
        )

    @classmethod
    def of_source(
        cls,
        source: str,
        config: Path | None = None,
        *,
        keep_duplicates: bool = False,
        resume: Path | None = None,
        progress: Progress = silent,
    ) -> Workspace:
        """From what a person names: a saved workspace, a corpus on disk, or a sample.

        `keep_duplicates` keeps a repeated id as ``x#2``; `resume` is a folder from which an interrupted build of
        the same goes on; see `build_network`.

        Raises
        ------
        CorpusError
            If it is none of them; the message lists the samples.
        """
        from cnrag_core.corpus.readers import read_corpus
        from cnrag_core.file_kinds import check_source, kind_of_file, load_config_file

        checked_text(source, "source", what="the path of a file or folder, or the name of a sample")
        chosen = None if config is None else load_config_file(Path(checked_path(config, "config")))
        check_source(source)
        path = Path(source)
        kind, _ = kind_of_file(path)
        # a download may have got another name; a damaged workspace has only its name left
        if kind == "workspace" or (path.suffix == SUFFIX and kind in ("unknown", "empty")):
            opened = cls.open(path)
            if chosen is None:
                return opened
            told = opened._not_read_again(chosen)
            return replace(opened, corpus=told).rebuilt(chosen, resume=resume, progress=progress)
        if path.exists():
            corpus = read_corpus(
                path,
                id_field=chosen.id_field if chosen else "id",
                fields=chosen.fields or None if chosen else None,
                keep_duplicates=keep_duplicates,
            )
            return cls.build(corpus, chosen, resume=resume, progress=progress)
        return cls.of_sample(source, chosen, resume=resume, progress=progress)

    def _not_read_again(self, config: PipelineConfig) -> Corpus:
        """The corpus with a warning where a schema would read fields in another way than they were when saved."""
        from cnrag_core.config.spec import FieldSpec
        from cnrag_core.corpus.wording import listed

        differing = [
            name
            for name, spec in config.fields.items()
            if spec != self.config.fields.get(name)
            and spec != FieldSpec(kind=self.corpus.kinds.get(name, "text"), required=spec.required)
        ]
        if not differing:
            return self.corpus
        sentence = (
            f"A saved workspace holds its documents as they were read; the schema of this configuration is not applied "
            f"to {listed(differing)}. Build from the original file to read them anew."
        )
        return replace(self.corpus, warnings=tuple(dict.fromkeys((*self.corpus.warnings, sentence))))

    def rebuilt(self, config: PipelineConfig, *, resume: Path | None = None, progress: Progress = silent) -> Workspace:
        """The same documents compared in another way."""
        return replace(self, config=config, network=shown_network(self.corpus, config, progress, resume=resume))

    def at(self, threshold: float | None) -> Workspace:
        """The same network at another threshold; None leaves it as built."""
        if threshold is None:
            return self
        return replace(self, network=self.network.at_threshold(checked_threshold(self.network, threshold)))

    def save(self, path: str | Path) -> None:
        """Write everything to one file, whole or not at all."""
        from cnrag_core.workspace_file import write_file

        write_file(Path(path), self._contents())

    def to_bytes(self) -> bytes:
        """The same file in memory, for a download."""
        from cnrag_core.workspace_file import write_stream

        buffer = io.BytesIO()
        write_stream(buffer, self._contents())
        return buffer.getvalue()

    def _contents(self) -> Contents:
        from cnrag_core.workspace_file import Contents

        view = dict(self.view)
        if self.network.base is not None:
            view.setdefault("t", f"{self.network.graph.threshold:.3f}")
        return Contents(self.name, self.corpus, self.config, self.network, self.queries, self.sample, view)

    @classmethod
    def open(cls, source: str | Path | bytes, *, known: Corpus | None = None) -> Workspace:
        """Read a saved workspace; the view is the one that was saved, and nothing is computed again.

        Documents that `known` holds as well are its own, so that they stand in memory once.

        Raises
        ------
        StorageCorruptError
            If the file is damaged or was not written by cnrag.
        """
        from cnrag_core.workspace_file import read_file

        given = source if isinstance(source, bytes) else checked_path(source, "source")
        contents = read_file(given, known=known)
        return cls(
            contents.name,
            contents.corpus,
            contents.config,
            contents.network,
            contents.queries,
            contents.sample,
            contents.view,
        )

    def summary(self) -> dict[str, Any]:
        """What was read and built, in plain values: figures, communities with tags, hubs, bridges, warnings."""
        from cnrag_core.topology.roles import find_bridges, find_hubs

        network = self.network
        graph, communities = network.graph, network.communities
        modularity = communities.modularity
        hubs = find_hubs(graph, top=N_SHOWN)
        bridges = find_bridges(graph, network.betweenness, communities.labels, top=N_SHOWN)
        return {
            "name": self.name,
            "figures": {
                "documents": graph.n_nodes,
                "edges": graph.n_edges,
                "edge rule": graph.rule,
                "density": round(graph.density, 6),
                "isolated documents": int(np.count_nonzero(graph.degree == 0)),
                "communities of 2 or more": int(np.count_nonzero(communities.sizes >= 2)),
                "modularity": "undefined" if modularity is None else round(modularity, 4),
                "communities found by": communities.library,
                "seconds": round(sum(network.timings.values()), 3),
            },
            "communities": [
                {"community": c, "size": int(communities.sizes[c]), "tags": network.tags.get(c, [])}
                for c in range(min(N_SHOWN, len(communities.sizes)))
                if communities.sizes[c] >= 2
            ],
            "hubs": [{"id": hub.node_id, "title": network.title(hub.node_id), "degree": hub.degree} for hub in hubs],
            "bridges": [
                {
                    "id": bridge.node_id,
                    "title": network.title(bridge.node_id),
                    "betweenness": bridge.betweenness,
                    "communities": list(bridge.communities),
                    "joins": [", ".join(network.tags.get(c, [])[:2]) or f"community {c}" for c in bridge.communities],
                }
                for bridge in bridges
            ],
            "warnings": list(dict.fromkeys([*self.corpus.warnings, *network.warnings])),
        }
