"""Artifacts that prepare their weights at load time, separately prepared weights, and functions that share weights."""

import json
import os
import tempfile
from pathlib import Path

import numpy as np
import pytest
import sunmao
from lifted_models import MODELS, Net
from sunmao_binary import read_tensors, write_tensors
from sunmao_binary import sunmao as run_sunmao

X = np.arange(6, dtype="float32").reshape(2, 3) / 7
RAW = {"w": np.arange(4, dtype="float32") / 3, "b": np.arange(4, dtype="float32")}
OTHER = {"w": RAW["b"], "b": RAW["w"]}

# The prepared form of `w` is called `w` too, and `b` is used as it is.
SHADOWED = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((4,), "float32"), b: R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            w = R.exp(w)
            s = R.sum(x, axis=[1], keepdims=True)
            y = R.add(R.multiply(s, w), b)
            R.output(y)
        return y
"""


def expected(raw: dict[str, np.ndarray]) -> np.ndarray:
    return X.sum(axis=1, keepdims=True) * np.exp(raw["w"]) + raw["b"]


def run(model: sunmao.Model, net: Net) -> list[np.ndarray]:
    return [model[entry.name](*entry.samples(3)) for entry in net.entries]


def all_equal(a: list[np.ndarray], b: list[np.ndarray]) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def weights_of(model: sunmao.Model) -> dict[str, np.ndarray]:
    with tempfile.TemporaryDirectory() as folder:
        model.save_weights(Path(folder) / "weights.safetensors")
        return read_tensors(Path(folder) / "weights.safetensors")


def code_of(path: Path, **options: object) -> str:
    with pytest.raises(sunmao.Error) as raised:
        sunmao.load(path, **options)
    return raised.value.code


def output_of(*arguments: object) -> str:
    result = run_sunmao(*arguments)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """Makes an artifact without weights that prepares those given at load time."""
    script = tmp_path / "model.py"
    script.write_text("from tvm.script import ir as I, relax as R\n" + SHADOWED)
    output_of("compile", script, "--prepare", "load", "-o", tmp_path / "bare.sunmao")
    return tmp_path / "bare.sunmao"


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    return write_tensors(tmp_path / "raw.safetensors", RAW)


@pytest.mark.parametrize("name", MODELS)
def test_now_at_load_and_on_their_own_give_the_same(name: str, tmp_path: Path) -> None:
    net = MODELS[name]()
    now = sunmao.compile(net.module(), weights=net.weights)
    late = sunmao.compile(net.module(), weights=net.weights, prepare="load")
    results = run(now, net)
    assert all_equal(run(late, net), results)
    assert late.functions == now.functions == [entry.name for entry in net.entries]
    prepared, prepared_late = weights_of(now), weights_of(late)
    assert {n: w.tobytes() for n, w in prepared.items()} == {n: w.tobytes() for n, w in prepared_late.items()}
    late.save(tmp_path / "late.sunmao")
    now.save_weights(tmp_path / "prepared.safetensors")
    raw = write_tensors(tmp_path / "raw.safetensors", net.weights)
    for given in (None, raw, tmp_path / "prepared.safetensors"):
        assert all_equal(run(sunmao.load(tmp_path / "late.sunmao", weights=given), net), results), given


def test_functions_that_share_weights_share_prepared_ones() -> None:
    net, alone = MODELS["llama"](), MODELS["llama"]()
    model = sunmao.compile(net.module(), weights=net.weights)
    for entry, got in zip(net.entries, run(model, net), strict=True):
        want = sunmao.evaluate(net.module(), *entry.samples(3), *net.weights.values(), function=entry.name)
        np.testing.assert_allclose(got, np.asarray(want), rtol=1e-5, atol=1e-5)
    del alone.entries[1]
    one = sunmao.compile(alone.module(), weights=net.weights)
    sizes = [sum(w.nbytes for w in weights_of(m).values()) for m in (model, one)]
    # The second entry, `decode`, shares all prepared weights with the first except one row in each of the two rotary
    # tables.
    assert sizes[0] - sizes[1] == 2 * 4 * 4


def test_functions_with_weights_of_their_own() -> None:
    other = SHADOWED.split("class Module:\n")[1].replace("def main", "def other").replace("R.exp", "R.abs")
    other = other.replace("w: R.Tensor((4,)", "v: R.Tensor((4,)").replace("R.abs(w)", "R.abs(v)")
    raw = RAW | {"v": -RAW["w"]}
    for prepare in ("compile", "load"):
        model = sunmao.compile(sunmao.parse_module(SHADOWED + other), weights=raw, prepare=prepare)
        assert model.functions == ["main", "other"]
        np.testing.assert_allclose(model(X), expected(raw), rtol=1e-5)
        want = X.sum(axis=1, keepdims=True) * raw["w"] + raw["b"]
        np.testing.assert_allclose(model["other"](X), want, rtol=1e-5)


def test_functions_whose_weights_and_prepared_ones_have_names_crosswise() -> None:
    other = SHADOWED.split("class Module:\n")[1].replace("def main", "def other")
    other = other.replace("w: R.Tensor((4,)", "v: R.Tensor((4,)").replace("w = R.exp(w)", "w = R.negative(v)")
    crossed = (
        other.replace("def other", "def last").replace("w = R.negative(v)", "v = R.abs(v)").replace("s, w", "s, v")
    )
    raw = RAW | {"v": -RAW["w"]}
    sums = X.sum(axis=1, keepdims=True)
    for prepare in ("compile", "load"):
        model = sunmao.compile(sunmao.parse_module(SHADOWED + other + crossed), weights=raw, prepare=prepare)
        np.testing.assert_allclose(model(X), expected(raw), rtol=1e-5)
        np.testing.assert_allclose(model["other"](X), sums * -raw["v"] + raw["b"], rtol=1e-5)
        np.testing.assert_allclose(model["last"](X), sums * np.abs(raw["v"]) + raw["b"], rtol=1e-5)


def test_one_name_for_two_weights_is_an_error() -> None:
    other = (
        SHADOWED.split("class Module:\n")[1]
        .replace("def main", "def other")
        .replace('((4,), "float32"), b', '((1,), "float32"), b')
    )
    with pytest.raises(sunmao.Error, match="two functions take a weight `w`") as raised:
        sunmao.compile(sunmao.parse_module(SHADOWED + other), weights=RAW)
    assert raised.value.code == "E0521"


def test_a_function_without_weights_stays_callable() -> None:
    other = """
    @R.function
    def twice(x: R.Tensor((2,), "float32")):
        y = R.add(x, x)
        return y
"""
    model = sunmao.compile(sunmao.parse_module(SHADOWED + other), weights=RAW)
    assert model.functions == ["main", "twice"]
    assert model["twice"](np.ones(2, "float32")).tolist() == [2, 2]


def test_weights_that_nothing_reads_leave_their_function_alone() -> None:
    module = sunmao.parse_module(SHADOWED.replace("y = R.add(R.multiply(s, w), b)", "y = R.add(s, s)"))
    for prepare in ("compile", "load"):
        model = sunmao.compile(module, weights=RAW, prepare=prepare)
        assert model.functions == ["main"] and weights_of(model) == {}
        np.testing.assert_allclose(model(X), 2 * X.sum(axis=1, keepdims=True), rtol=1e-5)


def test_a_prepared_weight_of_a_raw_name_has_a_longer_one(raw: Path, bare: Path) -> None:
    model = sunmao.load(bare, weights=raw)
    np.testing.assert_allclose(model(X), expected(RAW), rtol=1e-5)
    np.testing.assert_allclose(weights_of(model)["main.w"], np.exp(RAW["w"]), rtol=1e-5)
    assert sorted(weights_of(model)) == ["b", "main.w"]


def test_stages_run_one_after_the_other() -> None:
    first = sunmao.run_pass(sunmao.parse_module(SHADOWED), "lift-transform-params", name="first")
    text = str(first).replace("R.add(lv, b)", "R.add(lv, R.negative(b))")
    both = sunmao.run_pass(sunmao.parse_module(text), "lift-transform-params", name="second")
    assert '["first", "second"]' in str(both)
    for prepare in ("compile", "load"):
        model = sunmao.compile(both, weights=RAW, prepare=prepare)
        assert model.functions == ["main"]
        np.testing.assert_allclose(model(X), expected(RAW | {"b": -RAW["b"]}), rtol=1e-5)


def test_what_is_between_two_stages_is_not_kept(tmp_path: Path) -> None:
    first = sunmao.run_pass(sunmao.parse_module(SHADOWED), "lift-transform-params", name="first")
    text = str(first).replace("R.multiply(s, w)", "R.multiply(s, R.negative(w))")
    both = sunmao.run_pass(sunmao.parse_module(text), "lift-transform-params", name="second")
    sunmao.compile(both, weights=RAW, prepare="load").save(tmp_path / "model.sunmao")
    for _ in range(2):
        model = sunmao.load(tmp_path / "model.sunmao", cache=tmp_path)
        np.testing.assert_allclose(model(X), 2 * RAW["b"] - expected(RAW), rtol=1e-5)
    (kept,) = tmp_path.glob("*.safetensors")
    assert len(read_tensors(kept)) == 1


def test_what_was_prepared_is_kept_for_the_next_load(raw: Path, bare: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    options = {"weights": raw, "cache": cache}
    np.testing.assert_allclose(sunmao.load(bare, **options)(X), expected(RAW), rtol=1e-5)
    (kept,) = cache.iterdir()
    # The next load reads the cache file and does not rewrite it.
    written = kept.stat().st_ino
    np.testing.assert_allclose(sunmao.load(bare, **options)(X), expected(RAW), rtol=1e-5)
    assert kept.stat().st_ino == written
    # An invalid cache file is replaced; a file without the digest of its data is invalid.
    whole = kept.read_bytes()
    foreign = write_tensors(kept, {"main.w": np.zeros(4, "float32")}).read_bytes()
    for damaged in (b"", whole[:-1], foreign):
        kept.write_bytes(damaged)
        np.testing.assert_allclose(sunmao.load(bare, **options)(X), expected(RAW), rtol=1e-5)
        assert list(read_tensors(kept)) == ["main.w"]
    # For other weights a second cache file is written beside the first.
    write_tensors(raw, OTHER)
    np.testing.assert_allclose(sunmao.load(bare, **options)(X), expected(OTHER), rtol=1e-5)
    assert len(os.listdir(cache)) == 2
    assert code_of(bare, weights=raw, cache=tmp_path / "absent") == "E0804"


def test_weights_that_do_not_do(raw: Path, bare: Path, tmp_path: Path) -> None:
    assert code_of(bare) == "E0862"
    for wrong in ({"w": RAW["w"]}, {"b": RAW["b"]}, RAW | {"w": RAW["w"].astype("float64")}, RAW | {"b": X}, {"v": X}):
        assert code_of(bare, weights=write_tensors(raw, wrong)) == "E0860", wrong
    model = sunmao.compile(sunmao.parse_module(SHADOWED), weights=RAW)
    model.save(tmp_path / "now.sunmao")
    # An artifact that requires prepared weights rejects raw weights, even if some names match.
    assert code_of(tmp_path / "now.sunmao", weights=write_tensors(raw, RAW)) == "E0860"
    for arguments in ({"prepare": "late"}, {"prepare": "load", "bind_weights": False}):
        with pytest.raises(sunmao.Error, match="prepare"):
            sunmao.compile(sunmao.parse_module(SHADOWED), weights=RAW, **arguments)
    with pytest.raises(sunmao.Error) as raised:
        sunmao.compile(sunmao.parse_module(SHADOWED), weights={"w": RAW["w"]}, prepare="load")
    assert raised.value.code == "E0520"


def test_a_file_of_weights_that_nothing_takes(raw: Path, tmp_path: Path) -> None:
    unbound = tmp_path / "unbound.sunmao"
    sunmao.compile(sunmao.parse_module(SHADOWED), bind_weights=False).save(unbound)
    assert code_of(unbound, weights=raw) == "E0863"
    result = run_sunmao("run", unbound, "--weights", raw)
    assert result.returncode == 1 and "takes no weights from" in result.stderr


def test_a_model_that_reads_no_weight_takes_its_own_empty_file(tmp_path: Path) -> None:
    text = SHADOWED.replace("R.add(R.multiply(s, w), b)", "R.exp(s)")
    model = sunmao.compile(sunmao.parse_module(text), weights=RAW, prepare="load")
    model.save(tmp_path / "model.sunmao")
    model.save_weights(tmp_path / "none.safetensors")
    again = sunmao.load(tmp_path / "model.sunmao", weights=tmp_path / "none.safetensors")
    np.testing.assert_array_equal(again["main"](X), model["main"](X))


TWO_SIZES = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor(("n",), "float32")):
        R.func_attr({"num_input": 1})
        return R.add(x, R.sum(w))

    @R.function
    def other(x: R.Tensor((2, 3), "float32"), w: R.Tensor(("m",), "float32")):
        R.func_attr({"num_input": 1})
        return R.multiply(x, R.sum(w))
"""


def test_two_functions_name_the_size_of_a_weight_each_in_its_own_way() -> None:
    model = sunmao.compile(sunmao.parse_module(TWO_SIZES), weights={"w": RAW["w"]})
    np.testing.assert_allclose(model["main"](X), X + RAW["w"].sum(), rtol=1e-5)
    np.testing.assert_allclose(model["other"](X), X * RAW["w"].sum(), rtol=1e-5)


def test_raw_weights_go_before_a_tensor_that_has_the_name_of_a_prepared_one(bare: Path, tmp_path: Path) -> None:
    model = sunmao.load(bare, weights=write_tensors(tmp_path / "more.safetensors", RAW | {"main.w": RAW["b"]}))
    np.testing.assert_allclose(model["main"](X), expected(RAW), rtol=1e-5)


def test_weights_say_the_sizes_that_they_name() -> None:
    text = SHADOWED.replace('w: R.Tensor((4,), "float32")', 'w: R.Tensor(("m",), "float32")')
    for prepare in ("compile", "load"):
        model = sunmao.compile(sunmao.parse_module(text), weights=RAW, prepare=prepare)
        np.testing.assert_allclose(model["main"](X), expected(RAW), rtol=1e-5)


def test_an_artifact_holds_no_tuples() -> None:
    text = SHADOWED.replace('w: R.Tensor((4,), "float32"), b:', 'w: R.Tuple(R.Tensor((4,), "float32")), b:')
    with pytest.raises(sunmao.Error, match="an artifact holds arrays") as raised:
        sunmao.compile(sunmao.parse_module(text.replace("R.exp(w)", "R.exp(w[0])")), prepare="load")
    assert raised.value.code == "E0521"


def test_a_broken_file_of_weights_is_named(raw: Path, bare: Path) -> None:
    raw.write_bytes(raw.read_bytes()[:-1])
    with pytest.raises(sunmao.Error, match=f"`{raw}`: safetensors: ") as raised:
        sunmao.load(bare, weights=raw)
    assert raised.value.code == "E0830"


def test_the_command_line(raw: Path, bare: Path, tmp_path: Path) -> None:
    prepared, outputs = tmp_path / "prepared.safetensors", tmp_path / "outputs.safetensors"
    report = json.loads(output_of("transform-params", bare, "--weights", raw, "-o", prepared, "--json"))
    assert [w["name"] for w in report["weights"]] == ["b", "main.w"]
    np.testing.assert_allclose(read_tensors(prepared)["main.w"], np.exp(RAW["w"]), rtol=1e-5)
    x = write_tensors(tmp_path / "x.safetensors", {"x": X})
    for weights in (raw, prepared):
        output_of("run", bare, "--weights", weights, "--input", f"x={x}:x", "--output", outputs)
        np.testing.assert_allclose(read_tensors(outputs)["output.0"], expected(RAW), rtol=1e-5)
    # `transform-params` on the model file gives the same tensors as the compilation prepares.
    of_model = tmp_path / "of_model.safetensors"
    text = output_of("transform-params", tmp_path / "model.py", "--weights", raw, "-o", of_model)
    assert "2 weights" in text
    assert read_tensors(of_model).keys() == read_tensors(prepared).keys()
    assert "main_transform_params" not in output_of("inspect", bare)
    assert "becomes" in output_of("inspect", bare, "--bytecode")


@pytest.mark.parametrize(
    "arguments",
    [
        ("compile", "{model}", "--no-bind-weights", "--prepare", "load"),
        ("compile", "{model}", "--no-bind-weights", "--weights", "{folder}/raw.safetensors"),
        ("run", "{model}", "--cache", "{folder}"),
        ("transform-params", "{bare}", "-o", "{folder}/p.safetensors", "--target", "x86-64-v3"),
    ],
)
def test_options_that_do_not_go_together(arguments: tuple[str, ...], bare: Path, tmp_path: Path) -> None:
    words = [a.format(model=tmp_path / "model.py", bare=bare, folder=tmp_path) for a in arguments]
    result = run_sunmao(*words)
    assert result.returncode == 2 and "E0004" in result.stderr
