"""Export of torch modules on example arguments: dimensions with names and ranges, and the exporter's reasons."""

from __future__ import annotations

import importlib
import inspect
import keyword
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from sunmao.errors import Error, fail
from sunmao.exported import call_names, symbol_names
from sunmao.nested_classes import known_dataclasses, unknown_dataclasses
from sunmao.nesting import constant_tree

MOST = (1 << 63) - 1  # as the upper bound of a range: none
_UNBOUNDED = 1 << 53  # PyTorch's upper bounds beyond this are none
_MOST_EXPORTS = 4  # each takes over what the one before derived


class Exported(NamedTuple):
    """An exported module. `names` are those of its symbols, `ranges` what the caller asked of them by name, `defaults`
    what the module's signature says (the keys `order` and `defaults` of `nesting`)."""

    program: Any
    names: dict[str, str]
    ranges: dict[str, tuple[int, int]]
    notes: list[str]
    defaults: dict[str, Any]


def example_arguments(args: Any, kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Returns arguments as a call has them: a single one needs no tuple, and arrays become tensors."""
    torch: Any = importlib.import_module("torch")
    pytree: Any = importlib.import_module("torch.utils._pytree")
    if args is None and kwargs is None:
        raise fail("E0034", "a torch module is exported on example arguments, and none are given",
                   "sunmao.compile(module, x) traces it on x")  # fmt: skip
    if kwargs is not None and not isinstance(kwargs, Mapping):
        raise fail("E0034", f"`kwargs`: a {type(kwargs).__name__} is no dictionary of arguments by name")
    if isinstance(args, Mapping):
        raise fail(
            "E0034",
            "`args`: a dictionary is no list of arguments",
            "arguments by name are `kwargs`; a dictionary that is the first argument stands in a tuple: (x,)",
        )
    given = () if args is None else tuple(args) if type(args) in (tuple, list) else (args,)

    seen: set[int] = set()

    def as_tensor(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return torch.from_numpy(np.array(value))
        if isinstance(value, torch.Tensor) and id(value) in seen:
            return value.detach().clone()  # PyTorch takes one tensor that is given twice for one input
        seen.add(id(value))
        return value

    return tuple(pytree.tree_map(as_tensor, given)), dict(pytree.tree_map(as_tensor, dict(kwargs or {})))


def _is_range(value: Any) -> bool:
    """True for a name with bounds, which are not what a sequence has for further axes."""
    is_named = isinstance(value, tuple) and len(value) == 3 and isinstance(value[0], str)
    return is_named and not isinstance(value[1], str | None)


class _Dims:
    """Dimensions of torch.export for what a caller says of axes: a name, (name, minimum, maximum), or what
    torch.export takes."""

    def __init__(self, dims: Any) -> None:
        self._dim: Any = importlib.import_module("torch.export").Dim
        self.ranges: dict[str, tuple[int, int]] = {}
        self._made: dict[Any, Any] = {}
        self._collect(dims)

    def _collect(self, dims: Any) -> None:
        if _is_range(dims):
            self._state(*dims)
        elif isinstance(dims, Mapping | list | tuple):
            for part in dims.values() if isinstance(dims, Mapping) else dims:
                self._collect(part)
        elif isinstance(dims, self._dim) and isinstance(getattr(dims, "min", None), int) and dims.min > 0:
            self.ranges[dims.__name__] = (dims.min, min(int(dims.max), MOST) if dims.max < _UNBOUNDED else MOST)

    def _state(self, name: str, low: Any, high: Any) -> None:
        known = (low, high) if high is not None else (low, MOST)
        if not all(isinstance(bound, int) for bound in known) or not 0 <= known[0] <= known[1]:
            raise fail("E0034", f"`dims`: the range of `{name}` runs from {low!r} to {high!r}",
                       'write ("batch", 1, 512)')  # fmt: skip
        if self.ranges.setdefault(name, known) != known:
            raise fail(
                "E0034", f"`dims`: `{name}` has two ranges, {self.ranges[name]} and {known}", "a name is one size"
            )

    def _once(self, given: Any) -> Any:
        name = given[0] if _is_range(given) else given
        if not isinstance(name, str):
            return given
        if name not in self._made:
            if not name.isidentifier() or keyword.iskeyword(name):
                raise fail("E0034", f"`dims`: {name!r} is no name", "letters, digits and underscores make a name")
            low, high = self.ranges.get(name, (None, None))
            self._made[name] = self._dim(name, min=low, max=None if high == MOST else high)
        return self._made[name]

    def shapes(self, value: Any) -> Any:
        """Returns the dynamic shapes of torch.export."""
        if isinstance(value, str) or _is_range(value):
            return self._once(value)
        if isinstance(value, Mapping):
            return {name: self.shapes(part) for name, part in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(self.shapes(part) for part in value)
        return value


def _by_argument(dims: Any, signature: inspect.Signature, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Returns dims with an entry for each argument, where they go by name."""
    try:
        bound = signature.bind(*args, **kwargs).arguments
    except TypeError as error:
        raise fail("E0712", f"the module does not take the example arguments: {error}") from error
    if isinstance(dims, list | tuple):
        return type(dims)(_axes(part, value, n) for part, (n, value) in zip(dims, bound.items(), strict=False))
    if dims is not None and not isinstance(dims, Mapping):
        raise fail("E0034", f"`dims`: {dims!r} says nothing of arguments", 'write {"x": {0: "batch"}}')
    if dims is None:
        return None
    if unknown := ", ".join(f"`{name}`" for name in dims if name not in bound):
        names = ", ".join(f"`{name}`" for name in bound)
        raise fail("E0034", f"`dims`: no example argument is called {unknown}", f"the arguments are {names}")
    return {name: _axes(dims.get(name), value, name) for name, value in bound.items()}


def _axes(dims: Any, value: Any, place: str) -> Any:
    """Returns dims of an argument with axes that count from the front."""
    rank = getattr(value, "ndim", None)
    if rank is not None and isinstance(dims, Mapping):
        for axis in dims:
            if not isinstance(axis, int) or not -rank <= axis < rank:
                raise fail("E0034", f"`dims`: `{place}` has no axis {axis!r}", f"axes of `{place}` are 0 to {rank - 1}")
        return {axis % rank: given for axis, given in dims.items()}
    if isinstance(value, Mapping) and isinstance(dims, Mapping):
        return {key: _axes(part, value.get(key), f"{place}[{key!r}]") for key, part in dims.items()}
    if type(value) in (list, tuple) and type(dims) in (list, tuple):
        pairs = enumerate(zip(dims, value, strict=False))
        return type(dims)(_axes(part, item, f"{place}[{i}]") for i, (part, item) in pairs)
    return dims


@contextmanager
def _named_signature(module: Any, kwargs: Mapping[str, Any]) -> Iterator[inspect.Signature]:
    """Gives the module's signature, in which arguments that it takes by any name (`**kwargs`) have the names of the
    example: PyTorch has no dimensions for others. While it lasts, `forward` has that signature."""
    signature = inspect.signature(module.forward)
    kinds = inspect.Parameter
    parameters = [p for p in signature.parameters.values() if p.kind is not kinds.VAR_KEYWORD]
    known = {p.name for p in parameters}
    further = [kinds(name, kinds.KEYWORD_ONLY) for name in kwargs if name not in known]
    if len(parameters) == len(signature.parameters) or not further:
        yield signature
        return
    forward = module.forward

    def named(*args: Any, **others: Any) -> Any:
        return forward(*args, **others)

    made = signature.replace(parameters=[*parameters, *further])
    setattr(named, "__signature__", made)  # noqa: B010
    before = vars(module).get("forward")
    module.forward = named
    try:
        yield made
    finally:
        del module.forward
        if before is not None:
            module.forward = before


def export_module(module: Any, args: Any, kwargs: Any, dims: Any) -> Exported:
    """Exports a torch module on example arguments. Dropout and batch norms are exported as the module's mode says, so
    call `module.eval()` before."""
    given, named = example_arguments(args, kwargs)
    with _named_signature(module, named) as signature:
        return _export(module, given, named, signature, _by_argument(dims, signature, given, named))


def _export(module: Any, given: Any, named: Any, signature: inspect.Signature, asked: Any) -> Exported:
    wanted = _Dims(asked)
    shapes: Any = wanted.shapes(asked)
    notes: list[str] = []
    derived: dict[str, str] = {}
    for attempt in range(_MOST_EXPORTS):
        try:
            program = _export_with_classes(module, given, named, shapes)
            break
        except Exception as error:
            refined = _refined(error, shapes) if attempt + 1 < _MOST_EXPORTS else None
            if refined is None:
                raise _refusal(error, _places(asked)) from error
            shapes, said, more = refined
            notes += said
            derived.update(more)
    names = symbol_names(program, derived)
    return Exported(program, names, _narrowed(program, names, wanted.ranges), notes, _defaults(signature, program))


def _export_with_classes(module: Any, args: Any, kwargs: Any, shapes: Any) -> Any:
    """Exports a module whose arguments and results may be dataclasses that are not registered."""
    torch: Any = importlib.import_module("torch")
    classes = unknown_dataclasses((args, kwargs))
    given = set(classes)

    def note(_module: Any, _args: Any, result: Any) -> None:
        classes.update(unknown_dataclasses(result))

    torch_script = getattr(torch.jit, "ScriptModule", ())
    watch = None if isinstance(module, torch_script) else module.register_forward_hook(note)
    try:
        for _ in range(2):
            with known_dataclasses(set(classes)):
                try:
                    return torch.export.export(module, args, kwargs, dynamic_shapes=shapes, strict=False)
                except Exception:
                    if classes == given:
                        raise
                    given = set(classes)
        raise AssertionError("the second export knows the classes of the first")
    finally:
        if watch is not None:
            watch.remove()


_FIX = re.compile(r"^\s*(\w+) = (.+)$", re.MULTILINE)
_CONSTANT = re.compile(r"You marked (\S+) as dynamic but your code specialized it to be a constant \((\d+)\)")


def _refined(error: Exception, shapes: Any) -> tuple[Any, list[str], dict[str, str]] | None:
    """Returns shapes with the ranges and relations that the exporter derived, what to say of it, and which names stand
    for sizes that are written in terms of others now; None when it derived something else, such as a constant."""
    text = str(error)
    if "Suggested fixes:" not in text:
        return None
    fixes = dict(_FIX.findall(text.split("Suggested fixes:")[1]))
    if not fixes or any(value.strip().isdigit() for value in fixes.values()):
        return None
    dynamic: Any = importlib.import_module("torch.export.dynamic_shapes")
    try:
        made = dynamic.refine_dynamic_shapes_from_suggested_fixes(text.split("\n\nThe error above")[0], shapes)
    except Exception:
        return None
    notes = [note for name, fix in fixes.items() if (note := _note(name, fix.strip()))]
    relations = {fix.strip(): name for name, fix in fixes.items() if not fix.strip().startswith("Dim(")}
    return made, notes, relations


def _note(name: str, fix: str) -> str:
    """Returns a fix of the exporter in words."""
    if not fix.startswith("Dim("):
        multiple = re.fullmatch(r"(\d+)\*_\w+", fix)
        what = f"a multiple of {multiple[1]}" if multiple else f"`{fix}`"
        return f"`{name}` is always {what}, which PyTorch derives from the module's code"
    words = {"min": "at least", "max": "at most"}
    bounds = [f"{word} {found[1]}" for key, word in words.items() if (found := re.search(rf"{key}=(\d+)", fix))]
    if not bounds or name.startswith("_"):
        return ""
    return f"`{name}` is {' and '.join(bounds)}, which PyTorch derives from the module's code"


_SIZE = re.compile(r"L\['(\w+)'\]((?:\[[^\]]+\]|\.\w+)*?)\.size\(\)\[(\d+)\]")


def _refusal(error: Exception, places: Mapping[str, str]) -> Error:
    """Returns the exporter's refusal in words of the arguments. `places` tells where names of dimensions stand."""
    text = _SIZE.sub(r"\1\2.shape[\3]", str(error).strip())
    if constants := list(dict.fromkeys(_CONSTANT.findall(text))):
        said = "; ".join(
            f"{places.get(name, f'`{name}`')} is dynamic in `dims`, "
            f"but your code specialized it to be a constant ({value})"
            for name, value in constants
        )
        is_small = any(value in ("0", "1") for _, value in constants)
        return fail(
            "E0712",
            f"torch.export.export refuses the module: {said}",
            "PyTorch takes sizes 0 and 1 of example arguments for constants: give examples with 2 or more there"
            if is_small
            else "leave it out of `dims`, or let the code take other sizes",
        )
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    reasons = [line[2:].rstrip(".") for line in lines[1:] if line.startswith("- ")][:3]
    head = lines[0] if lines else type(error).__name__
    said = "; ".join([head.split(" For more information")[0], *reasons]) if reasons else head
    return fail("E0712", f"torch.export.export refuses the module: {said}")


def _places(dims: Any, path: str = "") -> dict[str, str]:
    """Returns for each name of a dimension where it stands first in the arguments."""
    out: dict[str, str] = {}
    parts = dims.items() if isinstance(dims, Mapping) else enumerate(dims) if isinstance(dims, list | tuple) else ()
    for key, part in parts:
        name = part[0] if _is_range(part) else getattr(part, "__name__", part)
        if isinstance(name, str):
            out.setdefault(name, f"`{name}`, axis {key} of `{path}`,")
        else:
            inner = str(key) if not path and isinstance(key, str) else f"{path or 'args'}[{key!r}]"
            out = _places(part, inner) | out
    return out


def _narrowed(
    program: Any, names: Mapping[str, str], asked: Mapping[str, tuple[int, int]]
) -> dict[str, tuple[int, int]]:
    """Returns the ranges that were asked for, within those of the program."""
    own = {names[str(s)]: r for s, r in program.range_constraints.items() if str(s) in names}
    out = {}
    for name, (low, high) in asked.items():
        if name in own:
            upper = own[name].upper
            out[name] = (low, min(high, int(upper)) if upper.is_Integer and upper < _UNBOUNDED else high)
    return out


def _defaults(signature: inspect.Signature, program: Any) -> dict[str, Any]:
    """Returns what the module's signature adds to the program's: the order of arguments, and defaults of those that
    are no tensors. Nothing for one that takes any number of arguments by position."""
    kinds = inspect.Parameter
    parameters = [p for p in signature.parameters.values() if p.kind is not kinds.VAR_KEYWORD]
    if any(p.kind is kinds.VAR_POSITIONAL for p in parameters):
        return {}
    positional, named = call_names(program)
    order = [p.name for p in parameters if p.kind is not kinds.KEYWORD_ONLY]
    defaults = [[p.name, tree] for p in parameters
                if p.default is not kinds.empty and (tree := constant_tree(p.default)) is not None]  # fmt: skip
    if not defaults and not named and order == positional:
        return {}
    return {"order": order, "defaults": defaults}


def with_defaults(stated: dict[str, Any] | None, exported: Exported) -> dict[str, Any] | None:
    """Returns `nesting` with what the module's signature says; None when that says nothing. `stated` is None for
    tensors one by one."""
    if not exported.defaults:
        return None
    if stated is None:
        positional, named = call_names(exported.program)
        outputs = sum(s.kind.name == "USER_OUTPUT" for s in exported.program.graph_signature.output_specs)
        places = [[name, i] for i, name in enumerate([*positional, *named])]
        stated = {
            "positional": places[: len(positional)],
            "named": places[len(positional) :],
            "results": 0 if outputs == 1 else ["tuple", *range(outputs)],
        }
    return stated | exported.defaults
