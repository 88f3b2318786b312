"""Private functions called for several devices: RealizeVDevice copies them if placing the module with those functions
inlined succeeds, and rejects the module if that fails."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import sunmao
from sunmao.compat import IRModule, ir
from sunmao.compat.relax.analysis import well_formed
from sunmao.compat.relax.transform import RealizeVDevice
from sunmao.compat.script import from_source

DEVICES = ["R.cpu(0)", "R.cuda(0)", "R.cuda(1)"]
HEAD = """from tvm.script import ir as I, relax as R

@I.ir_module
class M:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0), I.vdevice("cuda", 1)]})
"""


TENSOR = 'R.Tensor((2,), "float32")'
SEEDS = range(200)


class Body:
    """The lines of a function under construction, each an operation on existing tensors."""

    def __init__(self, choice: random.Random, callees: list[str], is_main: bool) -> None:
        self.choice, self.callees = choice, callees
        self.lines: list[str] = []
        self.tensors = ["a", "b"]
        if is_main:
            self.tensors = [self.bind(f"R.hint_on_device({self.one()}, {device})") for device in DEVICES]

    def one(self) -> str:
        return self.choice.choice(self.tensors)

    def bind(self, value: str) -> str:
        name = f"v{len(self.lines)}"
        self.lines.append(f"{name} = {value}")
        return name

    def grow(self) -> None:
        step = self.choice.random()
        if self.callees and step < 0.6:
            both = self.bind(f"M.{self.choice.choice(self.callees)}({self.one()}, {self.one()})")
            self.tensors += [self.bind(f"{both}[0]"), self.bind(f"{both}[1]")]
        elif step < 0.65:
            self.tensors.append(self.bind(f"R.hint_on_device({self.one()}, {self.choice.choice(DEVICES)})"))
        elif step < 0.68:
            wanted = self.bind(f"R.hint_on_device({self.one()}, {self.choice.choice(DEVICES)})")
            self.tensors.append(self.bind(f"R.add({wanted}, {self.one()})"))
        elif step < 0.75:
            self.tensors.append(self.bind(f"R.subtract({self.one()}, {self.one()})"))
        else:
            self.tensors.append(self.bind(f"R.cos({self.one()})"))


def written(seed: int) -> str:
    """Returns a module whose functions take and return two tensors and call later functions."""
    choice = random.Random(seed)
    names = ["main", *(f"f{i}" for i in range(choice.choice([1, 2, 3, 4])))]
    text = HEAD
    for i, name in enumerate(names):
        body = Body(choice, names[i + 1 :], name == "main")
        for _ in range(choice.choice([1, 2, 3, 5])):
            body.grow()
        body.lines.append(f"return ({body.tensors[-1]}, {body.one()})")
        is_public = name == "main" or choice.random() < 0.1
        text += f"\n    @R.function{'' if is_public else '(private=True)'}\n"
        text += f"    def {name}(a: {TENSOR}, b: {TENSOR}) -> R.Tuple({TENSOR}, {TENSOR}):\n"
        text += "".join(f"        {line}\n" for line in body.lines)
    return text


def placed(module: IRModule) -> IRModule | None:
    """Returns the module with devices; None when requirements contradict each other."""
    try:
        return RealizeVDevice()(module)
    except sunmao.Error as error:
        assert str(error).startswith("error[E0530]"), error
        assert "_1" not in str(error), "it names a copy"
        return None


def count_functions(module: IRModule) -> int:
    return len(list(module.functions_items()))


HELPER = (
    HEAD
    + f"""
    @R.function
    def main(x: {TENSOR}, y: {TENSOR}) -> R.Tuple({TENSOR}, {TENSOR}):
        a = R.hint_on_device(x, R.cuda(0))
        b = R.hint_on_device(y, R.cpu(0))
        c = M.f(a)
        d = M.f(b)
        return (c, d)

    @R.function(private=True)
    def f(p: {TENSOR}) -> {TENSOR}:
        q = R.exp(p)
        return q
"""
)


def test_a_copy_tells_its_reason() -> None:
    said = sunmao._sunmao.explain_pass(from_source(HELPER).__sunmao_module__(), "realize-vdevice")
    assert said[0] == "f_1 is a copy of f: `p` lies on llvm:0, in f on cuda:0"


def test_calls_in_a_row_are_copied_once() -> None:
    rows = [("a", "c", i) for i in range(300)] + [("b", "d", i) for i in range(300)]
    calls = "\n        ".join(f"{row}{i} = M.f({f'{row}{i - 1}' if i else first})" for first, row, i in rows)
    text = HELPER.replace("c = M.f(a)\n        d = M.f(b)", calls).replace("(c, d)", "(c299, d299)")
    result = RealizeVDevice()(from_source(text))
    assert sorted(var.name_hint for var, _ in result.functions_items()) == ["f", "f_1", "main"]


def distinct(module: IRModule) -> bool:
    """Returns whether each copy of a function differs from its other copies."""
    functions: dict[str, list[Any]] = {}
    for var, function in module.functions_items():
        functions.setdefault(var.name_hint.split("_")[0], []).append(function)
    return not any(
        ir.structural_equal(a, b) for copies in functions.values() for a, b in itertools.combinations(copies, 2)
    )


def test_copies_do_what_inlining_does() -> None:
    refused = copied = 0
    inputs = [np.array([0.5, -2.0], "float32"), np.array([3.0, 0.25], "float32")]
    for seed in SEEDS:
        module = from_source(written(seed))
        number = ir.structural_hash(module)
        inlined = IRModule(sunmao.run_pass(module.__sunmao_module__(), "inline-private-functions"))
        result = placed(module)
        assert ir.structural_hash(module) == number
        assert (result is None) == (placed(inlined) is None), seed
        if result is None:
            refused += 1
            continue
        assert well_formed(result)
        assert RealizeVDevice()(result).__sunmao_module__() is result.__sunmao_module__()
        assert distinct(result)
        copied += count_functions(result) > count_functions(module)
        expected = sunmao.evaluate(module.__sunmao_module__(), *inputs)
        got = sunmao.evaluate(result.__sunmao_module__(), *inputs)
        for x, y in zip(expected, got, strict=True):
            np.testing.assert_array_equal(x, y)
    assert refused > 10
    assert copied > 10
