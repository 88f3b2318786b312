"""Options of a PassContext that are read, and their effects."""

import numpy as np
import pytest
import sunmao.compat as tvm
from sunmao.compat import relax
from sunmao.compat.script import ir as I
from sunmao.compat.script import relax as R
from sunmao.compat.script import tirx as T


def test_options_of_passes_are_those_that_passes_read() -> None:
    context = tvm.transform.PassContext(config={"relax.lift_transform_params.consume_params": True})
    assert context.config == {"relax.lift_transform_params.consume_params": True}
    for name in ("nothing", "unheard.of", ".", "relax.lift_transform_params.consume", "tirx.disable_vectorize"):
        with pytest.raises(AttributeError, match="E0030"):
            tvm.transform.PassContext(config={name: True})


@I.ir_module
class Loops:
    @T.prim_func
    def kernel(A: T.Buffer((4, 64), "float32"), B: T.Buffer((4, 64), "float32")):
        for i in T.serial(4):
            B[i, 0] = A[i, 0]
            for j in T.serial(63):
                B[i, j + 1] = B[i, j] * T.float32(0.5) + A[i, j + 1]

    @T.prim_func
    def marked(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        B[0] = A[0]
        for j in T.unroll(63):
            B[j + 1] = B[j] * T.float32(0.5) + A[j + 1]

    @R.function
    def main(x: R.Tensor((4, 64), "float32"), y: R.Tensor((64,), "float32")):
        a = R.call_tir(Loops.kernel, (x,), R.Tensor((4, 64), "float32"))
        b = R.call_tir(Loops.marked, (y,), R.Tensor((64,), "float32"))
        return (a, b)


@pytest.mark.parametrize(
    "fields, is_larger",
    [
        ({"auto_max_step": 63}, True),
        ({"auto_max_extent": 63}, True),
        ({"auto_max_step": 62}, None),
        ({"auto_max_step": 63, "auto_max_depth": 0}, None),
        ({"explicit_unroll": False}, False),
        ({"unroll_local_access": False}, None),
    ],
)
def test_a_build_unrolls_what_its_context_says(fields: dict[str, int], is_larger: bool | None) -> None:
    plain = relax.build(Loops)
    with tvm.transform.PassContext(config={"tirx.UnrollLoop": fields}):
        other = relax.build(Loops)
    larger, smaller = other.compiled.size > plain.compiled.size, other.compiled.size < plain.compiled.size
    assert (larger, smaller) == (is_larger is True, is_larger is False)
    x, y = (np.random.default_rng(0).random(shape, dtype="float32") for shape in ((4, 64), (64,)))
    given, expected = (relax.VirtualMachine(e, tvm.cpu())["main"](x, y) for e in (other, plain))
    for a, b in zip(given, expected, strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())


def test_records_of_options_have_defaults_and_refuse_what_they_cannot_take() -> None:
    context = tvm.transform.PassContext(config={"tirx.UnrollLoop": {"auto_max_step": 10}})
    assert context.config["tirx.UnrollLoop"] == {
        "auto_max_step": 10, "auto_max_depth": 8, "auto_max_extent": 0, "explicit_unroll": True,
        "unroll_local_access": False,
    }  # fmt: skip
    assert "tirx.UnrollLoop" in tvm.transform.PassContext.list_configs()
    for fields, code in (
        ({"steps": 10}, "E0032"),
        ({"unroll_local_access": True}, "E0032"),
        ({"auto_max_step": -1}, "E0034"),
        ({"auto_max_step": 2**40}, "E0034"),
        ({"auto_max_extent": "4"}, "E0034"),
        ({"explicit_unroll": 2}, "E0034"),
    ):
        with pytest.raises(ValueError, match=code):
            tvm.transform.PassContext(config={"tirx.UnrollLoop": fields})
