"""Saved graphs of earlier versions in today's words."""

from __future__ import annotations

import json
from typing import Any

from sunmao.compat.missing import attribute_of
from sunmao.errors import fail

_RENAMED_TYPES = {"relax.expr.Var": "ir.Var", "tirx.Var": "ir.Var", "tir.Var": "ir.Var"}
_VARIABLES = ("ir.Var", "relax.expr.DataflowVar")


def _upgraded(node: dict[str, Any]) -> dict[str, Any]:
    kind = _RENAMED_TYPES.get(node["type"], node["type"])
    fields = node.get("data")
    if kind in _VARIABLES and isinstance(fields, dict) and "name_hint" in fields:
        fields = {("name" if key == "name_hint" else key): value for key, value in fields.items()}
    return {**node, "type": kind} if fields is None else {**node, "type": kind, "data": fields}


def upgrade_json(text: str) -> str:
    """The graph with variables under their class and field names of today; nodes keep their numbers."""
    try:
        graph = json.loads(text)
        graph["nodes"] = [_upgraded(node) for node in graph["nodes"]]
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise fail("E0042", f"the text is no saved node: {error!r}", "`tvm.ir.save_json` writes them") from error
    return json.dumps(graph)


__getattr__ = attribute_of(__name__)
