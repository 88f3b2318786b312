"""What is read last and changed in part is changed where it lies: nothing that is still read sees the change."""

import random
from pathlib import Path

import numpy as np
import pytest
import sunmao
import sunmao_binary

HEAD = """from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
"""
ROW = 'R.Tensor((6,), "float32")'
NUMBER = 'R.Tensor((), "int64")'
RESULTS = f"R.Tuple({ROW}, {ROW})"
ROWS = [np.arange(6, dtype="float32") + 10 * i for i in range(3)]


def program(functions: str) -> sunmao.Module:
    return sunmao.parse_module(HEAD + functions)


def instructions(module: sunmao.Module, folder: Path, name: str) -> list[str]:
    """The instructions of that opcode in the program of an artifact."""
    script, artifact = folder / "m.py", folder / "m.sunmao"
    script.write_text(module.script())
    assert sunmao_binary.sunmao("compile", script, "-o", artifact).returncode == 0
    text = sunmao_binary.sunmao("inspect", artifact, "--bytecode").stdout
    return [line for line in text.splitlines() if f"  {name} " in line]


def check(module: sunmao.Module, *args: np.ndarray) -> None:
    before = [a.copy() for a in args]
    wanted = sunmao.evaluate(module, *args)
    compiled = sunmao.compile(module)
    for _ in range(2):
        got = compiled(*args)
        for a, b in zip(got, wanted, strict=True):
            np.testing.assert_array_equal(np.asarray(a), np.asarray(b))
    for a, b in zip(args, before, strict=True):
        np.testing.assert_array_equal(a, b)


PUT = 'R.scatter_elements({}, R.const([{}, {}], "int64"), R.strided_slice({}, [0], [2], [4]), axis=0)'

LOOP = f"""
    @R.function(private=True)
    def loop(i: {NUMBER}, a: {ROW}, b: {ROW}) -> {RESULTS}:
        goes_on = R.less(i, R.const(3, "int64"))
        if goes_on:
            {{body}}
            out = Module.loop(R.add(i, R.const(1, "int64")), {{first}}, {{second}})
        else:
            out = (a, b)
        return out

    @R.function
    def main(x: {ROW}, y: {ROW}) -> {RESULTS}:
        start = R.add(x, y)
        out = Module.loop(R.const(0, "int64"), {{x}}, {{y}})
        return out
"""


@pytest.mark.parametrize(
    ("body", "first", "second", "x", "y"),
    [
        (f"a1 = {PUT.format('a', 0, 3, 'b')}", "a1", "b", "start", "y"),
        (f"a1 = {PUT.format('a', 0, 3, 'b')}", "a1", "b", "start", "start"),  # one tensor as both
        (f"a1 = {PUT.format('a', 0, 3, 'b')}", "a1", "a1", "start", "y"),
        (f"a1 = {PUT.format('a', 0, 3, 'b')}", "b", "a1", "start", "y"),
        (f"a1 = {PUT.format('a', 0, 3, 'b')}", "a1", "a", "start", "y"),  # the old one is needed
        (f"a1 = {PUT.format('a', 0, 3, 'a')}", "a1", "b", "start", "y"),  # it is read while it is written
        (f"a1 = {PUT.format('a', 0, 3, 'b')}; b1 = {PUT.format('b', 1, 2, 'a1')}", "b1", "a1", "start", "start"),
    ],
)
def test_loops(body: str, first: str, second: str, x: str, y: str) -> None:
    body = body.replace("; ", "\n            ")
    check(program(LOOP.format(body=body, first=first, second=second, x=x, y=y)), *ROWS[:2])


def test_a_loop_that_writes_a_part_takes_the_memory(tmp_path: Path) -> None:
    body = f"a1 = {PUT.format('a', 0, 3, 'b')}"
    module = program(LOOP.format(body=body, first="a1", second="b", x="start", y="y"))
    assert len(instructions(module, tmp_path, "Own")) == 1
    assert len(instructions(module, tmp_path, "Give")) == 1


def test_what_a_function_made_needs_no_look(tmp_path: Path) -> None:
    module = program(f"""
    @R.function
    def main(x: {ROW}, y: {ROW}):
        start = R.add(x, y)
        once = {PUT.format("start", 0, 3, "y")}
        twice = {PUT.format("once", 1, 2, "x")}
        return (twice, R.negative(twice))
""")
    check(module, *ROWS[:2])
    assert not instructions(module, tmp_path, "Own")
    assert not instructions(module, tmp_path, "Copy")


def test_tensors_of_callers_are_copied(tmp_path: Path) -> None:
    module = program(f"""
    @R.function(private=True)
    def put(a: {ROW}, b: {ROW}) -> {ROW}:
        out = {PUT.format("a", 0, 3, "b")}
        return out

    @R.function
    def main(x: {ROW}, y: {ROW}):
        one = Module.put(x, y)
        both = R.add(x, y)
        two = Module.put(both, y)
        three = Module.put(both, x)
        return (one, two, three)
""")
    check(module, *ROWS[:2])
    assert len(instructions(module, tmp_path, "Give")) == 1  # of `both`, the second time


def test_what_is_delivered_may_be_what_was_passed() -> None:
    check(
        program(f"""
    @R.function(private=True)
    def same(a: {ROW}, b: {ROW}) -> {RESULTS}:
        return (a, a)

    @R.function
    def main(x: {ROW}, y: {ROW}):
        both = R.add(x, y)
        pair = Module.same(both, y)
        one = pair[0]
        two = pair[1]
        put = {PUT.format("one", 0, 3, "y")}
        more = {PUT.format("both", 1, 4, "x")}
        return (put, two, more)
"""),
        *ROWS[:2],
    )


def test_one_tensor_that_two_variables_have() -> None:
    loop = LOOP.format(body=f"a1 = {PUT.format('a', 0, 3, 'b')}", first="a1", second="b", x="start", y="y")
    loop = loop[: loop.index("    @R.function\n")]
    check(
        program(f"""
    @R.function(private=True)
    def begin(i: {NUMBER}, a: {ROW}, b: {ROW}) -> {RESULTS}:
        a1 = {PUT.format("a", 1, 4, "b")}
        out = Module.loop(i, a1, a1)
        return out

    @R.function(private=True)
    def made(a: {ROW}, b: {ROW}) -> {RESULTS}:
        sum = R.add(a, b)
        return (sum, sum)
{loop}
    @R.function
    def main(x: {ROW}, y: {ROW}):
        looped = Module.begin(R.const(0, "int64"), x, y)
        pair = Module.made(x, y)
        one = pair[0]
        two = pair[1]
        put = {PUT.format("one", 0, 3, "y")}
        other = {PUT.format("two", 1, 2, "x")}
        return (looped[0], looped[1], put, other)
"""),
        *ROWS[:2],
    )


def test_calls_in_place_of_a_script() -> None:
    check(
        sunmao.parse_module(
            "from tvm.script import tirx as T\n"
            + HEAD
            + f"""
    @T.prim_func(private=True)
    def add_to(A: T.Buffer((6,), "float32"), B: T.Buffer((6,), "float32")):
        for i in range(6):
            with T.sblock("add"):
                v = T.axis.spatial(6, i)
                A[v] = A[v] + B[v]

    @R.function
    def main(x: {ROW}, y: {ROW}):
        cls = Module
        one = R.call_tir_inplace(cls.add_to, (x, y), inplace_indices=[0], out_ty={ROW})
        two = R.call_tir_inplace(cls.add_to, (one, y), inplace_indices=[0], out_ty={ROW})
        kept = R.add(y, y)
        three = R.call_tir_inplace(cls.add_to, (kept, kept), inplace_indices=[0], out_ty={ROW})
        return (one, two, kept, three, x)
"""
        ),
        *ROWS[:2],
    )


def test_a_call_in_place_before_an_op_that_could_join_it() -> None:
    module = sunmao.parse_module(
        "from tvm.script import tirx as T\n"
        + HEAD
        + f"""
    @T.prim_func(private=True)
    def add_to(A: T.Buffer((6,), "float32"), B: T.Buffer((6,), "float32")):
        for i in range(6):
            with T.sblock("add"):
                v = T.axis.spatial(6, i)
                A[v] = A[v] + B[v]

    @R.function
    def main(x: {ROW}, y: {ROW}):
        cls = Module
        given = R.call_tir_inplace(cls.add_to, (x, y), inplace_indices=[0], out_ty={ROW})
        one = R.negative(given)
        sum = R.add(x, y)
        made = R.call_tir_inplace(cls.add_to, (sum, y), inplace_indices=[0], out_ty={ROW})
        two = R.negative(made)
        ones = R.call_tir_inplace(
            cls.add_to, (R.const([1, 1, 1, 1, 1, 1], "float32"), y), inplace_indices=[0], out_ty={ROW}
        )
        three = R.negative(ones)
        return (one, two, sum, three)
"""
    )
    check(module, *ROWS[:2])


def test_what_the_pipeline_prints_compiles_again(tmp_path: Path) -> None:
    script = tmp_path / "m.py"
    body = "\n        ".join(
        [
            "a = R.add(x, y)",
            f"b = {PUT.format('a', 4, 1, 'y')}",
            f"c = {PUT.format('R.negative(b)', 2, 1, 'b')}",
            "return (R.exp(c), R.add(c, b))",
        ]
    )
    script.write_text(HEAD + f"    @R.function\n    def main(x: {ROW}, y: {ROW}):\n        {body}\n")
    for last in ("update-in-place", "expand-intrinsics"):
        ready = sunmao_binary.sunmao("opt", script, "--stop-after", last).stdout
        assert "call_tir_inplace" in ready and "op_pattern" in ready
        want = sunmao.evaluate(sunmao.parse_module(script.read_text()), *ROWS[:2])
        for a, b in zip(sunmao.compile(sunmao.parse_module(ready))(*ROWS[:2]), want, strict=True):
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-6)


def test_what_a_function_passed_on_may_be_what_was_made_here() -> None:
    check(
        program(f"""
    @R.function(private=True)
    def same(i: {NUMBER}, a: {ROW}) -> {ROW}:
        if R.less(i, R.const(5, "int64")):
            out = Module.same(R.add(i, R.const(1, "int64")), a)
        else:
            out = a
        return out

    @R.function(private=True)
    def inner(i: {NUMBER}, x: {ROW}) -> {RESULTS}:
        if R.less(i, R.const(9, "int64")):
            both = R.add(x, x)
            one = Module.same(i, both)
            put = {PUT.format("one", 0, 3, "x")}
            out = (put, both)
        else:
            out = Module.inner(i, x)
        return out

    @R.function
    def main(i: {NUMBER}, x: {ROW}) -> {RESULTS}:
        out = Module.inner(i, x)
        return out
"""),
        np.array(0),
        ROWS[1],
    )


class Drawn:
    """A random program: functions that change, pass on and return rows, some the same one twice."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = 0

    def name(self) -> str:
        self.names += 1
        return f"v{self.names}"

    def body(self, rows: list[str], callees: list[str], length: int, indent: str, depth: int = 0) -> list[str]:
        """Statements, whose variables are appended to `rows`."""
        lines = []
        for _ in range(length):
            kind, out = self.random.random(), self.name()
            a, b, c = (self.random.choice(rows) for _ in range(3))
            if kind < 0.45:
                lines.append(f"{out} = " + PUT.format(a, *self.random.sample(range(6), 2), b))
            elif kind < 0.55:
                lines.append(f"{out} = R.add({a}, {b})")
            elif kind < 0.85 and callees:
                pair = self.name()
                lines.append(f"{pair} = Module.{self.random.choice(callees)}(i, {a}, {b}, {c})")
                lines.append(f"{out} = {pair}[{self.random.randrange(2)}]")
            elif depth == 0:
                lines.append(f"if R.less(i, R.const({self.random.randrange(3)}, 'int64')):")
                for other in (False, True):
                    lines += ["else:"] if other else []
                    inner = list(rows)
                    lines += self.body(inner, callees, self.random.randrange(3), "    ", 1)
                    lines.append(f"    {out} = R.add({self.random.choice(inner)}, R.const(1, 'float32'))")
            else:
                continue
            rows.append(out)
        return [indent + line for line in lines]

    def function(self, name: str, callees: list[str]) -> str:
        rows = ["a", "b", "c"]
        lines = self.body(rows, callees, self.random.randrange(1, 5), "        ")
        x, y = (self.random.choice(rows[-4:]) for _ in range(2))
        head = f"    def {name}(i: {NUMBER}, a: {ROW}, b: {ROW}, c: {ROW}) -> {RESULTS}:"
        return "\n".join(["    @R.function(private=True)", head, *lines, f"        return ({x}, {y})", ""])

    def loop(self, callees: list[str]) -> str:
        rows = ["a", "b", "c"]
        lines = self.body(rows, callees, self.random.randrange(1, 5), "            ")
        x, y, z = (self.random.choice(rows[-5:]) for _ in range(3))
        return f"""    @R.function(private=True)
    def loop(i: {NUMBER}, a: {ROW}, b: {ROW}, c: {ROW}) -> {RESULTS}:
        if R.less(i, R.const(3, "int64")):
{chr(10).join(lines)}
            out = Module.loop(R.add(i, R.const(1, "int64")), {x}, {y}, {z})
        else:
            out = (a, c)
        return out
"""

    def recursive(self, name: str, callees: list[str]) -> str:
        """A function that stays one, and that goes on when what it called has ended."""
        rows = ["a", "b", "c"]
        lines = self.body(rows, callees, self.random.randrange(3), "            ", 1)
        passed = ", ".join(self.random.choice(rows) for _ in range(3))
        rows += ["one", "two"]
        behind = self.body(rows, callees, self.random.randrange(3), "            ", 1)
        return f"""    @R.function(private=True)
    def {name}(i: {NUMBER}, a: {ROW}, b: {ROW}, c: {ROW}) -> {RESULTS}:
        if R.less(i, R.const(4, "int64")):
{chr(10).join(lines)}
            deeper = Module.{name}(R.add(i, R.const(1, "int64")), {passed})
            one = deeper[0]
            two = deeper[1]
{chr(10).join(behind)}
            out = ({self.random.choice(rows)}, {self.random.choice(rows)})
        else:
            out = ({self.random.choice("abc")}, {self.random.choice("abc")})
        return out
"""

    def module(self) -> sunmao.Module:
        texts = [self.function("f0", []), self.recursive("f1", ["f0"]), self.loop(["f0", "f1"])]
        rows = ["x", "y", "z"]
        lines = self.body(rows, ["f0", "f1", "loop"], 5, "        ")
        texts.append("    @R.function\n" + f"    def main(i: {NUMBER}, x: {ROW}, y: {ROW}, z: {ROW}):")
        return program("\n".join([*texts, *lines, f"        return ({', '.join(rows)})", ""]))


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed: int) -> None:
    check(Drawn(seed).module(), np.array(seed % 3), *ROWS)
