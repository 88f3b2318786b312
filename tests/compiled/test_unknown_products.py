"""Products of two computed tensors whose rows, columns and steps a run says, around the edges of tiles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
from contraction_checks import TARGETS
from one_function import module_of
from sunmao import _sunmao
from sunmao_binary import sunmao as run

ROWS = [0, 1, 2, 7, 13, 33, 129, 200]
COLUMNS = [0, 1, 2, 7, 13, 16, 31, 33, 129]
STEPS = [0, 1, 2, 7, 33, 2049]


def numbers(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


def tensor(name: str, shape: str) -> str:
    return f'{name}: R.Tensor(({shape}), "float32")'


def close(got: Any, want: Any, *sizes: int) -> None:
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-4, atol=2e-3, err_msg=str(sizes))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("threads", [1, 2])
def test_all_sizes_of_a_product(target: str, threads: int) -> None:
    params = [tensor("a", '"m", "k"'), tensor("b", '"k", "n"'), tensor("c", '"n",')]
    module = module_of(params, ["p = R.matmul(a, b)", "y = R.nn.relu(R.add(p, c))"])
    compiled = sunmao.compile(module, target=target, threads=threads)
    for rows in ROWS:
        for columns in COLUMNS:
            for steps in STEPS if columns < 32 else STEPS[-2:]:
                a, b, c = numbers(rows, rows, steps), numbers(columns + 1, steps, columns), numbers(2, columns)
                close(compiled(a, b, c), np.maximum(a.astype("float64") @ b + c, 0), rows, columns, steps)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("left", "right", "rows", "columns", "steps"),
    [
        ('"b", 3, "m", "k"', '"b", 3, "k", 72', ROWS, [72], STEPS),
        ('"b", 3, "m", "k"', '"b", 3, "k", 5', ROWS, [5], [0, 1, 33, 2049]),
        ('"b", 3, "m", 64', '"b", 3, 64, "n"', ROWS, COLUMNS, [64]),
        ('"b", 3, "m", 4099', '"b", 3, 4099, "n"', [1, 7, 33, 200], [1, 13, 33], [4099]),
        ('"b", 3, 40, "k"', '"b", 3, "k", "n"', [40], COLUMNS, STEPS),
        ('"b", 3, 4, "k"', '"b", 3, "k", "n"', [4], COLUMNS, [0, 1, 33]),
    ],
    ids=str,
)
def test_some_sizes_of_batches(
    target: str, left: str, right: str, rows: list[int], columns: list[int], steps: list[int]
) -> None:
    body = ["p = R.matmul(a, b)", 'q = R.multiply(p, R.const(0.125, "float32"))', "y = R.sigmoid(q)"]
    compiled = sunmao.compile(module_of([tensor("a", left), tensor("b", right)], body), target=target)
    for m in rows:
        for n in columns:
            for k in steps:
                a, b = numbers(m, 2, 3, m, k), numbers(n, 2, 3, k, n)
                close(compiled(a, b), 1 / (1 + np.exp(-0.125 * (a.astype("float64") @ b))), m, n, k)


@pytest.mark.parametrize("target", ["x86-64-v2", "x86-64-v3", "x86-64-v4"])
def test_loops_stay_inside(target: str, tmp_path: Path) -> None:
    """The evaluator refuses indices that are outside, and runs loops for all instruction sets."""
    params = [tensor("a", '"m", "k"'), tensor("b", '"k", "n"')]
    (tmp_path / "model.py").write_text(module_of(params, ["y = R.matmul(a, b)"]).script())
    done = run("compile", tmp_path / "model.py", "--stop-after", "lift-temporaries")
    assert done.returncode == 0, done.stderr
    scheduled = _sunmao.run_pass(sunmao.parse_module(done.stdout), "schedule", target=target)
    assert "packed[" in scheduled.script()
    for rows, steps, columns in ((1, 3, 2), (1, 2, 70), (2, 3, 5), (5, 1, 33), (7, 2, 16), (15, 3, 65), (33, 5, 17)):
        a, b = numbers(rows, rows, steps), numbers(columns, steps, columns)
        close(sunmao.evaluate(scheduled, a, b), a.astype("float64") @ b, rows, steps, columns)
