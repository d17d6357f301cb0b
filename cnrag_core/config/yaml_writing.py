"""Plain values as YAML text that reads back as the same values.

Enters: mappings, lists, texts, numbers, booleans. Leaves: YAML 1.2 as people write it: blocks for mappings, one line
for lists of short words, quotes only where a text would read as something else.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from cnrag_core.config.yaml_reading import scalar

_LONGEST_LINE = 100


def to_text(values: Mapping[str, Any], *, comments: Sequence[str] = ()) -> str:
    """The values as YAML, with the comments above them.

    Examples
    --------
    >>> print(to_text({"name": "no", "id_field": "7", "schema": {"tags": "list"}}, comments=["Checked."]), end="")
    # Checked.
    name: no
    id_field: "7"
    <BLANKLINE>
    schema:
      tags: list
    """
    from ruamel.yaml import YAML

    writer = YAML(typ="rt", pure=True)
    writer.indent(mapping=2, sequence=4, offset=2)
    writer.width = _LONGEST_LINE
    writer.allow_unicode = True
    out = io.StringIO()
    for comment in comments:
        out.write(f"# {' '.join(comment.split())}\n")
    for i, (key, value) in enumerate(values.items()):
        # an empty line before every section
        if isinstance(value, (Mapping, list)) and (i or comments):
            out.write("\n")
        writer.dump(_styled({key: value}), out)
    return out.getvalue()


def _styled(value: Any) -> Any:
    """The value in the writer's own types, where those decide how it looks."""
    from ruamel.yaml.comments import CommentedSeq
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString

    if isinstance(value, Mapping):
        return {_styled(key): _styled(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        items = CommentedSeq([_styled(item) for item in value])
        if all(isinstance(item, (str, int, float)) for item in value):
            items.fa.set_flow_style()
        return items
    if isinstance(value, str):
        return value if _reads_as_itself(value) else DoubleQuotedScalarString(value)
    return value


def _reads_as_itself(text: str) -> bool:
    """Whether a text without quotes stays that text here; the writer quotes what YAML itself asks for."""
    return isinstance(scalar(text), str) and text.isprintable()
