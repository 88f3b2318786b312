"""Programs of torch.export in memory: read by the same C++ reader as `.pt2` files, on the program's own weights."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sunmao import _sunmao
from sunmao.arrays import to_tensor
from sunmao.errors import fail


class ReadProgram(NamedTuple):
    """A module and its data by parameter name. `states` are first values of what `main` takes and returns."""

    module: _sunmao.Module
    weights: dict[str, _sunmao.Tensor]
    states: dict[str, _sunmao.Tensor]
    notes: list[str]


def is_exported_program(value: Any) -> bool:
    return type(value).__name__ == "ExportedProgram" and type(value).__module__.startswith("torch.export")


def is_torch_module(value: Any) -> bool:
    return any(c.__module__ == "torch.nn.modules.module" and c.__name__ == "Module" for c in type(value).__mro__)


def export(
    module: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
) -> Any:
    """Exports a torch module on example arguments. Dropout and batch norms are exported as the module's mode says, so
    call `module.eval()` before."""
    torch: Any = importlib.import_module("torch")
    try:
        return torch.export.export(module, tuple(args), dict(kwargs or {}), dynamic_shapes=dynamic_shapes, strict=False)
    except Exception as error:
        raise fail("E0712", f"torch.export.export refuses the module: {str(error).strip().splitlines()[0]}") from error


def _graph_json(program: Any) -> bytes:
    """Returns the program as torch.export.save writes it; weights are left out where PyTorch can do that."""
    serialize: Any = importlib.import_module("torch._export.serde.serialize")
    try:
        artifact = _serialized(
            serialize, program, serialize_state_dict=False, serialize_constants=False, serialize_example_inputs=False
        )
    except TypeError:  # PyTorch 2.12 and older have no such arguments
        artifact = _serialized(serialize, program)
    graph: bytes = artifact.exported_program
    return graph


def _serialized(serialize: Any, program: Any, **options: bool) -> Any:
    try:
        return serialize.serialize(program, **options)
    except serialize.SerializeError as error:
        lines = [line for line in str(error).splitlines() if line.strip()]
        raise fail(
            "E0712",
            f"PyTorch cannot write the program: {lines[-1].rpartition('SerializeError: ')[2] if lines else error}",
        ) from error


def _data(program: Any) -> dict[str, _sunmao.Tensor]:
    """Returns weights, buffers and constants by name. Memory is shared; transposed and sliced tensors are copied."""
    torch: Any = importlib.import_module("torch")
    out: dict[str, _sunmao.Tensor] = {}
    for name, value in [*program.constants.items(), *program.state_dict.items()]:
        if not isinstance(value, torch.Tensor):
            continue
        if type(value) not in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer):
            raise fail(
                "E0706",
                f"the weight `{name}` is a {type(value).__name__}, a tensor with parts of its own",
                "for torchao's quantised tensors: call torchao.utils.unwrap_tensor_subclass(model) before the export",
            )
        out[name] = to_tensor(value.detach().cpu().contiguous(), f"weight `{name}`")
    return out


def read_program(
    program: Any,
    name: str = "model",
    *,
    custom: Mapping[str, Any] | None = None,
    returns: _sunmao.ReturnForm = _sunmao.ReturnForm.PLAIN,
    keep_state: bool = False,
) -> ReadProgram:
    """Reads a program of torch.export. `custom` are converters by target, which go before the reader's own. With
    `keep_state` random numbers come from a state."""
    graph, data = _graph_json(program), _data(program)
    return ReadProgram(*_sunmao.read_exported_program(graph, data, name, dict(custom or {}), returns, keep_state))
