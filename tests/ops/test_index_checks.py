"""Tensor elements used as indices and lengths: both engines reject those out of range."""

import numpy as np
import pytest
import sunmao
from one_function import module_of

F = 'R.Tensor({}, "float32")'
I64 = 'R.Tensor({}, "int64")'


def floats(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).standard_normal(shape).astype("float32")


def ints(*numbers: object) -> np.ndarray:
    return np.array(numbers, "int64")


WIDE = np.tile(np.arange(-3, 3), (4, 50))
# Each case: the call, the shapes of x, i and w, the values of x and w, valid indices, invalid indices, and the number
# that the error message names.
CASES = [
    ("R.take(x, i, axis=0)", ((5, 7), (4,)), (floats(5, 7),), ints(0, 4, -5, -1), ints(0, 5, 1, 1), 5),
    ("R.take(x, i, axis=1)", ((5, 7), (40,)), (floats(5, 7),), ints(*[6] * 40), ints(*[6] * 33, -8, *[6] * 6), -8),
    ("R.nn.relu(R.take(x, i, axis=0))", ((5, 70), (2,)), (floats(5, 70),), ints(1, 2), ints(1, 1 << 40), 1 << 40),
    ("R.gather_elements(x, i, axis=0)", ((3, 300), (4, 300)), (floats(3, 300),), WIDE, WIDE + 3 * (WIDE == 2), 5),
    ("R.gather_nd(x, i)", ((3, 4), (2, 2)), (floats(3, 4),), ints([0, 3], [-3, -4]), ints([0, 3], [3, 0]), 3),
    ("R.index_tensor(x, (i,))", ((3, 4), (2,)), (floats(3, 4),), ints(2, -3), ints(2, -4), -4),
    ("R.nn.nll_loss(x, i)", ((3, 4), (3,)), (floats(3, 4),), ints(0, 3, -100), ints(0, 4, 1), 4),
    ("R.nn.nll_loss(x, i, w)", ((3, 4), (3,), (4,)), (floats(3, 4), floats(4)), ints(0, 3, -100), ints(0, -1, 1), -1),
    (
        "R.multinomial_from_uniform(x, w, i)",
        ((3, 4), (2, 1), (2, 1)),
        (np.full((3, 4), 0.25, "float32"), np.full((2, 1), 0.5, "float32")),
        ints([0], [2]),
        ints([0], [3]),
        3,
    ),
    (
        "R.nn.embedding_bag(x, i, R.const([0, 2], 'int64'))",
        ((3, 4), (4,)),
        (floats(3, 4),),
        ints(0, 1, 2, 2),
        ints(0, 1, 3, 2),
        3,
    ),
    (
        "R.nn.embedding_bag(x, R.const([0, 1, 2], 'int64'), i)",
        ((3, 4), (2,)),
        (floats(3, 4),),
        ints(0, 1),
        ints(-1, 1),
        -1,
    ),
    (
        "R.nn.embedding_bag(x, R.const([0, 1, 2], 'int64'), i)",
        ((3, 4), (2,)),
        (floats(3, 4),),
        ints(0, 3),
        ints(0, -(2**63)),
        -(2**63),
    ),
]


@pytest.mark.parametrize(("call", "shapes", "data", "good", "bad", "named"), CASES)
def test_indices(call: str, shapes: tuple, data: tuple, good: np.ndarray, bad: np.ndarray, named: int) -> None:
    types = [f"x: {F.format(shapes[0])}", f"i: {I64.format(shapes[1])}"]
    types += [f"w: {F.format(s)}" for s in shapes[2:]]
    module = module_of(types, [f"y = {call}"])
    model = sunmao.compile(module)
    for run in (model, lambda *args: sunmao.evaluate(module, *args)):
        with pytest.raises(sunmao.Error, match=f": {named} is out of range") as caught:
            run(data[0], bad, *data[1:])
        assert caught.value.code == "E0919"
    # After the error, the same model runs on valid indices.
    np.testing.assert_allclose(
        model(data[0], good, *data[1:]), sunmao.evaluate(module, data[0], good, *data[1:]), rtol=1e-5
    )


@pytest.mark.parametrize("mode", ["clip", "wrap"])
def test_nothing_can_be_taken_of_an_axis_without_elements(mode: str) -> None:
    params = ['x: R.Tensor(("n", 4), "float32")', f"i: {I64.format((2,))}"]
    module = module_of(params, [f'y = R.take(x, i, axis=0, mode="{mode}")'])
    model = sunmao.compile(module)
    for run in (model, lambda *args: sunmao.evaluate(module, *args)):
        assert np.shape(run(floats(2, 4), ints(7, -9))) == (2, 4)
        with pytest.raises(sunmao.Error, match="E0919"):
            run(floats(0, 4), ints(0, 1))


@pytest.mark.parametrize(("op", "gates"), [("rnn", 1), ("gru", 3), ("lstm", 4)])
def test_lengths_of_recurrent_layers(op: str, gates: int) -> None:
    states = ["h"] if op != "lstm" else ["h", "c"]
    params = [f"x: {F.format((3, 2, gates * 4))}", f"r: {F.format((gates * 4, 4))}"]
    params += [*(f"{s}: {F.format((2, 4))}" for s in states), 'n: R.Tensor((2,), "int32")']
    call = f"R.nn.{op}(x, r, {', '.join(states)}, lengths=n)"
    module = module_of(params, [f"y = {call}"])
    model = sunmao.compile(module)
    given = [floats(3, 2, gates * 4), floats(gates * 4, 4), *[floats(2, 4) for _ in states]]
    model(*given, np.array([3, 0], "int32"))
    for bad in (4, -1, 1 << 30):
        for run in (model, lambda *args: sunmao.evaluate(module, *args)):
            with pytest.raises(sunmao.Error, match=f"{bad} is out of range for a size of 4") as caught:
                run(*given, np.array([3, bad], "int32"))
            assert caught.value.code == "E0919"


@pytest.mark.parametrize("dtype", ["int64", "int8", "uint8"])
def test_divisors(dtype: str) -> None:
    types = [f'x: R.Tensor((70,), "{dtype}")', f'd: R.Tensor((70,), "{dtype}")']
    module = module_of(types, ["y = R.floor_divide(x, R.nonzero_divisor(d))"])
    model = sunmao.compile(module)
    x, good = np.arange(70).astype(dtype), np.full(70, 3, dtype)
    bad = good.copy()
    bad[69] = 0
    for run in (model, lambda *args: sunmao.evaluate(module, *args)):
        with pytest.raises(sunmao.Error, match="a divisor or a step cannot be 0") as caught:
            run(x, bad)
        assert caught.value.code == "E0919"
        np.testing.assert_array_equal(run(x, good), x // 3)
