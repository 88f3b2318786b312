"""Libraries on disk: an artifact, with the module as JSON and what kind of library it is beside it. Every weight is in
the file once: the module says where its constants stand."""

from __future__ import annotations

import hashlib
import importlib
import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from sunmao import _sunmao
from sunmao.arrays import to_numpy
from sunmao.compat.ir.module import IRModule
from sunmao.errors import Error, fail

_ABOUT, _MODULE, _SOURCE = "library.json", "module.json", "source.json"
_WEIGHTS, _CONSTANTS = "weights.safetensors", "constants.safetensors"  # the artifact's, and others
_SERIAL = "sunmao.compat.ir.serial"  # imported late, because it imports the relax package, which imports this module
_FORMAT = "sunmao library 3"
_SMALL = 64  # bytes that a text has in it


class _Constants:
    """Constants of modules: those that an artifact has, and others by name."""

    def __init__(self, compiled: _sunmao.Compiled | None) -> None:
        self._stored = compiled.stored_weights if compiled is not None else None
        self.others: dict[str, _sunmao.Tensor] = {}
        self._names: dict[tuple[str, tuple[int, ...], bytes], str] = {}

    def keep(self, tensor: _sunmao.Tensor) -> dict[str, Any] | None:
        array = np.ascontiguousarray(to_numpy(tensor))
        if array.nbytes <= _SMALL:
            return None
        stored = self._stored.name_of(tensor) if self._stored is not None else None
        if stored is not None:
            return {"at": f"{_WEIGHTS}:{stored}"}
        key = (tensor.dtype, tuple(tensor.shape), hashlib.sha256(array.reshape(-1).view(np.uint8).data).digest())
        name = self._names.setdefault(key, f"constant.{len(self._names)}")
        self.others.setdefault(name, tensor)
        return {"at": f"{_CONSTANTS}:{name}"}


@dataclass
class Library:
    """What a library consists of. `source` is the module that a program on registers is made of."""

    kind: str
    compiled: _sunmao.Compiled | None
    source: _sunmao.Module | None = None

    def write(self, path: str) -> None:
        constants = _Constants(self.compiled)
        texts = {_ABOUT: json.dumps({"format": _FORMAT, "kind": self.kind})}
        if self.compiled is not None:
            texts[_MODULE] = _text_of(self.compiled.module, constants)
        if self.source is not None:
            texts[_SOURCE] = _text_of(self.source, constants)
        _sunmao.write_library(path, self.compiled, texts, constants.others)


def _text_of(module: _sunmao.Module, constants: _Constants) -> str:
    return str(importlib.import_module(_SERIAL).save_json(IRModule(module), constants.keep))


def _read_module(file: _sunmao.LibraryFile, name: str) -> _sunmao.Module | None:
    text = file.text(name)
    if text is None:
        return None

    def find(said: dict[str, Any]) -> _sunmao.Tensor:
        return file.tensor(said["at"], said["dtype"], said["shape"])

    module = importlib.import_module(_SERIAL).load_json(text.decode(), find)
    if not isinstance(module, IRModule):
        raise ValueError("no module")
    native: _sunmao.Module = module.__sunmao_module__()
    return native


def read_library(path: str) -> Library:
    """Reads a library; E0864 for a file that is none."""
    try:
        file = _sunmao.LibraryFile(path)
        text = file.text(_ABOUT)
        if text is None:
            raise ValueError(f"it has no `{_ABOUT}`")
        about: dict[str, Any] = json.loads(text)
        if about.get("format") != _FORMAT:
            raise ValueError(f"its format is {about.get('format')!r}")
        module = _read_module(file, _MODULE)
        compiled = file.compiled(module) if module is not None and file.has_artifact else None
        return Library(str(about["kind"]), compiled, _read_module(file, _SOURCE))
    except (Error, KeyError, ValueError, UnicodeDecodeError) as error:
        reason = error.message if isinstance(error, Error) else str(error)
        help = "`export_library` writes libraries; those of other compilers are not read"
        raise fail("E0864", f"`{path}` is no library of compiled functions: {reason}", help) from error
