"""The comparison with true results is sensitive: for each op and dtype, a result beyond the op's bound fails."""

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sunmao
from op_bounds import BOUNDS, TABLE, allowed, bound_of, limits, read_bounds, spacing
from op_samples import Sample, compare, evaluated, sample, scale, true_result
from op_tables import MEANINGS
from test_op_dtypes import DTYPES, as_expected

# The maximum number of seeds tried for an op and dtype to find a sample whose result is not all zeros.
MOST_SEEDS = 60

WHOLE = ("bool", "int4", "uint8", "int64")
# Ops whose correct result is all zeros in these dtypes, whatever the inputs.
ZEROS: dict[str, Sequence[str]] = {
    "zeros": DTYPES,
    "zeros_like": DTYPES,
    "inspect.tensor_byte_offset": DTYPES,
    "inspect.tensor_elem_offset": DTYPES,
    "inspect.tensor_dtype_code": ("int4", "int64"),  # the code of signed integers
    "mod": ("bool",),  # the divisor is True, or the result false
    "floor_mod": ("bool",),
    "isnan": WHOLE,
    "isinf": (*WHOLE, "float8_e4m3fn"),
}


@functools.cache
def numbers_of(dtype: Any) -> Any:
    """Returns all finite non-negative numbers of a narrow dtype, in order of their codes."""
    codes = np.arange(2 ** (8 * dtype.itemsize - 1), dtype=f"u{dtype.itemsize}").view(dtype).astype(np.float64)
    return codes[np.isfinite(codes)]


def apart(value: float, dtype: Any) -> Fraction:
    """Returns the exact distance from the number at or below a magnitude to the next one, at least that of normal
    numbers."""
    smallest = float(limits(dtype.name).smallest_normal)
    magnitude = min(max(abs(value), smallest), float(limits(dtype.name).max))
    if dtype.itemsize >= 4:
        below = dtype.type(magnitude)
        below = np.nextafter(below, dtype.type(0)) if Fraction(float(below)) > Fraction(magnitude) else below
        return Fraction(float(np.spacing(below)))
    numbers = numbers_of(dtype)
    at = min(int(np.searchsorted(numbers, magnitude, "right")) - 1, len(numbers) - 2)
    return Fraction(numbers[at + 1]) - Fraction(numbers[at])


def is_allowed(op: str, got: Any, true: float, largest: float) -> bool:
    """Evaluates the definition in the table's header in exact arithmetic."""
    dtype, given = got.dtype, float(got)
    most_of_dtype = float(limits(dtype.name).max)
    if dtype.name == "float8_e4m3fn" and not math.isnan(true):
        true = min(max(true, -most_of_dtype), most_of_dtype)
    if math.isnan(true) or math.isnan(given) or math.isinf(true):
        return given == true or (math.isnan(true) and math.isnan(given))
    bound, wide = bound_of(op, dtype.name), np.dtype("float64" if dtype.name == "float64" else "float32")
    most = Fraction(bound.spacings) * apart(true, dtype) + Fraction(bound.steps) * apart(largest, wide)
    if math.isinf(given):
        return given * true > 0 and abs(Fraction(true)) + most > Fraction(most_of_dtype)
    return abs(Fraction(given) - Fraction(true)) <= most


def pairs(got: Any, true: Any) -> Iterator[tuple[Any, Any]]:
    """Yields pairs of result and true result, array by array."""
    if isinstance(true, tuple):
        for one, other in zip(got, true, strict=True):
            yield from pairs(one, other)
    else:
        yield np.asarray(got), np.asarray(true)


def is_right(s: Sample, got: Any, true: Any) -> bool:
    largest = scale(s, true)
    for one, other in pairs(got, true):
        if "float" not in one.dtype.name:
            if not np.array_equal(one, other.astype(one.dtype)):
                return False
        elif not all(is_allowed(s.op, x, float(t), largest) for x, t in zip(one.flat, other.flat, strict=True)):
            return False
    return True


def passes(s: Sample, got: Any, true: Any) -> bool:
    try:
        compare(s, got, true)
    except AssertionError:
        return False
    return True


def each(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Applies the change to every array of a result; integers and shapes are changed as arrays."""

    def apply(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(apply, value))
        if isinstance(value, int | list):
            return change(np.asarray(value)).tolist()
        return np.asarray(change(value)).astype(value.dtype)

    return apply


def negated(x: Any) -> Any:
    return ~x if x.dtype == bool else x.dtype.type(0) - x


def doubled(x: Any) -> Any:
    return x.astype(np.float64) * 2 if "float" in x.dtype.name else x + x


MUTATIONS = {
    "zeros": each(np.zeros_like),
    "negated": each(negated),
    "doubled": each(doubled),
    "rolled": each(lambda x: np.roll(x.reshape(-1), 1).reshape(x.shape)),
}


def one_off(s: Sample, got: Any, true: Any, spacings: float) -> Any:
    """Moves the largest finite element that many spacings beyond the bound; None when there is none."""
    if not isinstance(got, np.ndarray) or "float" not in got.dtype.name:
        return None
    wide, exact = np.asarray(true, np.float64), got.astype(np.float64)
    usable = np.isfinite(wide) & np.isfinite(exact) & (np.abs(wide) < float(limits(got.dtype.name).max) / 16)
    if not usable.any():
        return None
    at = np.unravel_index(np.argmax(np.where(usable, np.abs(wide), -1)), wide.shape)
    off = allowed(s.op, got.dtype.name, wide[at], scale(s, true))
    off += spacings * spacing(max(abs(wide[at]), off), got.dtype.name)
    out = got.copy()
    out[at] = wide[at] - np.copysign(off, wide[at])  # towards 0, where spacings are not larger
    return out


def has_meaning(op: str, dtype: str) -> bool:
    """Returns whether NumPy defines the op for all inputs of the dtype. Many ops are not meant for integers."""
    return "float" in dtype and not op.startswith(("logical_", "inspect."))


def samples_of(op: str, dtype: str) -> Iterator[tuple[Sample, Any, Any]]:
    """Yields samples with the evaluator's and the true result; none when inference rejects the dtype."""
    for seed in range(MOST_SEEDS):
        try:
            s = sample(op, seed, dtype, every_kind=True)
        except sunmao.Error:
            continue
        got = evaluated(s)
        with np.errstate(all="ignore"):
            yield s, got, true_result(s) if has_meaning(op, dtype) else as_expected(got)


@pytest.mark.parametrize("op", sorted(MEANINGS))
def test_results_beyond_the_bound_fail(op: str, pytestconfig: pytest.Config) -> None:
    seeds = max(1, pytestconfig.getoption("samples") // 10)
    blind = set()
    for dtype in DTYPES:
        fails, count = False, 0
        for s, got, true in samples_of(op, dtype):
            count += 1
            with np.errstate(all="ignore"):
                wrong = {name: change(got) for name, change in MUTATIONS.items()}
                wrong["one off"] = one_off(s, got, true, 1)
            for name, result in wrong.items():
                if result is not None:
                    assert passes(s, result, true) == is_right(s, result, true), f"{name} of {s} in {dtype}"
            assert wrong["one off"] is None or not passes(s, wrong["one off"], true), f"{s} in {dtype}"
            fails = fails or not passes(s, wrong["zeros"], true)
            if fails and count >= seeds:
                break
        if count > 0 and not fails:
            blind.add(dtype)
    assert blind == set(ZEROS.get(op, ())), f"zeros pass for {op} in {sorted(blind)}"


def test_each_line_is_of_an_op() -> None:
    assert {op for op, _ in BOUNDS} - {"*"} <= set(MEANINGS)


def test_narrow_results_are_bound_to_a_spacing() -> None:
    table = read_bounds(TABLE.read_text())
    assert max(b.spacings for (_, dtypes), b in table.items() if dtypes == "narrow") == 1.0
