"""Libraries on disk: a zip file with the module as JSON, the artifact, and what kind of library they are."""

from __future__ import annotations

import importlib
import json
import zipfile
from dataclasses import dataclass
from typing import Any

from sunmao import _sunmao
from sunmao.compat.ir.module import IRModule
from sunmao.errors import fail

_ABOUT, _MODULE, _ARTIFACT, _SOURCE = "library.json", "module.json", "model.sunmao", "source.json"
_SERIAL = "sunmao.compat.ir.serial"  # imported late, because it imports the relax package, which imports this module
_FORMAT = "sunmao library 2"


@dataclass
class Library:
    """What a library consists of. `source` is the module that a program on registers is made of."""

    kind: str
    compiled: _sunmao.Compiled | None
    source: _sunmao.Module | None = None

    def write(self, path: str) -> None:
        with zipfile.ZipFile(path, "w") as file:
            file.writestr(_ABOUT, json.dumps({"format": _FORMAT, "kind": self.kind}))
            if self.compiled is not None:
                file.writestr(_MODULE, _text_of(self.compiled.module))
                file.writestr(_ARTIFACT, self.compiled.artifact)
            if self.source is not None:
                file.writestr(_SOURCE, _text_of(self.source))


def _text_of(module: _sunmao.Module) -> str:
    return str(importlib.import_module(_SERIAL).save_json(IRModule(module)))


def _read_module(text: bytes) -> _sunmao.Module:
    module = importlib.import_module(_SERIAL).load_json(text.decode())
    if not isinstance(module, IRModule):
        raise ValueError("no module")
    native: _sunmao.Module = module.__sunmao_module__()
    return native


def read_library(path: str) -> Library:
    """Reads a library; E0864 for a file that is none."""
    try:
        with zipfile.ZipFile(path) as file:
            about: dict[str, Any] = json.loads(file.read(_ABOUT))
            if about.get("format") != _FORMAT:
                raise ValueError(f"its format is {about.get('format')!r}")
            compiled = source = None
            if _ARTIFACT in file.namelist():
                module = _read_module(file.read(_MODULE))
                compiled = _sunmao.Compiled.restore(module, file.read(_ARTIFACT))
            if _SOURCE in file.namelist():
                source = _read_module(file.read(_SOURCE))
    except (zipfile.BadZipFile, KeyError, ValueError, UnicodeDecodeError) as error:
        help = "`export_library` writes libraries; those of other compilers are not read"
        raise fail("E0864", f"`{path}` is no library of compiled functions: {error}", help) from error
    return Library(str(about["kind"]), compiled, source)
