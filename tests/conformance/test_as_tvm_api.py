"""The mirrored API used from Python: modules as variables, passes, contexts, and the virtual machine."""

import numpy as np
import pytest
import sunmao
from sunmao import compat as tvm
from sunmao import errors
from sunmao.compat import relax
from sunmao.compat.script import ir as I
from sunmao.compat.script import relax as R
from sunmao.compat.script import tirx as T

WIDTH = 4


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor(("n", WIDTH), "float32"), w: R.Tensor((3, WIDTH), "float32"), b: R.Tensor((3,), "float32")
    ) -> R.Tensor(("n", 3), "float32"):
        n = T.int64()  # noqa: F841
        R.func_attr({"num_input": 1})
        with R.dataflow():
            y = R.add(R.matmul(x, R.permute_dims(w)), b)
            R.output(y)
        return y


@R.function
def relu(x: R.Tensor((2, WIDTH), "float32")):
    return R.nn.relu(x)


def test_modules_read_what_stands_around_them() -> None:
    main = Module["main"]
    assert repr(main.params[1].type) == 'R.Tensor((3, 4), dtype="float32")'
    assert main.attrs["num_input"] == 1
    assert main.attrs["global_symbol"] == "main"


@pytest.mark.parametrize("name", ["relu", "exp"])
def test_ops_may_be_taken_from_variables(name: str) -> None:
    op = R.nn.relu if name == "relu" else R.exp
    shape = (2, 3)

    @R.function
    def captured(x: R.Tensor(shape, "float32")) -> R.Tensor(shape, "float32"):
        return op(x)

    assert name in captured.script()


def test_assigning_points_the_variable_elsewhere() -> None:
    variable = Module.clone()
    snapshot = variable.__sunmao_module__()
    same_variable = variable
    variable["relu"] = relu
    assert "relu" in same_variable
    assert "relu" not in Module
    assert snapshot.find("relu") is None
    del variable["relu"]
    assert "relu" not in same_variable
    with pytest.raises(KeyError):
        variable["relu"]


def test_modules_are_made_of_functions() -> None:
    module = tvm.IRModule({"f": relu})
    assert [var.name for var in module.get_global_vars()] == ["f"]
    assert module[module.get_global_var("f")] is relu
    assert list(module.functions.values()) == [relu]
    assert tvm.IRModule.from_expr(relu)["relu"] is relu
    assert module.with_attr("a", 1).attrs == {"a": 1}
    assert module.attrs == {}
    with pytest.raises(ValueError, match="no function `g`"):
        module.get_global_var("g")


def test_show_prints_the_script(capsys: pytest.CaptureFixture[str]) -> None:
    Module.show()
    relu.show()
    shown = capsys.readouterr().out
    assert shown == Module.script() + "\n" + relu.script() + "\n"
    tvm.ir.assert_structural_equal(tvm.script.from_source(Module.script()), Module)
    tvm.ir.assert_structural_equal(tvm.script.from_source(relu.script()), relu)


def test_differences_name_their_place() -> None:
    changed = Module.clone()
    changed["main"] = Module["main"].with_attr("num_input", 2)
    assert not tvm.ir.structural_equal(Module, changed)
    assert tvm.ir.structural_equal(Module, Module.clone())
    assert tvm.ir.structural_hash(Module) == tvm.ir.structural_hash(Module.clone())
    with pytest.raises(ValueError, match="StructuralEqual check failed") as caught:
        tvm.ir.assert_structural_equal(Module, changed)
    assert caught.value.code == "E0038"


def test_passes_run_alone_and_in_sequence() -> None:
    before = Module.script()
    alone = relax.transform.LiftTransformParams()(Module)
    sequence = tvm.ir.transform.Sequential([relax.transform.Normalize(), relax.transform.LiftTransformParams()])
    assert "main_transform_params" in alone
    assert "main_transform_params" in sequence(Module)
    assert Module.script() == before
    assert tvm.transform.Sequential([])(Module).same_as(Module)
    assert relax.transform.LiftTransformParams().info.name == "LiftTransformParams"


def test_contexts_switch_passes_off_and_nest() -> None:
    assert tvm.transform.PassContext.current().config == {}
    config = {"relax.lift_transform_params.consume_params": True}
    assert set(config) <= set(tvm.transform.PassContext.list_configs())
    with tvm.transform.PassContext(opt_level=3, disabled_pass=["LiftTransformParams"], config=config) as outer:
        assert tvm.transform.PassContext.current() is outer
        assert "main_transform_params" not in relax.transform.LiftTransformParams()(Module)
        with tvm.transform.PassContext():
            assert "main_transform_params" in relax.transform.LiftTransformParams()(Module)
        assert tvm.transform.PassContext.current().opt_level == 3
    assert tvm.transform.PassContext.current() is not outer


def data() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    x, w, b = (rng.standard_normal(s).astype("float32") for s in ((5, WIDTH), (3, WIDTH), (3,)))
    return x, w, b


def test_the_calling_form() -> None:
    x, w, b = data()
    executable = tvm.compile(relax.transform.LiftTransformParams()(Module), target="llvm")
    vm = relax.VirtualMachine(executable, tvm.cpu())
    prepared = vm["main_transform_params"]([tvm.runtime.tensor(w), tvm.runtime.tensor(b)])
    got = vm["main"](tvm.runtime.tensor(x), *prepared)
    tvm.testing.assert_allclose(got, x @ w.T + b, rtol=1e-5, atol=1e-5)


def test_calls_that_do_not_fit_are_coded_errors() -> None:
    x, w, b = data()
    vm = relax.VirtualMachine(relax.build(relax.transform.LiftTransformParams()(Module), "llvm"))
    for call in (
        lambda: vm["main_transform_params"](w),
        lambda: vm["main_transform_params"]([w]),
        lambda: vm["main_transform_params"](w, b),
        lambda: vm["main"]([x], w, b),
        lambda: vm["no_such_function"],
    ):
        with pytest.raises(ValueError, match="E0037"):
            call()
    with pytest.raises(errors.RunError, match="E09"):
        vm["main"](x[0], *vm["main_transform_params"]([w, b]))


def test_what_is_not_supported_says_so() -> None:
    for use in (
        lambda: relax.transform.Normalize(1),
        lambda: relax.build(Module, params={"w": 1}),
        lambda: tvm.device("abacus"),
        lambda: tvm.runtime.tensor([1.0], tvm.cuda()),
    ):
        with pytest.raises(sunmao.Error, match="E0032"):
            use()


def test_scripts_without_a_file_are_coded_errors() -> None:
    text = "@I.ir_module\nclass Lost:\n    @R.function\n    def main(x: R.Tensor((1,), 'float32')):\n        return x\n"
    with pytest.raises(sunmao.Error, match="E0033"):
        exec(text, {"I": I, "R": R})
    with pytest.raises(sunmao.Error, match="E0033"):
        exec("@R.function\ndef f(x: R.Tensor((1,), 'float32')):\n    return x\n", {"R": R})


def test_tensors_and_targets() -> None:
    t = tvm.runtime.tensor(np.arange(6, dtype="float32").reshape(2, 3))
    assert (t.shape, t.dtype, t.ndim, len(t)) == ((2, 3), "float32", 2, 2)
    assert t.device == tvm.cpu(0)
    np.testing.assert_array_equal(np.from_dlpack(t), t.numpy())
    copy = tvm.runtime.tensor(t)
    copy.copyfrom(np.zeros((2, 3)))
    assert t.numpy().sum() == 15
    assert t.copyto(copy).numpy().sum() == 15
    assert tvm.runtime.empty((2,), "int32").dtype == "int32"
    assert tvm.target.Target({"kind": "llvm", "mcpu": "x86-64-v3"}).kind.name == "llvm"
    assert tvm.target.Target("llvm") == tvm.target.Target("llvm")
    with tvm.target.Target("llvm") as entered:
        assert tvm.target.Target.current() is entered
    assert tvm.target.Target.current() is None


def test_the_models_of_the_package_take_variables() -> None:
    _, w, b = data()
    model = sunmao.compile(Module, weights={"w": w, "b": b})
    assert model(np.zeros((1, WIDTH), "float32")).shape == (1, 3)


def test_what_an_op_refuses_is_an_error_of_the_script() -> None:
    text = "@R.function\ndef f(x: R.Tensor((2,), 'float32'), y: R.Tensor((3,), 'float32')):\n    return R.add(x, y)\n"
    with pytest.raises(tvm.error.DiagnosticError, match="E0303"):
        tvm.script.from_source(text)


def test_scripts_are_checked_unless_they_say_otherwise() -> None:
    text = "@R.function(private=True)\ndef f(x: R.Tensor((2,), 'float32')):\n    R.print(x)\n    return x\n"
    with pytest.raises(tvm.error.DiagnosticError, match="E0412"):
        tvm.script.from_source(text)
    assert tvm.script.from_source(text, check_well_formed=False).params[0].name == "x"


def test_a_result_that_the_body_contradicts_is_told_and_dropped() -> None:
    text = (
        "@R.function(private=True)\ndef f(x: R.Tensor((2,), 'float32')) -> R.Tensor((3,), 'float32'):\n    return x\n"
    )
    with pytest.warns(UserWarning, match="E0417: .* the result is Tensor"):
        read = tvm.script.from_source(text)
    assert [int(d) for d in read.ret_ty.shape] == [2]
