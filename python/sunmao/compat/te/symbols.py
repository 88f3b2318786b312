"""Symbols for the dimensions and indices of tensor expressions."""

from __future__ import annotations

from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.convert import dtype_name
from sunmao.compat.spans import native_span


def var(name: str = "tindex", dtype: Any = "int32", span: Any = None) -> _sunmao.SymVar:
    return make.sym_var(name, dtype_name(dtype), native_span(span))


size_var = var
