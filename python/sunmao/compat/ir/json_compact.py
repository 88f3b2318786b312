"""Conversion of graphs saved by earlier versions to the current format; applied by `load_json` to every text."""

from __future__ import annotations

import json
from typing import Any

from sunmao.compat.missing import attribute_of
from sunmao.errors import fail

_RENAMED_KINDS = {"relax.expr.Var": "ir.Var", "tirx.Var": "ir.Var", "tir.Var": "ir.Var"}
_VARIABLES = ("ir.Var", "relax.expr.DataflowVar")
HELP = "`tvm.ir.save_json` writes them"


def _upgraded(node: dict[str, Any]) -> dict[str, Any]:
    kind = _RENAMED_KINDS.get(node["type"], node["type"])
    fields = node.get("data")
    if kind in _VARIABLES and isinstance(fields, dict) and "name" not in fields:
        fields = {("name" if key == "name_hint" else key): value for key, value in fields.items()}
    return {**node, "type": kind} if fields is None else {**node, "type": kind, "data": fields}


def upgraded_graph(text: str) -> dict[str, Any]:
    """Parses a saved graph (E0042), with kinds and fields of variables renamed to the current ones."""
    try:
        graph: dict[str, Any] = json.loads(text)
        graph["nodes"] = [_upgraded(node) for node in graph["nodes"]]
    except (KeyError, TypeError, json.JSONDecodeError, RecursionError) as error:
        raise fail("E0042", f"the text is no saved node: {error!r}", HELP) from error
    return graph


def upgrade_json(text: str) -> str:
    """Returns the text of a saved graph in the current format; the numbers of nodes are unchanged."""
    return json.dumps(upgraded_graph(text))


__getattr__ = attribute_of(__name__)
