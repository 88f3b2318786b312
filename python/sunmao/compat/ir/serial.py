"""Nodes as JSON and back: the text of the script dialect, with data beside it."""

from __future__ import annotations

from typing import Any

from sunmao import _sunmao
from sunmao.compat.ir.module import IRModule


def save_json(node: Any) -> str:
    """The node as JSON."""
    return _sunmao.save_json(node.__sunmao_module__() if isinstance(node, IRModule) else node)


def load_json(text: str) -> Any:
    """What `save_json` saved."""
    node = _sunmao.load_json(text)
    return IRModule(node) if isinstance(node, _sunmao.Module) else node
