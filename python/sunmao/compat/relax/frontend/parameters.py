"""Weights of imported modules: bound into the module, or parameters whose data stands beside it."""

from __future__ import annotations

from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat import runtime
from sunmao.compat.ir.module import IRModule
from sunmao.errors import fail

_PARAMS = "params"  # the attribute of a function that has the data of its last parameters
_SHARED = "_sunmao_params"
_SOURCE_WEIGHTS = "sunmao.source_weights"  # maps parameters to the names that the model gives them


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


def in_order_of_names(made: IRModule) -> IRModule:
    """Returns a module that has its data beside it with the parameters of `main` in the order of their names."""
    main, data = made["main"], getattr(made, _SHARED)["main"]
    inputs = len(main.params) - len(data)
    names = dict(main.attrs.get(_SOURCE_WEIGHTS, {}))
    weights = sorted(zip(main.params[inputs:], data, strict=True), key=lambda w: str(names.get(w[0].name, w[0].name)))
    params = [*main.params[:inputs], *(var for var, _ in weights)]
    made["main"] = make.function(params, main.body, main.result_type, main.is_pure, dict(main.attrs))
    setattr(made, _SHARED, {"main": [tensor for _, tensor in weights]})
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
