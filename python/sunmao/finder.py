"""Serves modules of sunmao.compat under the names that programs know: `sunmao.relax`, and `tvm.relax` on demand.

A module is one object under all its names.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from sunmao.errors import MissingModuleError
from sunmao.upstream_names import OWN, UPSTREAM

# The second package that programs for upstream import, besides `tvm`.
FFI = "tvm_ffi"
# Packages that can also be imported as `sunmao.<name>`, with their submodules.
NAMED = ("ir", "relax", "runtime", "script", "testing", "tirx", "transform")
# Modules of upstream that programs import at their top, beside what they use. Here there is nothing in them, nor in
# sunmao.compat: after `install` importing them succeeds, and the first use of them fails (E0030).
ABSENT = (
    f"{OWN}.rpc",
    f"{OWN}.s_tir.dlight",
    f"{OWN}.s_tir.meta_schedule",
    f"{OWN}.support.cc",
    f"{OWN}.support.popen_pool",
)
# Maps former and short module names to the present ones. The longest matching prefix applies.
MOVED = {
    "tvm.nd": "tvm.runtime",
    "tvm.runtime.ndarray": "tvm.runtime",
    "tvm.runtime.vm": "tvm.relax.vm",
    "tvm.script.parser": "tvm.script",
    "tvm.script.parser.tir": "tvm.script.tirx",
    "tvm.script.tir": "tvm.script.tirx",
    "tvm.tir": "tvm.tirx",
    "tvm.instrument": "tvm.ir.instrument",
    "tvm.relax.frontend.common": "tvm.relax.frontend.padding",
    "tvm.relax.struct_info": "tvm.relax.type",
    "tvm.relax.ty": "tvm.relax.type",
    "tvm.relax.transform.transform": "tvm.relax.transform",
    "tvm.relax.utils": "tvm.relax.conversions",
    "tvm.support.utils": "tvm.support.folders",
    "tvm.transform": "tvm.ir.transform",
}


def own_name_of_upstream(name: str) -> str | None:
    """Returns the module that serves `tvm` or a submodule of it; None for other names."""
    parts = name.split(".")
    if parts[0] == FFI:
        return ".".join([OWN, "ffi", *parts[1:]])
    if parts[0] != UPSTREAM:
        return None
    for end in range(len(parts), 1, -1):
        moved = MOVED.get(".".join(parts[:end]))
        if moved:
            parts = [*moved.split("."), *parts[end:]]
            break
    return ".".join([OWN, *parts[1:]])


def own_name_of_named(name: str) -> str | None:
    """Returns the module that serves one of `NAMED` or a submodule of it; None for other names."""
    package, _, below = name.partition(".")
    if package != "sunmao" or below.partition(".")[0] not in NAMED:
        return None
    return own_name_of_upstream(f"{UPSTREAM}.{below}")


class _SameModule(Loader):
    """A loader that returns an existing module without executing it again."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._spec = module.__spec__

    def create_module(self, _spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec


class Finder(MetaPathFinder):
    """A finder of modules that exist under another name. `own_name` maps a requested name to the serving module, or
    None."""

    def __init__(self, own_name: Callable[[str], str | None]) -> None:
        self.own_name = own_name

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        own = self.own_name(fullname)
        if own is None:
            return None
        try:
            module = importlib.import_module(own)
        except ModuleNotFoundError as error:
            if error.name is None or not (own + ".").startswith(error.name + "."):
                raise
            help = "`sunmao explain E0031` says what of upstream's API there is"
            raise MissingModuleError("E0031", f"there is no module `{fullname}` here", help) from None
        return importlib.util.spec_from_loader(fullname, _SameModule(module))


class AbsentFinder(MetaPathFinder, Loader):
    """Finds the modules of `ABSENT`, whose every name fails."""

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return importlib.util.spec_from_loader(fullname, self) if fullname in ABSENT else None

    def create_module(self, _spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        from sunmao.compat.missing import attribute_of

        module.__getattr__ = attribute_of(module.__name__)  # type: ignore[method-assign]


def serve_named() -> None:
    """Makes `sunmao.relax` and the other packages of `NAMED` importable; they are those of sunmao.compat. The finder
    is put first, because otherwise Python would load submodules a second time along the `__path__` of the renamed
    package."""
    sys.meta_path.insert(0, Finder(own_name_of_named))


def install() -> None:
    """Makes `import tvm` import sunmao.compat. Fails (E0035) when a real `tvm` has been imported."""
    if any(isinstance(finder, Finder) and finder.own_name is own_name_of_upstream for finder in sys.meta_path):
        return
    loaded = sys.modules.get(UPSTREAM)
    if loaded is not None:
        raise MissingModuleError("E0035", f"`tvm` is imported already, from `{loaded.__file__}`", "install it first")
    sys.meta_path.insert(0, Finder(own_name_of_upstream))
    sys.meta_path.append(AbsentFinder())
