"""Modules are immutable values, and passes do not change their input."""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
import sunmao
from sunmao import _sunmao
from sunmao.arrays import to_numpy, to_tensor

MODELS = Path(__file__).parent.parent / "models"

MODULE = """
@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor(("n", 16), "float32"), w: R.Tensor((32, 16), "float32"), b: R.Tensor((32,), "float32")
    ) -> R.Tensor(("n", 32), "float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            w_t = R.permute_dims(w)
            y = R.add(R.matmul(x, w_t), b)
            R.output(y)
        return y
"""


@pytest.fixture
def module() -> sunmao.Module:
    return sunmao.parse_module(MODULE)


def test_printing_and_reading_gives_an_equal_module(module: sunmao.Module) -> None:
    again = sunmao.parse_module(module.script())
    assert sunmao.structural_equal(module, again)
    assert sunmao.structural_hash(module) == sunmao.structural_hash(again)
    assert sunmao.first_difference(module, again) == ""
    assert module != again
    assert repr(module) == module.script()


def test_changes_give_another_module(module: sunmao.Module) -> None:
    before = module.script()
    larger = module.with_function("other", module.find("main"))
    assert [e.var.name for e in larger.functions] == ["main", "other"]
    assert module.script() == before
    assert not larger.same_as(module)
    assert larger.without_function("other").find("other") is None
    assert sunmao.first_difference(module, larger) != ""


def test_the_same_value_is_the_same(module: sunmao.Module) -> None:
    again = module.with_function("main", module.find("main"))
    assert again.same_as(module)
    assert again == module
    assert hash(again) == hash(module)


def test_nodes_keep_their_identity(module: sunmao.Module) -> None:
    main = module.find("main")
    assert main is module.find("main")
    assert main.params[0] is main.params[0]
    block = main.body.blocks[0]
    call = block.bindings[0].value
    assert isinstance(call, _sunmao.Call)
    assert call.args[0] is main.params[1]
    assert call.callee is _sunmao.find_op("permute_dims")


def test_nodes_outlive_what_they_were_taken_from() -> None:
    params = sunmao.parse_module(MODULE).find("main").params
    assert [p.name for p in params] == ["x", "w", "b"]
    assert params[0].type.ndim == 2
    assert params[0].type.dtype == "float32"
    assert repr(params[1].type) == 'R.Tensor((32, 16), dtype="float32")'


def test_nothing_can_be_assigned(module: sunmao.Module) -> None:
    main = module.find("main")
    for target, name in ((main, "params"), (main.params[0], "name"), (main.params[0].type, "dtype"), (module, "attrs")):
        with pytest.raises(AttributeError):
            setattr(target, name, None)
    with pytest.raises(TypeError):
        main.attrs["num_input"] = 3
    assert main.attrs["num_input"] == 1


def test_attributes_are_changed_on_a_copy(module: sunmao.Module) -> None:
    main = module.find("main")
    other = main.with_attr("note", ["a", 1, 2.5, True, None, {"k": "v"}])
    assert other.attrs["note"] == ["a", 1, 2.5, True, None, {"k": "v"}]
    assert "note" not in main.attrs
    assert "note" not in other.without_attr("note").attrs
    with pytest.raises(TypeError):
        main.with_attr("note", object())


# Arguments that passes require, and passes that must run before them.
ARGUMENTS = {
    "bind-params": {"func_name": "main", "params": {}},
    "bind-symbolic-vars": {"binding_map": {}},
    "update-vdevice": {"new_vdevice": _sunmao.make.vdevice("cuda", 1, "global")},
}
BEFORE = {"remove-purity-checking": "to-non-dataflow"}


@pytest.mark.parametrize("name", [p.name for p in sunmao.passes()])
def test_passes_leave_their_input_alone(module: sunmao.Module, name: str) -> None:
    if name == "update-vdevice":
        devices = {"vdevice": [_sunmao.make.vdevice("cuda", 0, "global")]}
        module = module.with_global_infos(devices)
    if name in BEFORE:
        module = sunmao.run_pass(module, BEFORE[name])
    text, hashed = module.script(), sunmao.structural_hash(module)
    first = sunmao.run_pass(module, name, **ARGUMENTS.get(name, {}))
    second = sunmao.run_pass(module, name, **ARGUMENTS.get(name, {}))
    assert module.script() == text
    assert sunmao.structural_hash(module) == hashed
    assert sunmao.structural_equal(first, second)


def test_lifting_gives_the_calling_form(module: sunmao.Module) -> None:
    lifted = sunmao.run_pass(module, "lift-transform-params")
    transform, main = lifted.find("main_transform_params"), lifted.find("main")
    assert len(transform.params) == 1
    assert isinstance(transform.params[0].type, _sunmao.TupleType)
    assert isinstance(transform.result_type, _sunmao.TupleType)
    assert len(main.params) == 1 + len(transform.result_type.fields)
    assert main.attrs["num_input"] == 1


def test_an_unknown_pass_is_a_coded_error(module: sunmao.Module) -> None:
    with pytest.raises(sunmao.Error, match="E0511"):
        sunmao.run_pass(module, "no-such-pass")


def test_scripts_take_values_by_name() -> None:
    text = """
@R.function
def main(x: R.Tensor(shape, dtype)) -> R.Tensor(target, dtype):
    y = R.reshape(x, target)
    return R.add(y, R.const(bias))
"""
    names = {"shape": (2, 6), "target": [3, 4], "dtype": np.float32, "bias": np.ones((3, 4), "float32")}
    function = sunmao.parse_function(text, names=names)
    assert repr(function.params[0].type) == 'R.Tensor((2, 6), dtype="float32")'
    assert repr(function.result_type) == 'R.Tensor((3, 4), dtype="float32")'


def test_an_expression_that_fails_is_a_coded_error() -> None:
    text = "@R.function\ndef main(x: R.Tensor(sizes[3], 'float32')):\n    return x\n"
    with pytest.raises(sunmao.Error, match="E0036") as caught:
        sunmao.parse_function(text, names={"sizes": []})
    assert "IndexError" in caught.value.message


def test_script_errors_carry_their_place() -> None:
    with pytest.raises(sunmao.Error) as caught:
        sunmao.parse_module(MODULE.replace("R.permute_dims(w)", "R.permute_dims(v)"), "model.py")
    assert caught.value.code.startswith("E01")
    assert caught.value.span is not None
    assert caught.value.span["file"] == "model.py"
    assert caught.value.span["line"] == 10
    assert isinstance(caught.value, ValueError)


def test_dtypes_have_names() -> None:
    assert str(_sunmao.DType("bfloat16")) == "bfloat16"
    assert _sunmao.DType("int8") == _sunmao.DType("int8")
    with pytest.raises(sunmao.Error, match="E0034"):
        _sunmao.DType("float33")


def test_tensors_share_memory_with_arrays() -> None:
    array = np.arange(6, dtype="int64").reshape(2, 3)
    tensor = _sunmao.Tensor.from_array(array)
    assert tensor.shape == (2, 3)
    assert tensor.dtype == "int64"
    assert np.shares_memory(np.from_dlpack(tensor), array)
    assert np.shares_memory(tensor.numpy(), array)


def test_data_of_the_ir_cannot_be_written_to() -> None:
    text = "@R.function\ndef f(x: R.Tensor((2,), 'float32')):\n    return R.add(x, R.const([1, 2], 'float32'))\n"
    function = sunmao.parse_function(text)
    call = function.body.body
    assert isinstance(call, _sunmao.Call)
    array = call.args[1].data.numpy()
    assert array.tolist() == [1, 2]
    array[0] = 5  # a copy
    assert call.args[1].data.numpy().tolist() == [1, 2]
    _, weights = sunmao.read_model(MODELS / "mlp.onnx")
    assert not any(w.flags.writeable for w in weights.values())


def test_bfloat16_goes_through() -> None:
    array = np.array([1.5, -2.0], dtype=ml_dtypes.bfloat16)
    tensor = to_tensor(array)
    assert tensor.dtype == "bfloat16"
    np.testing.assert_array_equal(to_numpy(tensor), array)


def test_wrong_values_are_exceptions_and_no_crash(module: sunmao.Module) -> None:
    text = "@R.function\ndef f(x: R.Tensor((n,), 'float32')):\n    return x\n"
    for answer in (5, (), (1, 2), (2**80,), ("\ud800",), (object(),)):
        with pytest.raises((TypeError, ValueError)):
            _sunmao.parse_module(text, "script", lambda expression, line, names, is_map, answer=answer: answer)
    with pytest.raises(ZeroDivisionError):
        _sunmao.parse_module(text, "script", lambda expression, line, names, is_map: (1 // 0,))
    endless: dict[str, object] = {}
    endless["self"] = endless
    for attrs in ({1: 2}, {"a": module}, {"a": 2**64}, endless, {"a": to_tensor([1.0])}):
        with pytest.raises((TypeError, ValueError)):
            module.with_attrs(attrs)
    for call in (lambda: module.find(None), lambda: module.with_function("f", None), _sunmao.Var, _sunmao.LoadedModel):
        with pytest.raises(TypeError):
            call()
