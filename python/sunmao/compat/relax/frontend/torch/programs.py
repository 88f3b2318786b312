"""Programs of torch.export become modules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sunmao import _sunmao
from sunmao.compat.ir.module import IRModule
from sunmao.compat.relax.frontend import parameters
from sunmao.compat.relax.frontend.torch.exported_program_translator import own_converters
from sunmao.compile_warnings import warn_all
from sunmao.custom_ops import collect
from sunmao.errors import fail
from sunmao.exported import decomposed, is_exported_program, read_program

Converter = Callable[[list[Any], dict[str, Any]], Any]


def from_exported_program(
    exported_program: Any,
    *,
    keep_params_as_input: bool = False,
    unwrap_unit_return_tuple: bool = False,
    no_bind_return_tuple: bool = False,
    custom_convert_map: Mapping[str, Converter] | None = None,
    run_ep_decomposition: bool = True,
    ops: Sequence[Any] | None = None,
) -> IRModule:
    """Returns the module of a program, which the reader of `.pt2` files makes in memory, on the program's own weights.
    It returns the program's outputs alone: where the program writes to inputs or buffers, a warning names them.

    A converter of `custom_convert_map` (by target, such as "aten.relu.default") takes a node's tensors and its other
    arguments by name, and gives an expression or a list of them. One for a name without a namespace ("relu.default")
    has upstream's form: it takes a node of torch.fx and an importer, whose `env` has the expressions of nodes. `ops`
    are custom ops, as `sunmao.compile` takes them.
    """
    if not is_exported_program(exported_program):
        raise fail("E0034", f"from_exported_program takes a program, got a {type(exported_program).__name__}",
                   "export the model first: torch.export.export(model, args)")  # fmt: skip
    program = decomposed(exported_program) if run_ep_decomposition else exported_program
    form = _sunmao.ReturnForm.TUPLE if no_bind_return_tuple else _sunmao.ReturnForm.BOUND_TUPLE
    outputs = [s for s in program.graph_signature.output_specs if s.kind.name == "USER_OUTPUT"]
    if unwrap_unit_return_tuple and len(outputs) == 1:
        form = _sunmao.ReturnForm.BOUND_AGAIN
    custom = collect(ops)
    converters = {**custom.converters, **own_converters(program, custom_convert_map or {})}
    return module_of(program, form, keep_params_as_input, converters, {}, custom.modules)


def module_of(
    program: Any,
    form: _sunmao.ReturnForm,
    keep_params_as_input: bool,
    custom_convert_map: Mapping[str, Converter] | None,
    names: Mapping[str, str],
    ops: Sequence[_sunmao.Module] = (),
) -> IRModule:
    """Returns the module of a program as it is; `names` are those of its symbols."""
    read = read_program(program, custom=custom_convert_map, returns=form, ops=ops, upstream_form=True, names=names)
    warn_all(read.notes)
    if keep_params_as_input:
        return parameters.beside_parameters(read.module, read.weights)
    return parameters.bound(read.module, read.weights)
