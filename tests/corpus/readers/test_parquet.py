"""Parquet, and the megabyte of it that holds gigabytes."""

from __future__ import annotations

import datetime
import io
from typing import Any

import pytest

from cnrag_core.corpus.limits import MEGABYTE, Limits
from cnrag_core.corpus.readers import read_bytes
from cnrag_core.errors import CorpusError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def parquet(columns: dict[str, Any], **options: Any) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer, **options)
    return buffer.getvalue()


def test_rows_with_their_types() -> None:
    corpus = read_bytes(
        parquet(
            {
                "id": ["007", "7", None],
                "title": ["One title", None, "Three titles"],
                "tags": [["a", "b"], [], None],
                "year": pa.array([1999, None, 2001]),
                "when": [datetime.date(2020, 1, 2)] * 3,
                "place": [{"city": "Bonn", "at": {"lat": 1.5}}] * 3,
                "score": [0.5, float("nan"), 1.0],
                "raw": [b"text", b"\xff\xfe\x00", b""],
            }
        ),
        "x.parquet",
    )
    assert [document.id for document in corpus] == ["007", "7", "doc-00003"]
    assert corpus["007"].fields == {
        "title": "One title",
        "tags": ["a", "b"],
        "year": 1999,
        "when": "2020-01-02",
        "place.city": "Bonn",
        "place.at.lat": 1.5,
        "score": 0.5,
        "raw": "text",
    }
    assert corpus["7"].fields["score"] is None
    assert corpus["7"].provenance.row == 2
    assert dict(corpus.kinds)["tags"] == "list"


def test_the_row_numbers_of_a_data_frame_are_no_field() -> None:
    assert "__index_level_0__" not in read_bytes(parquet({"t": ["x y"], "__index_level_0__": [7]}), "x").kinds


def test_several_batches_keep_their_order() -> None:
    corpus = read_bytes(parquet({"id": [f"d{n}" for n in range(1000)]}, row_group_size=300), "x.parquet")
    assert [document.id for document in corpus] == [f"d{n}" for n in range(1000)]


def test_no_rows_are_refused() -> None:
    with pytest.raises(CorpusError, match="there is no document in it"):
        read_bytes(parquet({"id": pa.array([], pa.string())}), "x.parquet")


def test_repeated_text_is_counted_as_if_it_were_written_out() -> None:
    data = parquet({"text": ["x" * 10_000] * 20_000})
    assert len(data) < MEGABYTE
    with pytest.raises(CorpusError, match="holds more than 20 MB of text"):
        read_bytes(data, "bomb.parquet", limits=Limits(text_bytes=20 * MEGABYTE))


def test_repeated_text_inside_lists_is_counted_too() -> None:
    data = parquet({"tags": [["x" * 10_000] * 20] * 1000})
    assert len(data) < MEGABYTE
    with pytest.raises(CorpusError, match="holds more than 20 MB of text"):
        read_bytes(data, "bomb.parquet", limits=Limits(text_bytes=20 * MEGABYTE))


def test_too_many_rows_are_refused_before_they_are_read() -> None:
    with pytest.raises(CorpusError, match=r"has 200,000 rows; at most 100,000 documents are allowed here"):
        read_bytes(parquet({"n": pa.array([1] * 200_000)}), "x.parquet")


def test_endless_lists_are_refused_before_they_are_read() -> None:
    with pytest.raises(CorpusError, match="values in 1 row; this is no corpus"):
        read_bytes(parquet({"tags": [["x"] * 100_000]}), "x.parquet")


def test_a_damaged_file_is_refused() -> None:
    data = parquet({"id": ["a", "b"], "t": ["x", "y"]})
    for broken in (data[:-20], data[:4] + b"\x00" * 50 + data[54:], b"PAR1" + b"\x00" * 100 + b"PAR1", b"PAR1"):
        with pytest.raises(CorpusError, match=r"^x\.parquet"):
            read_bytes(broken, "x.parquet")
