"""IRModule: a mutable variable that holds an immutable module. Assigning a function stores another module value in it;
inputs of passes, snapshots and other variables are not affected."""

from __future__ import annotations

import itertools
from collections.abc import ItemsView, Iterator, Mapping
from typing import Any

from sunmao import _sunmao
from sunmao.compat.checked import checked
from sunmao.errors import fail


def _infos(given: Mapping[str, Any]) -> dict[str, list[_sunmao.GlobalInfo]]:
    for name, infos in given.items():
        is_list = isinstance(infos, list | tuple)
        if not isinstance(name, str) or not is_list or not all(isinstance(i, _sunmao.GlobalInfo) for i in infos):
            raise fail("E0034", f"global infos are lists of `VDevice` and its like by name, got {name!r}: {infos!r}")
    return {name: list(infos) for name, infos in given.items()}


@checked
class IRModule:
    def __init__(
        self,
        functions: Mapping[_sunmao.GlobalVar | str, _sunmao.BaseFunc] | _sunmao.Module | None = None,
        attrs: Mapping[str, Any] | None = None,
        global_infos: Mapping[str, Any] | None = None,
    ) -> None:
        if isinstance(functions, _sunmao.Module):
            self._module = functions
        else:
            self._module = _sunmao.Module()
            for key, function in (functions or {}).items():
                self[key] = function
        if attrs:
            self._module = self._module.with_attrs(dict(attrs))
        if global_infos:
            self._module = self._module.with_global_infos(_infos(global_infos))

    @classmethod
    def from_expr(
        cls,
        function: _sunmao.BaseFunc,
        functions: Mapping[_sunmao.GlobalVar | str, _sunmao.BaseFunc] | None = None,
        attrs: Mapping[str, Any] | None = None,
    ) -> IRModule:
        """Returns a module with a function, under its global symbol or a name similar to `main`, and with other
        functions."""
        if not isinstance(function, _sunmao.BaseFunc):
            raise fail("E0034", f"from_expr takes a function, got {type(function).__name__}")
        found = cls(functions, attrs)
        name = function.attrs.get("global_symbol")
        free = (f"main_{i}" if i else "main" for i in itertools.count())
        found[str(name) if name else next(n for n in free if n not in found)] = function
        return found

    def __sunmao_module__(self) -> _sunmao.Module:
        """Returns the module value that is held at present."""
        return self._module

    @property
    def functions(self) -> dict[_sunmao.GlobalVar, _sunmao.BaseFunc]:
        return {entry.var: entry.func for entry in self._module.functions}

    def functions_items(self) -> ItemsView[_sunmao.GlobalVar, _sunmao.BaseFunc]:
        return self.functions.items()

    def get_global_vars(self) -> list[_sunmao.GlobalVar]:
        return list(self.functions)

    def get_global_var(self, name: str) -> _sunmao.GlobalVar:
        var = self._module.find_var(name)
        if var is None:
            raise fail("E0034", self._no_function(name))
        return var

    def __len__(self) -> int:
        return len(self._module.functions)

    def __iter__(self) -> Iterator[_sunmao.GlobalVar]:
        return iter(self.functions)

    def items(self) -> ItemsView[_sunmao.GlobalVar, _sunmao.BaseFunc]:
        return self.functions.items()

    def update(self, other: IRModule | Mapping[Any, _sunmao.BaseFunc]) -> None:
        """Adds functions, replacing those of the same names."""
        for key, function in other.items():
            self[key] = function

    def update_global_info(self, name: str, infos: Any) -> None:
        self._module = self._module.with_global_infos(_infos({**self._module.global_infos, name: infos}))

    def with_attrs(self, attrs: Mapping[str, Any]) -> IRModule:
        return IRModule(self._module.with_attrs(dict(attrs)))

    def get_attr(self, name: str) -> Any:
        return self.attrs.get(name)

    def _ipython_key_completions_(self) -> list[str]:
        return [entry.var.name for entry in self._module.functions]

    def __getattr__(self, name: str) -> Any:
        var = None if name.startswith("_") else self._module.find_var(name)
        if var is None:
            raise AttributeError(self._no_function(name))
        return var

    def astext(self, show_meta_data: bool = True, **display: Any) -> str:
        """Returns the text of the module, by default with the data of large constants."""
        return self.script(show_meta=show_meta_data, **display)

    def update_func(self, var: _sunmao.GlobalVar, function: _sunmao.BaseFunc) -> None:
        self[var] = function

    @property
    def attrs(self) -> dict[str, Any]:
        return self._module.attrs

    @property
    def global_infos(self) -> dict[str, list[_sunmao.GlobalInfo]]:
        return self._module.global_infos

    def with_attr(self, name: str, value: Any) -> IRModule:
        return IRModule(self._module.with_attrs({**self.attrs, name: value}))

    def without_attr(self, name: str) -> IRModule:
        return IRModule(self._module.with_attrs({k: v for k, v in self.attrs.items() if k != name}))

    def clone(self) -> IRModule:
        return IRModule(self._module)

    def same_as(self, other: object) -> bool:
        """Returns whether both variables hold the same module value."""
        return isinstance(other, IRModule) and self._module.same_as(other._module)

    def __getitem__(self, key: str | _sunmao.GlobalVar) -> _sunmao.BaseFunc:
        name = key if isinstance(key, str) else key.name
        function = self._module.find(name)
        if function is None:
            raise KeyError(self._no_function(name))
        return function

    def __setitem__(self, key: str | _sunmao.GlobalVar, function: _sunmao.BaseFunc) -> None:
        if isinstance(function, _sunmao.Function):  # calls that were made before the module was there
            function = _sunmao.with_known_calls(function, self._module)
        if isinstance(key, str):
            self._module = self._module.with_function(key, function)
        else:
            self._module = self._module.with_function(key, function)

    def __delitem__(self, key: str | _sunmao.GlobalVar) -> None:
        name = key if isinstance(key, str) else key.name
        if self._module.find(name) is None:
            raise KeyError(self._no_function(name))
        self._module = self._module.without_function(name)

    def __contains__(self, key: str | _sunmao.GlobalVar) -> bool:
        return self._module.find(key if isinstance(key, str) else key.name) is not None

    def __str__(self) -> str:
        return self.script()

    def __repr__(self) -> str:
        return self.script()

    def _no_function(self, name: str) -> str:
        known = ", ".join(entry.var.name for entry in self._module.functions)
        return f"the module has no function `{name}`; it has {known or 'none'}"
