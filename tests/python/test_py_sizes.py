"""Impossible tensor sizes and memory requests give errors with a code everywhere."""

from collections.abc import Callable

import numpy as np
import pytest
import sunmao
from sunmao.compat import relax
from sunmao.compat.script import relax as R

HUGE = 2**62
NO_SHAPES = {
    "size": [HUGE],
    "product": [2**40, 2**40],
    "bytes": [2**61],
    "empty": [2**40, 2**40, 0],
    "rank": [1] * 1000,
    "negative": [-3],
    "lowest": [-(2**63)],
}
PLACES: dict[str, Callable[[list[int]], object]] = {
    "R.Tensor": lambda shape: R.Tensor(shape, "float32"),
    "TensorStructInfo": lambda shape: relax.TensorStructInfo(shape, "float32"),
    "R.zeros": lambda shape: relax.BlockBuilder().normalize(relax.op.zeros(shape, "float32")),
    "text": lambda shape: sunmao.parse_module(
        f"@R.function\ndef main(x: R.Tensor(({str(shape)[1:-1]},), 'float32')):\n    return x\n"
    ),
    "buffer": lambda shape: sunmao.parse_module(
        f"@T.prim_func\ndef main(x: T.Buffer(({str(shape)[1:-1]},), 'float32')):\n    T.evaluate(0)\n"
    ),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("shape", NO_SHAPES)
def test_no_tensor_has_such_a_shape(place: str, shape: str) -> None:
    with pytest.raises(sunmao.Error, match="E0317|E0203"):
        PLACES[place](NO_SHAPES[shape])


def test_a_shape_as_a_value_has_as_many_numbers_as_a_tensor_has_dimensions() -> None:
    with pytest.raises(sunmao.Error, match="E0317.*65 dimensions"):
        relax.ShapeExpr([1] * 65)
    assert len(relax.ShapeExpr([-2] * 64).values) == 64  # such as scalars of a loop-level function


def test_a_dimension_is_a_signed_number() -> None:
    text = f"@R.function\ndef main(x: R.Tensor(({2**63},), 'float32')):\n    return x\n"
    with pytest.raises(sunmao.Error, match="E0317"):
        sunmao.parse_module(text)


SYMBOLIC = """
@R.function
def main(x: R.Tensor(("batch", 4), "float32")) -> R.Tensor(("batch", 4), "float32"):
    return R.add(x, x)
"""


@pytest.mark.parametrize("batch", [-5, HUGE, 2**61])
def test_a_bound_symbol_makes_a_shape_that_can_be(batch: int) -> None:
    module = sunmao.parse_module(SYMBOLIC)
    with pytest.raises(sunmao.Error, match="E0317"):
        sunmao.run_pass(module, "bind-symbolic-vars", binding_map={"batch": batch})
    with pytest.raises(sunmao.Error, match="E0317"):
        module.find("main").bind_symbolic_vars({"batch": batch})


SIZED = """
@R.function
def main(s: R.Shape(["n", "k"])):
    n = T.int64()
    k = T.int64()
    y = R.zeros((n, k), "float32")
    return y
"""


@pytest.mark.parametrize("sizes", [(HUGE, 4), (2**40, 2**40), (2**61, 1), (HUGE, 0), (-1, 4)])
def test_the_evaluator_makes_no_such_tensor(sizes: tuple[int, int]) -> None:
    with pytest.raises(sunmao.Error, match="E0911"):
        sunmao.evaluate(sunmao.parse_module(SIZED), sizes)


def test_the_evaluator_has_no_more_memory_than_the_machine() -> None:
    with pytest.raises(sunmao.Error, match="E0910.*2199023255552 bytes"):
        sunmao.evaluate(sunmao.parse_module(SIZED), (2**36, 8))


def test_a_size_that_overflows_says_so() -> None:
    text = f"""
@R.function
def main(s: R.Shape(["n"])):
    n = T.int64()
    y = R.zeros((n * {2**61},), "float32")
    return y
"""
    with pytest.raises(sunmao.Error, match="cannot be computed in 64 bits"):
        sunmao.evaluate(sunmao.parse_module(text), (8,))


VIEW = """
@I.ir_module
class M:
    @T.prim_func
    def k(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32")):
        wide = T.decl_buffer((SIZE,), "float32", data=b.data, elem_offset=OFFSET)
        for i in range(4):
            b[i] = a[i]
        wide[0] = T.float32(1)

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        return R.call_tir(M.k, (x,), R.Tensor((4,), "float32"))
"""


@pytest.mark.parametrize(("size", "offset"), [(1000000, 0), (1, 4), (1, 1000000), (4, 1), (1, -1)])
def test_no_view_leaves_its_buffer(size: int, offset: int) -> None:
    text = VIEW.replace("SIZE", str(size)).replace("OFFSET", str(offset))
    with pytest.raises(sunmao.Error, match="E0506.*views what lies outside"):
        sunmao.evaluate(sunmao.parse_module(text), np.zeros(4, "float32"))


def test_a_view_within_its_buffer_writes_there() -> None:
    text = VIEW.replace("SIZE", "2").replace("OFFSET", "2")
    out = sunmao.evaluate(sunmao.parse_module(text), np.zeros(4, "float32"))
    np.testing.assert_array_equal(np.asarray(out), [0, 0, 1, 0])


def test_an_offset_is_no_multiple_of_less_than_nothing() -> None:
    text = "@T.prim_func\ndef main(a: T.handle):\n    A = T.match_buffer(a, (4,), offset_factor=-1)\n    A[0] = 1.0\n"
    with pytest.raises(sunmao.Error, match="E0116.*factor -1 cannot be"):
        sunmao.parse_module(text)
