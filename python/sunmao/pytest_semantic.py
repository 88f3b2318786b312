"""A pytest plugin that compares modules by what they compute where a test compares them by structure.

    python -m sunmao.as_tvm -m pytest -p sunmao.pytest_semantic test_frontend.py

Where `assert_structural_equal` finds two modules different, both are evaluated on generated inputs, and are equal if
their functions have the same parameters and give the same results, where a shape is equal to the int64 vector of its
sizes. Tests that pass by it are counted apart.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.ir.compare import judged_by
from sunmao.compat.ir.module import IRModule
from sunmao.compat.relax import op
from sunmao.compat.relax.analysis.analysis import called_global_vars, definable_tir_vars_in_type
from sunmao.errors import Error

# Inputs are generated from each of these seeds, one after the other until SECONDS have passed.
SEEDS = range(4)
SECONDS = 5.0
# Sizes of the symbols for which interfaces are compared, repeated where there are more symbols. They fall, so that what
# subtracts a symbol from one before is a size.
_SIZES = ((60, 30, 20, 10), (96, 48, 12, 4))
_PROPERTY = "sunmao.passed"


def _module(value: Any) -> _sunmao.Module | None:
    """Returns the value as a module whose functions can be called; None for a value that is no program."""
    if isinstance(value, _sunmao.Function):
        value = IRModule.from_expr(value.with_attr("global_symbol", "main"))
    if isinstance(value, IRModule):
        value = value.__sunmao_module__()
    return value if isinstance(value, _sunmao.Module) else None


def _functions(module: _sunmao.Module) -> dict[str, _sunmao.Function]:
    """Returns the graph-level functions that have a global symbol, by it."""
    found = {}
    for entry in module.functions:
        if isinstance(entry.func, _sunmao.Function) and "global_symbol" in entry.func.attrs:
            found[str(entry.func.attrs["global_symbol"])] = entry.func
    return found


def with_private_parts(module: _sunmao.Module) -> _sunmao.Module:
    """Returns the module with the functions that others call as private ones: they are no interface."""
    called = {
        var.name
        for entry in module.functions
        if isinstance(entry.func, _sunmao.Function)
        for var in called_global_vars(entry.func)
    }
    for entry in module.functions:
        if entry.var.name in called and isinstance(entry.func, _sunmao.Function):
            module = module.with_function(entry.var, entry.func.without_attr("global_symbol"))
    return module


def _sizes(function: _sunmao.Function, of_symbols: Sequence[int]) -> list[Any]:
    """Returns the types of the parameters, in which symbols have the sizes `of_symbols`, in order of their first use in
    a parameter."""
    symbols = list(dict.fromkeys(s for p in function.params for s in definable_tir_vars_in_type(p.type)))
    values = {s: make.int_imm(s.dtype, size) for s, size in zip(symbols, itertools.cycle(of_symbols), strict=False)}
    return [_sunmao.substitute(p.type, values) for p in function.params if p.type is not None]


def same_interfaces(module: _sunmao.Module, other: _sunmao.Module) -> bool:
    """Returns whether two modules have functions of the same names with parameters of the same types. Sizes that are
    computed from symbols may be written in another way."""
    ours, theirs = _functions(module), _functions(other)
    if ours.keys() != theirs.keys():
        return False
    for name, sizes in itertools.product(ours, _SIZES):
        a, b = _sizes(ours[name], sizes), _sizes(theirs[name], sizes)
        if len(a) != len(b) or not all(_sunmao.structural_equal(x, y, True, False) for x, y in zip(a, b, strict=True)):
            return False
    return True


def _gives_shape(function: _sunmao.Function) -> bool:
    return isinstance(function.result_type, _sunmao.ShapeType)


def with_vectors_for_shapes(module: _sunmao.Module, other: _sunmao.Module) -> _sunmao.Module:
    """Returns the module in which functions give shapes as vectors, where those of `other` give something else."""
    others = _functions(other)
    for entry in module.functions:
        function, name = entry.func, str(entry.func.attrs.get("global_symbol"))
        if not isinstance(function, _sunmao.Function) or not _gives_shape(function) or name not in others:
            continue
        if not _gives_shape(others[name]):
            body = make.sequence(function.body.blocks, op.shape_to_tensor(function.body.body))
            made = make.function(function.params, body, None, function.is_pure, dict(function.attrs))
            module = module.with_function(entry.var, made)
    return module


def same_results(module: _sunmao.Module, expected: _sunmao.Module) -> bool:
    """Returns whether all functions of two modules give the same results, up to rounding, on generated inputs."""
    end = time.monotonic() + SECONDS
    for seed in SEEDS:
        if seed > 0 and time.monotonic() > end:
            break
        watched = _sunmao.validation({}, seed)
        try:
            watched.check("import", {}, expected, module)
        except Error as error:
            if error.code != "E0541":
                raise
            return False
        passes, not_validated, _ = watched.report()
        if not_validated or set(passes[0][2]) != set(_functions(expected)):
            return False
    return True


class _Judge:
    """Compares modules by their results, and knows whether it was asked."""

    def __init__(self) -> None:
        self.has_accepted = False

    def __call__(self, lhs: Any, rhs: Any) -> bool:
        module, expected = _module(lhs), _module(rhs)
        if module is None or expected is None:
            return False
        module, expected = with_private_parts(module), with_private_parts(expected)
        module, expected = with_vectors_for_shapes(module, expected), with_vectors_for_shapes(expected, module)
        if not _functions(expected):
            return False
        if not same_interfaces(module, expected) or not same_results(module, expected):
            return False
        self.has_accepted = True
        return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    judge = _Judge()
    with judged_by(judge):
        yield
    item.user_properties.append((_PROPERTY, "by results" if judge.has_accepted else "exactly"))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    passed = [dict(report.user_properties).get(_PROPERTY) for report in terminalreporter.stats.get("passed", [])]
    exactly, by_results = passed.count("exactly"), passed.count("by results")
    terminalreporter.write_line(f"sunmao: {exactly} passed exactly, {by_results} passed by results of evaluation")
