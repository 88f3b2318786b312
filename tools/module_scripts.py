"""Scripts of modules of many ops, by the shape of their graph: chains, fans, trees. Each takes the number of ops."""

from collections.abc import Callable


def additions(ops: int) -> str:
    """Returns a script with a chain of `ops` additions."""
    lines = [f"        lv{i + 1} = R.add(lv{i}, x)" for i in range(ops)]
    head = '@R.function\ndef main(x: R.Tensor(("n",), "float32")):\n    with R.dataflow():\n        lv0 = R.add(x, x)\n'
    return head + "\n".join(lines) + f"\n        gv = R.add(lv{ops}, x)\n        R.output(gv)\n    return gv\n"


UNARY = [
    *("abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "erf", "exp", "expm1", "floor"),
    *("isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2", "negative", "round", "rsqrt", "sigmoid", "sign"),
    *("sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc", "nn.relu", "nn.gelu", "nn.silu", "nn.softplus"),
]


def different_ops(kernels: int) -> str:
    """Returns a script with `kernels` calls, no two of the same op on the same shape."""
    sizes = range(1, -(-kernels // len(UNARY)) + 1)
    params = ", ".join(f'x{size}: R.Tensor(({size},), "float32")' for size in sizes)
    calls = [f"R.{name}(x{size})" for size in sizes for name in UNARY][:kernels]
    lines = [f"        lv{i} = {call}" for i, call in enumerate(calls)]
    results = ", ".join(f"lv{i}" for i in range(kernels))
    return (
        f"@R.function\ndef main({params}):\n    with R.dataflow():\n"
        + "\n".join(lines)
        + f"\n        gv = ({results})\n        R.output(gv)\n    return gv\n"
    )


VECTOR = 'R.Tensor((64,), "float32")'


def module(params: list[str], bindings: list[str], result: str) -> str:
    """Returns a script of a function of vectors; the bindings are `lv0`, `lv1` …"""
    lines = [f"        lv{i} = {value}" for i, value in enumerate(bindings)]
    head = "@R.function\ndef main(" + ", ".join(f"{p}: {VECTOR}" for p in params) + "):\n    with R.dataflow():\n"
    return head + "\n".join(lines) + f"\n        gv = {result}\n        R.output(gv)\n    return gv\n"


def chain(values: list[str]) -> str:
    """Returns a script in which each binding computes `values[i]` of the one before it, which is called `last`."""
    bindings = [value.replace("last", f"lv{i - 1}" if i else "x") for i, value in enumerate(values)]
    return module(["x", "y"], bindings, f"R.add(lv{len(values) - 1}, y)")


def alternating(ops: int) -> str:
    return chain([f"R.{'add' if i % 2 else 'multiply'}(last, {'x' if i % 3 else 'y'})" for i in range(ops)])


def constants(ops: int) -> str:
    return chain([f'R.add(last, R.const({i}.5, "float32"))' for i in range(ops)])


def functions(ops: int) -> str:
    return chain([f"R.{UNARY[i % len(UNARY)]}(last)" for i in range(ops) if UNARY[i % len(UNARY)][:2] != "is"])


def inputs(ops: int) -> str:
    params = [f"x{i}" for i in range(ops + 1)]
    bindings = [f"R.add({f'lv{i - 1}' if i else 'x0'}, x{i + 1})" for i in range(ops)]
    return module(params, bindings, f"R.negative(lv{ops - 1})")


def doubling(ops: int) -> str:
    return chain(["R.add(last, last)"] * ops)


def fan_out(ops: int) -> str:
    bindings = [f'R.add(x, R.const({i}.5, "float32"))' for i in range(ops)]
    return module(["x"], bindings, "(" + ", ".join(f"lv{i}" for i in range(ops)) + ")")


def tree(ops: int) -> str:
    """Returns a script that adds up one input more than there are ops, in pairs."""
    values: list[str] = [f"x{i}" for i in range(ops + 1)]
    bindings: list[str] = []
    params = list(values)
    while len(values) > 1:
        pairs = []
        for a, b in zip(values[::2], values[1::2], strict=False):
            pairs.append(f"lv{len(bindings)}")
            bindings.append(f"R.add({a}, {b})")
        values = pairs + values[2 * len(pairs) :]
    return module(params, bindings, f"R.negative({values[0]})")


def concatenated(ops: int) -> str:
    bindings = [f'R.add(x, R.const({i}.5, "float32"))' for i in range(ops)]
    return module(["x"], bindings, "R.concat((" + ", ".join(f"lv{i}" for i in range(ops)) + "), axis=0)")


def concatenated_inputs(ops: int) -> str:
    params = [f"x{i}" for i in range(ops)]
    return module(params, ["R.concat((" + ", ".join(params) + "), axis=0)"], "R.negative(lv0)")


def stacked(ops: int) -> str:
    params = [f"x{i}" for i in range(ops)]
    return module(params, ["R.stack((" + ", ".join(params) + "), axis=1)"], "R.negative(lv0)")


SHAPES: list[Callable[[int], str]] = [
    *(additions, alternating, constants, functions, inputs, doubling, fan_out, tree),
    *(concatenated, concatenated_inputs, stacked, different_ops),
]
