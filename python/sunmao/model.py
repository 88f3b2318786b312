"""Compiled models as Python callables."""

from __future__ import annotations

import ctypes
import json
import os
from _ctypes import CFuncPtr
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.arrays import NumPyArray, result_type, to_numpy, to_tensor
from sunmao.closures import functions_on_objects, run_on_objects
from sunmao.errors import Error, fail
from sunmao.nesting import Nesting
from sunmao.paths import PathLike, as_path
from sunmao.profile import MAX_REPEAT, Profile
from sunmao.signature import Dim, ValueInfo, values_of
from sunmao.stateful import Stateful


def _type_of(info: ValueInfo) -> _sunmao.Type:
    dims = [make.sym_var(d.symbol, "int64") if isinstance(d, Dim) else make.int_imm("int64", d) for d in info.shape]
    return make.tensor_type(make.shape(dims), info.dtype, -1, None)


# What is converted to the dtype of an input.
_NUMBERS = (bool, int, float, list, tuple)


class _Shape(tuple[int, ...]):
    """A shape that a model passes to a function."""


def give_function(loaded: _sunmao.LoadedModel, name: str, function: Callable[..., Any]) -> None:
    """Gives a model a function that it calls; one of C is called as a kernel."""
    if not callable(function):
        raise fail("E0034", f"`{name}`: a {type(function).__name__} is no function")
    op = ctypes.cast(function, ctypes.c_void_p).value if isinstance(function, CFuncPtr) else 0
    loaded.register_function(name, function, to_numpy, _Shape, op or 0)


class Model(Stateful):
    """A compiled model, from `sunmao.compile` or `sunmao.load`. Calling it runs `main` (or its only function).

    >>> model = sunmao.compile("mlp.onnx")
    >>> y = model(x)

    `inputs` and `outputs` tell what it takes and gives, `profile` where its time goes; `save` writes it to a file that
    `sunmao.load` opens in milliseconds. One that keeps state (`kept_states`) keeps it in sessions.
    """

    def __init__(
        self,
        loaded: _sunmao.LoadedModel,
        path: PathLike | None = None,
        sources: Sequence[PathLike] = (),
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """`path` is the artifact that it was loaded from, `sources` are the files that went into it, and `options` how
        it was loaded."""
        super().__init__(loaded)
        # What the compilation did, as `sunmao compile` tells it; empty for a model that was loaded.
        self.summary = ""
        # First values of the last inputs, those that are state and that callers pass, in order.
        self.states: dict[str, NumPyArray] = {}
        self._path = path
        self._sources = [*sources, *([path] if path is not None else [])]
        self._options = dict(options or {})
        self._registered: dict[str, Callable[..., Any]] = {}
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
        """Returns names, dtypes and shapes of what a call takes, one by one; symbolic sizes are a `Dim`."""
        return self._signature(self._entry)[0]

    @property
    def outputs(self) -> tuple[ValueInfo, ...]:
        """Returns names, dtypes and shapes of what a call gives, one by one."""
        return self._signature(self._entry)[1]

    @property
    def host_functions(self) -> list[str]:
        """Returns the names of the functions that the model calls in the program that runs it."""
        return self._loaded.host_functions

    def register_function(self, name: str, function: Callable[..., Any]) -> None:
        """Gives the model one of its `host_functions`. It is called with arrays, tuples, tuples of integers for shapes,
        integers and texts, and returns arrays, tuples of them, or integers, as the model expects; the results of an op
        (`call_dps_packed`) are arrays that it fills, the last arguments. A function of C, from `ctypes`, is called as
        include/sunmao/op.h says, without Python (E0927 where the model calls no op by this name)."""
        give_function(self._loaded, name, function)
        self._registered[name] = function

    @property
    def kind(self) -> str:
        """Returns "bytecode": a model that bytecode cannot express is refused when it is compiled (E1020)."""
        return "bytecode"

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
        """Runs the model. One output comes as an array, several as a tuple of arrays; as torch tensors where an input
        is one, else as NumPy arrays.

        Inputs go by position, by keyword, or in one dictionary by name: that in the model's file (`model.inputs` lists
        them), or the identifier made of it. A model of a torch module is called as the module is, with arguments nested
        in the same way, and gives what the module gave: dictionaries, named tuples, classes that are registered with
        torch's pytrees. What was no tensor when it was exported is fixed, and another value is refused (E0034).
        """
        values = self._arguments(args, kwargs)
        outputs = self._run(values, result_type(values))
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

    def _arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Sequence[Any]:
        """Returns the inputs in the order of the function."""
        nesting = self._nesting.get(self._entry)
        is_by_name = len(args) == 1 and not kwargs and isinstance(args[0], Mapping)
        if is_by_name and not (nesting is not None and nesting.takes_dictionary_first()):
            return self._arguments((), dict(args[0]))
        if nesting is not None:
            return nesting.inputs(args, kwargs, [v.name for v in self.inputs[nesting.count :]])
        return self._in_order(args, kwargs)

    def _run(self, values: Sequence[Any], result: Callable[[_sunmao.Tensor], Any] = to_numpy) -> tuple[Any, ...]:
        if self._entry in self._on_objects:
            return self._run_on_objects(values, result)
        inputs = [self._input(i, value) for i, value in enumerate(values)]
        try:
            results = (self._session or self._loaded).run(self._entry, inputs)
        except Error as error:
            raise self._of_raw_weights(error, inputs) or error from None
        return tuple(result(t) for t in results)

    def _run_on_objects(self, values: Sequence[Any], result: Callable[[_sunmao.Tensor], Any]) -> tuple[Any, ...]:
        objects = {i for i, v in enumerate(self.inputs) if v.dtype == "handle"}
        inputs = [v if i in objects else self._input(i, v) for i, v in enumerate(values)]
        return run_on_objects(self._loaded, self._entry, inputs, self._call, to_numpy, _Shape, result)

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
        """Writes the artifact to a file, atomically: `sunmao.load` and the command line open it, and C programs."""
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

    def __getstate__(self) -> dict[str, Any]:
        """Returns the model for pickle: its artifact, and what this object has beside it."""
        return {
            "artifact": self._loaded.artifact if self._path is None else Path(self._path).read_bytes(),
            "options": self._options,
            "entry": self._entry,
            "is_flat": not self._nesting,
            "states": self.states,
            "registered": self._registered,
            "kept": self.state() if self._session is not None else {},
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        loaded = _sunmao.load_bytes(state["artifact"], **state["options"])
        Model.__init__(self, loaded, options=state["options"])
        self._entry, self.states = state["entry"], state["states"]
        if state["is_flat"]:
            self._nesting = {}
        for name, function in state["registered"].items():
            self.register_function(name, function)
        if state["kept"]:
            self.set_state(state["kept"])

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
        if value is None and index < len(self.inputs):
            raise fail("E0034", f"the input `{self.inputs[index].name}` is None, expected a tensor")
        if isinstance(value, _NUMBERS) and index < len(self.inputs):
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
