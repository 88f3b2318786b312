"""A compiled program of torch.export, called as the module that it was exported from."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from sunmao.arrays import NumPyArray, to_numpy
from sunmao.errors import fail
from sunmao.exported import ReadProgram, export, is_exported_program
from sunmao.profile import Profile


class Compiled(Protocol):
    """What is asked of a compiled model."""

    @property
    def inputs(self) -> Any: ...
    @property
    def outputs(self) -> Any: ...
    @property
    def flat(self) -> Compiled: ...
    @property
    def kept_states(self) -> Any: ...
    def session(self) -> Compiled: ...
    def copy(self) -> Compiled: ...
    def __copy__(self) -> Compiled: ...
    def reset_state(self) -> None: ...
    def state(self) -> dict[str, NumPyArray]: ...
    def set_state(self, values: Mapping[str, Any]) -> None: ...
    def save_state(self, path: Any) -> None: ...
    def load_state(self, path: Any) -> None: ...
    def __call__(self, *args: Any) -> Any: ...
    def profile(self, *args: Any, repeat: int | None = None) -> Profile: ...
    def save(self, path: Any) -> None: ...


class ExportedModel:
    """Calls a compiled program with the arguments of the module: nested lists and dictionaries go in, and come out as
    the module returns them, with arrays in the place of tensors. What it writes into an argument comes behind its
    results. State (buffers that the program writes) is kept from
    call to call, and is `states` by name; or, with `keep_state=True`, it is in a session, as that of a `Model`."""

    def __init__(self, model: Compiled, program: Any, read: ReadProgram) -> None:
        self.model = model.flat
        carried = {} if self.model.kept_states else read.states
        self.states: dict[str, NumPyArray] = {name: to_numpy(t).copy() for name, t in carried.items()}
        self._in_spec = program.call_spec.in_spec
        self._out_spec = program.call_spec.out_spec
        self._input_kinds = [s.arg for s in program.graph_signature.input_specs if s.kind.name == "USER_INPUT"]
        self._output_kinds = [s.arg for s in program.graph_signature.output_specs if s.kind.name == "USER_OUTPUT"]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        pytree: Any = importlib.import_module("torch.utils._pytree")
        inputs = self._inputs_of(args, kwargs)
        names = list(self.states)
        results = self.model(*inputs, *self.states.values())
        values = list(results) if isinstance(results, tuple) else [results]
        if names:
            self.states.update(zip(names, values[-len(names) :], strict=True))
            values = values[: -len(names)]
        outputs = iter(values)
        leaves = [_constant(k) if _is_constant(k) else next(outputs) for k in self._output_kinds]
        own = pytree.tree_unflatten(leaves, self._out_spec)
        written = list(outputs)  # new values of arguments that the module writes into
        return (own, *written) if written else own

    def profile(self, *args: Any, repeat: int | None = None, **kwargs: Any) -> Profile:
        """Tells where the time of runs on these arguments goes, as `Model.profile` does; states are not changed."""
        return self.model.profile(*self._inputs_of(args, kwargs), *self.states.values(), repeat=repeat)

    def _inputs_of(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """Returns the tensors among the arguments of the module."""
        pytree: Any = importlib.import_module("torch.utils._pytree")
        leaves, spec = pytree.tree_flatten((tuple(args), dict(kwargs)))
        if spec != self._in_spec:
            raise fail(
                "E0034", f"the arguments are not nested as those of the export: {spec} instead of {self._in_spec}"
            )
        return [leaf for leaf, kind in zip(leaves, self._input_kinds, strict=True) if _is_tensor(kind)]

    @property
    def inputs(self) -> Any:
        return self.model.inputs

    @property
    def outputs(self) -> Any:
        return self.model.outputs

    def save(self, path: Any) -> None:
        """Writes the artifact."""
        self.model.save(path)

    # What follows is that of `Model`, and for a model whose sessions keep its state.

    @property
    def kept_states(self) -> Any:
        return self.model.kept_states

    def session(self) -> ExportedModel:
        return self._with(self.model.session())

    def copy(self) -> ExportedModel:
        return self._with(self.model.copy())

    def _with(self, model: Compiled) -> ExportedModel:
        other = object.__new__(ExportedModel)
        other.__dict__.update(self.__dict__, model=model)
        return other

    def __copy__(self) -> ExportedModel:
        other = self._with(copy.copy(self.model))
        other.states = {name: value.copy() for name, value in self.states.items()}
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> ExportedModel:
        return self.__copy__()

    def reset_state(self) -> None:
        self.model.reset_state()

    def state(self) -> dict[str, NumPyArray]:
        return self.model.state()

    def set_state(self, values: Mapping[str, Any]) -> None:
        self.model.set_state(values)

    def save_state(self, path: Any) -> None:
        self.model.save_state(path)

    def load_state(self, path: Any) -> None:
        self.model.load_state(path)

    def __repr__(self) -> str:
        return f"<sunmao.ExportedModel of {self.model!r}>"


def _is_tensor(kind: Any) -> bool:
    return type(kind).__name__ == "TensorArgument"


def _is_constant(kind: Any) -> bool:
    """True for what the compiled program does not return: None, texts, floats and bools. Integers it does."""
    return type(kind).__name__ == "ConstantArgument" and type(kind.value) is not int


def _constant(kind: Any) -> Any:
    return kind.value


def _dim(given: Any) -> Any:
    """Returns a dimension of torch.export for an axis: a name, (name, minimum, maximum), or what torch.export takes."""
    dim: Any = importlib.import_module("torch.export").Dim
    if isinstance(given, str):
        return dim(given)
    if isinstance(given, tuple) and len(given) == 3 and isinstance(given[0], str):
        return dim(given[0], min=given[1], max=given[2])
    return given


def dynamic_shapes(dims: Mapping[str, Any] | Sequence[Any] | None) -> Any:
    """Returns the dynamic shapes of torch.export for `dims`: by argument, which axis has which name."""
    made: dict[Any, Any] = {}

    def once(given: Any) -> Any:
        key = given if isinstance(given, str | tuple) else id(given)
        return made.setdefault(key, _dim(given))

    def convert(value: Any) -> Any:
        if isinstance(value, Mapping) and value and all(isinstance(axis, int) for axis in value):
            return {axis: once(given) for axis, given in value.items()}
        if isinstance(value, Mapping):
            return {name: convert(part) for name, part in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(convert(part) for part in value)
        return value

    return convert(dims)


def program_of(module: Any, args: Sequence[Any] | None, kwargs: Mapping[str, Any] | None, dims: Any) -> Any:
    """Returns the program of a torch module or program."""
    if is_exported_program(module):
        return module
    if args is None:
        raise fail("E0034", "a torch module is exported on example arguments, and none are given",
                   "sunmao.compile(module, (x,)) traces it on x")  # fmt: skip
    return export(module, args, kwargs, dynamic_shapes(dims))
