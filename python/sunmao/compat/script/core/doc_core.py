"""The syntax of scripts as classes: Python's own."""

from __future__ import annotations

import ast
from typing import Any

from sunmao.compat.missing import attribute_of


def _find(name: str) -> Any:
    return getattr(ast, name, None)


__getattr__ = attribute_of(__name__, _find)
