"""Nodes by the names that upstream knows their kinds by."""

from __future__ import annotations

from typing import Any

from sunmao._sunmao import make
from sunmao.compat.convert import dtype_name
from sunmao.compat.ir.attrs import Attrs
from sunmao.errors import fail


def make_node(type_key: str, values: dict[str, Any]) -> Any:
    values.pop("span", None)
    if type_key == "ir.DictAttrs":
        return Attrs({key: list(value) if isinstance(value, tuple) else value for key, value in values.items()})
    if type_key in ("ir.IntImm", "IntImm"):
        return make.int_imm(dtype_name(values.get("ty", values.get("dtype"))), int(values["value"]))
    raise fail("E0032", f"making a node of kind `{type_key}` by its name is not supported", "use its class")
