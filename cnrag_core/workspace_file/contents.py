"""What a workspace file holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cnrag_core.config.spec import PipelineConfig
from cnrag_core.corpus.document import Corpus
from cnrag_core.network import Network

if TYPE_CHECKING:
    from cnrag_core.evaluation.judgements import JudgedQuery


@dataclass(frozen=True, eq=False)
class Contents:
    """Documents, configuration, network, judged questions and the view, as `Workspace` has them."""

    name: str
    corpus: Corpus
    config: PipelineConfig
    network: Network
    queries: tuple[JudgedQuery, ...]
    sample: str | None
    view: Mapping[str, str] = field(default_factory=dict)
