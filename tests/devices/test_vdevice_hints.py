"""RealizeVDevice and UpdateVDevice on whole models and example modules with hints at random places: calling the pass
directly, in a Sequential or twice gives one result, and the input is unchanged."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sunmao
from lifted_models import MODELS
from sunmao.compat import IRModule, cpu, cuda, ir, relax
from sunmao.compat.ir.transform import Pass, Sequential
from sunmao.compat.relax.analysis import well_formed
from sunmao.compat.relax.transform import LiftTransformParams, RealizeVDevice, UpdateVDevice
from sunmao.compat.script import from_source

HELPER = """from tvm.script import ir as I, relax as R

@I.ir_module
class Module:
    @R.function(private=True)
    def helper(a: R.Tensor((4, 4), "float32"), w: R.Tensor((4, 4), "float32")) -> R.Tensor((4, 4), "float32"):
        b = R.matmul(a, w)
        c = R.nn.relu(b)
        return c

    @R.function
    def main(x: R.Tensor((4, 4), "float32"), y: R.Tensor((4, 4), "float32"), w: R.Tensor((4, 4), "float32")):
        R.func_attr({"num_input": 2})
        a = R.exp(x)
        b = R.exp(y)
        v = R.permute_dims(w)
        c = Module.helper(a, v)
        d = Module.helper(b, w)
        e = R.sin(c)
        f = R.sin(d)
        return (e, f)
"""
ROOT = Path(__file__).parent.parent.parent
SEEDS = range(12)


def modules_of(program: Path) -> dict[str, IRModule]:
    """Returns the classes that a program declares with `@I.ir_module`."""
    text = program.read_text()
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef) and any(ast.unparse(d).endswith("ir_module") for d in node.decorator_list):
            lines = text.splitlines()[node.decorator_list[0].lineno - 1 : node.end_lineno]
            head = "from tvm.script import ir as I, relax as R, tirx as T\n\n"
            script = head + "\n".join(lines).replace("HIDDEN", "32")
            found[f"{program.stem}.{node.name}"] = from_source(script)
    return found


def corpus() -> dict[str, IRModule]:
    found = {name: make().module() for name, make in MODELS.items()}
    for program in [*sorted((ROOT / "examples").glob("*.py")), ROOT / "tests" / "models" / "mlp.py"]:
        found |= modules_of(program)
    found["a private helper"] = from_source(HELPER)
    return found


CORPUS = corpus()


@relax.expr_functor.mutator
class Hints(relax.PyExprMutator):
    """Inserts hints on operands of some calls; all hints of one call name one device."""

    def __init__(self, module: IRModule, choice: random.Random) -> None:
        super().__init__(module)
        self.choice = choice
        self.share = choice.choice([0.01, 0.05, 0.3])

    def visit_call_(self, call: relax.Call) -> relax.Expr:
        call = self.visit_expr_post_order(call)
        if self.choice.random() > self.share or not str(getattr(call.op, "name", "")).startswith("relax."):
            return call
        device = self.choice.choice([cpu(0), cuda(0), cuda(1)])
        args = [self.wanted(arg, device) for arg in call.args]
        return relax.Call(call.op, args, call.attrs, call.ty_args)

    def wanted(self, arg: relax.Expr, device: Any) -> relax.Expr:
        is_tensor = isinstance(arg, relax.Var) and isinstance(arg.ty, relax.TensorType)
        return self.builder_.emit(relax.op.hint_on_device(arg, device)) if is_tensor else arg


def hinted(module: IRModule, seed: int) -> IRModule:
    choice = random.Random(seed)
    devices = [ir.VDevice("llvm"), ir.VDevice("cuda", 0), ir.VDevice("cuda", 1)]
    module = IRModule(module.__sunmao_module__())
    module.update_global_info("vdevice", devices)
    for var, function in module.functions_items():
        hints = Hints(module, choice)
        hints.builder_.update_func(var, hints.visit_expr(function))
        module = hints.builder_.get()
    module.update_global_info("vdevice", devices)
    return module


def outcome(run: Callable[[], IRModule]) -> tuple[Any, str]:
    """Returns the resulting module, or the error message."""
    try:
        return run().__sunmao_module__(), ""
    except sunmao.Error as error:
        return None, str(error)


def check_every_way(module: IRModule, made: Pass) -> IRModule | None:
    """Returns the result, which must be equal in all ways of running the pass; None when hints contradict each
    other."""
    number, text = ir.structural_hash(module), module.script()
    native = module.__sunmao_module__()
    direct, said = outcome(lambda: made(module))
    for run in (lambda: made(module), lambda: Sequential([made])(module), lambda: made(from_source(text))):
        again, said_again = outcome(run)
        assert (again is None) == (direct is None), said + said_again
        assert direct is None or sunmao.structural_equal(direct, again)
        assert said_again[: len("error[E0530]")] == said[: len("error[E0530]")]
    assert ir.structural_hash(module) == number
    assert module.script() == text
    assert module.__sunmao_module__() is native
    if direct is None:
        assert said.startswith("error[E0530]"), said
        return None
    result = IRModule(direct)
    assert well_formed(result)
    assert made(result).__sunmao_module__() is direct
    assert sunmao.structural_equal(Sequential([made, made])(module).__sunmao_module__(), direct)
    return result


@pytest.mark.parametrize("name", CORPUS)
def test_devices_come_out_the_same_in_every_way(name: str) -> None:
    done = 0
    for seed in SEEDS:
        result = check_every_way(hinted(CORPUS[name], seed), RealizeVDevice())
        if result is not None:
            done += 1
            assert "hint_on_device" not in result.script()
            assert check_every_way(result, UpdateVDevice(ir.VDevice("opencl", 0, "global"), 1)) is not None
    assert done > 0


@pytest.mark.parametrize("name", CORPUS)
def test_another_device_in_its_place_and_back_again(name: str) -> None:
    for seed in SEEDS:
        module = hinted(CORPUS[name], seed)
        placed, _ = outcome(lambda module=module: RealizeVDevice()(module))
        if placed is None:
            continue
        there = UpdateVDevice(ir.VDevice("opencl", 0, "global"), 1)(IRModule(placed))
        assert not sunmao.structural_equal(there.__sunmao_module__(), placed)
        back = UpdateVDevice(ir.VDevice("cuda", 0, "global"), 1)(there)
        assert sunmao.structural_equal(back.__sunmao_module__(), placed)


@pytest.mark.parametrize("name", CORPUS)
def test_lifted_modules_are_placed_too(name: str) -> None:
    lifted = outcome(lambda: LiftTransformParams()(CORPUS[name]))[0]
    if lifted is not None:
        results = [check_every_way(hinted(IRModule(lifted), seed), RealizeVDevice()) for seed in SEEDS]
        assert any(result is not None for result in results)
