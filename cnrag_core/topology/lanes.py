"""Sums over rows of eight numbers, as vector instructions.

numba turns a loop over eight numbers into eight separate additions, which is almost three times as slow. So
the one sum that betweenness spends its time in is given to the compiler (LLVM) as additions of vectors; on a
processor with shorter vectors LLVM makes several instructions of each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 8
"""Numbers in a row."""


def _sum_rows(typing: Any, sums: Any, to: Any, rows: Any, indices: Any, first: Any, last: Any) -> Any:
    """The types of `sum_rows`, and what writes its instructions."""
    integer, vector = ir.IntType(64), ir.VectorType(ir.DoubleType(), LANES)

    def pointer_to_row(builder: Any, array: Any, row: Any) -> Any:
        start = builder.gep(array.data, [builder.mul(row, ir.Constant(integer, LANES))])
        return builder.bitcast(start, vector.as_pointer())

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        to_array, row_array, index_array = (
            context.make_array(signature.args[place])(context, builder, arguments[place]) for place in (0, 2, 3)
        )
        total = cgutils.alloca_once(builder, vector)  # type: ignore[no-untyped-call]
        builder.store(ir.Constant(vector, [0.0] * LANES), total)
        start, stop = arguments[4], arguments[5]
        with cgutils.for_range_slice(builder, start, stop, ir.Constant(integer, 1)) as (at, _):
            row = builder.zext(builder.load(builder.gep(index_array.data, [at])), integer)
            numbers = builder.load(pointer_to_row(builder, row_array, row))
            numbers.align = 8  # rows begin where the array does, not where vectors would
            builder.store(builder.fadd(builder.load(total), numbers), total)
        written = builder.store(builder.load(total), pointer_to_row(builder, to_array, arguments[1]))
        written.align = 8
        return context.get_dummy_value()

    flat, whole = types.Array(types.float64, 1, "C"), types.int64
    return types.void(flat, whole, flat, types.Array(types.uint32, 1, "C"), whole, whole), generate


sum_rows: Callable[..., None] = intrinsic(_sum_rows)
"""``sum_rows(sums, to, rows, indices, first, last)``: row `to` of `sums` becomes the sum of those rows of `rows`
that ``indices[first:last]`` names, in that order.

For compiled loops only. `sums` and `rows` are flat float64 arrays of whole rows, `indices` is uint32; nothing
is checked."""
