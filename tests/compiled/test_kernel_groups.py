"""Kernels whose statements form groups of one family, or nearly: compiled code equals the evaluator.

The modules in kernel_groups/ have temporaries that other statements read through views, sums that no family has vectors
for, and values that are copied.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import sunmao
from contraction_checks import TARGETS
from one_function import module_of

MODULES = sorted((Path(__file__).parent / "kernel_groups").glob("*.py"))
SIZE = 7  # of symbols


def arrays_of(value: object) -> list[np.ndarray]:
    return [np.asarray(v) for v in value] if isinstance(value, tuple | list) else [np.asarray(value)]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_equals_the_evaluator(path: Path, target: str) -> None:
    module = sunmao.parse_module(path.read_text())
    model = sunmao.compile(module, target=target)
    random = np.random.default_rng(0)
    shapes = [[d if isinstance(d, int) else SIZE for d in tensor.shape] for tensor in model.inputs]
    inputs = [random.standard_normal(shape).astype("f4") for shape in shapes]
    got, want = arrays_of(model(*inputs)), arrays_of(sunmao.evaluate(module, *inputs))
    assert len(got) == len(want)
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose(g, w, rtol=2e-5, atol=2e-5)


def test_temporaries_of_any_size_are_planned() -> None:
    """What no family computes on the way is no scratch memory of a thread, however large."""
    text = next(path for path in MODULES if path.stem == "turned_mean").read_text()
    lines = [line for line in text.splitlines(keepends=True) if "n = T.int64()" not in line]
    known = re.sub(r'"n"|\bn\b', "10000003", "".join(lines))
    assert sunmao.compile(sunmao.parse_module(known)).isa


def test_small_caches_hold_a_block_of_attention() -> None:
    params = [f'{name}: R.Tensor((2, 512, 64), "float32")' for name in ("q", "k", "v")]
    module = module_of(
        params,
        [
            "t = R.permute_dims(k, axes=[0, 2, 1])",
            "s = R.nn.softmax(R.matmul(q, t), axis=-1)",
            "y = R.matmul(s, v)",
        ],
    )
    random = np.random.default_rng(0)
    inputs = [random.standard_normal((2, 512, 64)).astype("f4") for _ in params]
    want = np.asarray(sunmao.evaluate(module, *inputs))
    for target in TARGETS:
        model = sunmao.compile(module, target=f"llvm -mcpu={target} -l2-cache=1024")
        np.testing.assert_allclose(model(*inputs), want, rtol=2e-4, atol=2e-4)
