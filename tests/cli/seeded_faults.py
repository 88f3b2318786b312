"""A compiler with one of 30 faults: `python seeded_faults.py FAULT FILE.py` fails where the script shows the fault.

Each fault needs some ops, and no others, so that the smallest script that shows it is known. Tests start this program
some thousand times: it imports what takes little time.
"""

import os
import re
import signal
import sys
import time
from collections.abc import Callable

FILLER = 24  # ops without a part in any fault, before and behind the others

KERNELS = """
    @T.prim_func(private=True)
    def kernel(x: T.Buffer((24, 24), "float32"), y: T.Buffer((24, 24), "float32")):
        for i, j in T.grid(24, 24):
            with T.block("y"):
                vi, vj = T.axis.remap("SS", [i, j])
                y[vi, vj] = T.exp(x[vi, vj])
        for i, j in T.grid(24, 24):
            with T.block("z"):
                vi, vj = T.axis.remap("SS", [i, j])
                y[vi, vj] = y[vi, vj] + T.float32(1)

    @R.function(private=True)
    def helper(x: R.Tensor((24, 24), "float32")) -> R.Tensor((24, 24), "float32"):
        with R.dataflow():
            a: R.Tensor((24, 24), "float32") = R.negative(x)
            b: R.Tensor((24, 24), "float32") = R.sigmoid(a)
            R.output(b)
        return b
"""

INPUTS = (
    'x: R.Tensor((4, 16, 8, 8), "float32"), w: R.Tensor((16, 16, 3, 3), "float32"), a: R.Tensor((12, 48), "float32"), '
    'b: R.Tensor((48, 24), "float32"), bias: R.Tensor((24,), "float32"), g: R.Tensor((24,), "float32"), '
    'i: R.Tensor((5,), "int64"), s: R.Tensor(("n", 24), "float32")'
)

CALLS = """
c0 = R.nn.conv2d(x, w, padding=[1, 1, 1, 1])
c1 = R.nn.relu(c0)
c2 = R.nn.max_pool2d(c1, pool_size=[2, 2], strides=[2, 2])
c3 = R.nn.conv2d(c2, w, strides=[2, 2], padding=[1, 1, 1, 1])
c4 = R.reshape(c3, R.shape([4, 64]))
c5 = R.reshape(c4, R.shape([4, 8, 8]))
m0 = R.matmul(a, b)
m1 = R.add(m0, bias)
m2 = R.nn.softmax(m1, axis=0)
m3 = R.sum(m2, axis=[1], keepdims=True)
m4 = R.multiply(m2, m3)
m5 = R.permute_dims(m4)
m6 = R.matmul(m5, m4)
m7 = R.exp(m6)
m8 = R.log(m7)
m9 = R.sqrt(m8)
e0 = R.nn.silu(m9)
e1 = R.tanh(m9)
e2 = R.subtract(e0, e1)
e3 = R.multiply(e2, e2)
t0 = R.take(m9, i, axis=0)
p = R.split(m9, indices_or_sections=2, axis=1)
p0 = p[0]
p1 = p[1]
k0 = R.concat((p0, p1, p0), axis=1)
h0 = R.astype(m9, dtype="float16")
h1 = R.astype(h0, dtype="float32")
l0 = R.nn.layer_norm(m9, g, g, axes=[-1], epsilon=0.001)
z0 = R.strided_slice(m9, axes=[0], begin=[0], end=[24], strides=[2])
q0 = R.power(z0, R.const(2.0, "float32"))
s0 = R.sin(s)
s1 = R.cos(s)
v0 = cls.helper(m9)
r0 = R.call_tir(cls.kernel, (m9,), out_ty=R.Tensor((24, 24), "float32"))
"""
RESULTS = "c5, e3, t0, k0, h1, l0, q0, s0, s1, v0, r0"


def model_text() -> str:
    """The model that every fault is seeded in."""
    lines, last = [], "m9"
    for i in range(FILLER):
        lines.append(f"f{i} = R.{('floor', 'ceil', 'abs', 'erf')[i % 4]}({last})")
        last = f"f{i}"
    before = [f"n{i} = R.{('round', 'sign')[i % 2]}({f'n{i - 1}' if i else 'a'})" for i in range(FILLER)]
    calls = CALLS.replace("R.matmul(a, b)", f"R.matmul(n{FILLER - 1}, b)").strip().splitlines()
    body = "\n            ".join([*before, *calls, *lines])
    return (
        f"@I.ir_module\nclass Module:\n{KERNELS}\n    @R.function\n    def main({INPUTS}):\n        cls = Module\n"
        f"        with R.dataflow():\n            {body}\n            R.output({RESULTS}, {last})\n"
        f"        return ({RESULTS}, {last})\n"
    )


class Bound:
    """One binding of a script: `name: R.Tensor(shape, dtype=dtype) = R.op(args, **attrs)`."""

    def __init__(self, name: str, op: str, args: list[str], attrs: dict[str, str], given: str) -> None:
        self.name, self.op, self.args, self.attrs, self.type = name, op, args, attrs, given


def split(text: str) -> list[str]:
    """Splits at the commas that stand in no brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts if p.strip()]


class Script:
    def __init__(self, text: str) -> None:
        self.text = text
        self.bound: dict[str, Bound] = {}
        self.params: dict[str, str] = {}

    @staticmethod
    def parse(text: str) -> "Script":
        script = Script(text)
        for head in re.findall(r"def main\((.*?)\)(?: -> .*)?:$", text, re.MULTILINE):
            script.params = {p.split(":", 1)[0]: p.split(":", 1)[1].strip() for p in split(head)}
        for name, given, value in re.findall(r"^ +(\w+): (R\.\S.*?) = (.+)$", text, re.MULTILINE):
            call = re.fullmatch(r"(?:R|cls)\.([\w.]+)\((.*)\)", value)
            parts = split(call[2]) if call else []
            named = [re.fullmatch(r"(\w+)=(.*)", p) for p in parts]
            script.bound[name] = Bound(
                name,
                call[1] if call else value,
                [p for p, n in zip(parts, named, strict=True) if not n],
                {n[1]: n[2] for n in named if n},
                given,
            )
        return script

    def of(self, op: str) -> list[Bound]:
        return [b for b in self.bound.values() if b.op == op]

    def made_by(self, name: str) -> str:
        return self.bound[name].op if name in self.bound else ""

    def type_of(self, name: str) -> str:
        return self.bound[name].type if name in self.bound else self.params.get(name, "")

    def shape_of(self, name: str) -> list[str]:
        shape = re.search(r"R\.Tensor\(\((.*?)\)", self.type_of(name))
        return split(shape[1]) if shape else []

    def follows(self, op: str, *producers: str) -> bool:
        """True when a chain of calls ends in `op`, each the first or second operand of the next."""
        open_names = [b.name for b in self.of(op)]
        for producer in producers:
            args = [a for name in open_names for a in self.bound[name].args]
            open_names = [a for a in args if self.made_by(a) == producer]
        return bool(open_names)


class Fault:
    """`way` is a signal, `internal`, `hang`, `numbers`, `exception` or an error code; `ops` the calls that show it."""

    def __init__(self, way: str, ops: int, shows: Callable[[Script], bool]) -> None:
        self.way, self.ops, self.shows = way, ops, shows


FAULTS = {
    "conv-alone": Fault("SIGSEGV", 1, lambda s: bool(s.of("nn.conv2d"))),
    "softmax-alone": Fault("internal", 1, lambda s: bool(s.of("nn.softmax"))),
    "conv-relu": Fault("SIGSEGV", 2, lambda s: s.follows("nn.relu", "nn.conv2d")),
    "conv-relu-pool": Fault("internal", 3, lambda s: s.follows("nn.max_pool2d", "nn.relu", "nn.conv2d")),
    "conv-stride": Fault("SIGFPE", 1, lambda s: any(c.attrs.get("strides") == "[2, 2]" for c in s.of("nn.conv2d"))),
    "pool-of-two": Fault("E0501", 1, lambda s: any("2" in c.attrs.get("pool_size", "") for c in s.of("nn.max_pool2d"))),
    "two-reshapes": Fault("internal", 2, lambda s: s.follows("reshape", "reshape")),
    "matmul-bias": Fault("numbers", 2, lambda s: s.follows("add", "matmul")),
    "add-of-other-rank": Fault(
        "SIGABRT", 1, lambda s: any(len(s.shape_of(c.args[0])) != len(s.shape_of(c.args[1])) for c in s.of("add"))
    ),
    "softmax-axis": Fault("numbers", 1, lambda s: any("axis" in c.attrs for c in s.of("nn.softmax"))),
    "sum-keepdims": Fault("internal", 1, lambda s: any(c.attrs.get("keepdims") == "True" for c in s.of("sum"))),
    "softmax-sum-multiply": Fault("numbers", 3, lambda s: s.follows("multiply", "sum", "nn.softmax")),
    "transposed-matmul": Fault("SIGSEGV", 2, lambda s: s.follows("matmul", "permute_dims")),
    "exp-log-sqrt": Fault("internal", 3, lambda s: s.follows("sqrt", "log", "exp")),
    "exp-hangs": Fault("hang", 1, lambda s: bool(s.of("exp"))),
    "diamond": Fault("numbers", 3, lambda s: two_ways(s)),
    "square": Fault("internal", 1, lambda s: any(c.args[0] == c.args[1] for c in s.of("multiply"))),
    "square-of-difference": Fault(
        "SIGILL",
        2,
        lambda s: any(c.args[0] == c.args[1] and s.made_by(c.args[0]) == "subtract" for c in s.of("multiply")),
    ),
    "take-by-int64": Fault("E0919", 1, lambda s: any("int64" in s.type_of(c.args[1]) for c in s.of("take"))),
    "split-second": Fault("internal", 0, lambda s: any(re.fullmatch(r"\w+\[1\]", b.op) for b in s.bound.values())),
    "concat-of-three": Fault(
        "numbers", 1, lambda s: any(len(split(c.args[0].strip("()"))) > 2 for c in s.of("concat"))
    ),
    "float16": Fault("SIGSEGV", 1, lambda s: any("float16" in b.type for b in s.bound.values())),
    "there-and-back": Fault("internal", 2, lambda s: s.follows("astype", "astype")),
    "norm-epsilon": Fault("numbers", 1, lambda s: any("epsilon" in c.attrs for c in s.of("nn.layer_norm"))),
    "slice-step": Fault(
        "E0311", 1, lambda s: any("strides" in c.attrs or len(c.args) > 4 for c in s.of("strided_slice"))
    ),
    "constant-operand": Fault("internal", 1, lambda s: any("R.const" in a for c in s.of("power") for a in c.args)),
    "symbolic-sine": Fault("exception", 1, lambda s: any('"n"' in t for t in s.params.values()) and bool(s.of("sin"))),
    "sine-and-cosine": Fault("exception", 2, lambda s: bool(s.of("sin") and s.of("cos"))),
    "private-function": Fault("internal", 2, lambda s: bool(s.of("helper")) and "R.sigmoid" in s.text),
    "kernel-exp": Fault("SIGBUS", 1, lambda s: "T.exp" in s.text and "R.call_tir" in s.text),
}


def two_ways(script: Script) -> bool:
    """True when both operands of a subtraction are made of the same value."""
    for c in script.of("subtract"):
        a, b = (script.bound.get(name) for name in c.args)
        if a and b and a.op != b.op and a.args[:1] == b.args[:1]:
            return True
    return False


def fail(way: str, script: Script) -> None:
    """Fails, with words that depend on the script where two failures are the same one in spite of them."""
    if way == "hang":
        time.sleep(60)
    elif way.startswith("SIG"):
        print(f"internal error in pass lower-ops: signal {len(script.text)}", file=sys.stderr)
        signal.signal(getattr(signal, way), signal.SIG_DFL)
        os.kill(os.getpid(), getattr(signal, way))
    elif way == "internal":
        last = next(reversed(script.bound), "x")
        print(f"internal error in pass fuse: fuse.cpp:{len(script.text)}: `{last}` is in no group", file=sys.stderr)
        sys.exit(70)
    elif way == "numbers":
        print(f"result 0: {len(script.text)} elements differ")
        sys.exit(1)
    elif way == "exception":
        raise ArithmeticError(f"{len(script.bound)} values")
    print(f"error[{way}]: {len(script.bound)} values are wrong", file=sys.stderr)
    sys.exit(1)


def main() -> None:
    name, path = sys.argv[1:]
    with open(path) as file:
        script = Script.parse(file.read())
    if FAULTS[name].shows(script):
        fail(FAULTS[name].way, script)


if __name__ == "__main__":
    main()
