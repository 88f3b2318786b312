"""Custom ops of models: functions of modules that stand for ops, read from ONNX nodes of a domain of their own."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx_bytes
import pytest
import sunmao
from onnx_bytes import node, value
from sunmao.compat import relax
from sunmao.compat.script import ir as I
from sunmao.compat.script import relax as R
from sunmao.compat.script import tirx as T

OPS = """
@I.ir_module
class Ops:
    @T.prim_func(private=True)
    def swish_kernel(x_handle: T.handle, beta: T.float32, y_handle: T.handle):
        n, m = T.int64(), T.int64()
        x = T.match_buffer(x_handle, (n, m), "float32")
        y = T.match_buffer(y_handle, (n, m), "float32")
        for i, j in T.grid(n, m):
            with T.sblock("swish"):
                vi, vj = T.axis.remap("SS", [i, j])
                y[vi, vj] = x[vi, vj] / (T.float32(1) + T.exp(-beta * x[vi, vj]))

    @R.function
    def swish(x: R.Tensor(("n", "m"), "float32"), beta: R.Prim("float32")) -> R.Tensor(("n", "m"), "float32"):
        R.func_attr({"sunmao.op": {"onnx": "my::Swish", "defaults": {"beta": 1.0}}})
        cls = Ops
        n, m = T.int64(), T.int64()
        with R.dataflow():
            y = R.call_tir(cls.swish_kernel, (x, beta), out_ty=R.Tensor((n, m), "float32"))
            R.output(y)
        return y

    @R.function
    def swish_of_a_vector(x: R.Tensor(("n",), "float32"), beta: R.Prim("float32")) -> R.Tensor(("n",), "float32"):
        R.func_attr({"sunmao.op": {"onnx": ["my::Swish", "my::Silu"], "defaults": {"beta": 1.0}}})
        n = T.int64()
        row = R.reshape(x, R.shape([1, n]))
        y = Ops.swish_of_row(row)
        return R.reshape(y, R.shape([n]))

    @R.function(private=True)
    def swish_of_row(x: R.Tensor((1, "n"), "float32")) -> R.Tensor((1, "n"), "float32"):
        return R.nn.silu(x)

    @R.function
    def split(x: R.Tensor(("n", "m"), "float32"), at: R.Prim(value="k")):
        R.func_attr({"sunmao.op": {"onnx": "my::Halves"}})
        n, m, k = T.int64(), T.int64(), T.int64()
        a = R.strided_slice(x, axes=[1], begin=[0], end=[k])
        b = R.strided_slice(x, axes=[1], begin=[k], end=[m])
        return (a, b)

    @R.function
    def spread(x: R.Tensor(("n", "m"), "float32"), to: R.Shape(["a", "b"])):
        R.func_attr({"sunmao.op": {"onnx": "my::Spread"}})
        a, b = T.int64(), T.int64()
        return R.broadcast_to(x, R.shape([a, b]))
"""


def swish(x: Any, beta: float = 1.0) -> Any:
    return x / (1 + np.exp(-beta * x))


@pytest.fixture(scope="module")
def ops(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ops") / "ops.py"
    path.write_text(OPS)
    return path


def onnx(tmp_path: Path, *nodes: bytes, dims: Any = ("n", 3), outputs: Any = ("y",)) -> Path:
    path = tmp_path / "model.onnx"
    path.write_bytes(onnx_bytes.model(nodes, [value("x", dims)], outputs))
    return path


def test_a_node_is_computed_by_a_kernel_for_its_attributes_and_sizes(ops: Path, tmp_path: Path) -> None:
    path = onnx(
        tmp_path,
        node("Swish", ["x"], ["h"], "my", beta=2.0),
        node("Relu", ["h"], ["r"]),
        node("Swish", ["r"], ["y"], "my"),
    )
    model = sunmao.compile(path, ops=[ops])
    assert model.host_functions == []
    for rows in (1, 5):
        x = np.linspace(-3, 3, 3 * rows, dtype="float32").reshape(rows, 3)
        np.testing.assert_allclose(model(x), swish(np.maximum(swish(x, 2), 0)), rtol=1e-6, atol=1e-7)
    model.save(tmp_path / "model.sunmao")
    np.testing.assert_array_equal(sunmao.load(tmp_path / "model.sunmao")(x), model(x))


def test_the_first_function_that_takes_a_node_does(ops: Path, tmp_path: Path) -> None:
    path = onnx(tmp_path, node("Silu", ["x"], ["h"], "my"), node("Swish", ["h"], ["y"], "my"), dims=("n",))
    x = np.linspace(-3, 3, 7, dtype="float32")
    np.testing.assert_allclose(sunmao.compile(path, ops=[ops])(x), swish(swish(x)), rtol=1e-5, atol=1e-6)


def test_attributes_are_sizes_and_results_may_be_several(ops: Path, tmp_path: Path) -> None:
    halves = node("Halves", ["x"], ["a", "b"], "my", at=1)
    path = onnx(tmp_path, halves, node("Spread", ["a"], ["c"], "my", to=[2, 3]), outputs=("b", "c"))
    x = np.arange(6, dtype="float32").reshape(2, 3)
    model = sunmao.compile(path, ops=[ops])
    assert [str(o) for o in model.outputs] == ['b: Tensor((n, 2), "float32")', 'c: Tensor((2, 3), "float32")']
    b, c = model(x)
    np.testing.assert_array_equal(b, x[:, 1:])
    np.testing.assert_array_equal(c, np.broadcast_to(x[:, :1], (2, 3)))


@T.prim_func(private=True)
def scaled_sum(a_handle: T.handle, b_handle: T.handle, by: T.float32, c_handle: T.handle):
    n = T.int64()
    a = T.match_buffer(a_handle, (n,), "float32")
    b = T.match_buffer(b_handle, (n,), "float32")
    c = T.match_buffer(c_handle, (n,), "float32")
    for i in range(n):
        with T.sblock("sum"):
            vi = T.axis.spatial(n, i)
            c[vi] = a[vi] + by * b[vi]


def test_a_kernel_alone_is_an_op(tmp_path: Path) -> None:
    op = sunmao.custom_op("scaled_sum", scaled_sum, onnx="my::ScaledSum", defaults={"by": 0.5})
    path = tmp_path / "model.onnx"
    path.write_bytes(
        onnx_bytes.model([node("ScaledSum", ["x", "z"], ["y"], "my")], [value("x", ["n"]), value("z", ["k"])], ["y"])
    )
    model = sunmao.compile(path, ops=[op])
    x = np.arange(4, dtype="float32")
    np.testing.assert_array_equal(model(x, 2 * x), 2 * x)
    with pytest.raises(sunmao.Error, match="E0905"):  # the sizes of both are `n` to the kernel
        model(x, x[:3])
    assert repr(op) == "<sunmao.CustomOp scaled_sum>"


def test_a_graph_level_function_is_an_op(tmp_path: Path) -> None:
    @R.function
    def shifted(x: R.Tensor("float32"), by: R.Tensor("float32", ndim=0)):
        return R.add(x, by)

    @I.ir_module
    class Held:
        @R.function
        def shifted(x: R.Tensor(("n", "m"), "float32"), by: R.Tensor((), "float32")):
            return R.add(x, by)

    x = np.ones((2, 3), "float32")
    for kernel in (shifted, Held):
        op = sunmao.custom_op("shifted", kernel, onnx=["my::Shifted", "my::Moved"])
        for name in ("Shifted", "Moved"):
            path = onnx(tmp_path, node(name, ["x"], ["y"], "my", by=2.5))
            np.testing.assert_array_equal(sunmao.compile(path, ops=[op])(x), x + 2.5)


def test_modules_of_ops_go_to_from_onnx(ops: Path) -> None:
    class Proto:
        """What from_onnx reads of an onnx.ModelProto."""

        data = onnx_bytes.model([node("Swish", ["x"], ["y"], "my")], [value("x", [2, 3])], ["y"])

        class graph:
            input: Any = ()

        def CopyFrom(self, other: Any) -> None: ...

        def SerializeToString(self) -> bytes:
            return self.data

    mod = relax.frontend.onnx.from_onnx(Proto(), ops=[sunmao.parse_module(OPS)])
    assert [v.name for v in mod.get_global_vars()] == ["main", "swish_kernel"]
    assert "R.call_tir(cls.swish_kernel, (x, T.float32(1.0)), out_ty=R.Tensor((2, 3)" in mod.script()


FAILURES = {
    "a node without a value": ("at", node("Halves", ["x"], ["y"], "my"), "no value for the parameter `at`"),
    "an attribute of another kind": ("", node("Swish", ["x"], ["y"], "my", beta="much"), "the value of `beta` is no"),
    "an attribute too many": (
        "",
        node("Swish", ["x"], ["y"], "my", gamma=1.0),
        "no parameter takes the attribute `gamma`",
    ),
    "a tensor too many": ("", node("Swish", ["x", "x"], ["y"], "my"), "the node has 2 tensors, and parameters take 1"),
    "an input that is left out": ("", node("Swish", [""], ["y"], "my"), "takes a tensor, and the node omits it"),
    "another rank": ("", node("Silu", ["x"], ["y"], "my"), "`x` is Tensor((n,), "),
}


@pytest.mark.parametrize("case", FAILURES)
def test_E0610_nodes_that_no_function_takes(case: str, ops: Path, tmp_path: Path) -> None:
    _, given, words = FAILURES[case]
    with pytest.raises(sunmao.Error) as caught:
        sunmao.compile(onnx(tmp_path, given), ops=[ops])
    assert caught.value.code == "E0610" and words in caught.value.message, str(caught.value)
    assert "of_y" in str(caught.value)  # the node's name


def declared(attribute: str, pure: str = "") -> str:
    return f"""
@I.ir_module
class Ops:
    @R.function{pure}
    def op(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        R.func_attr({{"sunmao.op": {attribute}}})
        return x
"""


BAD = {
    '"my::Op"': "that is no dictionary",
    '{"onnx": 1}': "has `onnx` in its attribute",
    '{"tf": "Op"}': "has `tf` in its attribute",
    '{"defaults": {"y": 1}, "onnx": "my::Op"}': "has a default for `y`, which is no parameter",
    "{}": "names no op of ONNX or PyTorch",
}


@pytest.mark.parametrize("attribute", BAD)
def test_E0611_functions_that_are_no_ops(attribute: str, tmp_path: Path) -> None:
    with pytest.raises(sunmao.Error, match="E0611") as caught:
        sunmao.compile(onnx(tmp_path, node("Relu", ["x"], ["y"])), ops=[sunmao.parse_module(declared(attribute))])
    assert BAD[attribute] in caught.value.message


def test_E0611_what_holds_no_custom_ops(tmp_path: Path) -> None:
    path = onnx(tmp_path, node("Relu", ["x"], ["y"]))
    impure = sunmao.parse_module(declared('{"onnx": "my::Op"}', "(pure=False)"))
    with pytest.raises(sunmao.Error, match="E0611.*has effects"):
        sunmao.compile(path, ops=[impure])
    with pytest.raises(sunmao.Error, match="E0611.*no function of the module"):
        sunmao.compile(path, ops=[sunmao.Module()])
    with pytest.raises(sunmao.Error, match="E0611.*neither a script nor an object file"):
        sunmao.compile(path, ops=[path])
    with pytest.raises(sunmao.Error, match="E0611.*this one is a module"):
        sunmao.compile(sunmao.Module(), ops=[impure])
    with pytest.raises(sunmao.Error, match="E0611.*names no op"):
        sunmao.custom_op("swish", scaled_sum)
    with pytest.raises(sunmao.Error, match="E0611.*no graph-level function `swish`"):
        sunmao.custom_op("swish", sunmao.parse_module(OPS.replace("def swish(", "def other(")), onnx="my::Swish")
    with pytest.raises(sunmao.Error, match="E0034"):
        sunmao.compile(path, ops=impure)  # type: ignore[arg-type]
    with pytest.raises(sunmao.Error, match="E0034.*no custom op"):
        sunmao.compile(path, ops=[3])
