"""Targets: text or a dict that describes the machine that code is generated for."""

from __future__ import annotations

import json
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.errors import fail


@dataclass(frozen=True)
class TargetKind:
    name: str


# What the kinds of targets have in common with others, beside their own name.
_KEYS = {
    "llvm": ["cpu"], "c": ["cpu"], "hexagon": ["hexagon", "cpu"], "nvptx": ["cuda", "gpu"],
    **{kind: [kind, "gpu"] for kind in ("cuda", "metal", "opencl", "rocm", "vulkan", "webgpu")},
}  # fmt: skip
_entered: list[Target] = []


@checked
class Target:
    """`Target("llvm -mcpu=x86-64-v3")` or `Target({"kind": "llvm", "mcpu": "x86-64-v3"})`."""

    def __init__(self, target: str | dict[str, Any] | Target, host: str | Target | None = None) -> None:
        self._text = json.dumps(target) if isinstance(target, dict) else str(target)
        self.host = None if host is None else Target(host)

    @property
    def kind(self) -> TargetKind:
        text = self._text.strip()
        if text.startswith("{"):
            return TargetKind(str(json.loads(text).get("kind", "")))
        return TargetKind(text.split()[0] if text else "")

    @property
    def keys(self) -> list[str]:
        """Returns what the target is: its `keys` if it states them, and those of its kind: "cpu", "gpu" …"""
        text = self._text.strip()
        stated = json.loads(text).get("keys", []) if text.startswith("{") else _stated_keys(text)
        return list(dict.fromkeys([*stated, *_KEYS.get(self.kind.name, [])]))

    @staticmethod
    def current(allow_none: bool = True) -> Target | None:
        """Returns the innermost entered target (`with Target("llvm"):`)."""
        if not _entered and not allow_none:
            raise fail("E0032", "there is no current target", 'write `with tvm.target.Target("llvm"):`')
        return _entered[-1] if _entered else None

    def __enter__(self) -> Target:
        _entered.append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _entered.pop()

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Target({self._text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Target) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)


def _stated_keys(text: str) -> list[str]:
    """Returns the keys of a target in the form `cuda -keys=cuda,gpu`."""
    words = [word for word in text.split() if word.startswith("-keys=")]
    return words[-1].removeprefix("-keys=").split(",") if words else []


__getattr__ = attribute_of(__name__)
