"""Iteration axes: of blocks, and of device threads that loops are bound to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.facade import Facade, extend
from sunmao.compat.missing import attribute_of, refuse
from sunmao.compat.print_options import print_options
from sunmao.compat.tirx.range import Range, range_of

_KINDS = {0: "spatial", 2: "reduce", 3: "scan", 4: "opaque"}
_NUMBERS = {name: number for number, name in _KINDS.items()}
_TYPE_NAMES = (
    "DataPar", "ThreadIndex", "CommReduce", "Ordered", "Opaque", "Unrolled", "Vectorized", "Parallelized", "Tensorized",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class ThreadAxis:
    """A device thread that a loop is bound to."""

    dom: Range | None
    var: _sunmao.SymVar
    iter_type: int
    thread_tag: str

    def script(self, **options: Any) -> str:
        print_options(options)
        dom = "None" if self.dom is None else "T." + self.dom.script().removeprefix("I.")
        name, kind = self.var.name or "v", _TYPE_NAMES[self.iter_type]
        text = f'T.iter_var({name}, {dom}, "{kind}", "{self.thread_tag}")'
        return f"{name} = T.{self.var.dtype}()\n{text}" if options.get("verbose_expr") else text

    def same_as(self, other: object) -> bool:
        return self is other

    __repr__ = script


class IterVar(metaclass=Facade, native=(_sunmao.IterVar, ThreadAxis)):
    """An iteration axis: variable, range, and kind."""

    DataPar, ThreadIndex, CommReduce, Ordered, Opaque = 0, 1, 2, 3, 4
    Unrolled, Vectorized, Parallelized, Tensorized = 5, 6, 7, 8

    @staticmethod
    def make(dom: Any, var: Any, iter_type: int, thread_tag: str = "", span: Any = None) -> Any:
        refuse("IterVar", span=span)
        domain = None if dom is None else range_of(dom)
        if isinstance(var, str):
            var = make.sym_var(var, domain.extent.dtype if domain else "int32")
        if iter_type not in _KINDS or domain is None:
            return ThreadAxis(domain, var, int(iter_type), thread_tag)
        return make.iter_var(var, domain.native(), _KINDS[iter_type])


def _script(self: _sunmao.IterVar, **options: Any) -> str:
    return _sunmao.script_of(self, print_options(options))


_dom: Any = _sunmao.IterVar.dom.__get__
extend(
    _sunmao.IterVar,
    dom=property(lambda self: Range.from_min_extent(*_dom(self))),
    iter_type=property(lambda self: _NUMBERS[self.kind]),
    thread_tag="",
    script=_script,
    same_as=lambda self, other: self is other,
)

__getattr__ = attribute_of(__name__)
