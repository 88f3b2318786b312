"""Operators on tensor expressions, for functions that programs pass to `emit_te`."""

from sunmao.compat.missing import attribute_of
from sunmao.compat.topi import nn
from sunmao.compat.topi.operators import (
    cast,
    clip,
    expand_dims,
    find,
    full,
    matmul,
    max,
    min,
    negative,
    pi,
    reshape,
    sum,
    transpose,
)
from sunmao.compat.topi.ordering import argsort, cumprod, cumsum, sort, topk
from sunmao.compat.topi.shapes import broadcast_to, concatenate, split, squeeze, trilu

__getattr__ = attribute_of(__name__, find)
