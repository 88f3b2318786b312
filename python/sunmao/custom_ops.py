"""Custom ops: ops that Sunmao does not know, of models of ONNX and PyTorch, with what computes them."""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from sunmao import _sunmao
from sunmao.errors import fail
from sunmao.paths import as_path

Converter = Callable[[list[Any], dict[str, Any]], Any]
_ATTRIBUTE = "sunmao.op"


class CustomOp:
    """An op that Sunmao does not know, from `sunmao.custom_op`: what `ops=[…]` takes where models are read."""

    def __init__(
        self,
        name: str,
        module: _sunmao.Module | None = None,
        converters: Mapping[str, Converter] | None = None,
        function: Callable[..., Any] | None = None,
    ) -> None:
        """`module` has the function that is read in place of nodes; without, `converters` read them, by op. `function`
        computes it in the program that runs the model."""
        self.name = name
        self.module = module
        self.converters = dict(converters or {})
        self.function = function

    def __repr__(self) -> str:
        return f"<sunmao.CustomOp {self.name}>"


def custom_op(
    name: str,
    kernel: Any = None,
    *,
    shape: Callable[..., Any] | None = None,
    onnx: str | Sequence[str] = (),
    torch: str | Sequence[str] = (),
    defaults: Mapping[str, Any] | None = None,
) -> CustomOp:
    """Declares an op of ONNX ("my.domain::Swish") or PyTorch ("mylib::swish"), or both, and what computes it.

    >>> swish = sunmao.custom_op("swish", swish_kernel, onnx="my.domain::Swish", torch="mylib::swish")
    >>> model = sunmao.compile("model.onnx", ops=[swish])

    `kernel` is one of these:

    - a loop-level function (`T.prim_func`): its last buffer is the result, the others and its scalars are parameters;
    - a graph-level one (`R.function`), or a module that has it under this name, beside the kernels that it calls;
    - a function of Python that takes arrays and fills its last argument, or one of C (`ctypes`), which the model calls
      under this name; None: a function that the program which runs the model registers under it. Such an op needs
      `shape`: a function of the op's inputs and attributes that returns the type of the result, or several in a list.
      It is read for its parameters, too: those called as attributes of a node take these, the others its inputs.

    `defaults` are values of parameters that a node leaves out. The first two are compiled into the artifact.
    """
    names = {"onnx": _names("onnx", onnx), "torch": _names("torch", torch)}
    if not any(names.values()):
        raise fail("E0611", f"the custom op `{name}` names no op of ONNX or PyTorch that it stands for",
                   'say `onnx="my.domain::Op"` or `torch="mylib::op"`')  # fmt: skip
    declared = {**{kind: ops for kind, ops in names.items() if ops}, "defaults": dict(defaults or {})}
    if kernel is None or (callable(kernel) and not _is_function(kernel)):
        if shape is None:
            raise fail("E0611", f"the custom op `{name}` is computed by a function of the program, and has no `shape`",
                       "pass a function of inputs and attributes that returns the type of the result")  # fmt: skip
        if defaults:
            raise fail("E0034", "`defaults` are for kernels in scripts", "give the parameters of `shape` defaults")
        converter = _call_converter(name, shape)
        targets = [_target(kind, op) for kind, ops in names.items() for op in ops]
        return CustomOp(name, None, dict.fromkeys(targets, converter), kernel)
    if shape is not None:
        raise fail("E0034", "`shape` is for functions of the program", "a function of a script states its own types")
    return CustomOp(name, _module_of(name, kernel, declared))


def _relax() -> Any:
    """Returns the module that makes expressions, which is imported late: it reads models with custom ops itself."""
    return importlib.import_module("sunmao.compat.relax")


def _names(kind: str, given: Any) -> list[str]:
    names = [given] if isinstance(given, str) else list(given)
    if not all(isinstance(name, str) for name in names):
        raise fail("E0034", f"`{kind}`: expected the name of an op, or several, got {given!r}")
    return names


def _target(kind: str, name: str) -> str:
    """Returns the name by which programs of PyTorch call an op: `my::swish` is `my.swish.default`."""
    if kind != "torch" or "::" not in name:
        return name
    space, _, op = name.partition("::")
    return f"{space}.{op}" if "." in op else f"{space}.{op}.default"


def _is_function(kernel: Any) -> bool:
    return isinstance(kernel, _sunmao.BaseFunc | _sunmao.Module) or hasattr(kernel, "__sunmao_module__")


def _module_of(name: str, kernel: Any, declared: dict[str, Any]) -> _sunmao.Module:
    """Returns a module whose function `name` is the op."""
    if isinstance(kernel, _sunmao.PrimFunc):
        made = _calling(name, kernel)
    elif isinstance(kernel, _sunmao.Function):
        made = _sunmao.Module().with_function(name, kernel)
    elif isinstance(kernel, _sunmao.BaseFunc):
        raise fail("E0034", f"`kernel`: a {type(kernel).__name__} is no kernel of an op")
    else:
        made = kernel.__sunmao_module__() if hasattr(kernel, "__sunmao_module__") else kernel
    function = made.find(name)
    if not isinstance(function, _sunmao.Function):
        known = ", ".join(f"`{entry.var.name}`" for entry in made.functions)
        raise fail("E0611", f"the module has no graph-level function `{name}`", f"it has {known}")
    return made.with_function(name, function.with_attr(_ATTRIBUTE, declared))


def _calling(name: str, kernel: _sunmao.PrimFunc) -> _sunmao.Module:
    """Returns a module with the kernel and a function that calls it, with a parameter for each but the last buffer."""
    relax = _relax()
    buffers = kernel.buffer_map
    tensors = [p for p in kernel.params if p in buffers]
    if not tensors:
        raise fail("E0611", f"the kernel of `{name}` has no buffers", "the last one is the result")
    builder = relax.BlockBuilder()
    called = builder.add_func(kernel, f"{name}_kernel")
    params = [_param(p, buffers.get(p)) for p in kernel.params if p is not tensors[-1]]
    with builder.function(name, params):
        with builder.dataflow():
            out = builder.emit_output(relax.call_tir(called, params, _type(buffers[tensors[-1]])))
        builder.emit_func_output(out)
    module: _sunmao.Module = builder.get().__sunmao_module__()
    return module


def _type(buffer: Any) -> Any:
    relax = _relax()
    return relax.TensorType(list(buffer.shape), buffer.dtype)


def _param(var: Any, buffer: Any) -> Any:
    relax = _relax()
    if buffer is not None:
        return relax.Var(buffer.name, _type(buffer))
    return relax.Var(var.name, _sunmao.make.prim_type(var.dtype))


def _call_converter(name: str, shape: Callable[..., Any]) -> Converter:
    """Returns a converter that calls a function of the program, with results of the types that `shape` returns."""
    parameters = inspect.signature(shape).parameters

    def convert(inputs: list[Any], attributes: dict[str, Any]) -> Any:
        relax = _relax()
        rest = iter(inputs)
        values: dict[str, Any] = {}
        for p in parameters.values():
            if p.name in attributes and attributes[p.name] is not None:
                values[p.name] = attributes[p.name]
            elif p.name not in attributes and (given := next(rest, None)) is not None:
                values[p.name] = given
            elif p.default is not p.empty:
                values[p.name] = p.default
            else:
                raise _unfit(name, f"the node has no value for `{p.name}`")
        if (left := len(list(rest))) > 0:
            raise _unfit(name, f"{left} of its tensors have no parameter")
        if unknown := [key for key, value in attributes.items() if key not in parameters and value is not None]:
            raise _unfit(name, f"no parameter takes the attribute `{unknown[0]}`")
        types = shape(**values)
        several = isinstance(types, list | tuple)
        call = relax.op.call_dps_packed(name, [_operand(name, k, v) for k, v in values.items()], types)
        return [relax.TupleGetItem(call, i) for i in range(len(types))] if several else call

    return convert


def _unfit(name: str, problem: str) -> Exception:
    return fail(
        "E0610", f"the custom op `{name}` does not take this node: {problem}", "look at the parameters of `shape`"
    )


def _operand(op: str, name: str, value: Any) -> Any:
    """Returns an attribute as an operand of a call."""
    relax = _relax()
    if isinstance(value, _sunmao.Expr):
        return value
    if isinstance(value, bool | int):
        return relax.prim_value(int(value))
    if isinstance(value, float):
        return relax.prim_value(_sunmao.make.float_imm("float64", value))
    if isinstance(value, str):
        return relax.StringImm(value)
    if isinstance(value, list | tuple) and all(isinstance(item, int) for item in value):
        return relax.ShapeExpr([int(item) for item in value])
    raise _unfit(op, f"the value of `{name}`, {value!r}, cannot be passed to a function")


class Ops(NamedTuple):
    """What `ops=[…]` holds: modules, converters by op, functions of the program by name, and object files."""

    modules: list[_sunmao.Module]
    converters: dict[str, Converter]
    functions: dict[str, Callable[..., Any]]
    objects: list[tuple[str, bytes]]


def collect(ops: Sequence[Any] | None) -> Ops:
    """Returns what custom ops are made of: each is a `CustomOp`, a module, or the path of a script or
    of an object file."""
    out = Ops([], {}, {}, [])
    if ops is not None and not isinstance(ops, list | tuple):
        raise fail("E0034", f"`ops`: expected a list, got a {type(ops).__name__}", "write `ops=[…]`")
    for op in ops or ():
        if isinstance(op, str | os.PathLike):
            modules, objects = _sunmao.read_ops([as_path(op, "ops")])
            out.modules.extend(modules)
            out.objects.extend(objects)
        elif isinstance(op, _sunmao.Module):
            out.modules.append(op)
        elif hasattr(op, "__sunmao_module__"):
            out.modules.append(op.__sunmao_module__())
        elif isinstance(op, CustomOp):
            out.modules.extend([op.module] if op.module is not None else [])
            out.converters.update(op.converters)
            if op.function is not None:
                out.functions[op.name] = op.function
        else:
            raise fail(
                "E0034",
                f"`ops`: a {type(op).__name__} is no custom op",
                "pass what `sunmao.custom_op` returns, modules, or paths of scripts and object files",
            )
    return out
