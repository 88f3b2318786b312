"""Memory of large outputs serves later calls once it was given back, and never while somebody holds it."""

import gc

import numpy as np
import sunmao

TEXT = """
@R.function
def main(x: R.Tensor(("n", 256), "float32")):
    n = T.int64()
    a = R.add(x, x)
    b = R.negative(x)
    return (a, b)
"""
ROWS = 1000


def place(tensor: object) -> int:
    return int(np.from_dlpack(tensor).__array_interface__["data"][0])


def rows(count: int, value: float) -> np.ndarray:
    return np.full((count, 256), value, np.float32)


def test_what_was_given_back_is_used_again() -> None:
    model = sunmao.compile(sunmao.parse_module(TEXT))
    outputs = model(rows(ROWS, 1))
    places = {place(t) for t in outputs}
    del outputs
    gc.collect()
    outputs = model(rows(ROWS, 2))
    assert {place(t) for t in outputs} == places
    del outputs
    gc.collect()
    fewer = model(rows(ROWS - 100, 3))
    assert {place(t) for t in fewer} == places
    np.testing.assert_array_equal(np.from_dlpack(fewer[0]), rows(ROWS - 100, 6))


def test_what_is_held_stays_as_it_is() -> None:
    model = sunmao.compile(sunmao.parse_module(TEXT))
    held = [np.from_dlpack(model(rows(ROWS, float(i)))[0]) for i in range(5)]
    for i, array in enumerate(held):
        np.testing.assert_array_equal(array, rows(ROWS, 2.0 * i))
    assert len({array.__array_interface__["data"][0] for array in held}) == 5
    del model
    gc.collect()
    for i, array in enumerate(held):
        np.testing.assert_array_equal(array, rows(ROWS, 2.0 * i))
