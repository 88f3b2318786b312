"""`sunmao inspect` says what a function has in use between kernels as a formula in its symbols."""

import json
from pathlib import Path

import pytest
from sunmao_binary import sunmao as run_sunmao

MODEL = """from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(({rows}, {columns}), "float32"), w: R.Tensor(({columns}, 8), "float32")):
        R.func_attr({{"tir_var_upper_bound": {{"n": {most}, "k": {most}}}}})
        {symbols}
        a = R.nn.softmax(x)
        b = R.nn.softmax(R.matmul(a, w))
        c = R.nn.softmax(R.nn.relu(R.cumsum(b, axis=0)))
        return c
"""


def inspect(folder: Path, *options: str, **sizes: object) -> str:
    script, artifact = folder / "m.py", folder / "m.sunmao"
    symbols = [s for s in ("n", "k") if s in sizes.values() or f'"{s}"' in sizes.values()]
    declared = "; ".join(f"{s} = T.int64()" for s in symbols) or "pass"
    script.write_text(MODEL.format(symbols=declared, **sizes).replace("        pass\n", ""))
    compiled = run_sunmao("compile", script, "-o", artifact)
    assert compiled.returncode == 0, compiled.stderr
    result = run_sunmao("inspect", artifact, *options)
    assert result.returncode == 0, result.stderr
    return result.stdout


def value(formula: str, **symbols: int) -> int:
    return int(eval(formula, {"align": lambda x: (x + 63) // 64 * 64, "max": max, "min": min, **symbols}))


@pytest.mark.parametrize(
    ("rows", "columns", "symbols"), [('"n"', 16, {"n"}), ('"n"', 5, {"n"}), ('"n"', '"k"', {"n", "k"}), (4, 16, set())]
)
@pytest.mark.parametrize("most", [1, 9, 64])
def test_the_formula_gives_what_is_in_use(
    rows: object, columns: object, symbols: set[str], most: int, tmp_path: Path
) -> None:
    found = json.loads(inspect(tmp_path, "--json", rows=rows, columns=columns, most=most))["functions"][0]
    formula = found["memory_formula"]
    assert {s for s in ("n", "k") if s in formula.replace("align", "").replace("min", "")} <= symbols
    assert value(formula, **{s: most for s in symbols}) == found["memory"]["live"]


def test_text_names_the_symbols(tmp_path: Path) -> None:
    text = inspect(tmp_path, rows='"n"', columns=16, most=64)
    assert "memory for values between kernels: max(" in text or "memory for values between kernels: 64*n" in text
    assert "bytes in use at one time;" in text and "at the largest sizes" in " ".join(text.split())
