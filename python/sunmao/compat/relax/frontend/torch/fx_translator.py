"""Graphs of torch.fx become modules, by way of torch.export."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sunmao import _sunmao
from sunmao.compat.ir.module import IRModule
from sunmao.compat.relax.frontend import parameters
from sunmao.compat.relax.frontend.torch.programs import Converter, module_of
from sunmao.errors import fail
from sunmao.torch_export import export_module

_FIRST_SIZE = 5  # of examples for symbols: PyTorch takes 0 and 1 for constants


def _dtype(name: Any) -> Any:
    torch: Any = importlib.import_module("torch")
    found = name if isinstance(name, torch.dtype) else getattr(torch, str(name).removeprefix("torch."), None)
    if not isinstance(found, torch.dtype):
        raise fail("E0034", f"`input_info`: {name!r} is no dtype of PyTorch", 'write ((1, 10), "float32")')
    return found


class _Examples:
    """Example tensors, in which each symbol has a size of its own."""

    def __init__(self) -> None:
        self._sizes: dict[str, int] = {}

    def size(self, dim: Any) -> tuple[int, str | None]:
        """Returns a size, and the name of the symbol that it is an example of."""
        if isinstance(dim, int):
            return dim, None
        value = getattr(dim, "value", None)
        if isinstance(value, int):
            return value, None
        name = dim if isinstance(dim, str) else getattr(dim, "name", None)
        if not isinstance(name, str):
            raise fail("E0034", f"`input_info`: {dim!r} is no size", "sizes are integers, and variables for symbols")
        return self._sizes.setdefault(name, _FIRST_SIZE + 2 * len(self._sizes)), name

    def tensor(self, info: Any) -> tuple[Any, dict[int, str]]:
        """Returns a tensor as `(shape, dtype)` says, and names of its axes that are symbols."""
        torch: Any = importlib.import_module("torch")
        if not isinstance(info, list | tuple) or len(info) != 2:
            raise fail("E0034", f"`input_info`: {info!r} is no shape with a dtype", 'write ((1, 10), "float32")')
        sizes = [self.size(dim) for dim in info[0]]
        names = {axis: name for axis, (_, name) in enumerate(sizes) if name is not None}
        return torch.zeros([size for size, _ in sizes], dtype=_dtype(info[1])), names


@contextmanager
def _for_inference(module: Any) -> Iterator[None]:
    """Puts modules into eval mode, while it lasts."""
    training = [part for part in module.modules() if part.training]
    module.eval()
    try:
        yield
    finally:
        for part in training:
            part.training = True


def from_fx(
    model: Any,
    input_info: Sequence[tuple[Sequence[Any], Any]],
    *,
    keep_params_as_input: bool = False,
    unwrap_unit_return_tuple: bool = False,
    no_bind_return_tuple: bool = False,
    custom_convert_map: Mapping[str, Converter] | None = None,
    default_image_layout: str = "NCHW",
) -> IRModule:
    """Returns the module of a graph of torch.fx, whose inputs have these shapes and dtypes, as torch.export writes it.
    Variables of `tirx` in shapes are symbols. Dropout and batch norms are those of inference.

    The keys of `custom_convert_map` are targets of ATen ops, as `from_exported_program` has them.
    """
    torch: Any = importlib.import_module("torch")
    if not isinstance(model, torch.fx.GraphModule):
        raise fail(
            "E0034", f"from_fx takes a graph, got a {type(model).__name__}", "call torch.fx.symbolic_trace first"
        )
    if default_image_layout != "NCHW":
        raise fail("E0034", f'`default_image_layout`: {default_image_layout!r}, and images of PyTorch are "NCHW"')
    placeholders = [node.name for node in model.graph.nodes if node.op == "placeholder"]
    if len(placeholders) != len(input_info):
        message = f"`input_info` is of {len(input_info)} inputs, and the graph has {len(placeholders)}"
        raise fail("E0034", message, f"its inputs are {', '.join(placeholders)}" if placeholders else "")
    examples = _Examples()
    made = [examples.tensor(info) for info in input_info]
    dims = tuple(names or None for _, names in made)
    with _for_inference(model), torch.no_grad():
        exported = export_module(model, tuple(tensor for tensor, _ in made), None, dims if any(dims) else None)
    outputs = next(node for node in model.graph.nodes if node.op == "output").args[0]
    form = _sunmao.ReturnForm.BOUND_AGAIN
    if isinstance(outputs, list | tuple | dict) and not (unwrap_unit_return_tuple and len(outputs) == 1):
        form = _sunmao.ReturnForm.TUPLE if no_bind_return_tuple else _sunmao.ReturnForm.BOUND_TUPLE
    module = module_of(exported.program, form, keep_params_as_input, custom_convert_map, exported.names)
    return parameters.in_order_of_names(module) if keep_params_as_input else module
