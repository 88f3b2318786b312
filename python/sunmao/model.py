"""Compiled models as Python callables: `compile` and `load`."""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.arrays import NumPyArray, to_numpy, to_tensor
from sunmao.closures import functions_on_objects, run_on_objects
from sunmao.errors import Error, fail
from sunmao.exported import is_exported_program, is_torch_module, read_program
from sunmao.exported_model import ExportedModel, program_of
from sunmao.nesting import Nesting
from sunmao.paths import PathLike, as_file, as_path
from sunmao.profile import MAX_REPEAT, Profile
from sunmao.signature import Dim, ValueInfo, values_of
from sunmao.stateful import Stateful


def _type_of(info: ValueInfo) -> _sunmao.Type:
    dims = [make.sym_var(d.symbol, "int64") if isinstance(d, Dim) else make.int_imm("int64", d) for d in info.shape]
    return make.tensor_type(make.shape(dims), info.dtype, -1, None)


class _Shape(tuple[int, ...]):
    """A shape that a model passes to a function."""


class Model(Stateful):
    """A compiled model. Calling it runs `main` (or its only function) on arrays, by position or by name."""

    def __init__(
        self,
        loaded: _sunmao.LoadedModel,
        path: PathLike | None = None,
        sources: Sequence[PathLike] = (),
    ) -> None:
        super().__init__(loaded)
        # First values of the last inputs, those that are state and that callers pass, in order.
        self.states: dict[str, NumPyArray] = {}
        self._path = path
        self._sources = [*sources, *([path] if path is not None else [])]
        manifest = json.loads(loaded.manifest)
        self._prepared_by = manifest.get("prepared_by", {})
        self._nesting = {name: Nesting(stated) for name, stated in manifest.get("nesting", {}).items()}
        self._identifiers = manifest.get("identifiers", {})  # function -> input -> its identifier in scripts
        self._signatures = {
            name: (values_of(s["inputs"]), values_of(s["outputs"])) for name, s in loaded.signatures.items()
        }
        self._on_objects = functions_on_objects(loaded)
        names = list(self._signatures)
        self._entry = names[0] if len(names) == 1 else "main"

    @property
    def functions(self) -> list[str]:
        """Returns the names of the functions that can be called."""
        return list(self._signatures)

    @property
    def inputs(self) -> tuple[ValueInfo, ...]:
        return self._signature(self._entry)[0]

    @property
    def outputs(self) -> tuple[ValueInfo, ...]:
        return self._signature(self._entry)[1]

    @property
    def host_functions(self) -> list[str]:
        """Returns the names of the functions that the model calls in the program that runs it."""
        return self._loaded.host_functions

    def register_function(self, name: str, function: Callable[..., Any]) -> None:
        """Gives the model one of its `host_functions`. It is called with arrays, tuples, tuples of integers for shapes,
        integers and texts, and returns arrays, tuples of them, or integers, as the model expects."""
        if not callable(function):
            raise fail("E0034", f"`{name}`: a {type(function).__name__} is no function")
        self._loaded.register_function(name, function, to_numpy, _Shape)

    @property
    def isa(self) -> str:
        """Returns the instruction set of the code in use."""
        return self._loaded.isa

    @property
    def flat(self) -> Model:
        """Returns the same model, which takes `inputs` and gives `outputs` one by one, however nested they are."""
        other = self._same()
        other._nesting = {}
        return other

    def __getitem__(self, function: str) -> Model:
        """Returns the same model with another function to call."""
        self._signature(function)
        other = self._same()
        other._entry = function
        return other

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the model. One output comes as an array, several as a tuple of arrays.

        Inputs go by position, by keyword, or in one dictionary by name: that in the model's file (`model.inputs` lists
        them), or the identifier made of it. A model of a `.pt2` file whose arguments or results are nested is called
        with arguments nested in the same way, and gives such results.
        """
        outputs = self._run(self._arguments(args, kwargs))
        nesting = self._nesting.get(self._entry)
        if nesting is not None:
            return nesting.results(outputs)
        return outputs[0] if len(outputs) == 1 else outputs

    def profile(self, *args: Any, repeat: int | None = None, **kwargs: Any) -> Profile:
        """Runs the model on inputs given as in a call, `repeat` times or for a second, and tells where the time went.

        The result is a dictionary, of which `kernels` lists each kernel's time, calls, rates and places in the model,
        the slowest first; printed, it is a table. State that sessions keep is not changed.
        """
        if repeat is not None and (not isinstance(repeat, int) or not 0 < repeat <= MAX_REPEAT):
            raise fail("E0034", f"`repeat`: {repeat!r} is no integer from 1 to {MAX_REPEAT}")
        inputs = [self._input(i, value) for i, value in enumerate(self._arguments(args, kwargs))]
        return Profile(json.loads((self._session or self._loaded).profile(self._entry, inputs, repeat or 0)))

    def _arguments(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Sequence[Any]:
        """Returns the inputs in the order of the function."""
        nesting = self._nesting.get(self._entry)
        if nesting is not None:
            return nesting.inputs(args, kwargs)
        if len(args) == 1 and not kwargs and isinstance(args[0], Mapping):
            return self._in_order([], dict(args[0]))
        return self._in_order(args, kwargs)

    def _run(self, values: Sequence[Any]) -> tuple[NumPyArray, ...]:
        if self._entry in self._on_objects:
            return self._run_on_objects(values)
        inputs = [self._input(i, value) for i, value in enumerate(values)]
        try:
            results = (self._session or self._loaded).run(self._entry, inputs)
        except Error as error:
            raise self._of_raw_weights(error, inputs) or error from None
        return tuple(to_numpy(t) for t in results)

    def _run_on_objects(self, values: Sequence[Any]) -> tuple[Any, ...]:
        objects = {i for i, v in enumerate(self.inputs) if v.dtype == "handle"}
        inputs = [v if i in objects else self._input(i, v) for i, v in enumerate(values)]
        return run_on_objects(self._loaded, self._entry, inputs, self._call, to_numpy, _Shape)

    def _call(self, function: str, args: list[Any]) -> Any:
        return self[function].flat(*args)

    def _of_raw_weights(self, error: Error, given: Sequence[_sunmao.Tensor]) -> Error | None:
        """Returns the error to raise instead when raw weights are passed to a function that takes prepared ones; else
        None."""
        if self._entry not in self._prepared_by:
            return None
        first = self._prepared_by[self._entry]["inputs"]
        weights = zip(given[first:], self.inputs[first:], strict=False)
        if error.code != "E0902" and all(_sunmao.fits(_type_of(i), t.dtype, list(t.shape)) for t, i in weights):
            return None
        names = ", then ".join(f"`{name}`" for name in self._prepared_by[self._entry]["functions"])
        message = f"`{self._entry}` expects prepared weights: run {names} first\n  {error.message}"
        return fail("E0917", message, "pass what the last of them gives, one by one, behind the inputs")

    def save(self, path: PathLike) -> None:
        """Writes the artifact atomically."""
        if self._path is not None:
            raise fail("E0034", f"the model was loaded from `{os.fspath(self._path)}`", "copy that file")
        self._loaded.save(self._output(path))

    def save_weights(self, path: PathLike) -> None:
        """Writes the prepared weights to a safetensors file that `load` accepts."""
        self._loaded.write_weights(self._output(path))

    def _output(self, value: PathLike) -> str:
        """Returns the path; fails (E0807) when it is a file that the model was read from, under whatever name."""
        path = as_path(value, "path")
        for source in self._sources:
            if os.path.exists(path) and os.path.exists(source) and os.path.samefile(path, source):
                message = f"the output `{path}` is the input `{os.fsdecode(source)}`"
                raise fail("E0807", message, "choose another name for the output; nothing has been written")
        return path

    def __repr__(self) -> str:
        if self._entry not in self._signatures:
            return f"<sunmao.Model of {', '.join(self._signatures)}>"
        inputs = ", ".join(str(v) for v in self.inputs)
        return f"<sunmao.Model ({inputs}) -> ({', '.join(str(v) for v in self.outputs)})>"

    def _signature(self, name: str) -> tuple[tuple[ValueInfo, ...], tuple[ValueInfo, ...]]:
        if name not in self._signatures:
            raise fail("E0034", f"the model has no function `{name}`", f"it has {', '.join(self._signatures)}")
        return self._signatures[name]

    def _input(self, index: int, value: Any) -> _sunmao.Tensor:
        """Converts an input; numbers and lists get the dtype of the parameter."""
        if type(value) is np.ndarray:
            return to_tensor(value, f"input {index}")
        if isinstance(value, bool | int | float | list | tuple) and index < len(self.inputs):
            try:
                value = np.asarray(value, self.inputs[index].dtype)
            except (TypeError, ValueError) as error:
                raise fail("E0034", f"input {index} is no array of numbers: {error}") from error
        return to_tensor(value, f"input {index}")

    def _in_order(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        values = list(args)
        if not kwargs:
            return values
        names = [v.name for v in self.inputs]
        identifiers = self._identifiers.get(self._entry, {})
        by_identifier = {identifiers[name]: name for name in names if name in identifiers}
        given: dict[str, Any] = {}
        for name, value in kwargs.items():
            known = name if name in names else by_identifier.get(name, name)
            if known in given or known in names[: len(values)]:
                raise fail("E0034", f"the input `{known}` is given twice")
            given[known] = value
        for name in names[len(values) :]:
            if name not in given:
                break
            values.append(given.pop(name))
        if unknown := ", ".join(f"`{name}`" for name in given if name not in names):
            raise fail("E0034", f"no input can take {unknown}", f"the inputs are {', '.join(names)}")
        if given:
            raise fail("E0034", f"there is no value for the input `{names[len(values)]}`")
        return values


def _targets(target: str | Sequence[str]) -> list[str]:
    return [target] if isinstance(target, str) else list(target)


def _ranges(dims: Mapping[str, tuple[int, int]] | None) -> dict[str, tuple[int, int]]:
    out = {}
    for name, given in (dims or {}).items():
        try:
            low, high = (operator.index(bound) for bound in given)
        except (TypeError, ValueError):
            raise fail("E0034", f"`dims`: {given!r} is no range for `{name}`", "write `(1, 512)`") from None
        if not 0 <= low <= high:
            raise fail("E0034", f"`dims`: the range of `{name}` runs from {low} to {high}", "write `(1, 512)`")
        out[name] = (low, high)
    return out


def _as_tensors(arrays: Mapping[str, Any], what: str = "weight") -> dict[str, _sunmao.Tensor]:
    for name in arrays:
        if not isinstance(name, str):
            raise fail("E0034", f"`{what}s`: {name!r} is no name of a {what}", "names are texts")
    return {name: to_tensor(value, f"{what} `{name}`") for name, value in arrays.items()}


_Read = tuple[_sunmao.Module, dict[str, _sunmao.Tensor], dict[str, _sunmao.Tensor]]


def _read(
    model: Any,
    weights: Mapping[str, Any] | PathLike | None,
    keep_state: bool = False,
    dims: dict[str, tuple[int, int]] | None = None,
) -> _Read:
    """Returns a module, its weights and its states, from a path, a module value, or an IRModule. `weights` take
    precedence over the file's. A file is read for the ranges `dims`."""
    own: dict[str, _sunmao.Tensor] = {}
    states: dict[str, _sunmao.Tensor] = {}
    if isinstance(model, str | os.PathLike):
        module, own, states, _ = _sunmao.read_model(as_file(model, "model"), keep_state=keep_state, dims=dims or {})
    elif isinstance(model, _sunmao.Module):
        module = model
    elif hasattr(model, "__sunmao_module__"):
        module = model.__sunmao_module__()
    else:
        raise fail("E0034", f"a {type(model).__name__} is no model", "pass the path of a model file, or a module")
    if weights is None:
        return module, own, states
    if isinstance(weights, Mapping):
        return module, _sunmao.take_weights(module, own, _as_tensors(weights), "`weights`", is_file=False), states
    path = as_path(weights, "weights")
    given = _sunmao.read_tensors(Path(path))
    return module, _sunmao.take_weights(module, own, given, f"`{path}`", is_file=True), states


def compile(
    model: Any,
    args: Sequence[Any] | None = None,
    kwargs: Mapping[str, Any] | None = None,
    *,
    target: str | Sequence[str] = "host",
    dims: Any = None,
    weights: Mapping[str, Any] | PathLike | None = None,
    bind_weights: bool = True,
    prepare: Literal["compile", "load"] = "compile",
    keep_state: bool = False,
    states: Mapping[str, Any] | None = None,
    opt_level: int = 3,
    threads: int = 0,
) -> Any:
    """Compiles a model and loads the result. A model file (ONNX, .pt2, script) or a module gives a `Model`; a torch
    module, which is exported on the example arguments `args` and `kwargs`, or a program of torch.export gives an
    `ExportedModel`, called as the torch module is.

    `target` is a machine or several ("host", "x86-64-v3", an LLVM target). `dims` narrows symbolic dimensions:
    `{"n": (1, 512)}`; for a torch module it says which axes are symbolic, by argument: `{"x": {0: "batch"}}`, or with a
    range `{"x": {0: ("batch", 1, 512)}}`. `weights` (arrays by name, or a safetensors file) go before the model file's
    own: names are those of the model's file, or the identifiers made of them. With `bind_weights=False` the result is
    called with inputs and prepared weights. With `prepare="load"` the artifact has raw weights and prepares them, or
    others that it is loaded with, whenever it is loaded.

    With `keep_state=True` the state of the model (buffers that a torch module writes; what a script names in the
    attribute `state_names`) lives in sessions of the result: calls neither take nor give it, and change it in place.
    `states` has first values by name, for a script; without, they are zeros.
    """
    if prepare not in ("compile", "load"):
        raise fail("E0034", f'`prepare`: weights are prepared at "compile" or at "load", got {prepare!r}')
    if prepare == "load" and not bind_weights:
        raise fail("E0034", '`prepare="load"` and `bind_weights=False` do not go together', "choose one of them")
    if weights is not None and not bind_weights:
        raise fail("E0034", "`weights` and `bind_weights=False` do not go together", "the caller passes them, prepared")
    if states is not None and not keep_state:
        raise fail("E0034", "`states` are first values of what sessions keep", "add `keep_state=True`")
    if states is not None and not isinstance(states, Mapping):
        raise fail("E0034", f"`states` must be a dict of arrays by name, got a {type(states).__name__}")
    options = (_targets(target), bind_weights, opt_level, prepare == "load", keep_state, threads)
    if is_torch_module(model) or is_exported_program(model):
        if weights is not None:
            raise fail("E0034", "`weights` and a torch module do not go together", "load them into the module")
        if states is not None:
            raise fail("E0034", "`states` and a torch module do not go together", "the module's buffers have them")
        program = program_of(model, args, kwargs, dims)
        read = read_program(program, keep_state=keep_state)
        return ExportedModel(_compile(read.module, read.weights, read.states, {}, [], *options), program, read)
    if args is not None or kwargs is not None:
        raise fail("E0034", "`args` and `kwargs` are examples for a torch module", "leave them out for other models")
    ranges = _ranges(dims)
    module, tensors, own = _read(model, weights, keep_state, ranges)
    first = {**own, **_as_tensors(states or {}, "state")}
    sources = [p for p in (model, weights) if isinstance(p, str | os.PathLike)]
    made = _compile(module, tensors, first, ranges, sources, *options)
    if not keep_state:
        made.states = {name: to_numpy(tensor) for name, tensor in own.items()}
    return made


def _compile(
    module: _sunmao.Module,
    weights: dict[str, _sunmao.Tensor],
    states: dict[str, _sunmao.Tensor],
    dims: dict[str, tuple[int, int]],
    sources: Sequence[PathLike],
    targets: list[str],
    bind_weights: bool,
    opt_level: int,
    prepare_at_load: bool,
    keep_state: bool,
    threads: int,
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
    )
    return Model(compiled.load(threads), sources=sources)


def load(
    path: PathLike,
    *,
    threads: int = 0,
    verify_weights: bool = False,
    isa: str = "",
    weights: PathLike | None = None,
    cache: PathLike | None = None,
) -> Model:
    """Loads an artifact. Weights are mapped from the file; `verify_weights` reads and checks them all.

    `weights` is a safetensors file used in place of the artifact's own: what `save_weights` wrote, or raw ones for an
    artifact that was compiled with `prepare="load"`. What that prepares is kept in the folder `cache`.
    """
    if isinstance(weights, Mapping):
        raise fail("E0034", "`weights`: a file is expected here, got arrays", "give arrays to `compile`, or save them")
    given, kept = (as_path(p, what) if p is not None else "" for p, what in ((weights, "weights"), (cache, "cache")))
    return Model(
        _sunmao.load(as_path(path, "path"), threads, verify_weights, isa, given, kept), path, [given] if given else []
    )
