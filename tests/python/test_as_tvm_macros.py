"""Macros and type variables that a script takes from the Python around it."""

from typing import Any, TypeVar

import pytest
from sunmao import compat as tvm
from sunmao import errors
from sunmao.compat.script import ir as I
from sunmao.compat.script import relax as R
from sunmao.compat.script import tirx as T

STEP = 2
M = TypeVar("M")


@T.inline
def fill(buffer: Any, value: Any) -> None:
    for i in range(STEP):
        buffer[i] = value


@T.macro()
def twice(buffer: Any) -> None:
    fill(buffer, T.float32(0))
    fill(buffer, value=T.float32(1))


def test_macros_stand_where_they_are_called() -> None:
    @T.prim_func(private=True)
    def called(A: T.Buffer((8,), "float32")):
        twice(A)

    @T.prim_func(private=True)
    def written(A: T.Buffer((8,), "float32")):
        for i in range(2):
            A[i] = T.float32(0)
        for i in range(2):
            A[i] = T.float32(1)

    tvm.ir.assert_structural_equal(called, written)


@pytest.mark.parametrize("adds", [True, False])
def test_conditions_of_the_host_choose(adds: bool) -> None:
    @T.prim_func(private=True)
    def chosen(A: T.Buffer((8,), "float32")):
        if adds:
            A[0] = A[0] + T.float32(1)
        else:
            A[0] = T.float32(0)

    assert ("A[0] + " in str(chosen)) == adds


def test_type_variables_are_dimensions() -> None:
    @I.ir_module
    class Module:
        @R.function
        def main(x: R.Tensor((M, 4), "float32")) -> R.Tensor((M, 4), "float32"):
            return x

    assert '"M"' in Module.script()


def test_macros_have_no_result() -> None:
    @T.inline
    def returns(x: Any) -> Any:
        return x

    with pytest.raises(errors.Error, match="returns nothing"):

        @T.prim_func
        def main(n: T.int32):
            returns(n)
