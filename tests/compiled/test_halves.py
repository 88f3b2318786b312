"""float16 is read on targets without an instruction for it, and bfloat16 is rounded alike with one and without."""

from __future__ import annotations

import numpy as np
import pytest
import sunmao
from contraction_checks import PAIR_TARGETS, TARGETS
from one_function import module_of


@pytest.mark.parametrize("target", TARGETS)
def test_every_half_is_widened_exactly(target: str) -> None:
    """On x86-64-v2 as well, which has no instruction for it."""
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    module = module_of([f'x: R.Tensor(({1 << 16},), "float16")'], ['y = R.astype(x, "float32")'])
    np.testing.assert_array_equal(np.asarray(sunmao.compile(module, target=target)(halves)), halves.astype("float32"))


@pytest.mark.parametrize("target", PAIR_TARGETS)
@pytest.mark.parametrize("count", [16, 1 << 16, (1 << 16) + 13])
def test_floats_are_rounded_to_bfloat16(target: str, count: int) -> None:
    """Ties to even, also below the normal numbers, of which the instruction makes 0; NaN stays NaN."""
    bits = np.random.default_rng(0).integers(0, 1 << 32, count, dtype=np.uint32)
    for kind in (
        bits,
        bits & 0x807FFFFF,
        bits | 0x7F800000,
        (bits & 0xFFFF0000) | 0x8000,
        (bits & 0x807F0000) | 0x8000,
    ):
        some_of_it = np.where(np.arange(count) % 61 == 0, kind, bits).astype(np.uint32)
        for x in (kind.view(np.float32), some_of_it.view(np.float32)):
            word = x.view(np.uint32).astype(np.uint64)
            rounded = (word + 0x7FFF + (word >> 16 & 1)) >> 16 << 16
            want = np.where(np.isnan(x), word | 0x400000, rounded).astype(np.uint32) & 0xFFFF0000
            for lines in (
                ['y = R.astype(R.astype(x, "bfloat16"), "float32")'],
                ['z = R.astype(x, "bfloat16")', "y = R.reshape(z, (-1,))"],
            ):
                module = module_of([f'x: R.Tensor(({count},), "float32")'], lines)
                got = np.asarray(sunmao.compile(module, target=target)(x))
                got_bits = got.view(np.uint16).astype(np.uint32) << 16 if got.itemsize == 2 else got.view(np.uint32)
                np.testing.assert_array_equal(got_bits & 0xFFFF0000, want)


@pytest.mark.parametrize("target", PAIR_TARGETS)
@pytest.mark.parametrize(
    "call", ["R.nn.pad(a, pad_width=[0, 3])", "R.flip(a, axis=0)", "R.nn.relu(a)", "R.maximum(a, b)"]
)
def test_bfloat16_that_is_moved_keeps_its_bits(target: str, call: str) -> None:
    bits = np.arange(1 << 16, dtype=np.uint32)
    bits = bits[(bits & 0x7F80 != 0x7F80) | (bits & 0x7F == 0)] << 16
    x, y = bits.view(np.float32), np.roll(bits, 77).view(np.float32)
    params = [f'x: R.Tensor(({x.size},), "float32")', f'z: R.Tensor(({x.size},), "float32")']
    lines = ['a = R.astype(x, "bfloat16")', 'b = R.astype(z, "bfloat16")', f"c = {call}", 'y = R.astype(c, "float32")']
    got = np.asarray(sunmao.compile(module_of(params, lines), target=target)(x, y))
    want = {"nn.pad": np.pad(x, (0, 3)), "flip": x[::-1], "nn.relu": np.maximum(x, 0), "maximum": np.maximum(x, y)}
    np.testing.assert_array_equal(got, want[call[2:].split("(")[0]])
