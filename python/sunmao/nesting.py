"""How the arguments and results of a model are nested where it comes from: lists, tuples, dictionaries, constants."""

from __future__ import annotations

import collections
import keyword
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sunmao.errors import fail

Leaf = Callable[[int, Any], None]  # is given the number of an input, and its value


def _refuse(place: str, expected: str, got: Any) -> Exception:
    message = f"the arguments are not nested as those of the export: `{place}` is {got}, expected {expected}"
    return fail("E0034", message, "`model.flat` takes the inputs one by one")


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _take_keys(parts: Mapping[Any, Any], value: Any, place: str, leaf: Leaf) -> None:
    if not isinstance(value, Mapping):
        raise _refuse(place, "a dictionary", f"a {type(value).__name__}")
    if set(value) != set(parts):
        raise _refuse(place, f"a dictionary with the keys {list(parts)}", f"one with the keys {list(value)}")
    for key, part in parts.items():
        take(part, value[key], f"{place}[{key!r}]", leaf)


def _take_sequence(kind: str, parts: Sequence[Any], value: Any, place: str, leaf: Leaf) -> None:
    if not isinstance(value, list | tuple | collections.deque):
        raise _refuse(place, f"a {kind} of {len(parts)}", f"a {type(value).__name__}")
    if len(value) != len(parts):
        raise _refuse(place, _counted(len(parts), "part"), f"a {type(value).__name__} of {len(value)}")
    for i, (part, inner) in enumerate(zip(parts, value, strict=True)):
        take(part, inner, f"{place}[{i}]", leaf)


def take(tree: Any, value: Any, place: str, leaf: Leaf) -> None:
    """Gives `leaf` each input in a value that is nested as the tree says; refuses other values (E0034)."""
    if isinstance(tree, int):
        leaf(tree, value)
        return
    kind, *rest = tree
    if kind == "constant":
        if not (value is rest[0] or (type(value) is type(rest[0]) and value == rest[0])):
            raise _refuse(place, f"{rest[0]!r}, for which the program was exported", repr(value))
    elif kind == "dict":
        _take_keys(dict(rest), value, place, leaf)
    elif kind == "namedtuple":
        _take_sequence("tuple", [part for _, part in rest[1:]], value, place, leaf)
    else:
        _take_sequence(kind, rest, value, place, leaf)


def give(tree: Any, results: Sequence[Any]) -> Any:
    """Returns results nested as the tree says."""
    if isinstance(tree, int):
        return results[tree]
    kind, *rest = tree
    if kind == "constant":
        return rest[0]
    if kind == "dict":
        return {key: give(part, results) for key, part in rest}
    if kind == "namedtuple":
        name = rest[0] if rest[0].isidentifier() and not keyword.iskeyword(rest[0]) else "Results"
        named: Any = collections.namedtuple  # whose plugin for types wants literals
        made = named(name, [field for field, _ in rest[1:]], rename=True)
        return made(*(give(part, results) for _, part in rest[1:]))
    return (list if kind == "list" else tuple)(give(part, results) for part in rest)


def numbers(tree: Any) -> Iterator[int]:
    """Yields the numbers of the tensors in a tree."""
    if isinstance(tree, int):
        yield tree
    elif tree[0] != "constant":
        has_keys = tree[0] in ("dict", "namedtuple")
        for part in tree[2 if tree[0] == "namedtuple" else 1 :]:
            yield from numbers(part[1] if has_keys else part)


class Nesting:
    """The nesting of a function, as the artifact's manifest states it."""

    def __init__(self, stated: Mapping[str, Any]) -> None:
        try:
            self._positional = [(name, tree) for name, tree in stated["positional"]]
            self._named = [(name, tree) for name, tree in stated["named"]]
            self._results = stated["results"]
            inputs = [n for _, tree in (*self._positional, *self._named) for n in numbers(tree)]
            outputs = list(numbers(self._results))
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise fail(
                "E0034", "the model's attribute `nesting` cannot be read", "docs/artifact.md has its form"
            ) from error
        self._inputs, self._outputs = len(inputs), len(outputs)
        if sorted(inputs) != list(range(self._inputs)) or sorted(outputs) != list(range(self._outputs)):
            raise fail("E0034", "the model's attribute `nesting` does not name each input and result once")

    def inputs(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """Returns the inputs one by one. Positional arguments behind the program's own go behind its inputs."""
        own = dict(zip((name for name, _ in self._positional), args, strict=False))
        if twice := ", ".join(f"`{name}`" for name in kwargs if name in own):
            raise fail("E0034", f"{twice} is given twice")
        given = own | dict(kwargs)
        arguments = {name: tree for name, tree in (*self._positional, *self._named)}
        if missing := ", ".join(f"`{name}`" for name in arguments if name not in given):
            raise fail("E0034", f"there is no value for {missing}")
        if unknown := ", ".join(f"`{name}`" for name in given if name not in arguments):
            raise fail("E0034", f"no argument is called {unknown}", f"the arguments are {', '.join(arguments)}")
        values: dict[int, Any] = {}
        for name, tree in arguments.items():
            take(tree, given[name], name, values.__setitem__)
        return [values[i] for i in range(self._inputs)] + list(args[len(self._positional) :])

    def results(self, flat: Sequence[Any]) -> Any:
        """Returns the results as the program nests them; with what comes behind them, if there is more, in a tuple."""
        own = give(self._results, flat)
        return (own, *flat[self._outputs :]) if len(flat) > self._outputs else own
