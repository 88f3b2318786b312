"""Modules that the passes of memory and lowering have rewritten run, and compute what they did before."""

import numpy as np
import pytest
import sunmao
from sunmao import relax
from sunmao.compat.relax.analysis import estimate_memory_usage
from sunmao.compat.relax.testing.transform import (
    dataflow_alias_analysis,
    dataflow_inplace_analysis,
    dataflow_liveness_analysis,
    dataflow_single_inplace_call,
)
from sunmao.script import ir as I
from sunmao.script import relax as R
from sunmao.script import tirx as T
from sunmao.transform import Sequential

passes = relax.transform
LOWER = [
    passes.LegalizeOps(),
    passes.RewriteDataflowReshape(),
    passes.ToNonDataflow(),
    passes.RemovePurityChecking(),
    passes.CallTIRRewrite(),
    passes.StaticPlanBlockMemory(),
    passes.LowerAllocTensor(),
    passes.KillAfterLastUse(),
    passes.LowerRuntimeBuiltin(),
    passes.ComputePrimValue(),
    passes.VMShapeLower(),
]


@I.ir_module
class Sizes:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), y: R.Tensor(("m", 4), "float32")) -> R.Tensor(("n + m", 4), "float32"):
        R.func_attr({"tir_var_upper_bound": {"n": 8}})
        n, m = T.int64(), T.int64()
        with R.dataflow():
            a = R.nn.relu(x)
            b = R.concat((a, y), axis=0)
            c = R.reshape(R.exp(b), (4, n + m))
            d = R.permute_dims(c)
            e = R.multiply(d, d)
            R.output(e)
        return e


@I.ir_module
class Branches:
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor(("n",), "float32"), y: R.Tensor) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        z = R.match_cast(y, R.Tensor((n,), "float32"))
        if c:
            a = R.exp(x)
            r = R.add(a, z)
        else:
            b = R.multiply(x, z)
            r = R.exp(b)
        return r


@I.ir_module
class Fields:
    @R.function
    def main(p: R.Tuple(R.Tensor(("n",), "float32"), R.Shape(["k", 2]))) -> R.Tuple(R.Shape(["n * k"]), R.Tensor):
        n, k = T.int64(), T.int64()
        x = p[0]
        y = R.full(R.shape([n, k]), R.const(2, "float32"))
        z = R.add(y, R.sum(x))
        return (R.shape([n * k]), z)


def run(module, *args):
    if not isinstance(module, sunmao.ir.IRModule):
        module = sunmao.ir.IRModule(module)
    vm = relax.VirtualMachine(relax.build(module, "llvm", exec_mode="bytecode"), sunmao.runtime.cpu())
    return vm["main"](*args)


def tensor(*shape):
    values = np.random.default_rng(1).uniform(-1, 1, shape).astype("float32")
    return sunmao.runtime.tensor(values)


def test_sizes_in_a_heap():
    lowered = Sequential(LOWER)(Sizes)
    assert "vm.builtin.make_shape" in str(lowered)
    for n, m in ((3, 2), (1, 1), (0, 2), (8, 1)):
        x, y = tensor(n, 4), tensor(m, 4)
        np.testing.assert_array_equal(run(lowered, x, y).numpy(), run(Sizes, x, y).numpy())


def test_casts_in_branches():
    lowered = Sequential(LOWER)(Branches)
    for c in (True, False):
        condition, x, y = sunmao.runtime.tensor(np.array(c)), tensor(3), tensor(3)
        np.testing.assert_array_equal(run(lowered, condition, x, y).numpy(), run(Branches, condition, x, y).numpy())
    with pytest.raises(sunmao.Error, match="3"):
        run(lowered, condition, tensor(3), tensor(4))


def test_shapes_in_tuples():
    lowered = Sequential(LOWER)(Fields)
    given = (tensor(3), sunmao.runtime.ShapeTuple([5, 2]))
    shape, z = run(lowered, given)
    assert list(shape) == [15]
    np.testing.assert_array_equal(z.numpy(), run(Fields, given)[1].numpy())


def heap_module(code: int, place: int):
    return sunmao.parse_module(
        f"""
@I.ir_module
class Heap:
    @R.function(pure=False)
    def main(x: R.Tensor(ndim=1, dtype="float32")):
        heap = R.call_builtin_with_ctx("vm.builtin.alloc_shape_heap", (2,), ty_args=R.Tensor(ndim=1, dtype="int64"))
        R.call_packed("vm.builtin.match_shape", x, heap, 1, {code}, {place}, "at x: ", ty_args=R.Tuple())
        s = R.call_packed("vm.builtin.make_shape", heap, 2, 1, 0, 0, 7, ty_args=R.Shape(ndim=2))
        return s
"""
    )


@pytest.mark.parametrize(
    ("code", "place", "error"),
    [(0, 4, "at x: .*4, got 3"), (1, 2, " 2 in a heap of 2"), (3, 1, "at x: .* 0, got 3")],
)
def test_a_match_that_fails(code, place, error):
    with pytest.raises(sunmao.Error, match=error):
        run(heap_module(code, place), tensor(3))


def test_a_match_that_stores():
    assert list(run(heap_module(1, 0), tensor(3))) == [3, 7]


@pytest.mark.parametrize(
    ("check", "error"),
    [
        ('"vm.builtin.check_tensor_info", x, 2, R.dtype("float32"), "x: "', "x: .*expected a tensor"),
        ('"vm.builtin.check_tensor_info", x, -1, R.dtype("int32"), "x: "', "x: .*int32"),
        ('"vm.builtin.check_shape_info", x, 1, "x: "', "x: .*expected a shape"),
        ('"vm.builtin.check_tuple_info", x, 1, "x: "', "x: .*expected a tuple"),
        ('"vm.builtin.check_func_info", x, "x: "', "x: .*expected a function"),
        ('"vm.builtin.check_prim_value_info", x, R.dtype("int64"), "x: "', "x: .*expected an? (number|integer)"),
    ],
)
def test_a_check_that_fails(check, error):
    module = sunmao.parse_module(
        f"""
@I.ir_module
class Checks:
    @R.function(pure=False)
    def main(x: R.Any):
        R.call_packed({check}, ty_args=R.Tuple())
        return x
"""
    )
    with pytest.raises(sunmao.Error, match=error):
        run(module, tensor(3))


def test_closures_and_scalars_of_the_machine():
    @I.ir_module
    class Closures:
        @T.prim_func
        def fill(y: T.handle, k: T.int64):
            n = T.int64()
            B = T.match_buffer(y, (n,))
            for i in range(n):
                B[i] = T.cast(k, "float32")

        @R.function(pure=False)
        def second(x: R.Any, y: R.Any) -> R.Any:
            return y

        @R.function(pure=False)
        def main(x: R.Tensor(("n",), "float32"), s: R.Shape(["k"])) -> R.Any:
            n, k = T.int64(), T.int64()
            cls = Closures
            a = R.builtin.alloc_tensor(R.shape([n]), "float32", 0)
            R.vm.call_tir_dyn(cls.fill, (a, R.shape([k])))
            f = R.make_closure(cls.second, (a,))
            g = R.invoke_closure(f, (x,), ty_args=R.Any)
            return g

    lowered = Sequential(LOWER[6:])(Closures)
    assert run(lowered, tensor(3), sunmao.runtime.ShapeTuple([9])).numpy().tolist() == [9, 9, 9]


@I.ir_module
class Chain:
    @R.function
    def main(x: R.Tensor(("n", 3), "float32"), y: R.Tensor(("n", 3), "float32")) -> R.Tensor(("n", 3), "float32"):
        with R.dataflow():
            a = R.exp(x)
            b = R.add(a, y)
            t = (b, a)
            c = t[0]
            d = R.subtract(c, c)
            e = R.nn.relu(d)
            R.output(e)
        return e


@I.ir_module
class Caller:
    @R.function
    def other(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        return x

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        with R.dataflow():
            a = Caller.other(x)
            R.output(a)
        return a


def test_calls_in_place():
    in_place = passes.DataflowUseInplaceCalls()(Chain)
    assert str(in_place).count("R.call_tir_inplace") == 2
    x, y = tensor(2, 3), tensor(2, 3)
    before = x.numpy().copy()
    np.testing.assert_array_equal(run(in_place, x, y).numpy(), run(Chain, x, y).numpy())
    np.testing.assert_array_equal(x.numpy(), before)


def test_calls_in_place_with_numbers_and_computed_sizes():
    @I.ir_module
    class Numbers:
        @R.function
        def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("m",), "float32")) -> R.Tensor(("n + m",), "float32"):
            with R.dataflow():
                a = R.concat((x, y), axis=0)
                b = R.add(a, R.prim_value(T.float32(2)))
                c = R.exp(b)
                d = R.multiply(b, c)
                R.output(d)
            return d

    in_place = passes.DataflowUseInplaceCalls()(Numbers)
    assert str(in_place).count("R.call_tir_inplace") == 2
    for module in (in_place, Sequential(LOWER)(in_place)):
        np.testing.assert_array_equal(
            run(module, tensor(2), tensor(3)).numpy(), run(Numbers, tensor(2), tensor(3)).numpy()
        )


def test_what_analyses_say():
    function = Chain["main"]
    block = function.body.blocks[0]
    ranges = {var.name: r for var, r in dataflow_liveness_analysis(block).items()}
    assert ranges == {"x": (-1, 6), "y": (-1, 6), "a": (0, 2), "b": (1, 2), "t": (2, 2)} | {
        "c": (3, 4),
        "d": (4, 5),
        "e": (5, 6),
    }
    aliases, tuples = dataflow_alias_analysis(block, function.params)
    by_name = {var.name: memory for var, memory in aliases.items()}
    assert by_name["c"] == by_name["b"] and by_name["d"].isdisjoint(by_name["c"])
    assert list(tuples.values()) == [[by_name["b"], by_name["a"]]]
    large, same = dataflow_inplace_analysis(block, [], Chain)
    assert large == same == [(4, {0, 1}), (5, {0})]
    call, module = dataflow_single_inplace_call(Chain, block.bindings[1].value, [1])
    assert call.attrs.inplace_indices == [1]
    assert len(module["add_inplace"].params) == 2
    with pytest.raises(sunmao.Error) as error:
        dataflow_single_inplace_call(Chain, block.bindings[1].value, [2])
    assert error.value.code == "E0539"
    with pytest.raises(sunmao.Error, match="no function"):
        dataflow_inplace_analysis(Caller["main"].body.blocks[0], [], Chain)


def test_estimated_memory():
    text = estimate_memory_usage(Sequential(LOWER[:6])(Chain))
    assert "Without memory planning, there are 0 constant-size" in text
    assert "and 4 dynamic-size allocation(s)" in text
    assert estimate_memory_usage(sunmao.ir.IRModule({})) == ""


def test_a_shape_of_unknown_sizes():
    @I.ir_module
    class Named:
        @R.function(pure=False)
        def main(x: R.Tensor(ndim=1, dtype="float32"), y: R.Tensor) -> R.Tensor(ndim=1, dtype="float32"):
            s = R.shape_of(x)
            z = R.match_cast(y, R.Tensor(s, "float32"))
            return z

    with pytest.raises(sunmao.Error, match="is a variable whose sizes are not known") as error:
        passes.VMShapeLower()(Named)
    assert error.value.code == "E0535"
