"""Compilation and loading of models."""

from __future__ import annotations

import operator
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from sunmao import _sunmao
from sunmao.arrays import to_numpy, to_tensor
from sunmao.compile_warnings import warn_all
from sunmao.custom_ops import Ops, collect
from sunmao.errors import fail
from sunmao.exported import is_exported_program, is_torch_module, read_program, with_nesting
from sunmao.model import Model
from sunmao.paths import PathLike, as_file, as_path


def _targets(target: str | Sequence[str]) -> list[str]:
    return [target] if isinstance(target, str) else list(target)


_Ranges = dict[str, tuple[int, int]]


def _range_of(name: str, given: Any) -> tuple[int, int]:
    try:
        low, high = (operator.index(bound) for bound in given)
    except (TypeError, ValueError):
        raise fail("E0034", f"`dims`: {given!r} is no range for `{name}`", "write `(1, 512)`") from None
    if not 0 <= low <= high:
        raise fail("E0034", f"`dims`: the range of `{name}` runs from {low} to {high}", "write `(1, 512)`")
    return low, high


_NamedAxes = list[tuple[str, int, str]]


def _names_and_ranges(dims: Mapping[str, Any] | None) -> tuple[_NamedAxes, _Ranges]:
    """Returns the names that are given to axes of inputs, `{"x": {0: "batch"}}`, and the ranges of symbols,
    `{"batch": (1, 512)}`."""
    ranges: _Ranges = {}
    names: _NamedAxes = []
    for name, given in (dims or {}).items():
        if not isinstance(given, Mapping):
            ranges[name] = _range_of(name, given)
            continue
        for axis, symbol in given.items():
            if isinstance(symbol, tuple) and len(symbol) == 3:
                ranges[str(symbol[0])] = _range_of(str(symbol[0]), symbol[1:])
                symbol = symbol[0]
            if not isinstance(axis, int) or not isinstance(symbol, str):
                raise fail("E0034", f"`dims`: {given!r} names no axes of `{name}`", 'write `{0: "batch"}`')
            names.append((name, axis, symbol))
    return names, ranges


def _as_tensors(arrays: Mapping[str, Any], what: str = "weight") -> dict[str, _sunmao.Tensor]:
    for name in arrays:
        if not isinstance(name, str):
            raise fail("E0034", f"`{what}s`: {name!r} is no name of a {what}", "names are texts")
    return {name: to_tensor(value, f"{what} `{name}`") for name, value in arrays.items()}


_Read = tuple[_sunmao.Module, dict[str, _sunmao.Tensor], dict[str, _sunmao.Tensor], list[str]]


def read_any(
    model: Any,
    weights: Mapping[str, Any] | PathLike | None,
    keep_state: bool = False,
    dims: _Ranges | None = None,
    ops: Ops | None = None,
) -> _Read:
    """Returns a module, its weights, its states, and notes, from a path, a module value, or an IRModule. `weights` take
    precedence over the file's. A file is read for the ranges `dims`, and with custom ops."""
    own: dict[str, _sunmao.Tensor] = {}
    states: dict[str, _sunmao.Tensor] = {}
    notes: list[str] = []
    if isinstance(model, str | os.PathLike):
        modules, converters = (ops.modules, ops.converters) if ops is not None else ([], {})
        module, own, states, notes = _sunmao.read_model(
            as_file(model, "model"), keep_state=keep_state, dims=dims or {}, custom=converters, ops=modules
        )
    elif isinstance(model, _sunmao.Module):
        module = model
    elif hasattr(model, "__sunmao_module__"):
        module = model.__sunmao_module__()
    else:
        raise fail("E0034", f"a {type(model).__name__} is no model", "pass the path of a model file, or a module")
    if weights is None:
        return module, own, states, notes
    if isinstance(weights, Mapping):
        taken = _sunmao.take_weights(module, own, _as_tensors(weights), "`weights`", is_file=False)
        return module, taken, states, notes
    path = as_path(weights, "weights")
    given = _sunmao.read_tensors(Path(path))
    return module, _sunmao.take_weights(module, own, given, f"`{path}`", is_file=True), states, notes


def compile(
    model: Any,
    args: Any = None,
    kwargs: Mapping[str, Any] | None = None,
    *,
    target: str | Sequence[str] = "host",
    dims: Any = None,
    weights: Mapping[str, Any] | PathLike | None = None,
    bind_weights: bool = True,
    prepare: Literal["compile", "load"] = "compile",
    keep_state: bool | None = None,
    states: Mapping[str, Any] | None = None,
    opt_level: int = 3,
    threads: int = 0,
    ops: Sequence[Any] | None = None,
    precision: Literal["float32", "bfloat16"] = "float32",
    tuning: PathLike | None = None,
) -> Model:
    """Compiles a model and loads the result.

    >>> model = sunmao.compile("mlp.onnx")
    >>> model = sunmao.compile("mlp.pt2", dims={"batch": (1, 512)})
    >>> model = sunmao.compile(module.eval(), x, dims={"x": {0: "batch"}})
    >>> model = sunmao.compile(bert.eval(), kwargs=dict(tokens), dims={"input_ids": {0: "batch", 1: "seq"}})

    `model` is a file (ONNX, .pt2, script), a module of Sunmao's, a torch module, which is exported on the example
    arguments `args` (one, or several in a tuple) and `kwargs`, or a program of torch.export. A torch module is called
    as it was.

    `target` is a machine or several ("host", "x86-64-v3", "znver4", an LLVM target). `dims` says which axes are
    symbolic, by argument: `{"x": {0: "batch"}}`, or with a range `{"x": {0: ("batch", 1, 512)}}`; for models whose
    dimensions are symbolic already it names them in the same way, and narrows them by name: `{"batch": (1, 512)}`.
    `weights` (arrays by name, or a safetensors file) go before the model file's own: names are those of the model's
    file, or the identifiers made of them. With `bind_weights=False` the result is called with inputs and prepared
    weights. With `prepare="load"` the artifact has raw weights and prepares them, or others that it is loaded with,
    whenever it is loaded.

    With `keep_state=True` the state of the model (buffers that a torch module writes; what a script names in the
    attribute `state_names`) lives in sessions of the result: calls neither take nor give it, and change it in place.
    So it does by default for torch modules and programs in memory, where random numbers are the same in each run unless
    `keep_state=True` is said. `states` has first values by name, for a script; without, they are zeros.

    `ops` are custom ops, which Sunmao does not know: what `sunmao.custom_op` returns, modules or paths of scripts with
    functions that stand for ops, and object files with kernels in C (docs/custom-ops.md).

    With `precision="bfloat16"` products and convolutions of float32 multiply bfloat16 and add in float32
    (docs/precision.md).

    `tuning` is a file of `sunmao tune`: kernels take the plans that were faster (docs/tuning.md).

    What the compiler tells of the model comes as warnings (`sunmao.CompileWarning`), errors are a `sunmao.Error`.
    """
    if prepare not in ("compile", "load"):
        raise fail("E0034", f'`prepare`: weights are prepared at "compile" or at "load", got {prepare!r}')
    if precision not in ("float32", "bfloat16"):
        raise fail("E0034", f'`precision`: products multiply "float32" or "bfloat16", got {precision!r}')
    if prepare == "load" and not bind_weights:
        raise fail("E0034", '`prepare="load"` and `bind_weights=False` do not go together', "choose one of them")
    if weights is not None and not bind_weights:
        raise fail("E0034", "`weights` and `bind_weights=False` do not go together", "the caller passes them, prepared")
    if states is not None and not keep_state:
        raise fail("E0034", "`states` are first values of what sessions keep", "add `keep_state=True`")
    if states is not None and not isinstance(states, Mapping):
        raise fail("E0034", f"`states` must be a dict of arrays by name, got a {type(states).__name__}")
    tuned = "" if tuning is None else as_path(tuning, "tuning")
    options = (_targets(target), bind_weights, opt_level, prepare == "load", threads, precision, tuned)
    custom = collect(ops)
    if is_torch_module(model) or is_exported_program(model):
        if weights is not None:
            raise fail("E0034", "`weights` and a torch module do not go together", "load them into the module")
        if states is not None:
            raise fail("E0034", "`states` and a torch module do not go together", "the module's buffers have them")
        return _with_functions(_compile_torch(model, args, kwargs, dims, keep_state, custom, *options), custom)
    if not (isinstance(model, str | os.PathLike | _sunmao.Module) or hasattr(model, "__sunmao_module__")):
        help = "pass the path of a model file, a module, a torch.nn.Module with examples, or a program of torch.export"
        raise fail("E0034", f"a {type(model).__name__} is no model", help)
    if args is not None or kwargs is not None:
        raise fail("E0034", "`args` and `kwargs` are examples for a torch module", "leave them out for other models")
    if (custom.modules or custom.converters) and not isinstance(model, str | os.PathLike):
        raise fail("E0611", "custom ops are for models of ONNX and PyTorch, and this one is a module", "a module has "
                   "functions and kernels of its own: put these there")  # fmt: skip
    names, ranges = _names_and_ranges(dims)
    module, tensors, own, notes = read_any(model, weights, bool(keep_state), ranges, custom)
    module = _sunmao.with_named_axes(module, names)
    first = {**own, **_as_tensors(states or {}, "state")}
    sources = [p for p in (model, weights) if isinstance(p, str | os.PathLike)]
    made = _compile(module, tensors, first, ranges, sources, notes, bool(keep_state), custom, *options)
    if not keep_state:
        made.states = {name: to_numpy(tensor) for name, tensor in own.items()}
    return _with_functions(made, custom)


def _with_functions(model: Model, ops: Ops) -> Model:
    """Gives the model the functions that custom ops bring."""
    for name in model.host_functions:
        if name in ops.functions:
            model.register_function(name, ops.functions[name])
    return model


def _compile_torch(
    model: Any, args: Any, kwargs: Any, dims: Any, keep_state: bool | None, ops: Ops, *options: Any
) -> Model:
    """Compiles a torch module or a program of torch.export."""
    from sunmao.torch_export import export_module, with_defaults

    if is_exported_program(model):
        if args is not None or kwargs is not None:
            raise fail("E0034", "`args` and `kwargs` are examples for a torch module", "a program has been exported")
        read = read_program(model, keep_state=bool(keep_state), custom=ops.converters, ops=ops.modules)
        names, ranges = _names_and_ranges(dims)
        module = _sunmao.with_named_axes(read.module, names)
        notes = read.notes
    else:
        exported = export_module(model, args, kwargs, dims)
        custom: dict[str, Any] = {"custom": ops.converters, "ops": ops.modules}
        read = read_program(exported.program, keep_state=bool(keep_state), names=exported.names, **custom)
        module, ranges = with_nesting(read.module, lambda stated: with_defaults(stated, exported)), exported.ranges
        notes = [*exported.notes, *read.notes]
    keeps = bool(read.states) if keep_state is None else keep_state
    made = _compile(module, read.weights, read.states, ranges, [], notes, keeps, ops, *options)
    if not keeps:
        made.states = {name: to_numpy(tensor).copy() for name, tensor in read.states.items()}
    return made


def _compile(
    module: _sunmao.Module,
    weights: dict[str, _sunmao.Tensor],
    states: dict[str, _sunmao.Tensor],
    dims: _Ranges,
    sources: Sequence[PathLike],
    notes: Sequence[str],
    keep_state: bool,
    ops: Ops,
    targets: list[str],
    bind_weights: bool,
    opt_level: int,
    prepare_at_load: bool,
    threads: int,
    precision: str,
    tuning: str,
) -> Model:
    compiled = _sunmao.compile(
        module,
        weights,
        targets,
        dims,
        bind_weights,
        opt_level,
        prepare_at_load=prepare_at_load,
        keep_state=keep_state,
        states=states if keep_state else {},
        objects=ops.objects,
        precision=precision,
        tuning=tuning,
    )
    warn_all([*notes, *compiled.notes])
    model = Model(compiled.load(threads), sources=sources, options={"threads": threads})
    model.summary = compiled.summary
    return model


def load(
    path: PathLike,
    *,
    threads: int = 0,
    verify_weights: bool = False,
    isa: str = "",
    weights: PathLike | None = None,
    cache: PathLike | None = None,
) -> Model:
    """Loads an artifact that `Model.save` or `sunmao compile` wrote.

    >>> model = sunmao.load("mlp.sunmao", threads=2)

    Weights are mapped from the file; `verify_weights` reads and checks them all. `threads` is how many a run may use,
    by default as many as the process has; `isa` names the code image to use, by default the best for this processor.

    `weights` is a safetensors file used in place of the artifact's own: what `save_weights` wrote, or raw ones for an
    artifact that was compiled with `prepare="load"`. What that prepares is kept in the folder `cache`.
    """
    if isinstance(weights, Mapping):
        raise fail("E0034", "`weights`: a file is expected here, got arrays", "give arrays to `compile`, or save them")
    given, kept = (as_path(p, what) if p is not None else "" for p, what in ((weights, "weights"), (cache, "cache")))
    file = as_path(path, "path")
    options = {"threads": threads, "isa": isa, "weights": given, "cache": kept}
    loaded = _sunmao.load(file, threads, verify_weights, isa, given, kept)
    return Model(loaded, path, [given] if given else [], options)
