"""How the arguments and results of a model are nested where it comes from: lists, tuples, dictionaries, classes,
constants. docs/artifact.md has the form in which a model states it."""

from __future__ import annotations

import collections
import keyword
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sunmao.arrays import of_parts
from sunmao.errors import fail
from sunmao.nested_classes import build, find_class, is_named_tuple, is_return_type, parts_of

Leaf = Callable[[int, Any], None]  # is given the number of an input, and its value

_FLAT = "`model.flat` takes the inputs one by one"
_OWN_PROGRAM = "what is no tensor is fixed by the export: compile the module again with this value"


def _refuse(place: str, expected: str, got: Any, help: str = _FLAT) -> Exception:
    message = f"the arguments are not nested as those of the export: `{place}` is {got}, expected {expected}"
    return fail("E0034", message, help)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _said(value: Any) -> str:
    """Returns a value in a message: what is small as it is, others by their class."""
    is_small = value is None or isinstance(value, bool | int | float | str)
    return repr(value) if is_small and len(repr(value)) < 80 else f"a {type(value).__name__}"


def _take_keys(parts: Mapping[Any, Any], value: Any, place: str, leaf: Leaf) -> None:
    if not isinstance(value, Mapping):
        raise _refuse(place, "a dictionary", _said(value))
    missing = ", ".join(repr(key) for key in parts if key not in value)
    unknown = ", ".join(repr(key) for key in value if key not in parts)
    if missing or unknown:
        wrong = " and ".join([f"without {missing}"] * bool(missing) + [f"with {unknown}"] * bool(unknown))
        raise _refuse(place, f"a dictionary with the keys {list(parts)}", f"one {wrong}")
    for key, part in parts.items():
        take(part, value[key], f"{place}[{key!r}]", leaf)


def _take_sequence(kind: str, parts: Sequence[Any], value: Any, place: str, leaf: Leaf) -> None:
    if not isinstance(value, list | tuple | collections.deque):
        raise _refuse(place, f"a {kind} of {len(parts)}", _said(value))
    if len(value) != len(parts):
        raise _refuse(place, _counted(len(parts), "part"), f"a {type(value).__name__} of {len(value)}")
    for i, (part, inner) in enumerate(zip(parts, value, strict=True)):
        take(part, inner, f"{place}[{i}]", leaf)


def _take_object(stated: Sequence[Any], value: Any, place: str, leaf: Leaf) -> None:
    """Takes an object of a class, or the dictionary or list that stands for it."""
    name, context, inner = stated
    is_plain = isinstance(value, Mapping) if inner[0] == "dict" else isinstance(value, list | tuple | collections.deque)
    if is_plain:
        take(inner, value, place, leaf)
        return
    parts = parts_of(value, name, context)
    if parts is None:
        raise _refuse(place, f"a `{name}`, or a {inner[0]} in its place", _said(value))
    trees = [part for _, part in inner[1:]] if inner[0] == "dict" else inner[1:]
    if len(parts) != len(trees):
        raise _refuse(place, f"a `{name}` with {_counted(len(trees), 'part')}", f"one with {len(parts)}")
    labels = [f"[{key!r}]" for key, _ in inner[1:]] if inner[0] == "dict" else [f"[{i}]" for i in range(len(trees))]
    for tree, part, label in zip(trees, parts, labels, strict=True):
        take(tree, part, place + label, leaf)


def take(tree: Any, value: Any, place: str, leaf: Leaf) -> None:
    """Gives `leaf` each input in a value that is nested as the tree says; refuses other values (E0034)."""
    if isinstance(tree, int):
        if value is None or isinstance(value, str):
            raise _refuse(place, "a tensor, as the export had", _said(value), _OWN_PROGRAM)
        leaf(tree, value)
        return
    kind, *rest = tree
    if kind == "constant":
        if not (value is rest[0] or (type(value) is type(rest[0]) and value == rest[0])):
            raise _refuse(place, f"{rest[0]!r}, for which the program was exported", _said(value), _OWN_PROGRAM)
    elif kind == "dict":
        _take_keys(dict(rest), value, place, leaf)
    elif kind == "namedtuple":
        _take_sequence("tuple", [part for _, part in rest[1:]], value, place, leaf)
    elif kind == "class":
        _take_object(rest, value, place, leaf)
    else:
        _take_sequence(kind, rest, value, place, leaf)


def _named_tuple(stated: str, fields: Sequence[str]) -> Callable[[Sequence[Any]], Any]:
    """Returns what makes a named tuple of its fields: the program's own class, where this process has it."""
    cls: Any = find_class(stated)
    if is_return_type(cls):
        return lambda values: cls(values)
    if not is_named_tuple(cls) or list(cls._fields) != list(fields):
        name = stated.rpartition(".")[2]
        named: Any = collections.namedtuple  # whose plugin for types wants literals
        usable = name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("_")
        cls = named(name if usable else "Results", fields, rename=True)
    return lambda values: cls(*values)


def give(tree: Any, results: Sequence[Any]) -> Any:
    """Returns results nested as the tree says."""
    if isinstance(tree, int):
        return results[tree]
    kind, *rest = tree
    if kind == "constant":
        return rest[0]
    if kind == "number":
        return results[rest[0]].item()
    if kind == "complex":
        return of_parts(results[rest[0]])
    if kind == "dict":
        return {key: give(part, results) for key, part in rest}
    if kind == "namedtuple":
        made = _named_tuple(rest[0], [field for field, _ in rest[1:]])
        return made([give(part, results) for _, part in rest[1:]])
    if kind == "class":
        name, context, inner = rest
        plain, cls = give(inner, results), find_class(name)
        if cls is None:
            return plain
        is_dict = isinstance(plain, dict)
        return build(cls, context, list(plain.values() if is_dict else plain), plain if is_dict else {})
    return (list if kind == "list" else tuple)(give(part, results) for part in rest)


def numbers(tree: Any) -> Iterator[int]:
    """Yields the numbers of the tensors in a tree."""
    if isinstance(tree, int):
        yield tree
    elif tree[0] in ("number", "complex"):
        yield tree[1]
    elif tree[0] == "class":
        _, _, inner = tree[1:]
        yield from numbers(inner)
    elif tree[0] != "constant":
        has_keys = tree[0] in ("dict", "namedtuple")
        for part in tree[2 if tree[0] == "namedtuple" else 1 :]:
            yield from numbers(part[1] if has_keys else part)


def constant_tree(value: Any) -> Any:
    """Returns the tree of a value without tensors; None for a value that no tree can state."""
    if value is None or type(value) in (bool, int, float, str):
        return ["constant", value]
    if type(value) in (tuple, list):
        parts = [constant_tree(part) for part in value]
        return None if None in parts else ["tuple" if type(value) is tuple else "list", *parts]
    return None


class Nesting:
    """The nesting of a function, as the artifact's manifest states it."""

    def __init__(self, stated: Mapping[str, Any]) -> None:
        try:
            positional = [(name, tree) for name, tree in stated["positional"]]
            self._arguments = dict([*positional, *((name, tree) for name, tree in stated["named"])])
            # What the module's own signature says, as far as it is known: what goes by position, and what may be left
            # out. The export left out arguments that stand only in `defaults`.
            self._order = [str(name) for name in stated.get("order", [name for name, _ in positional])]
            self._defaults = {name: tree for name, tree in stated.get("defaults", [])}
            self._results = stated["results"]
            inputs = [n for tree in self._arguments.values() for n in numbers(tree)]
            outputs = list(numbers(self._results))
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise fail(
                "E0034", "the model's attribute `nesting` cannot be read", "docs/artifact.md has its form"
            ) from error
        self.count, self._outputs = len(inputs), len(outputs)  # of the program's own inputs, and results
        if sorted(inputs) != list(range(self.count)) or sorted(outputs) != list(range(self._outputs)):
            raise fail("E0034", "the model's attribute `nesting` does not name each input and result once")

    def takes_dictionary_first(self) -> bool:
        """True when a dictionary as the only argument is the first one itself."""
        first = self._arguments.get(self._order[0]) if self._order else None
        return isinstance(first, list) and first[0] in ("dict", "class")

    def inputs(self, args: Sequence[Any], kwargs: Mapping[str, Any], further: Sequence[str] = ()) -> list[Any]:
        """Returns the inputs one by one. Behind those of the program come `further` ones, such as states: by position
        or by name."""
        own = dict(zip(self._order, args, strict=False))
        if twice := ", ".join(f"`{name}`" for name in kwargs if name in own):
            raise fail("E0034", f"{twice} is given twice")
        given = own | dict(kwargs)
        behind = list(args[len(self._order) :])
        if len(behind) > len(further):
            most = len(self._order) + len(further)
            raise fail("E0034", f"{len(args)} arguments are given by position, and the model takes {most} so at most")
        for name in further[len(behind) :]:
            if name in given and name not in self._arguments and name not in self._defaults:
                behind.append(given.pop(name))
        self._check_names(given)
        values: dict[int, Any] = {}
        for name, tree in (self._defaults | self._arguments).items():
            if name in given:
                take(tree, given[name], name, values.__setitem__)
        return [values[i] for i in range(self.count)] + behind

    def _check_names(self, given: Mapping[str, Any]) -> None:
        known = self._defaults | self._arguments
        missing = [
            name for name, tree in self._arguments.items() if name not in given and not self._is_default(tree, name)
        ]
        if missing:
            other = [f"`{name}` is {self._defaults[name][1]!r}" for name in missing if self._has_constant(name)]
            help = f"the default of {', '.join(other)}, and the export had another value" if other else ""
            raise fail("E0034", f"there is no value for {', '.join(f'`{name}`' for name in missing)}", help)
        if unknown := ", ".join(f"`{name}`" for name in given if name not in known):
            names = ", ".join([*self._arguments, *(name for name in self._defaults if name not in self._arguments)])
            raise fail("E0034", f"no argument is called {unknown}", f"the arguments are {names}")

    def _is_default(self, tree: Any, name: str) -> bool:
        return name in self._defaults and repr(self._defaults[name]) == repr(tree)

    def _has_constant(self, name: str) -> bool:
        return name in self._defaults and self._defaults[name][0] == "constant"

    def results(self, flat: Sequence[Any]) -> Any:
        """Returns the results as the program nests them; with what comes behind them, if there is more, in a tuple."""
        own = give(self._results, flat)
        return (own, *flat[self._outputs :]) if len(flat) > self._outputs else own
