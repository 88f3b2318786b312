"""Evaluates and compiles compositions of ops that front ends rely on."""

from collections.abc import Callable
from typing import Any

import numpy as np
import sunmao
from sunmao import compat as tvm
from sunmao.compat import relax
from sunmao.compat.script import relax as R


def scalar(value: float | bool, dtype: str = "float32") -> Any:
    return relax.const(value, dtype)


def computed(compose: Callable[..., Any], *arrays: np.ndarray) -> Any:
    """Returns the result of the composition for these arrays, by the evaluator; the compiled program must agree."""
    builder = relax.BlockBuilder()
    params = [relax.Var(f"x{i}", R.Tensor(a.shape, a.dtype.name)) for i, a in enumerate(arrays)]
    with builder.function("main", params):
        found = compose(*params)
        fields = found if isinstance(found, tuple) else (found,)
        results = [builder.emit(field) for field in fields]
        builder.emit_func_output(builder.emit(relax.Tuple(results)))
    module = builder.get()
    evaluated = sunmao.evaluate(module, *arrays)
    machine = relax.VirtualMachine(relax.build(module), tvm.cpu())
    for want, got in zip(evaluated, machine["main"](*arrays), strict=True):
        np.testing.assert_allclose(got.numpy(), want, rtol=1e-5, atol=1e-6)
    return evaluated if isinstance(found, tuple) else evaluated[0]
