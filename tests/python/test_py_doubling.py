"""Expressions that use the previous one twice at each step are processed in linear time, not in that of their
expansion."""

import time

import pytest
import sunmao

STEPS = 40
SECONDS = 5.0  # limit for work that would not end if each step doubled it


def kernel(value: str) -> str:
    return f"""
@T.prim_func
def main(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32")):
    for i in range(4):
        b[i] = {value}
"""


@pytest.mark.parametrize(
    "form", ["T.if_then_else(i > {0}, {1}, T.float32({0}))", "(T.float32({0}) if i > {0} else {1})"]
)
def test_nested_conditionals_print_in_linear_time(form: str) -> None:
    value = "a[i]"
    for step in range(STEPS):
        value = form.format(step, value)
    start = time.monotonic()
    module = sunmao.parse_module(kernel(value))
    assert sunmao.structural_equal(sunmao.parse_module(module.script()), module)
    assert time.monotonic() - start < SECONDS


def tuples(steps: int, result: str) -> str:
    lines = ["t0 = (x, x)", *(f"t{i + 1} = (t{i}, t{i})" for i in range(steps)), f"return {result}"]
    return '@R.function\ndef main(x: R.Tensor((4,), "float32")):\n    ' + "\n    ".join(lines) + "\n"


@pytest.mark.parametrize("result", ["x", "t40"])
def test_tuples_that_double_are_an_error(result: str) -> None:
    start = time.monotonic()
    with pytest.raises(sunmao.Error, match="E0318"):
        sunmao.parse_module(tuples(40, result))
    assert time.monotonic() - start < SECONDS


def test_tuples_that_double_a_few_times_are_read_and_dropped() -> None:
    module = sunmao.parse_module(tuples(8, "x"))
    assert "t8" not in sunmao.run_pass(module, "eliminate-dead-code").script()
    assert sunmao.structural_equal(sunmao.parse_module(module.script()), module)
