"""Matrix products."""

from __future__ import annotations

import numpy as np

from sunmao.arrays import NumPyArray


def dense(
    x: NumPyArray,
    y: NumPyArray,
    bias: NumPyArray,
    use_bias: bool = False,
    use_relu: bool = False,
    out_dtype: str | None = None,
) -> NumPyArray:
    """Returns `x @ y.T` computed in `out_dtype`, with bias and relu if asked for."""
    dtype = out_dtype or x.dtype
    out: NumPyArray = x.astype(dtype) @ y.T.astype(dtype)
    if use_bias:
        out = out + bias
    return np.maximum(out, 0) if use_relu else out


def batch_matmul(
    x: NumPyArray, y: NumPyArray, out_dtype: str | None = None, trans_x: bool = False, trans_y: bool = True
) -> NumPyArray:
    """Returns the products of matrices; a batch of one is repeated."""
    dtype = out_dtype or x.dtype
    left, right = x.swapaxes(1, 2) if trans_x else x, y.swapaxes(1, 2) if trans_y else y
    out: NumPyArray = left.astype(dtype) @ right.astype(dtype)
    return out
