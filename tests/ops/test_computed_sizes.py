"""Sizes that data decides: what the evaluator gives."""

import numpy as np
import pytest
import sunmao
from one_function import module_of

X = np.arange(20, dtype="float32").reshape(4, 5)
MOST, LEAST = 2**63 - 1, -(2**63)
BOUNDS = [f'{name}: R.Tensor((2,), "int64")' for name in ("begin", "end", "strides")]
SLICE = module_of(['x: R.Tensor((4, 5), "float32")', *BOUNDS], ["y = R.dynamic_strided_slice(x, begin, end, strides)"])
RESHAPE = module_of(
    ['x: R.Tensor((4, 5), "float32")', 't: R.Tensor((2,), "int64")'], ["y = R.reshape(x, R.tensor_to_shape(t))"]
)


@pytest.mark.parametrize(
    ("begin", "end", "strides"),
    [
        ([0, 1], [4, 3], [1, 1]),
        ([-3, 1], [100, -1], [2, 1]),
        ([3, 4], [-100, -100], [-1, -2]),
        ([2, 5], [1, 9], [1, 3]),
        ([0, 0], [MOST, MOST], [MOST, 1]),
        ([3, 3], [LEAST, LEAST], [LEAST, -1]),
    ],
)
def test_a_slice_is_clipped(begin: list[int], end: list[int], strides: list[int]) -> None:
    places = tuple(slice(b, e, s) for b, e, s in zip(begin, end, strides, strict=True))
    given = [np.array(values, "int64") for values in (begin, end, strides)]
    np.testing.assert_array_equal(sunmao.evaluate(SLICE, X, *given), X[places])


def test_a_stride_of_zero_is_refused() -> None:
    with pytest.raises(sunmao.Error, match="the stride of dynamic_strided_slice") as caught:
        sunmao.evaluate(SLICE, X, np.array([0, 0]), np.array([4, 5]), np.array([1, 0]))
    assert caught.value.code == "E0919"


def test_a_tensor_says_the_shape() -> None:
    np.testing.assert_array_equal(sunmao.evaluate(RESHAPE, X, np.array([10, 2])), X.reshape(10, 2))
