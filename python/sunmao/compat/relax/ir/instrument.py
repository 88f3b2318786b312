"""Instruments for graph-level modules."""

from __future__ import annotations

from typing import Any

from sunmao.compat.ir.instrument import PassInstrument
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.analysis.analysis import well_formed
from sunmao.errors import Error


class WellFormedInstrument(PassInstrument):
    """Checks modules before and after each pass."""

    def __init__(
        self, check_ty: bool = True, validate_before_transform: bool = True, *, check_struct_info: bool | None = None
    ) -> None:
        self.check_ty = check_ty if check_struct_info is None else check_struct_info
        self.validate_before_transform = validate_before_transform
        self.skip_pass_name = ["Normalize", "NormalizeGlobalVar", "ResolveGlobals"]

    def run_before_pass(self, mod: Any, info: Any) -> None:
        if self.validate_before_transform:
            self._check(mod, info.name, "Before")

    def run_after_pass(self, mod: Any, info: Any) -> None:
        self._check(mod, info.name, "After")

    def _check(self, mod: Any, name: str, when: str) -> None:
        if name in self.skip_pass_name:
            return
        try:
            well_formed(mod, self.check_ty)
        except Error as error:
            error.add_note(f"{when} the pass {name}")
            raise


__getattr__ = attribute_of(__name__)
