"""Draws of tokens by their probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from sunmao.compat import te, tirx
from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax import op as relax_op
from sunmao.compat.relax.expr import const
from sunmao.compat.relax.frontend.nn.op.calls import tensor_expr_op
from sunmao.compat.relax.frontend.nn.op.elementwise import divide
from sunmao.compat.relax.frontend.nn.op.reductions import cumsum, sum
from sunmao.compat.relax.frontend.nn.tensor import Tensor, wrap_nested
from sunmao.errors import fail


@checked
def multinomial_from_uniform(
    prob: Tensor,
    uniform_sample: Tensor,
    sample_indices: Tensor | None = None,
    dtype: str = "int64",
    name: str = "multinomial_from_uniform",
) -> Tensor:
    """Returns for each uniform sample of shape (n, 1) the class that it falls into, by the row of `prob` that
    `sample_indices` names; without these by the row of its own number."""
    rows = _rows(prob, uniform_sample, sample_indices)
    found = relax_op.multinomial_from_uniform(prob._expr, uniform_sample._expr, rows._expr, dtype)
    return wrap_nested(found, name)


@checked
def sample_top_p_top_k_from_sorted_prob(
    sorted_prob: Tensor,
    sorted_index: Tensor,
    top_p: Tensor,
    top_k: Tensor,
    uniform_sample: Tensor,
    sample_indices: Tensor | None = None,
) -> Tensor:
    """Returns for each uniform sample an entry of `sorted_index`, drawn among the largest probabilities of its row:
    those that reach `top_p` in sum, and `top_k` at most. Rows are as in `multinomial_from_uniform`."""
    rows = _rows(sorted_prob, uniform_sample, sample_indices)
    sums = cumsum(sorted_prob, axis=1)
    total = tensor_expr_op(_last_kept, "get_renorm_prob", [sums, sums, top_p, top_k])
    args = [sums, sorted_index, total, uniform_sample, rows]
    return tensor_expr_op(_drawn, "get_index_from_sorted", args)


@checked
def renormalize_top_p_top_k_prob(prob: Tensor, sorted_prob: Tensor, top_p: Tensor, top_k: Tensor) -> Tensor:
    """Returns `prob` with zeros below the largest probabilities that `top_p` and `top_k` keep, summing to 1."""
    sums = cumsum(sorted_prob, axis=1)
    cutoff = tensor_expr_op(_last_kept, "get_renorm_cutoff", [sorted_prob, sums, top_p, top_k])
    kept = tensor_expr_op(_filtered, "filter_with_top_p_top_k", [prob, cutoff])
    return divide(kept, sum(kept, axis=1, keepdims=True))


def _rows(prob: Tensor, samples: Tensor, given: Tensor | None) -> Tensor:
    """Returns the rows to draw from, of the shape of the samples."""
    count = samples.shape[0]
    if given is None:
        if not isinstance(count, int) or count != prob.shape[0]:
            raise fail("E0034", f"{samples!r} are no samples of each row of {prob!r}", "pass `sample_indices`")
        return Tensor(_expr=const(np.arange(count, dtype="int64").reshape(count, 1)))
    if given.ndim != samples.ndim or any(repr(a) != repr(b) for a, b in zip(given.shape, samples.shape, strict=True)):
        raise fail("E0034", f"`sample_indices` are {given!r}, and the samples {samples!r}", "both have one shape")
    return given


def _last_kept(values: Any, sums: Any, top_p: Any, top_k: Any) -> Any:
    """Computes for each row the value at the last place that is kept: the first one at which the sum reaches top_p, or
    that is number top_k."""
    batch, size = sums.shape
    at = te.reduce_axis((0, size), name="at")

    def goes_on(row: Any, j: Any) -> Any:
        return tirx.all(sums[row, j] < top_p[row, 0], (j + 1).astype(top_k.dtype) < top_k[row, 0])

    def counted(row: Any, _: Any) -> Any:
        return te.sum(tirx.Select(goes_on(row, at), tirx.const(1, "int64"), tirx.const(0, "int64")), axis=at)

    count = te.compute((batch, 1), counted, name="count")
    return te.compute((batch, 1), lambda row, _: values[row, tirx.min(count[row, 0], size - 1)], name="last_kept")


def _drawn(sums: Any, indices: Any, total: Any, samples: Any, rows: Any) -> Any:
    """Computes for each sample the index at the first place whose share of the total exceeds it."""
    size = sums.shape[1]
    at = te.reduce_axis((0, size), name="at")

    def counted(i: Any, _: Any) -> Any:
        row = rows[i, 0]
        passed = samples[i, 0] >= sums[row, at] / total[row, 0]
        return te.sum(tirx.Select(passed, tirx.const(1, "int64"), tirx.const(0, "int64")), axis=at)

    count = te.compute((rows.shape[0], 1), counted, name="count")
    return te.compute(
        (rows.shape[0], 1), lambda i, _: indices[rows[i, 0], tirx.min(count[i, 0], size - 1)], name="drawn"
    )


def _filtered(prob: Any, cutoff: Any) -> Any:
    zero = tirx.const(0, prob.dtype)
    kept = lambda i, j: tirx.Select(prob[i, j] >= cutoff[i, 0], prob[i, j], zero)  # noqa: E731
    return te.compute(prob.shape, kept, name="filter_with_top_p_top_k")


__getattr__ = attribute_of(__name__)
