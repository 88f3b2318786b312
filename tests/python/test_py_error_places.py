"""Errors in a script have a place, including those from types and ops."""

import pytest
import sunmao


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("y = R.reshape(x, R.ShapeExpr([4611686018427387904, 2]))", "E0317"),
        ("y = R.zeros((-3,), 'float32')", "E0"),
        ("y = R.add(x, R.Tuple(x))", "E0"),
    ],
)
def test_an_error_names_its_line(line: str, code: str) -> None:
    text = f'@R.function\ndef main(x: R.Tensor((2, 3), "float32")):\n    z = R.add(x, x)\n    {line}\n    return y\n'
    with pytest.raises(sunmao.Error) as caught:
        sunmao.parse_module(text)
    assert caught.value.code.startswith(code)
    assert caught.value.span is not None
    assert caught.value.span["line"] == 4


def test_no_axis_reads_another_one_of_its_block() -> None:
    text = """
@T.prim_func
def main(A: T.Buffer((4, 4), "float32")):
    for i, j in T.grid(4, 4):
        with T.sblock("b"):
            vi = T.axis.spatial(4, i)
            vj = T.axis.spatial(4, vi)
            A[vi, vj] = 0.0
"""
    with pytest.raises(sunmao.Error, match="E0116.*`vj` is bound to what reads axis `vi`"):
        sunmao.parse_module(text)
