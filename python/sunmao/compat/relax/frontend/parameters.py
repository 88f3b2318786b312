"""Weights of imported modules: bound into the module, or parameters whose data stands beside it."""

from __future__ import annotations

from typing import Any

from sunmao import _sunmao
from sunmao.compat import runtime
from sunmao.compat.ir.module import IRModule
from sunmao.errors import fail

_PARAMS = "params"  # the attribute of a function that has the data of its last parameters
_SHARED = "_sunmao_params"


def _weights_of_main(main: Any, weights: dict[str, _sunmao.Tensor]) -> list[_sunmao.Tensor]:
    inputs = int(main.attrs.get("num_input", len(main.params)))
    return [weights[p.name] for p in main.params[inputs:]]


def with_parameters(module: _sunmao.Module, weights: dict[str, _sunmao.Tensor]) -> IRModule:
    """Returns a module that keeps its weights as parameters, with their data as an attribute of `main`."""
    made = IRModule(module)
    main = made["main"]
    if weights:
        made["main"] = main.with_attr(_PARAMS, [runtime.Tensor(w) for w in _weights_of_main(main, weights)])
    return made


def beside_parameters(module: _sunmao.Module, weights: dict[str, _sunmao.Tensor]) -> IRModule:
    """Returns a module that keeps its weights as parameters, with their data beside it: memory that another library may
    write to is copied where it becomes part of the IR."""
    made = IRModule(module)
    setattr(made, _SHARED, {"main": _weights_of_main(made["main"], weights)})
    return made


def bound(module: _sunmao.Module, weights: dict[str, _sunmao.Tensor]) -> IRModule:
    """Returns a module whose weights are constants in it."""
    from sunmao.compat.relax import transform

    made: IRModule = transform.BindParams("main", {name: runtime.Tensor(w) for name, w in weights.items()})(
        IRModule(module)
    )
    made["main"] = made["main"].without_attr("num_input")  # all parameters are inputs
    return made


def detach_params(mod: Any) -> tuple[IRModule, dict[str, list[Any]]]:
    """Returns the module without the data of its parameters, and that data by function, in the parameters' order."""
    if not isinstance(mod, IRModule):
        raise fail("E0034", f"detach_params takes a module, got a {type(mod).__name__}")
    detached = IRModule(mod.__sunmao_module__())
    params = {name: [runtime.Tensor(t) for t in data] for name, data in getattr(mod, _SHARED, {}).items()}
    for var, function in mod.items():
        if _PARAMS in function.attrs:
            params[var.name] = list(function.attrs[_PARAMS])
            detached[var] = function.without_attr(_PARAMS)
    return detached, params
