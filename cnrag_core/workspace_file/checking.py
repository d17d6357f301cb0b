"""Looking for damage in a workspace file without opening a network of it.

Enters: a path. Leaves: a sentence for every part that is damaged. Behind the command ``cnrag check``.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

from cnrag_core.errors import CNRagError, StorageError
from cnrag_core.workspace_file.archive import Parts, damage_of
from cnrag_core.workspace_file.reading import read_file


def check_file(path: str | Path) -> list[str]:
    """What is wrong with a workspace file, one sentence each; empty where nothing is.

    Every part is unpacked against its checksum; where all are intact, they are read and must fit together.

    Raises
    ------
    StorageError
        If there is no such file.
    """
    file = Path(path)
    if not file.is_file():
        raise StorageError(f"There is no workspace {str(path)!r}.")
    findings = []
    try:
        with damage_of(file.name), zipfile.ZipFile(file) as archive:
            parts = Parts(archive, file.name)
            for part in archive.namelist():
                try:
                    parts.read(part)
                except CNRagError as error:
                    findings.append(str(error))
        if not findings:
            read_file(file)
    except CNRagError as error:
        findings.append(str(error))
    return findings
