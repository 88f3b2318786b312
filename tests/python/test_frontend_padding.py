"""relax.frontend.padding: padding that keeps sizes, against the definition of ONNX."""

from typing import Any

import numpy as np
import pytest
import sunmao
from sunmao.compat import relax, tirx
from sunmao.compat.relax.frontend.padding import autopad

X = np.random.default_rng(0).standard_normal((1, 2, 7, 6)).astype("float32")


def padded(shape: tuple[Any, ...] = X.shape, **options: Any) -> np.ndarray[Any, Any]:
    bb, x = relax.BlockBuilder(), relax.Var("x", relax.TensorType(shape, "float32"))
    with bb.function("main", [x]):
        bb.emit_func_output(autopad(bb, x, **options))
    return np.asarray(sunmao.evaluate(bb.get(), X))


@pytest.mark.parametrize("kind", ["constant", "edge", "reflect"])
@pytest.mark.parametrize("upper", [True, False])
def test_one_result_for_each_stride(kind: str, upper: bool) -> None:
    got = padded(strides=[2, 3], kernel_shape=[4, 3], dilations=(1, 2), pad_type=kind,
                 mode="SAME_UPPER" if upper else "SAME_LOWER")  # fmt: skip
    widths = [(1, 2), (1, 1)] if upper else [(2, 1), (1, 1)]  # (ceil(7 / 2) - 1) * 2 + 4 - 7, (2 - 1) * 3 + 5 - 6
    np.testing.assert_array_equal(got, np.pad(X, [(0, 0), (0, 0), *widths], kind))


def test_transposed_convolutions() -> None:
    got = padded(strides=[1, 1], kernel_shape=[3, 4], deconv=True, pad_value=1.5)
    assert got.shape == (1, 2, 7, 6)  # a kernel of 3 or 4 needs 2 or 3 elements, which it adds itself


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pad_type": "symmetric"}, r"E0034\]: autopad: `pad_type` is 'symmetric'"),
        ({"shape": (1, 2, tirx.Var("n", "int64"), 6)}, "E0034"),
    ],
)
def test_what_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(sunmao.Error, match=message):
        padded(strides=[1, 1], kernel_shape=[3, 3], **options)
