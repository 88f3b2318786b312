"""Substitution of values for the parameters, symbols and calls of functions."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat import convert as c
from sunmao.compat.checked import checked
from sunmao.compat.runtime.tensors import Tensor
from sunmao.errors import fail


@checked
def bind_params(self: _sunmao.Function, binding_map: Mapping[Any, Any]) -> _sunmao.Function:
    """Returns the function with the parameters in the map replaced by their values."""
    by_name = {param.name: param for param in self.params}
    found = {}
    for key, value in binding_map.items():
        param = by_name.get(_sunmao.param_named(self, key)) if isinstance(key, str) else key
        if param is None or not isinstance(param, _sunmao.Var):
            close = difflib.get_close_matches(str(key), by_name, 1)
            names = f"there are: {', '.join(by_name)}"
            help = f"did you mean `{close[0]}`? {names}" if close else names
            raise fail("E0518", f"there is no parameter `{key}`", help)
        if not any(p is param for p in self.params):
            raise fail("E0518", f"`{param.name}` is no parameter of the function", "give it by its name")
        if param in found:
            raise fail("E0518", f"`{param.name}` is bound twice", "give it by one of its names")
        data = value.native if isinstance(value, Tensor) else value
        found[param] = make.constant(data) if isinstance(data, _sunmao.Tensor) else c.expr(data)
    return _sunmao.bind_params(self, found)


@checked
def bind_symbolic_vars(self: _sunmao.Function, binding_map: Mapping[Any, Any]) -> _sunmao.Function:
    """Returns the function with symbols replaced by numbers or scalars; a key is a symbol or its name."""
    found: dict[_sunmao.SymVar, _sunmao.Scalar] = {}
    for key, value in binding_map.items():
        symbols = _sunmao.find_symbols(self, key) if isinstance(key, str) else [key]
        if isinstance(key, str) and len(symbols) != 1:
            raise fail("E0518", f"{len(symbols)} symbols of the function are called `{key}`, expected one")
        if symbols[0] in found:
            raise fail("E0518", f"`{symbols[0].name}` is bound twice", "give it by its name or by itself, not both")
        if not any(s is symbols[0] for s in _sunmao.defined_symbolic_vars(self)):
            raise fail("E0518", f"`{symbols[0].name}` is no symbol of the function")
        found[symbols[0]] = c.scalar(value, symbols[0].dtype)
    result = _sunmao.bind_symbols(self, found)
    known = {id(s) for s in _sunmao.free_symbolic_vars(self)}
    loose = [s.name for s in _sunmao.free_symbolic_vars(result) if id(s) not in known]
    if loose:
        help = "a symbol that stands alone as a dimension of a parameter is defined there"
        raise fail("E0518", f"nothing defines `{loose[0]}` once the symbols are bound", help)
    return result


@checked
def inline_functions(self: _sunmao.Function, function_map: Mapping[Any, Any]) -> _sunmao.Function:
    """Returns the function with calls of the given functions inlined."""
    found: dict[str, _sunmao.Function] = {}
    for key, function in function_map.items():
        name = key if isinstance(key, str) else key.name
        if name in found:
            raise fail("E0517", f"`{name}` is given twice, by its name and by its variable")
        found[name] = function
    return _sunmao.inline_functions(self, found)
