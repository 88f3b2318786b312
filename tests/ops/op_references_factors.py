"""Reference implementations in NumPy of factorisations of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np


def qr(a: Any, complete: bool) -> Any:
    if a.shape[0] == 0 and a.ndim > 2:
        rows, columns = a.shape[-2:]
        kept = rows if complete else min(rows, columns)
        return np.zeros((0, rows, kept)), np.zeros((0, kept, columns))
    return tuple(np.linalg.qr(a, "complete" if complete else "reduced"))


def qr_factor(a: Any) -> Any:
    """Householder's reflections, column by column, with the signs of LAPACK."""
    factors, count = a.copy(), min(a.shape[-2:])
    scales = np.zeros((*a.shape[:-2], count), a.dtype)
    for at in np.ndindex(a.shape[:-2]):
        m = factors[at]
        for k in range(count):
            if not m[k + 1 :, k].any():
                continue
            last = -np.copysign(np.linalg.norm(m[k:, k]), m[k, k])
            v = np.concatenate([[1], m[k + 1 :, k] / (m[k, k] - last)])
            scales[(*at, k)] = (last - m[k, k]) / last
            m[k:, k:] -= scales[(*at, k)] * np.outer(v, v @ m[k:, k:])
            m[k + 1 :, k] = v[1:]
    return factors, scales


def reflect(a: Any, scales: Any, x: Any, transposed: bool) -> Any:
    out = x.copy()
    for at in np.ndindex(a.shape[:-2]):
        product = np.eye(a.shape[-2])
        for k, scale in enumerate(scales[at]):
            v = np.concatenate([np.zeros(k), [1], a[at][k + 1 :, k]])
            product = product @ (np.eye(len(v)) - scale * np.outer(v, v))
        out[at] = (product.T if transposed else product) @ x[at]
    return out


def lu_factor(a: Any) -> Any:
    lu, count = a.copy(), min(a.shape[-2:])
    pivots = np.zeros((*a.shape[:-2], count), np.int32)
    for at in np.ndindex(a.shape[:-2]):
        m = lu[at]
        for k in range(count):
            p = k + int(np.argmax(np.abs(m[k:, k])))
            pivots[(*at, k)] = p + 1
            m[[k, p]] = m[[p, k]]
            if m[k, k] != 0:
                m[k + 1 :, k] /= m[k, k]
                m[k + 1 :, k + 1 :] -= np.outer(m[k + 1 :, k], m[k, k + 1 :])
    return lu, pivots


def lu_row_order(a: Any, pivots: Any) -> Any:
    out = np.zeros(a.shape[:-1], np.int64)
    for at in np.ndindex(a.shape[:-2]):
        order = list(range(a.shape[-2]))
        for k, p in enumerate(pivots[at]):
            order[k], order[p - 1] = order[p - 1], order[k]
        out[at] = order
    return out


def matrix_exp(a: Any) -> Any:
    """The series of a small part of each matrix, squared; in more digits, since each square doubles the error."""
    halvings = 10
    part = a.astype(np.longdouble) / 2**halvings
    term = np.broadcast_to(np.eye(a.shape[-1], dtype=np.longdouble), a.shape)
    total = term
    for k in range(1, 14):
        term = term @ part / k
        total = total + term
    for _ in range(halvings):
        total = total @ total
    return total.astype(np.float64)


def _with_signs(vectors: Any, *others: Any) -> Any:
    """Turns columns so that the greatest element of each of `vectors` is positive, and those of `others` with them."""
    signs = np.sign(np.take_along_axis(vectors, np.argmax(np.abs(vectors), -2, keepdims=True), -2))
    return tuple(x * signs[..., : x.shape[-1]] for x in (vectors, *others))


def svd(a: Any, full_matrices: bool) -> Any:
    u, s, vh = np.linalg.svd(a, full_matrices)
    count = s.shape[-1]
    u_turned, v = _with_signs(u, np.swapaxes(vh, -1, -2)[..., :count])
    rest = _with_signs(np.swapaxes(vh, -1, -2)[..., count:])[0]
    return u_turned, s, np.swapaxes(np.concatenate([v, rest], -1), -1, -2)


def eigh(a: Any, upper: bool) -> Any:
    values, vectors = np.linalg.eigh(a, "U" if upper else "L")
    return values, *_with_signs(vectors)
