"""Integers of loop-level scripts that exceed 32 bits are 64 bits wide, or errors when a type is given."""

import numpy as np
import pytest
import sunmao

LARGE = 3000000000


def text_of(body: str, params: str = 'a: T.Buffer((1,), "int64")') -> str:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return f"@T.prim_func\ndef main({params}):\n{lines}\n"


def printed(body: str, params: str = 'a: T.Buffer((1,), "int64")') -> str:
    module = sunmao.parse_module(text_of(body, params))
    assert sunmao.structural_equal(sunmao.parse_module(module.script()), module)
    return str(module.script())


def test_a_loop_counts_further_than_32_bits() -> None:
    module = sunmao.parse_module(
        f"""
@I.ir_module
class M:
    @T.prim_func
    def k(b: T.Buffer((1,), "int64")):
        for i in range({LARGE}, {LARGE} + 2):
            b[0] = T.int64(i)

    @R.function
    def main():
        return R.call_tir(M.k, (), R.Tensor((1,), "int64"))
"""
    )
    assert np.asarray(sunmao.evaluate(module))[0] == LARGE + 1
    assert np.asarray(sunmao.compile(module)())[0] == LARGE + 1


@pytest.mark.parametrize(
    "body",
    [
        f"for i in range({LARGE}):\n    a[0] = T.int64(i)",
        f"for i, j in T.grid(2, {LARGE}):\n    a[0] = T.int64(j)",
        f"for i in T.serial(0, {LARGE}):\n    a[0] = T.int64(i)",
        f"a[0] = {LARGE}",
        f"a[0] = T.int64({LARGE})",
    ],
)
def test_a_large_number_has_64_bits(body: str) -> None:
    assert f"T.int64({LARGE})" in printed(body)


def test_what_meets_a_large_number_is_widened() -> None:
    assert f'T.Cast("int64", i) + {LARGE}' in printed(f"for i in range(4):\n    a[0] = T.int64(i + {LARGE})")
    assert f'T.Cast("int64", i) < {LARGE}' in printed(f"for i in range(4):\n    if i < {LARGE}:\n        a[0] = 1")


def test_a_large_dimension_has_64_bits() -> None:
    params = f'a: T.Buffer(({LARGE},), "int8"), b: T.Buffer((1,), "int8")'
    assert f"T.int64({LARGE})" in printed(f"b[0] = a[{LARGE} - 1]", params)


@pytest.mark.parametrize(
    ("body", "number", "dtype"),
    [
        (f"a[0] = T.int64(T.int32({LARGE}))", LARGE, "int32"),
        ("a[0] = T.int64(T.int8(-129))", -129, "int8"),
        ("a[0] = T.int64(T.uint8(256))", 256, "uint8"),
        ('a[0] = T.int64(T.IntImm("int16", 40000))', 40000, "int16"),
        (f"a[0] = T.int64({2**63})", 2**63, "int64"),
        ("for i in range(T.int32(-2000000000), T.int32(2000000000)):\n    a[0] = 1", 4000000000, "int32"),
        (
            f'for i in range(4):\n    with T.sblock("b"):\n        v = T.axis.spatial({LARGE}, i)\n        a[0] = 1',
            LARGE,
            "int32",
        ),
        (f"n: T.int32 = {LARGE}\na[0] = T.int64(n)", LARGE, "int32"),
        (f'b = T.alloc_buffer((1,), "int32")\nb[0] = {LARGE}', LARGE, "int32"),
    ],
)
def test_a_number_that_does_not_fit_its_type_is_an_error(body: str, number: int, dtype: str) -> None:
    with pytest.raises(sunmao.Error, match=f"E0110.*{number} does not fit into {dtype}"):
        printed(body)


def test_numbers_at_the_ends_of_their_types_fit() -> None:
    for text in (
        "T.int8(-128)",
        "T.uint8(255)",
        "T.int32(-2147483648)",
        f"T.int64({2**63 - 1})",
        f"T.uint64({2**64 - 1})",
    ):
        printed(f"a[0] = T.int64({text})")


def test_an_immediate_from_python_fits_its_type() -> None:
    from sunmao.compat import tirx

    with pytest.raises(sunmao.Error, match="3000000000 does not fit into int32"):
        tirx.IntImm("int32", LARGE)
    assert int(tirx.IntImm("int64", LARGE).value) == LARGE


def test_a_slice_up_to_a_large_number_has_64_bits() -> None:
    params = f'a: T.Buffer(({LARGE},), "int64"), b: T.Buffer((4,), "int64")'
    assert f"a[T.int64({2**31 - 2}):T.int64({2**31 + 2})]" in printed(f"b[0:4] = a[{2**31 - 2}:{2**31 + 2}]", params)


def test_a_vector_beyond_its_type_is_no_slice() -> None:
    params = f'a: T.Buffer(({LARGE},), "int64"), b: T.Buffer((4,), "int64")'
    assert f"a[T.Ramp({2**31 - 2}, 1, 4)]" in printed(f"b[0:4] = a[T.Ramp({2**31 - 2}, 1, 4)]", params)


def test_memory_that_nothing_names_makes_no_other_cell() -> None:
    body = """x = T.alloc_local((1,), "int64")
a[0] = T.int64(0)
x = T.alloc_local((1,), "int64")
T.evaluate(T.call_extern("int32", "f", x.data))"""
    module = sunmao.parse_module(text_of(body))
    assert sunmao.parse_module(module.script()).script() == module.script()
