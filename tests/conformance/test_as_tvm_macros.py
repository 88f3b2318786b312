"""Macros and type variables that a script resolves in the surrounding Python code."""

import inspect
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


COUNT = 3


@T.inline
def put_count(buffer: Any) -> None:
    buffer[0] = COUNT


def test_a_symbol_of_the_caller_is_not_the_macros_name() -> None:
    @T.prim_func(private=True)
    def called(a: T.handle):
        COUNT = T.int32()
        A = T.match_buffer(a, (COUNT,), "int32")
        put_count(A)

    assert "A[0] = 3" in str(called)


def test_macros_have_no_result() -> None:
    @T.inline
    def returns(x: Any) -> Any:
        return x

    with pytest.raises(errors.Error, match="returns nothing"):

        @T.prim_func
        def main(n: T.int32):
            returns(n)


def test_macros_take_the_rest_of_their_arguments() -> None:
    @T.inline
    def assign(i: Any, *at: Any, to: Any, **named: Any) -> None:
        to[i, at[0], at[1]] = named["value"][i] + named["more"]

    @T.prim_func(private=True)
    def called(A: T.Buffer((2, 4, 8), "int32"), B: T.Buffer((2,), "int32")):
        for i, j, k in T.grid(2, 4, 8):
            assign(i, j, k, to=A, value=B, more=3)

    @T.prim_func(private=True)
    def written(A: T.Buffer((2, 4, 8), "int32"), B: T.Buffer((2,), "int32")):
        for i, j, k in T.grid(2, 4, 8):
            A[i, j, k] = B[i] + 3

    tvm.ir.assert_structural_equal(called, written)


def test_decorators_of_macros_take_keywords() -> None:
    with pytest.raises(ValueError, match="keywords only"):
        T.inline(True)


def test_functions_of_the_host_are_called_on_scalars_of_the_script() -> None:
    def place(i: Any, j: Any) -> Any:
        return T.meta_var((i * 2 + j, j // 2))

    @T.prim_func(private=True)
    def called(A: T.Buffer((16, 16), "int32")):
        for i, j in T.grid(4, 4):
            row, column = place(i, j)
            A[row, column] = 1

    @T.prim_func(private=True)
    def written(A: T.Buffer((16, 16), "int32")):
        for i, j in T.grid(4, 4):
            A[i * 2 + j, j // 2] = 1

    tvm.ir.assert_structural_equal(called, written)


def test_what_is_known_while_reading_is_folded() -> None:
    dims = (4, 8)

    @T.prim_func(private=True)
    def known(A: T.Buffer((4, 8), "int32")):
        assert len(dims) == 3, "no"
        A[0, 0] = 1 + len(A.shape)

    @T.prim_func(private=True)
    def written(A: T.Buffer((4, 8), "int32")):
        assert T.bool(False), "no"
        A[0, 0] = 3

    tvm.ir.assert_structural_equal(known, written)


def test_memory_that_a_function_does_not_define_stands_at_its_head() -> None:
    @T.prim_func(private=True, check_well_formed=False)
    def free() -> None:
        temp = T.Buffer((1,), "float32", strides=(1,), scope="local")
        temp[0] = T.float32(0)

    assert '    temp = T.Buffer((1,), strides=(1,), scope="local")\n' in free.script()
    again = tvm.script.from_source(free.script(), check_well_formed=False)
    tvm.ir.assert_structural_equal(free, again, map_free_vars=True)
    assert not tvm.ir.structural_equal(free, again)


def test_views_share_memory_in_another_shape() -> None:
    @T.prim_func(private=True)
    def viewed(A: T.Buffer((4, 8), "float32")):
        B = A.view(2, -1)
        B[0, 15] = T.float32(1)

    @T.prim_func(private=True)
    def declared(A: T.Buffer((4, 8), "float32")):
        B = T.decl_buffer((2, 16), data=A.data)
        B[0, 15] = T.float32(1)

    tvm.ir.assert_structural_equal(viewed, declared)
    with pytest.raises(errors.ScriptError, match="no dimension of a view"):
        tvm.script.from_source("@T.prim_func\ndef f(A: T.Buffer((4,), 'int8')):\n    B = A.view(-1, -1)\n")


class Library:
    put = fill
    both = {"twice": twice}


another = twice


@T.inline
def forward(*args: Any, **named: Any) -> None:
    fill(*args, **named)


@T.inline
def forward_again(buffer: Any, **named: Any) -> None:
    forward(*[buffer], **named, **{})


def test_macros_go_by_any_name() -> None:
    @T.prim_func(private=True)
    def called(A: T.Buffer((8,), "float32")):
        Library.put(A, T.float32(0))
        another(A)
        forward(A, T.float32(2))
        forward_again(A, value=T.float32(3))

    @T.prim_func(private=True)
    def written(A: T.Buffer((8,), "float32")):
        fill(A, T.float32(0))
        fill(A, T.float32(0))
        fill(A, T.float32(1))
        fill(A, T.float32(2))
        fill(A, T.float32(3))

    tvm.ir.assert_structural_equal(called, written)


ONE, TWO = R.const(1, "float32"), R.const(2, "float32")


@R.macro
def plus(x: Any, *rest: Any, by: Any = ONE) -> Any:
    return scaled(R.add(x, by), *rest)


@R.macro
def scaled(x: Any, by: Any = TWO) -> Any:
    return R.multiply(x, by)


def test_macros_of_graphs_forward_too() -> None:
    alias = plus

    @R.function(private=True)
    def called(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")):
        a = alias(x)
        b = plus(a, y, by=y)
        return b

    @R.function(private=True)
    def written(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")):
        more = R.add(x, R.const(1, "float32"))
        a = R.multiply(more, R.const(2, "float32"))
        still_more = R.add(a, y)
        b = R.multiply(still_more, y)
        return b

    tvm.ir.assert_structural_equal(called, written)


@T.inline
def misspelt(buffer: Any) -> None:
    buffer[0] = T.float32(0)
    buffer[1] = T.sqtr(buffer[0])


def test_errors_inside_a_macro_stand_where_it_is_written() -> None:
    with pytest.raises(errors.ScriptError) as caught:

        @T.prim_func(private=True)
        def main(A: T.Buffer((8,), "float32")):
            misspelt(A)

    assert caught.value.code == "E0107"
    lines, first = inspect.getsourcelines(misspelt._function)
    span = caught.value.span
    assert span is not None and (span["file"], span["line"]) == (__file__, first + len(lines) - 1)


@T.inline
def endless(buffer: Any) -> None:
    endless(buffer)


@R.macro
def endless_graph(x: Any) -> Any:
    return endless_graph(R.add(x, x))


def test_macros_end() -> None:
    with pytest.raises(errors.ScriptError, match="macros call each other more than 100 levels deep"):

        @T.prim_func(private=True)
        def loops(A: T.Buffer((8,), "float32")):
            endless(A)

    with pytest.raises(errors.ScriptError, match="macros call each other more than 100 levels deep"):

        @R.function(private=True)
        def graph(x: R.Tensor((4,), "float32")):
            y = endless_graph(x)
            return y


def test_a_macro_that_is_not_hygienic_sees_the_names_around_its_call() -> None:
    step = 5

    @T.inline(hygienic=False)
    def put(buffer: Any) -> None:
        buffer[0] = step

    def called() -> Any:
        step = 7

        @T.prim_func(private=True)
        def inner(A: T.Buffer((8,), "int32")):
            for _ in range(step):
                put(A)

        return inner

    assert "A[0] = 7" in str(called())


def test_what_a_macro_assigns_twice_is_a_cell() -> None:
    @T.inline
    def count(buffer: Any) -> None:
        x = buffer[0]
        x = x + 1
        buffer[0] = x

    @T.prim_func(private=True)
    def main(A: T.Buffer((8,), "int32")):
        count(A)

    assert 'x = T.alloc_buffer((1,), "int32", scope="local")' in str(main) or "x: T.int32" in str(main)
    tvm.ir.assert_structural_equal(tvm.script.from_source(str(main)), main)
