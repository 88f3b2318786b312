"""Specs: which methods of a module are exported, and what their arguments are."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sunmao import _sunmao
from sunmao.compat import convert as c
from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.frontend.nn.effect import Object as FrontendObject
from sunmao.errors import fail

_MODES = ("plain", "packed", "none")
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_INSTEAD = "write spec.Tensor(shape, dtype), int, or a list of such"


class Int:
    """An integer. The method gets a symbol, and callers pass a shape of one dimension."""

    def __repr__(self) -> str:
        return "int"


class Tensor:
    """A tensor. A name in the shape is a symbol, the same in all arguments of a method."""

    @checked
    def __init__(self, shape: Sequence[int | str | _sunmao.Scalar], dtype: str | _sunmao.DType) -> None:
        self.shape = list(shape)
        self.dtype = c.dtype_name(dtype)

    def __repr__(self) -> str:
        return f"Tensor([{', '.join(map(str, self.shape))}], '{self.dtype}')"


class Object:
    """A value that is no tensor, as an instance of a class derived from nn.Object."""

    @checked
    def __init__(self, object_type: type) -> None:
        if not issubclass(object_type, FrontendObject):
            raise fail("E0034", f"spec.Object: the class {object_type.__name__} is not derived from nn.Object")
        self.object_type = object_type

    def __repr__(self) -> str:
        return "object"


class Tuple:
    """A tuple or list of arguments, which the method gets as what it is here."""

    @checked
    def __init__(self, name: str, elements: list[Any] | tuple[Any, ...]) -> None:
        self.name = name
        self.elements = elements

    def __repr__(self) -> str:
        return repr(self.elements)


class MethodSpec:
    """What a method takes. `param_mode` says how the function takes the parameters of the module, `effect_mode` how its
    effects: "plain" one by one, "packed" as one tuple, or "none" not at all."""

    @checked
    def __init__(
        self,
        method: Callable[..., Any],
        arg_names: Sequence[str],
        arg_specs: Sequence[Any],
        param_mode: str,
        effect_mode: str,
    ) -> None:
        for name, mode in (("param_mode", param_mode), ("effect_mode", effect_mode)):
            if mode not in _MODES:
                raise fail("E0034", f"spec: `{name}` is {mode!r}", f"there are {', '.join(map(repr, _MODES))}")
        if len(arg_names) != len(arg_specs):
            raise fail("E0034", f"spec: {len(arg_names)} names are given, and {len(arg_specs)} specs")
        self.method = method
        self.arg_names = list(arg_names)
        self.arg_specs = list(arg_specs)
        self.param_mode = param_mode
        self.effect_mode = effect_mode

    def shown(self, name: str) -> str:
        pairs = zip(self.arg_names, self.arg_specs, strict=True)
        return f"{name}({', '.join(f'{arg}: {spec}' for arg, spec in pairs)})"

    def __repr__(self) -> str:
        return self.shown("MethodSpec")

    @staticmethod
    @checked
    def from_raw(spec: Any, method: Callable[..., Any]) -> MethodSpec:
        """Returns the spec that a dict from argument to spec says; its entry "$" is a dict of the modes."""
        if isinstance(spec, MethodSpec):
            return spec
        name = getattr(method, "__name__", "a method")
        if not isinstance(spec, Mapping):
            raise fail("E0034", f"spec of `{name}`: a dict of arguments is needed, got {spec!r}", _INSTEAD)
        modes = dict(spec.get("$", {}))
        args = {arg: _argument(given, arg) for arg, given in spec.items() if arg != "$"}
        params = {p.name: p for p in inspect.signature(method).parameters.values() if p.kind in _NAMED}
        unknown = [arg for arg in args if arg not in params]
        if unknown:
            raise fail(
                "E0034", f"spec of `{name}`: there is no argument `{unknown[0]}`", f"it takes {', '.join(params)}"
            )
        missing = [arg for arg, p in params.items() if arg not in args and p.default is p.empty]
        if missing:
            raise fail("E0034", f"spec of `{name}`: nothing says what `{missing[0]}` is", _INSTEAD)
        names = [arg for arg in params if arg in args]
        found = MethodSpec(
            method,
            names,
            [args[arg] for arg in names],
            modes.pop("param_mode", "plain"),
            modes.pop("effect_mode", "plain"),
        )
        if modes:
            raise fail("E0034", f"spec of `{name}`: unknown modes {sorted(modes)}", "there are param_mode, effect_mode")
        return found

    @staticmethod
    @checked
    def from_torch(args: Sequence[Any], method: Callable[..., Any]) -> MethodSpec:
        """Returns the spec for arguments such as these: torch tensors and integers."""
        names = list(inspect.signature(method).parameters)
        if len(names) != len(args):
            raise fail("E0034", f"`{method.__name__}` takes {len(names)} arguments, got {len(args)}")
        specs = [_of_example(name, arg) for name, arg in zip(names, args, strict=True)]
        return MethodSpec(method, names, specs, "plain", "plain")


class ModuleSpec:
    """The methods of a module that are exported."""

    @checked
    def __init__(self, module: Any, method_names: Sequence[str], method_specs: Sequence[MethodSpec]) -> None:
        self.module = module
        self.method_names = list(method_names)
        self.method_specs = list(method_specs)

    @staticmethod
    def from_raw(spec: Any, module: Any) -> ModuleSpec:
        """Returns the spec that a dict from method to spec says."""
        if isinstance(spec, ModuleSpec):
            return spec
        if not isinstance(spec, Mapping):
            raise fail("E0034", f"a spec is a dict of methods, got a {type(spec).__name__}", 'write {"forward": {…}}')
        methods = {}
        for name, given in spec.items():
            method = getattr(module, name, None)
            if not callable(method):
                raise fail("E0034", f"spec: the module {type(module).__name__} has no method `{name}`")
            methods[name] = MethodSpec.from_raw(given, method)
        return ModuleSpec(module, list(methods), list(methods.values()))

    def __repr__(self) -> str:
        pairs = zip(self.method_names, self.method_specs, strict=True)
        return "\n".join(["ModuleSpec:", *(f"  {spec.shown(name)}" for name, spec in pairs)])


def _of_example(name: str, value: Any) -> Tensor | Int:
    """Returns the spec for arguments such as this one."""
    if isinstance(value, importlib.import_module("torch").Tensor):
        return Tensor(list(value.shape), str(value.dtype).removeprefix("torch."))
    if isinstance(value, int):
        return Int()
    raise fail("E0034", f"`{name}` is a torch tensor or an integer, got a {type(value).__name__}")


def _argument(given: Any, name: str) -> Any:
    """Returns the spec of an argument as an instance of the classes above."""
    if given is Int or given is int or (isinstance(given, str) and given == "int"):
        return Int()
    if isinstance(given, Int | Tensor | Object):
        return given
    elements = given.elements if isinstance(given, Tuple) else given
    if isinstance(elements, list | tuple):
        items = [_argument(item, f"{name}_{i}") for i, item in enumerate(elements)]
        return Tuple(name, type(elements)(items))
    raise fail("E0034", f"spec of `{name}`: {given!r} is no spec of an argument", _INSTEAD)


__getattr__ = attribute_of(__name__)
