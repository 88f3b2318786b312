"""Compiling, calling, saving and loading models from Python."""

import threading
from pathlib import Path

import numpy as np
import pytest
import sunmao
from sunmao import _sunmao
from sunmao.arrays import to_numpy

MODELS = Path(__file__).parent.parent / "models"
BATCHES = (1, 2, 7, 64)

SCALE = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4,), "float32")) -> R.Tensor(("n", 4), "float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            y = R.add(x, R.add(w, w))
            R.output(y)
        return y
"""

TWO_RESULTS = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            s = R.add(x, y)
            r = R.nn.relu(y)
            R.output(s, r)
        return (s, r)
"""


def recording(name: str) -> dict[str, np.ndarray]:
    return {key: to_numpy(t) for key, t in _sunmao.read_tensors(MODELS / f"{name}.safetensors").items()}


def compile_mlp(name: str, **options: object) -> sunmao.Model:
    weights = MODELS / "mlp.weights.safetensors" if name.endswith(".py") else None
    return sunmao.compile(MODELS / name, weights=weights, **options)


@pytest.fixture(scope="module")
def scale() -> sunmao.Model:
    return sunmao.compile(sunmao.parse_module(SCALE), weights={"w": np.arange(4, dtype="float32")})


@pytest.mark.parametrize("name", ["mlp.onnx", "mlp.pt2", "mlp.py"])
def test_every_form_of_the_model_gives_the_recorded_numbers(name: str) -> None:
    model = compile_mlp(name)
    recorded = recording(name)
    for batch in BATCHES:
        np.testing.assert_allclose(
            model(recorded[f"b{batch}.input.0"]), recorded[f"b{batch}.output.0"], rtol=1e-5, atol=1e-5
        )


def test_saved_models_load_and_give_the_same(tmp_path: Path) -> None:
    model = compile_mlp("mlp.onnx")
    model.save(tmp_path / "mlp.sunmao")
    loaded = sunmao.load(tmp_path / "mlp.sunmao", verify_weights=True)
    x = np.ones((3, 16), "float32")
    np.testing.assert_array_equal(model(x), loaded(x))
    assert loaded.inputs == model.inputs
    assert loaded.isa == model.isa != ""


def test_signatures_say_names_dtypes_and_symbols(scale: sunmao.Model) -> None:
    (x,) = scale.inputs
    assert (x.name, x.dtype) == ("x", "float32")
    assert isinstance(x.shape[0], sunmao.Dim)
    assert x.shape[0].symbol == "n"
    assert x.shape[1] == 4
    assert scale.outputs[0].shape[1] == 4
    assert str(x) == 'x: Tensor((n, 4), "float32")'
    assert scale.functions == ["main"]


def test_inputs_go_by_name_too(scale: sunmao.Model) -> None:
    x = np.zeros((2, 4), "float32")
    np.testing.assert_array_equal(scale(x=x), scale(x))


def test_several_outputs_come_as_a_tuple() -> None:
    model = sunmao.compile(sunmao.parse_module(TWO_RESULTS))
    x, y = np.full((2, 3), 2, "float32"), np.full((2, 3), -1, "float32")
    total, rectified = model(x, y)
    np.testing.assert_array_equal(total, x + y)
    np.testing.assert_array_equal(rectified, np.maximum(y, 0))


def test_arrays_that_are_not_contiguous_or_read_only_are_taken(scale: sunmao.Model) -> None:
    wide = np.arange(24, dtype="float32").reshape(3, 8)
    expected = scale(np.ascontiguousarray(wide[:, ::2]))
    np.testing.assert_array_equal(scale(wide[:, ::2]), expected)
    frozen = np.ascontiguousarray(wide[:, ::2])
    frozen.flags.writeable = False
    np.testing.assert_array_equal(scale(frozen), expected)
    np.testing.assert_array_equal(scale(wide[:, ::2].astype(">f4")), expected)
    np.testing.assert_array_equal(scale(wide[:, ::2].tolist()), expected)


def test_empty_batches_run(scale: sunmao.Model) -> None:
    assert scale(np.zeros((0, 4), "float32")).shape == (0, 4)


def test_results_outlive_the_model() -> None:
    y = sunmao.compile(sunmao.parse_module(SCALE), weights={"w": np.zeros(4, "float32")})(np.ones((2, 4), "float32"))
    np.testing.assert_array_equal(y, np.ones((2, 4), "float32"))


def test_results_can_be_written_to_and_are_each_their_own(scale: sunmao.Model) -> None:
    x = np.zeros((2, 4), "float32")
    first, second = scale(x), scale(x)
    first += 100
    assert second.max() < 100


def test_threads_share_a_model(scale: sunmao.Model) -> None:
    problems: list[str] = []

    def work(value: int) -> None:
        x = np.full((5, 4), value, "float32")
        for _ in range(20):
            if not np.array_equal(scale(x), x + 2 * np.arange(4, dtype="float32")):
                problems.append(f"{value} is wrong")

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert problems == []


def test_weights_that_change_afterwards_do_not_count() -> None:
    w = np.ones(4, "float32")
    model = sunmao.compile(sunmao.parse_module(SCALE), weights={"w": w})
    w[:] = 100
    np.testing.assert_array_equal(model(np.zeros((1, 4), "float32")), np.full((1, 4), 2, "float32"))


def test_ranges_of_dims_are_guarded() -> None:
    model = sunmao.compile(sunmao.parse_module(SCALE), weights={"w": np.zeros(4, "float32")}, dims={"n": (1, 8)})
    assert model(np.zeros((8, 4), "float32")).shape == (8, 4)
    with pytest.raises(sunmao.Error) as caught:
        model(np.zeros((9, 4), "float32"))
    assert caught.value.code.startswith("E09")


def error_of(call: object, *args: object, **kwargs: object) -> sunmao.Error:
    with pytest.raises(sunmao.Error) as caught:
        call(*args, **kwargs)  # type: ignore[operator]
    assert caught.value.code in str(caught.value)
    return caught.value


def test_inputs_that_do_not_fit_are_coded_errors(scale: sunmao.Model) -> None:
    assert error_of(scale, np.zeros(4, "float32")).code == "E0904"
    assert error_of(scale, np.zeros((2, 4), "float64")).code == "E0903"
    assert error_of(scale).code == "E0902"
    wrong_size = error_of(scale, np.zeros((2, 5), "float32"))
    assert wrong_size.code.startswith("E09")
    assert isinstance(wrong_size, ValueError)
    assert "x" in wrong_size.message


def test_what_is_no_array_is_a_coded_error(scale: sunmao.Model) -> None:
    assert error_of(scale, np.array(["a", "b"], dtype=object)).code == "E0034"
    assert error_of(scale, object()).code == "E0034"
    assert error_of(scale, [["a"]]).code == "E0034"
    assert error_of(scale, y=1).code == "E0034"


def test_wrong_arguments_of_compile_are_coded_errors(tmp_path: Path) -> None:
    assert error_of(sunmao.compile, 7).code == "E0034"
    assert error_of(sunmao.compile, tmp_path / "none.onnx").code.startswith("E0")
    assert error_of(sunmao.load, tmp_path / "none.sunmao").code.startswith("E08")
    module = sunmao.parse_module(SCALE)
    assert error_of(sunmao.compile, module).code == "E0520"
    assert error_of(sunmao.compile, module, weights={"w": np.zeros(5, "float32")}).code == "E0521"
    assert error_of(sunmao.compile, module, target="no-such-machine").code == "E1001"
    assert error_of(sunmao.compile, module, "x86-64-v3").code == "E0034"
    for dims in ({"n": (5,)}, {"n": (9, 5)}, {"n": 3}, {"n": (-1, 2)}, {"n": ("a", "b")}):
        assert error_of(sunmao.compile, module, dims=dims).code == "E0034"
    assert error_of(sunmao.compile, module, weights={"w": np.zeros(4, "float32")}, dims={"m": (1, 2)}).code == "E0512"


def test_a_loaded_model_is_not_saved_again(tmp_path: Path) -> None:
    path = tmp_path / "mlp.sunmao"
    compile_mlp("mlp.onnx").save(path)
    assert error_of(sunmao.load(path).save, tmp_path / "copy.sunmao").code == "E0034"


def test_a_damaged_artifact_is_a_coded_error(tmp_path: Path) -> None:
    path = tmp_path / "mlp.sunmao"
    compile_mlp("mlp.onnx").save(path)
    data = path.read_bytes()
    for length in (0, 1, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:length])
        assert error_of(sunmao.load, path).code.startswith("E08")


def test_numbers_of_threads_are_set_and_read() -> None:
    sunmao.set_threads(1)
    assert sunmao.get_threads() == 1
    sunmao.set_threads(0)
    assert sunmao.get_threads() >= 1
