"""float16 is read on targets without an instruction for it."""

from __future__ import annotations

import numpy as np
import pytest
import sunmao
from contraction_checks import TARGETS
from one_function import module_of


@pytest.mark.parametrize("target", TARGETS)
def test_every_half_is_widened_exactly(target: str) -> None:
    """On x86-64-v2 as well, which has no instruction for it."""
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    module = module_of([f'x: R.Tensor(({1 << 16},), "float16")'], ['y = R.astype(x, "float32")'])
    np.testing.assert_array_equal(np.asarray(sunmao.compile(module, target=target)(halves)), halves.astype("float32"))
