"""Readers, one file a format, and the two ways in: `read_corpus` for a path, `read_bytes` for an upload."""

from cnrag_core.corpus.limits import UPLOAD_LIMITS, Limits
from cnrag_core.corpus.readers.reading import read_bytes, read_corpus

__all__ = ["UPLOAD_LIMITS", "Limits", "read_bytes", "read_corpus"]
