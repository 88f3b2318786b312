"""Weights, inputs and outputs by name: own names of the model file and derived identifiers, in every API."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import sunmao
from onnx_bytes import linear
from sunmao_binary import read_tensors, write_tensors
from sunmao_binary import sunmao as run_sunmao

W, B = "encoder.layer.0/kernel:0", "encoder.layer.0/bias:0"
W_ID, B_ID = "encoder_layer_0_kernel_0", "encoder_layer_0_bias_0"
WEIGHT, BIAS = np.arange(12, dtype="float32").reshape(4, 3), np.arange(3, dtype="float32")
X, Y = np.linspace(0, 1, 8, dtype="float32").reshape(2, 4), np.ones((2, 3), "float32")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("names")


@pytest.fixture(scope="module")
def onnx(folder: Path) -> Path:
    return linear(folder / "linear.onnx", WEIGHT, BIAS)


@pytest.fixture(scope="module")
def artifact(onnx: Path) -> Path:
    return save(onnx.with_suffix(".sunmao"), sunmao.compile(onnx))


@pytest.fixture(scope="module")
def at_load(onnx: Path) -> Path:
    """Makes an artifact that takes raw weights at load time."""
    return save(onnx.parent / "at_load.sunmao", sunmao.compile(onnx, prepare="load"))


def save(path: Path, model: sunmao.Model) -> Path:
    model.save(path)
    return path


def by_dictionary(model: Path, weights: dict[str, np.ndarray]) -> np.ndarray:
    return sunmao.compile(model, weights=weights)(X, Y)


def by_file(model: Path, weights: dict[str, np.ndarray]) -> np.ndarray:
    return sunmao.compile(model, weights=write_tensors(model.parent / "w.safetensors", weights))(X, Y)


def by_command(model: Path, weights: dict[str, np.ndarray], *options: str) -> np.ndarray:
    out = model.parent / "out.safetensors"
    inputs = model.parent / "inputs.safetensors"
    write_tensors(inputs, {"x": X, "y": Y})
    result = run_sunmao(
        "run", model, "--weights", write_tensors(model.parent / "w.safetensors", weights), "--output", out, *options,
        "--input", f"输入={inputs}:x", "--input", f"a b={inputs}:y",
    )  # fmt: skip
    if result.returncode:
        raise RuntimeError(result.stderr)
    return read_tensors(out)["output.0"]


def by_evaluator(model: Path, weights: dict[str, np.ndarray]) -> np.ndarray:
    return by_command(model, weights, "--evaluate")


def by_loading(model: Path, weights: dict[str, np.ndarray]) -> np.ndarray:
    at_load = model.parent / "at_load.sunmao"
    return sunmao.load(at_load, weights=write_tensors(model.parent / "w.safetensors", weights))(X, Y)


def by_transforming(model: Path, weights: dict[str, np.ndarray]) -> np.ndarray:
    prepared = model.parent / "prepared.safetensors"
    given = write_tensors(model.parent / "w.safetensors", weights)
    for source in (model, model.parent / "at_load.sunmao"):
        result = run_sunmao("transform-params", source, "--weights", given, "-o", prepared)
        if result.returncode:
            raise RuntimeError(result.stderr)
    return sunmao.load(model.with_suffix(".sunmao"), weights=prepared)(X, Y)


WAYS = (by_dictionary, by_file, by_command, by_evaluator, by_loading, by_transforming)
FILES = WAYS[1:]
Way = Callable[[Path, dict[str, np.ndarray]], np.ndarray]


@pytest.mark.parametrize("names", [(W, B), (W_ID, B_ID), (W, B_ID)], ids=["own", "identifiers", "mixed"])
@pytest.mark.parametrize("way", WAYS)
def test_own_names_and_identifiers_both_work(
    way: Way, names: tuple[str, str], onnx: Path, artifact: Path, at_load: Path
) -> None:
    got = way(onnx, dict(zip(names, (WEIGHT * 2, BIAS + 5), strict=True)))
    np.testing.assert_allclose(got, X @ (WEIGHT * 2) + BIAS + 5 + Y, rtol=1e-5)


@pytest.mark.parametrize("way", WAYS)
def test_a_typo_beside_a_right_name_is_refused_with_the_right_one(
    way: Way, onnx: Path, artifact: Path, at_load: Path
) -> None:
    with pytest.raises(RuntimeError, match=r"E0(522|860).*(did you mean|encoder\.layer)") as error:
        way(onnx, {W: WEIGHT, "encoder.layer.0/bais:0": BIAS})
    assert "did you mean" in str(error.value) and B in str(error.value)


@pytest.mark.parametrize("way", FILES)
def test_a_file_may_hold_more_than_is_needed(way: Way, onnx: Path, artifact: Path, at_load: Path) -> None:
    got = way(onnx, {W: WEIGHT, B: BIAS, "decoder.weight": BIAS})
    np.testing.assert_allclose(got, X @ WEIGHT + BIAS + Y, rtol=1e-5)


def test_a_dictionary_may_not(onnx: Path) -> None:
    with pytest.raises(sunmao.Error, match=r"E0522.*no weight `decoder.weight`"):
        by_dictionary(onnx, {W: WEIGHT, B: BIAS, "decoder.weight": BIAS})
    with pytest.raises(sunmao.Error, match=r"E0522.*are the same weight"):
        by_dictionary(onnx, {W: WEIGHT, W_ID: WEIGHT})


def test_a_part_of_the_weights_leaves_the_others_as_they_are(onnx: Path) -> None:
    for way in (by_dictionary, by_file, by_command, by_evaluator):
        np.testing.assert_allclose(way(onnx, {B: BIAS + 1}), X @ WEIGHT + BIAS + 1 + Y, rtol=1e-5)


@pytest.mark.parametrize("wrong", [WEIGHT.T.copy(), WEIGHT.astype("float64")], ids=["shape", "dtype"])
@pytest.mark.parametrize("way", WAYS)
def test_what_does_not_fit_is_shown_beside_what_is_expected(
    way: Way, wrong: np.ndarray, onnx: Path, artifact: Path, at_load: Path
) -> None:
    with pytest.raises(RuntimeError, match=r"E0521|E0860") as error:
        way(onnx, {W: wrong, B: BIAS})
    text = str(error.value)
    assert "(4, 3)" in text and "float32" in text
    assert ("(3, 4)" if wrong.dtype == "float32" else "float64") in text


def test_all_that_is_missing_is_listed(folder: Path) -> None:
    model, weights = sunmao.read_model(linear(folder / "bare.onnx", WEIGHT, BIAS))
    assert set(weights) == {W_ID, B_ID}
    with pytest.raises(sunmao.Error, match="E0520") as error:
        sunmao.compile(model)
    assert W_ID in str(error.value) and B_ID in str(error.value)


def test_weights_that_nothing_takes_are_refused(onnx: Path, folder: Path) -> None:
    with pytest.raises(sunmao.Error, match=r"E0034.*bind_weights"):
        sunmao.compile(onnx, weights={W: WEIGHT}, bind_weights=False)
    with pytest.raises(sunmao.Error, match="E0034"):
        sunmao.load(onnx.with_suffix(".sunmao"), weights={W: WEIGHT})
    with pytest.raises(sunmao.Error, match="E0034"):
        sunmao.compile(onnx, weights={3: WEIGHT})
    plain = sunmao.parse_module(
        '@I.ir_module\nclass Module:\n  @R.function\n  def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), '
        '"float32"):\n    return R.add(x, x)\n'
    )
    with pytest.raises(sunmao.Error, match=r"E0522.*takes none"):
        sunmao.compile(plain, weights={"x": BIAS})


def test_parameters_are_bound_by_either_name(onnx: Path) -> None:
    module, weights = sunmao.read_model(onnx)
    main = module.find("main")
    for name in (B, B_ID):
        bound = sunmao.run_pass(module, "bind-params", func_name="main", params={name: [1, 2, 3]}).find("main")
        assert [p.name for p in bound.params][2:] == [W_ID]
        assert len(main.bind_params({name: weights[B_ID]}).params) == 3
    with pytest.raises(sunmao.Error, match="E0518"):
        sunmao.run_pass(module, "bind-params", func_name="main", params={"encoder.layer.0/bais:0": [1]})
    with pytest.raises(sunmao.Error, match=r"E0518.*twice"):
        main.bind_params({B: weights[B_ID], B_ID: weights[B_ID]})


def test_inputs_and_outputs_keep_their_names(onnx: Path, artifact: Path) -> None:
    model = sunmao.load(artifact)
    assert [v.name for v in model.inputs] == ["输入", "a b"]
    assert [v.name for v in model.outputs] == ["an output"]
    expected = model(X, Y)
    identifiers = [p.name for p in sunmao.read_model(onnx)[0].find("main").params[:2]]
    for call in ({"输入": X, "a b": Y}, dict(zip(identifiers, (X, Y), strict=True)), {"a b": Y, identifiers[0]: X}):
        np.testing.assert_array_equal(model(call), expected)
        np.testing.assert_array_equal(model(**call), expected)
    with pytest.raises(sunmao.Error, match=r"E0034.*`c d`"):
        model({"输入": X, "c d": Y})
    with pytest.raises(sunmao.Error, match=r"E0034.*`a b` is given twice"):
        model({"输入": X, "a b": Y, "a_b": Y})
    with pytest.raises(sunmao.Error, match=r"E0034.*no value for the input `输入`"):
        model({"a b": Y})


def test_the_command_line_knows_both_names_too(onnx: Path, artifact: Path) -> None:
    text = run_sunmao("inspect", artifact).stdout
    assert "输入: float32 (n, 4)" in text and "a b: float32" in text and "an output: float32" in text
    report = json.loads(run_sunmao("inspect", artifact, "--json").stdout)
    assert [v["name"] for v in report["functions"][0]["inputs"]] == ["输入", "a b"]
    for model, more in ((artifact, ()), (onnx, ()), (onnx, ("--evaluate",))):
        for name in ("a b", "a_b"):
            result = run_sunmao("run", model, "--input", f"{name}=zeros", "--input", "输入=zeros", *more)
            assert result.returncode == 0, result.stderr
            assert "an output" in result.stdout
    result = run_sunmao("run", artifact, "--input", "输人=zeros")
    assert result.returncode == 2 and "输入" in result.stderr
