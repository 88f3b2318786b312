"""What functions compute stays as it is when their branches become functions, and the result can be written as text."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sunmao
from sunmao.compat import cpu, relax
from sunmao.compat.ir import IRModule
from sunmao.compat.runtime import tensor
from sunmao.compat.script import relax as R
from sunmao_binary import ROOT

CASES = ROOT / "tests" / "passes" / "outline_branches"
HEAD = "from tvm.script import ir as I, relax as R, tirx as T\n"
X = np.array([1, 2, 3, 4], "float32")
W = np.array([5, -6, 7, 8], "float32")
SQUARE = np.arange(4, dtype="float32").reshape(2, 2)
WIDE = np.arange(6, dtype="float32").reshape(2, 3)

# Arguments behind the condition, for each script that the pass changes.
ARGUMENTS: dict[str, list[tuple[Any, ...]]] = {
    "calls": [(X, np.arange(8, dtype="float32"))],
    "captured_scalar": [(2, 3)],
    "captured_symbols": [(WIDE, WIDE.T), (SQUARE, SQUARE)],
    "captured_tuple": [((X, W),)],
    "casts": [(X, X, W)],
    "impure": [(X,)],
    "inner_symbol": [(X, W[:3])],
    "kernels": [(X, W)],
    "known_values": [(X, (W, np.array(2, "float32")))],
    "names_taken": [(X,)],
    "nested": [(np.array(d), X, W, W + 1) for d in (True, False)],
    "one_side": [(X,)],
    "other_calls": [(X, W[:3])],
}


def before(name: str) -> sunmao.Module:
    return sunmao.parse_module((CASES / f"{name}.py").read_text().split("\n\n\n@I.ir_module\nclass Expected")[0])


def outlined(module: sunmao.Module) -> sunmao.Module:
    return sunmao.run_pass(module, "outline-branches")


def leaves(value: Any) -> Iterator[np.ndarray]:
    if isinstance(value, (tuple, list)):
        for part in value:
            yield from leaves(part)
    else:
        yield np.asarray(value)


def check_same(module: sunmao.Module, *arguments: Any, function: str = "main") -> None:
    expected = list(leaves(sunmao.evaluate(module, *arguments, function=function)))
    got = list(leaves(sunmao.evaluate(outlined(module), *arguments, function=function)))
    assert len(got) == len(expected)
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_array_equal(a, b)


def test_each_script_that_changes_is_evaluated() -> None:
    changed = {p.stem for p in CASES.glob("*.py") if not p.read_text().startswith("# unchanged")}
    assert changed == ARGUMENTS.keys() | {"tail_calls"}


@pytest.mark.parametrize("condition", [True, False])
@pytest.mark.parametrize("name", ARGUMENTS)
def test_both_sides_compute_the_same(name: str, condition: bool) -> None:
    for arguments in ARGUMENTS[name]:
        check_same(before(name), np.array(condition), *arguments)


@pytest.mark.parametrize("function", ["loop", "whole"])
def test_loops_end_after_as_many_iterations(function: str) -> None:
    module = before("tail_calls")
    for first in range(9):
        check_same(module, np.array(first), X, function=function)


def test_a_cast_of_a_branch_to_known_sizes_is_checked() -> None:
    module = before("casts")
    for m in (module, outlined(module)):
        with pytest.raises(sunmao.Error, match="match_cast"):
            sunmao.evaluate(m, np.array(True), X, X[:2], W)


@pytest.mark.parametrize("path", sorted(CASES.glob("*.py")), ids=lambda path: path.stem)
def test_the_result_can_be_written_as_text(path: Any) -> None:
    module = outlined(before(path.stem))
    assert sunmao.first_difference(sunmao.parse_module(str(module)), module) == ""


SHAPE = """
@I.ir_module
class Module:
    @R.function
    def main(c: R.Tensor((), "bool"), s: R.Shape(ndim=1), x: R.Tensor(s, "float32")) -> R.Tensor(s, "float32"):
        if c:
            y = R.add(x, x)
        else:
            y = R.exp(x)
        z = R.add(y, x)
        return z
"""


def test_a_shape_that_a_type_names_is_passed_before_the_tensor() -> None:
    module = sunmao.parse_module(HEAD + SHAPE)
    text = str(outlined(module))
    assert "def main_then(s: R.Shape(ndim=1), x: R.Tensor(s, " in text
    assert "cls.main_then(s, x)" in text
    assert sunmao.first_difference(sunmao.parse_module(text), outlined(module)) == ""
    check_same(module, np.array(True), [4], X)


def test_a_function_without_types_stays() -> None:
    condition, x = relax.Var("c", R.Tensor((), "bool")), relax.Var("x", R.Tensor((4,), "float32"))
    y, z, out = relax.Var("y"), relax.Var("z"), relax.Var("out")
    calls = [relax.VarBinding(v, relax.Call(relax.GlobalVar("main"), [condition, a])) for v, a in ((y, x), (z, y))]
    then_branch = relax.SeqExpr([relax.BindingBlock(calls)], z)
    choice = relax.VarBinding(out, relax.If(condition, then_branch, relax.SeqExpr([], x)))
    body = relax.SeqExpr([relax.BindingBlock([choice])], out)
    module = IRModule({"main": relax.Function([condition, x], body)}).__sunmao_module__()
    assert outlined(module).same_as(module)


def chain(length: int) -> str:
    """Returns a function of `length` conditions, each of which stands in the else branch of the one before."""
    lines = ["@I.ir_module", "class Module:", "    @R.function"]
    lines.append('    def main(i: R.Tensor((), "int64"), x: R.Tensor((4,), "float32")):')
    for k in range(length):
        pad = "    " * (k + 2)
        lines += [f'{pad}c{k} = R.equal(i, R.const({k}, "int64"))', f"{pad}if c{k}:"]
        lines += [f'{pad}    y{k} = R.add(x, R.const({k}.0, "float32"))', f"{pad}else:"]
    lines.append("    " * (length + 2) + f"y{length - 1} = x")
    for k in reversed(range(length - 1)):
        lines.append("    " * (k + 3) + f"y{k} = y{k + 1}")
    return "\n".join([*lines, "        return y0"]) + "\n"


def test_a_chain_of_conditions_becomes_a_chain_of_calls() -> None:
    module = sunmao.parse_module(HEAD + chain(12))
    text = str(outlined(module))
    assert text.count("if c") == 12
    assert text.count("private=True") == 2 * 12
    for i in (0, 5, 11, 12):
        check_same(module, np.array(i), X)


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
@pytest.mark.parametrize("way", ["evaluated", "compiled", "on registers"])
def test_a_condition_has_one_element(shape: tuple[int, ...], way: str) -> None:
    text = f"""@I.ir_module
class Module:
    @R.function
    def main(c: R.Tensor({shape}, "bool"), x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        if c:
            y = R.add(x, x)
        else:
            y = R.negative(x)
        return y
"""
    module = sunmao.parse_module(HEAD + text)
    for value in (True, False):
        condition, expected = np.full(shape, value), X + X if value else -X
        if way == "evaluated":
            got = sunmao.evaluate(module, condition, X)
        elif way == "compiled":
            got = sunmao.compile(module)(condition, X)
        else:
            vm = relax.VirtualMachine(relax.build(IRModule(module), "llvm", exec_mode="bytecode"), cpu())
            got = vm["main"](tensor(condition), tensor(X)).numpy()
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("stated", ['(2,), "bool"', '("n",), "bool"', 'dtype="bool", ndim=1', '(1,), "int32"'])
def test_other_conditions_are_refused(stated: str) -> None:
    text = f"""@I.ir_module
class Module:
    @R.function
    def main(c: R.Tensor({stated}), x: R.Tensor((4,), "float32")):
        if c:
            y = R.add(x, x)
        else:
            y = x
        return y
"""
    with pytest.raises(sunmao.Error, match=r"E0409\]: in `main`: a condition is a bool of one element"):
        sunmao.compile(sunmao.parse_module(HEAD + text))
