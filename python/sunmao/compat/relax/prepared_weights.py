"""What a lifted function says when it is called with other weights than its transform gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sunmao import _sunmao
from sunmao.errors import fail


@dataclass(frozen=True)
class PreparedWeights:
    """The weights that function `name` takes behind its first `inputs` arguments, and the transforms that prepare them,
    one behind the other."""

    name: str
    inputs: int
    params: Sequence[_sunmao.Var]
    transforms: Sequence[str]

    @staticmethod
    def of(name: str, function: _sunmao.Function) -> PreparedWeights:
        found = function.attrs.get("sunmao.param_transform", [])
        transforms = [found] if isinstance(found, str) else [str(stage) for stage in found]
        inputs = int(function.attrs["num_input"]) if transforms else 0
        return PreparedWeights(name, inputs, function.params[inputs:], transforms)

    def check(self, args: Sequence[Any]) -> None:
        """Fails (E0043) where the weights among `args` are not prepared ones."""
        given = args[self.inputs :]
        if not self.transforms:
            return
        if len(given) == len(self.params) and all(map(_fits, given, self.params)):
            return
        expected = ", ".join(f"{p.name}: {p.type!r}" for p in self.params) or "none"
        got = ", ".join(map(_described, given)) or "none"
        raise fail(
            "E0043",
            f"`{self.name}` expects prepared weights: {expected}; got {got}",
            f"run {', then '.join(f'`{stage}`' for stage in self.transforms)} on the raw weights first",
        )


def _fits(value: Any, param: _sunmao.Var) -> bool:
    type, shape = param.type, getattr(value, "shape", None)
    if not isinstance(type, _sunmao.TensorType) or shape is None:
        return True
    if str(value.dtype) != str(type.dtype) or (type.shape is not None and len(shape) != type.ndim):
        return False
    dims = type.shape.values if isinstance(type.shape, _sunmao.ShapeExpr) else shape
    return all(
        int(expected.value) == int(got)
        for expected, got in zip(dims, shape, strict=True)
        if isinstance(expected, _sunmao.IntImm)
    )


def _described(value: Any) -> str:
    shape = getattr(value, "shape", None)
    if shape is None:
        return f"a {type(value).__name__}"
    dims = ", ".join(map(str, shape))
    return f'R.Tensor(({dims}{"," if len(shape) == 1 else ""}), dtype="{value.dtype}")'
