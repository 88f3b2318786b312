"""Index maps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.convert import index_map, scalars
from sunmao.compat.facade import Facade, extend
from sunmao.compat.missing import refuse
from sunmao.errors import fail


class IndexMap(metaclass=Facade, native=_sunmao.IndexMap):
    """An index map such as `lambda i, j: (j // 16, i, j % 16)`."""

    @staticmethod
    def make(
        initial_indices: Sequence[_sunmao.SymVar], final_indices: Sequence[Any], inverse_index_map: Any = None
    ) -> _sunmao.IndexMap:
        refuse("IndexMap", inverse_index_map=inverse_index_map)
        return make.index_map(list(initial_indices), scalars(final_indices))

    @staticmethod
    def from_func(
        mapping_function: Callable[..., Any], ndim: int | None = None, inverse_index_map: Any = None, **options: Any
    ) -> _sunmao.IndexMap:
        refuse("IndexMap.from_func", inverse_index_map=inverse_index_map, **options)
        made = index_map(mapping_function)
        if ndim is not None and ndim != len(made.inputs):
            raise fail("E0034", f"the map takes {len(made.inputs)} indices, `ndim` says {ndim}")
        return made


extend(
    _sunmao.IndexMap,
    initial_indices=property(lambda self: self.inputs),
    final_indices=property(lambda self: self.outputs),
    map_indices=lambda self, indices: self.apply(scalars(indices)),
)
