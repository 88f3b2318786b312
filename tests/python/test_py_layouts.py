"""Requested layouts, by op and by call."""

import numpy as np
import pytest
import sunmao.compat as tvm
from sunmao.compat import relax
from sunmao.compat.relax.transform import ConvertLayout
from sunmao.compat.script import ir as I
from sunmao.compat.script import relax as R
from sunmao.compat.script import tirx as T
from sunmao.errors import PassError


@I.ir_module
class Two:
    @R.function
    def main(x: R.Tensor((1, 4, 6, 6), "float32"), w: R.Tensor((4, 4, 3, 3), "float32")):
        with R.dataflow():
            a = R.nn.conv2d(x, w)
            b = R.nn.conv2d(a, w)
            R.output(b)
        return b


def test_layouts_by_op() -> None:
    @I.ir_module
    class Expected:
        @R.function
        def main(x: R.Tensor((1, 4, 6, 6), "float32"), w: R.Tensor((4, 4, 3, 3), "float32")):
            with R.dataflow():
                x1 = R.permute_dims(x, [0, 2, 3, 1])
                w1 = R.permute_dims(w, [0, 2, 3, 1])
                a = R.nn.conv2d(x1, w1, data_layout="NHWC", kernel_layout="OHWI")
                w2 = R.permute_dims(w, [0, 2, 3, 1])
                b1 = R.nn.conv2d(a, w2, data_layout="NHWC", kernel_layout="OHWI")
                b = R.permute_dims(b1, [0, 3, 1, 2])
                R.output(b)
            return b

    for name in ("relax.nn.conv2d", "nn.conv2d"):
        tvm.ir.assert_structural_equal(ConvertLayout({name: ["NHWC", "OHWI"]})(Two), Expected)


def test_layouts_by_call() -> None:
    @I.ir_module
    class Expected:
        @R.function
        def main(x: R.Tensor((1, 4, 6, 6), "float32"), w: R.Tensor((4, 4, 3, 3), "float32")):
            with R.dataflow():
                a = R.nn.conv2d(x, w)
                a1 = R.layout_transform(
                    a, index_map=T.index_map(lambda n, c, h, w: (n, c // 2, h, w, c % 2), index_dtype="int32")
                )
                b1 = R.nn.conv2d(a1, w, data_layout="NCHW2c", out_layout="NCHW2c")
                b = R.layout_transform(
                    b1, index_map=T.index_map(lambda n, c, h, w, k: (n, c * 2 + k, h, w), index_dtype="int32")
                )
                R.output(b)
            return b

    def wanted(call: relax.Call) -> dict[str, list[str]]:
        is_second = call.args[0].name == "a"
        return {"relax.nn.conv2d": ["NCHW2c", "OIHW"]} if is_second else {}

    tvm.ir.assert_structural_equal(ConvertLayout({}, wanted)(Two), Expected)
    assert ConvertLayout({}, lambda call: {})(Two) is Two


def test_errors_of_a_callback_reach_its_caller() -> None:
    def refuse(call: relax.Call) -> dict[str, list[str]]:
        raise LookupError("nothing known")

    with pytest.raises(LookupError, match="nothing known"):
        ConvertLayout({}, refuse)(Two)
    with pytest.raises(PassError, match="E0514"):
        ConvertLayout({}, lambda call: {"relax.nn.conv2d": ["NHWC", "OHW"]})(Two)


def test_compiled_programs_give_the_same_in_any_layout() -> None:
    rng = np.random.default_rng(0)
    x, w = (rng.integers(-3, 4, shape).astype("float32") for shape in ((1, 4, 6, 6), (4, 4, 3, 3)))

    def run(module: tvm.IRModule) -> np.ndarray:
        machine = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())
        return machine["main"](tvm.runtime.tensor(x), tvm.runtime.tensor(w)).numpy()

    expected = run(Two)
    for layouts in (["NHWC", "OHWI"], ["NCHW2c", "OIHW4o"], ["NHWC4c", "OHWI2i2o", "NHWC2c"]):
        np.testing.assert_array_equal(run(ConvertLayout({"relax.nn.conv2d": layouts})(Two)), expected)
