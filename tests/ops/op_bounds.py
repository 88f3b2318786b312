"""Error bounds of op results, read from tests/ops/bounds.tsv, whose header defines its columns."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from op_dtypes import is_extended

TABLE = Path(__file__).parent.parent / "ops" / "bounds.tsv"
CLASSES = ("narrow", "float32", "float64")


@dataclass(frozen=True)
class Bound:
    """A bound: spacings of the result's dtype at the true value, plus steps of the accumulator dtype at the scale."""

    spacings: float
    steps: float


def read_bounds(text: str) -> dict[tuple[str, str], Bound]:
    out: dict[tuple[str, str], Bound] = {}
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        ops, dtypes, spacings, steps, reason = line.split(None, 4)
        assert dtypes in (*CLASSES, "all") and reason, line
        for op in ops.split(","):
            for each in CLASSES if dtypes == "all" else [dtypes]:
                usual = out["*", each].spacings if spacings == "-" else float(spacings)
                assert (op, each) not in out, f"{op} of {each} has two bounds"
                out[op, each] = Bound(usual, float(steps))
    return out


BOUNDS = read_bounds(TABLE.read_text())


def class_of(dtype: str) -> str:
    return dtype if dtype in ("float32", "float64") else "narrow"


def bound_of(op: str, dtype: str) -> Bound:
    return BOUNDS.get((op, class_of(dtype)), BOUNDS["*", class_of(dtype)])


def limits(dtype: str) -> Any:
    return ml_dtypes.finfo(dtype) if is_extended(dtype) else np.finfo(dtype)


def spacing(value: Any, dtype: str) -> Any:
    """Returns the distance from the number at or below a magnitude to the next one; infinite magnitudes count as 1."""
    info = limits(dtype)
    magnitude = np.where(np.isfinite(value), np.abs(value), 1)
    exponent = np.frexp(np.maximum(magnitude, float(info.smallest_normal)))[1] - 1
    return np.ldexp(1.0, exponent - info.nmant)


def scale_of(arrays: list[Any]) -> float:
    """Returns the largest finite magnitude in the float arrays; 0 when there is none."""
    wide = [np.abs(a.astype(np.float64)) for a in arrays if "float" in a.dtype.name]
    return max((float(np.max(a, where=np.isfinite(a), initial=0)) for a in wide), default=0.0)


def allowed(op: str, dtype: str, true: Any, scale: float) -> Any:
    """Returns how far each element of a result may be from the true value."""
    bound = bound_of(op, dtype)
    of_sums = bound.steps * spacing(np.float64(scale), "float64" if dtype == "float64" else "float32")
    return bound.spacings * spacing(true, dtype) + (of_sums if bound.steps else 0)


def are_close(op: str, got: Any, true: Any, scale: float) -> Any:
    """Returns for each element whether the result is within the bound of the true value, which is float64."""
    dtype = got.dtype.name
    largest = float(limits(dtype).max)
    # float8_e4m3fn has no infinity, as in PyTorch, so overflow saturates.
    nearest = np.clip(true, -largest, largest) if dtype == "float8_e4m3fn" else true
    given, most = got.astype(np.float64), allowed(op, dtype, nearest, scale)
    with np.errstate(all="ignore"):
        is_near = np.abs(given - nearest) <= most
        overflows = np.isinf(given) & (np.sign(given) == np.sign(nearest)) & (np.abs(nearest) + most > largest)
    return (given == nearest) | (np.isnan(given) & np.isnan(nearest)) | is_near | overflows


def check_close(op: str, got: Any, true: Any, scale: float) -> None:
    """Checks a float result, in its own dtype, against true values in float64."""
    wrong = np.argwhere(~are_close(op, got, true, scale))
    if len(wrong) == 0:
        return
    at, dtype = tuple(wrong[0]), got.dtype.name
    off = abs(float(got[at]) - true[at]) / spacing(true[at], dtype)
    raise AssertionError(
        f"{len(wrong)} of {got.size} elements of {dtype} are too far off; at {list(map(int, at))} is {got[at]}, not"
        f" {true[at]}: {off:.4g} spacings, where {allowed(op, dtype, true[at], scale) / spacing(true[at], dtype):.4g}"
        f" are allowed"
    )
