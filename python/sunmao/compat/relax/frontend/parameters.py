"""Weights of imported modules: bound into the module, or parameters whose data stands beside it."""

from __future__ import annotations

from typing import Any

from sunmao import _sunmao
from sunmao.compat import runtime
from sunmao.compat.ir.module import IRModule
from sunmao.errors import fail

_PARAMS = "_sunmao_params"


def with_parameters(module: _sunmao.Module, weights: dict[str, _sunmao.Tensor]) -> IRModule:
    """Returns a module that keeps its weights as parameters; `detach_params` gives their data."""
    made = IRModule(module)
    main = made["main"]
    inputs = int(main.attrs.get("num_input", len(main.params)))
    setattr(made, _PARAMS, {"main": [weights[p.name] for p in main.params[inputs:]]})
    return made


def bound(module: _sunmao.Module, weights: dict[str, _sunmao.Tensor]) -> IRModule:
    """Returns a module whose weights are constants in it."""
    from sunmao.compat.relax import transform

    made: IRModule = transform.BindParams("main", {name: runtime.Tensor(w) for name, w in weights.items()})(
        IRModule(module)
    )
    return made


def detach_params(mod: Any) -> tuple[IRModule, dict[str, list[Any]]]:
    """Returns the module without the data of its parameters, and that data by function, in the parameters' order."""
    if not isinstance(mod, IRModule):
        raise fail("E0034", f"detach_params takes a module, got a {type(mod).__name__}")
    params = getattr(mod, _PARAMS, {})
    return IRModule(mod.__sunmao_module__()), {name: [runtime.Tensor(t) for t in data] for name, data in params.items()}
