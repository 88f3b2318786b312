"""Every parameter of a public function is read where it is accepted: it has an effect or is rejected."""

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
import sunmao
from sunmao import _sunmao, compat
from unread_arguments import functions_of, unread

ROOT = Path(sunmao.__file__).parent
FILES = sorted(path for path in ROOT.rglob("*.py"))

# Parameters of upstream's signatures that have no effect here by design, with the reason.
WITHOUT_MEANING = {
    ("compat/script/read_text.py", "from_source", "s_tir"): "upstream's choice of checks, which here are the same",
    ("compat/script/ir.py", "ir_module", "s_tir"): "upstream's choice of checks, which here are the same",
    # Methods that users override: callers may pass these parameters by name, so they keep their names though the base
    # class ignores them.
    ("compat/ir/instrument.py", "should_run", "mod"): "an instrument without a choice of its own wants every pass",
    ("compat/ir/instrument.py", "should_run", "info"): "likewise",
    ("compat/ir/instrument.py", "run_before_pass", "mod"): "times passes by their names alone",
    ("compat/ir/instrument.py", "run_after_pass", "mod"): "likewise",
    ("compat/ir/instrument.py", "run_after_pass", "info"): "ends what began last",
    ("compat/ir/transform.py", "run", "module"): "fails: a class derived from this says what to do",
    ("compat/ir/transform.py", "run", "context"): "likewise",
    ("compat/relax/dpl/rewrite.py", "run", "context"): "rewriting has no options",
    ("compat/ir/op_class.py", "__call__", "builder"): "the default of an op that only calls",
}


def found_in(text: str) -> list[tuple[str, str]]:
    """Returns the functions of a source text with their unread parameters."""
    return [(getattr(f, "name", "<lambda>"), p) for f in functions_of(ast.parse(text)) for p in unread(f)]


@pytest.mark.parametrize(
    "text",
    [
        "def f(a): return 1",
        "def f(a):\n    del a\n    return 1",
        "def f(a):\n    _ = a\n    return 1",
        "def f(a):\n    a\n    return 1",
        "def f(a):\n    b = a\n    c = b\n    return 1",
        "def f(a):\n    b, c = a, 1\n    return 1",
        "def f(*a): return 1",
        "def f(**a): return 1",
        "def f(**a): return a.get('x', 1)",
        "def f(**a): return a['x'] if 'x' in a else 1",
        "class C:\n    def m(self, a):\n        return self",
        "f = lambda a: 1",
    ],
)
def test_an_argument_that_is_taken_and_forgotten_is_found(text: str) -> None:
    assert len(found_in(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "def f(a): return a",
        "def f(a):\n    g(a)",
        "def f(a):\n    self.a = a",
        "def f(a):\n    b = a\n    return b",
        "def f(a):\n    b, c = a, 1\n    return b",
        "def f(a):\n    return lambda: a",
        "def f(a):\n    if a:\n        raise ValueError",
        "def f(*a, **b): return g(*a, **b)",
        "def f(**a):\n    x = a.pop('x')\n    if a:\n        raise ValueError\n    return x",
        "def f(a):\n    'For classes derived from this.'",
        "def f(_a): return 1",
        "class C:\n    def __exit__(self, kind, error, trace):\n        return self",
        "f = lambda a: a",
    ],
)
def test_an_argument_with_an_effect_is_no_finding(text: str) -> None:
    assert found_in(text) == []


def test_every_parameter_is_read() -> None:
    found = {(str(p.relative_to(ROOT)), *wrong) for p in FILES for wrong in found_in(p.read_text("utf-8"))}
    assert found == set(WITHOUT_MEANING)


def modules() -> Iterator[Any]:
    yield sunmao
    for info in pkgutil.walk_packages(compat.__path__, "sunmao.compat."):
        yield importlib.import_module(info.name)
    for name in ("arrays", "evaluation", "model", "pass_list", "reading"):
        yield importlib.import_module(f"sunmao.{name}")


def members(owner: Any) -> Iterator[Any]:
    """Yields the public functions of a class, including those added to classes of the extension."""
    for name, member in vars(owner).items():
        if name.startswith("_") and name not in ("__init__", "__call__", "__getitem__"):
            continue
        if isinstance(member, property):
            yield member.fget
        else:
            yield member.__func__ if isinstance(member, staticmethod | classmethod) else member


def callables() -> Iterator[FunctionType]:
    owners: list[Any] = [*modules(), *(v for v in vars(_sunmao).values() if isinstance(v, type))]
    for owner in owners:
        for name, value in list(vars(owner).items()) if not isinstance(owner, type) else []:
            if name.startswith("_"):
                continue
            parts = members(value) if isinstance(value, type) else [value]
            yield from (inspect.unwrap(part) for part in parts if isinstance(part, FunctionType))
        if isinstance(owner, type):
            yield from (inspect.unwrap(part) for part in members(owner) if isinstance(part, FunctionType))


def test_the_walk_has_seen_what_a_program_can_call() -> None:
    """Functions defined elsewhere, such as generated ones, would otherwise be missed."""
    known = {(str(path), f.lineno) for path in FILES for f in functions_of(ast.parse(path.read_text("utf-8")))}
    decorated = {
        (str(path), d.lineno)
        for path in FILES
        for f in functions_of(ast.parse(path.read_text("utf-8")))
        for d in getattr(f, "decorator_list", [])
    }
    own = [f for f in callables() if (f.__module__ or "").startswith("sunmao")]
    places = {(str(Path(f.__code__.co_filename)), f.__code__.co_firstlineno) for f in own}
    generated = {p for p in places if p[0].startswith("<")}  # constructors of dataclasses
    assert len(places) > 800
    assert {p for p in places - generated if p not in known | decorated} == set()
