"""A workspace as one file that reopens with the same view.

A zip of JSON and plain arrays: `writing` makes it, `reading` opens it, `checking` names what is damaged.
Nothing in it is ever executed, and every size is checked before memory is spent on it, because the file
may come from anybody.
"""

from cnrag_core.workspace_file.checking import check_file
from cnrag_core.workspace_file.contents import Contents
from cnrag_core.workspace_file.reading import read_file
from cnrag_core.workspace_file.records import queries_of_records, read_documents, write_documents
from cnrag_core.workspace_file.writing import write_file, write_stream

__all__ = [
    "Contents",
    "check_file",
    "queries_of_records",
    "read_documents",
    "read_file",
    "write_documents",
    "write_file",
    "write_stream",
]
