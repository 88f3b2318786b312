"""Marks in printed text: the parts of a node at given paths are underlined or commented."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sunmao import _sunmao
from sunmao.compat.paths import AccessPath

_NOTE = "Note: The underlined object is the nearest visible parent of this path."
_NO_NOTE = "Note: No visible object for this path is rendered in TVMScript."


@dataclass
class Marks:
    """What to mark in the text of a node: `native` lists statements, buffers and variables with comments (empty:
    underline); `whole` underlines the text itself; `header` is put before it."""

    native: list[tuple[Any, str]] = field(default_factory=list)
    whole: bool = False
    header: str = ""

    def __bool__(self) -> bool:
        return bool(self.native or self.whole or self.header)

    def show(self, text: str) -> str:
        """Returns the text with the marks that the printer does not add itself."""
        if self.whole:
            text = _sunmao.underlined(text.rstrip("\n"))
        return self.header + text.rstrip("\n")


def _key(part: Any) -> Any:
    """Returns the node under which the printer marks a part: for a definition the defined variable or buffer. None when
    the part cannot be marked."""
    if isinstance(part, _sunmao.AllocBuffer | _sunmao.DeclBuffer):
        return part.buffer
    if isinstance(part, _sunmao.Bind):
        return part.var
    if isinstance(part, _sunmao.SeqStmt):
        return None
    return part if isinstance(part, _sunmao.Stmt) else None


def _step(node: Any, kind: str, value: Any) -> Any:
    if isinstance(node, _sunmao.Module) and value == "functions":
        return {entry.var.name: entry.func for entry in node.functions}
    if kind == "attr":
        return getattr(node, value, None)
    if isinstance(value, _sunmao.GlobalVar):
        value = value.name
    try:
        return node[value]
    except (KeyError, IndexError, TypeError):
        return None


def _nearest(root: Any, path: AccessPath) -> tuple[Any, bool]:
    """Returns the last node on the path that the printer can mark, and whether the path ends there."""
    is_leaf = isinstance(root, _sunmao.Type | _sunmao.Scalar)
    found, exact, node = (root if is_leaf else _key(root)), True, root
    before = ""
    for kind, value in path.steps:
        node = _step(node, kind, value)
        is_param = before == "params" and isinstance(node, _sunmao.Buffer | _sunmao.SymVar)
        key = node if is_param else _key(node)
        found, exact = (key, True) if key is not None else (found, False)
        before = value if kind == "attr" else before if kind == "item" and not is_param else ""
    return found, exact and found is not None


def marks_of(root: Any, given: Mapping[str, Any]) -> Marks:
    """Returns the marks that upstream's options request: `path_to_underline`, `path_to_annotate`, `obj_to_underline`,
    `obj_to_annotate`."""
    marks = Marks()
    says_path = {"render_invisible_path_info": True, **(given.get("extra_config") or {}), **given}
    for path in given.get("path_to_underline") or []:
        found, exact = _nearest(root, path)
        if says_path["render_invisible_path_info"]:
            note = "" if exact else (_NOTE if found is not None else _NO_NOTE) + "\n"
            marks.header += f"Access path: {path}\n{note}\n"
        _add(marks, root, found, "")
    for path, comment in (given.get("path_to_annotate") or {}).items():
        _add(marks, root, _nearest(root, path)[0], str(comment))
    for part in given.get("obj_to_underline") or []:
        _add(marks, root, _key(part), "")
    for part, comment in (given.get("obj_to_annotate") or {}).items():
        _add(marks, root, _key(part), str(comment))
    return marks


def _add(marks: Marks, root: Any, part: Any, comment: str) -> None:
    if part is None:
        return
    if part is root and not isinstance(root, _sunmao.Stmt):
        marks.whole = marks.whole or not comment
    else:
        marks.native.append((part, comment))
