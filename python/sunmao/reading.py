"""Reading of scripts and model files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sunmao import _sunmao
from sunmao.arrays import NumPyArray, to_numpy
from sunmao.captures import text_resolver

Resolve = Callable[[str, int, dict[str, Any]], tuple[Any] | None]


def parse_module(
    text: str,
    name: str = "<script>",
    names: Mapping[str, Any] | None = None,
    constants: Sequence[_sunmao.Tensor] = (),
) -> _sunmao.Module:
    """Parses a module. `names` are values for names that the script does not define; `constants` are the data that the
    script refers to by index."""
    return _sunmao.parse_module(text, name, text_resolver(names or {}), list(constants))


def parse_function(
    text: str,
    name: str = "<script>",
    names: Mapping[str, Any] | None = None,
    constants: Sequence[_sunmao.Tensor] = (),
) -> _sunmao.BaseFunc:
    """Parses a script of exactly one function."""
    return _sunmao.parse_function(text, name, text_resolver(names or {}), list(constants))


def read_model(path: str | os.PathLike[str]) -> tuple[_sunmao.Module, dict[str, NumPyArray]]:
    """Reads an ONNX, .pt2 or script file; returns the module, and its weights by parameter name."""
    module, weights, *_ = _sunmao.read_model(Path(path))
    return module, {name: to_numpy(tensor) for name, tensor in weights.items()}
