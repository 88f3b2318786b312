"""Parser of tests/ops: for each family of ops a table of their definitions in NumPy and of invalid calls.

`meaning <ops> = <expression>` is an expression over parameter names, NumPy, `math`, `statistics` and the functions of
`op_references*.py`. If its value is a function, that is called with the arguments by position and the attributes by
name.

`<name>: <type>` gives the type of a name in the following lines.

`<ops> <label> | <arguments> | <code> <words>` is a call in which `{bad -> good}` is a part that breaks a constraint and
its correction; then the error code and words of the diagnostic for the bad call. `#` begins a comment.
"""

from __future__ import annotations

import importlib
import inspect
import math
import re
import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sunmao import _sunmao

TABLES = Path(__file__).parent.parent / "ops"
MEANING = re.compile(r"meaning (?P<ops>[\w. ]+) = (?P<expression>.+)")
REFUSAL = re.compile(r"(?P<ops>[\w. ]+) (?P<label>C\d+) \| (?P<args>.*) \| (?P<code>E\d{4}) (?P<words>.+)")
DECLARATION = re.compile(r"(\w+): (R\..*)")


@dataclass
class Refusal:
    """A call `R.op(args)` that breaks the constraint `label`."""

    op: str
    label: str
    args: str
    code: str
    words: str
    types: dict[str, str] = field(repr=False)


@dataclass
class Table:
    meanings: dict[str, str]
    refusals: list[Refusal]


def read_table(path: Path) -> Table:
    types: dict[str, str] = {}
    table = Table({}, [])
    for line in path.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if meant := MEANING.fullmatch(line):
            for op in meant["ops"].split():
                assert op not in table.meanings, f"{path.name}: {op} has two meanings"
                table.meanings[op] = meant["expression"]
        elif declared := DECLARATION.fullmatch(line):
            types[declared[1]] = declared[2]
        elif said := REFUSAL.fullmatch(line):
            rest = said["label"], said["args"], said["code"], said["words"], dict(types)
            table.refusals += [Refusal(op, *rest) for op in said["ops"].split()]
        else:
            raise AssertionError(f"{path.name}: {line}")
    return table


FAMILIES = {path.stem: read_table(path) for path in sorted(TABLES.glob("*.txt"))}
MEANINGS = {op: text for table in FAMILIES.values() for op, text in table.meanings.items()}


def words_of_meanings() -> dict[str, Any]:
    """Returns the names usable in definitions: modules, and the public functions of `op_references*.py`."""
    words: dict[str, Any] = {"np": np, "math": math, "statistics": statistics}
    for path in sorted(Path(__file__).parent.glob("op_references*.py")):
        module = importlib.import_module(path.stem)
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == module.__name__ and not name.startswith("_"):
                assert name not in words, f"{path.name}: `{name}` means something else already"
                words[name] = function
    return words


WORDS = words_of_meanings()


def meaning(op: str, args: list[Any], attrs: dict[str, Any]) -> Any:
    """Returns the op's result for values, as its table defines it."""
    record = _sunmao.find_op(op)
    assert record is not None
    inputs = [p for p in record.params if p["kind"] != "attr"]
    # An empty tuple stands for an omitted argument.
    is_left_out = [isinstance(a, list) and not a and p["has_default"] for p, a in zip(inputs, args, strict=False)]
    given = [None if left_out else a for left_out, a in zip(is_left_out, args, strict=True)]
    values = dict.fromkeys(p["name"] for p in inputs) | {p["name"]: a for p, a in zip(inputs, given, strict=False)}
    found = eval(MEANINGS[op], {**WORDS, **values, **attrs})
    return found(*given, **attrs) if callable(found) else found
