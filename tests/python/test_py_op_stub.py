"""The stub of `relax.op` has the signatures and docstrings of the functions."""

import inspect
from pathlib import Path
from typing import Any

import pytest
from sunmao.compat.relax.op.builder import OpFunction, find

ROOT = Path(__file__).parent.parent.parent
STUB = ROOT / "python" / "sunmao" / "compat" / "relax" / "op" / "__init__.pyi"


def stubs() -> dict[str, Any]:
    """Returns the functions that the stub defines, by op name."""
    names: dict[str, Any] = {}
    exec(compile("from __future__ import annotations\n" + STUB.read_text(), STUB.name, "exec"), names)
    families = {f: owner for f, owner in names["__annotations__"].items() if isinstance(names[owner], type)}
    members = {f"{f}.{n}": m for f, owner in families.items() for n, m in vars(names[owner]).items()}
    found = {name: f for name, f in {**names, **members}.items() if inspect.isfunction(f)}
    return {name: f for name, f in found.items() if f.__module__ != "sunmao.compat.relax.op.calls"}


STUBS = stubs()


@pytest.mark.parametrize("name", STUBS)
def test_signatures_and_docstrings_are_those_of_the_functions(name: str) -> None:
    function = find(name)
    assert isinstance(function, OpFunction)
    parameters = list(inspect.signature(STUBS[name]).parameters.values())["." in name :]
    wanted = list(inspect.signature(function).parameters.values())
    assert [(p.name, p.kind) for p in parameters] == [(p.name, p.kind) for p in wanted]
    assert all(p.default in (w.default, ...) for p, w in zip(parameters, wanted, strict=True))
    assert inspect.getdoc(STUBS[name]) == inspect.cleandoc(function.__doc__ or "")
