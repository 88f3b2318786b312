"""Reading of scripts and model files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sunmao import _sunmao
from sunmao.arrays import NumPyArray, to_numpy
from sunmao.captures import text_resolver
from sunmao.errors import fail
from sunmao.paths import PathLike, as_file, is_unicode

Resolve = Callable[[str, int, dict[str, Any]], tuple[Any] | None]


def parse_module(
    text: str,
    name: str = "<script>",
    names: Mapping[str, Any] | None = None,
    constants: Sequence[_sunmao.Tensor] = (),
) -> _sunmao.Module:
    """Parses a module. `names` are values for names that the script does not define; `constants` are the data that the
    script refers to by index."""
    return _sunmao.parse_module(_script(text), name, text_resolver(names or {}), list(constants))


def parse_function(
    text: str,
    name: str = "<script>",
    names: Mapping[str, Any] | None = None,
    constants: Sequence[_sunmao.Tensor] = (),
) -> _sunmao.BaseFunc:
    """Parses a script of exactly one function."""
    return _sunmao.parse_function(_script(text), name, text_resolver(names or {}), list(constants))


def _script(text: Any) -> str:
    if not isinstance(text, str):
        raise fail("E0034", f"`text`: expected a script, got a {type(text).__name__}")
    if not is_unicode(text):
        raise fail("E0101", "the script holds half of a surrogate pair, which is no text", "scripts are UTF-8 text")
    return text


def read_model(path: PathLike) -> tuple[_sunmao.Module, dict[str, NumPyArray]]:
    """Reads an ONNX, .pt2 or script file; returns the module, and its weights by parameter name."""
    module, weights, *_ = _sunmao.read_model(as_file(path, "path"))
    return module, {name: to_numpy(tensor) for name, tensor in weights.items()}
