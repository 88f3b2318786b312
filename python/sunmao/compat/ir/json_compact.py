"""Saved graphs of earlier versions in the words of today. `load_json` puts every text through this."""

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
    """The graph of a text (E0042), with variables under their kind and field names of today."""
    try:
        graph: dict[str, Any] = json.loads(text)
        graph["nodes"] = [_upgraded(node) for node in graph["nodes"]]
    except (KeyError, TypeError, json.JSONDecodeError, RecursionError) as error:
        raise fail("E0042", f"the text is no saved node: {error!r}", HELP) from error
    return graph


def upgrade_json(text: str) -> str:
    """A saved graph as this version saves it; nodes keep their numbers."""
    return json.dumps(upgraded_graph(text))


__getattr__ = attribute_of(__name__)
