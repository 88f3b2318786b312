"""Inputs from NumPy's files, and outputs to them."""

import json
from pathlib import Path

import numpy as np
import pytest
import sunmao as package
from sunmao_binary import MODELS, compile_model, read_tensors, sunmao

X = np.linspace(-1, 1, 32, dtype=np.float32).reshape(2, 16)
TWO = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32")):
        return (R.add(x, x), R.astype(x, dtype="{dtype}"))
"""


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_model("mlp.onnx", tmp_path_factory.mktemp("numpy") / "mlp.sunmao")


def two_outputs(folder: Path, dtype: str = "int64") -> Path:
    package.compile(package.parse_module(TWO.format(dtype=dtype))).save(folder / "two.sunmao")
    return folder / "two.sunmao"


@pytest.mark.parametrize("source", ["x.npz:second", "x.npz", "one.npz"])
def test_arrays_of_an_archive(artifact: Path, tmp_path: Path, source: str) -> None:
    np.savez(tmp_path / "x.npz", x=X, second=X)
    np.savez(tmp_path / "one.npz", whatever=X)
    result = sunmao("run", artifact, "--input", f"x={tmp_path / source}", "--output", tmp_path / "y.npy")
    assert result.returncode == 0, result.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), package.load(artifact)(X))


def test_archives_that_do_not_fit(artifact: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", a=X, b=X)
    np.savez_compressed(tmp_path / "c.npz", x=X)
    (tmp_path / "d.npz").write_bytes((tmp_path / "x.npz").read_bytes()[:-30])
    for source, code, words in (
        ("x.npz", "E0012", "it has a, b"),
        ("x.npz:c", "E0012", "no array `c`"),
        ("c.npz", "E0011", "numpy.savez"),
        ("d.npz", "E0011", "cannot be read"),
    ):
        result = sunmao("run", artifact, "--input", f"x={tmp_path / source}")
        assert result.returncode == 1 and f"error[{code}]" in result.stderr and words in result.stderr, result.stderr


@pytest.mark.parametrize("dtype", ["int64", "float16", "bool", "uint8"])
def test_outputs_go_to_the_form_that_the_name_says(tmp_path: Path, dtype: str) -> None:
    path, x = two_outputs(tmp_path, dtype), np.arange(5, dtype=np.float32)
    np.save(tmp_path / "x.npy", x)
    given = ("run", path, "--input", f"x={tmp_path / 'x.npy'}", "--output")
    for name in ("y.npz", "y.safetensors", "y"):
        assert sunmao(*given, tmp_path / name).returncode == 0
    with np.load(tmp_path / "y.npz") as arrays:
        assert sorted(arrays) == ["output.0", "output.1"]
        np.testing.assert_array_equal(arrays["output.0"], x + x)
        assert arrays["output.1"].dtype == dtype
        np.testing.assert_array_equal(arrays["output.1"], x.astype(dtype))
    assert (tmp_path / "y").read_bytes() == (tmp_path / "y.safetensors").read_bytes()
    np.testing.assert_array_equal(read_tensors(tmp_path / "y")["output.0"], x + x) if dtype == "int64" else None


def test_outputs_that_a_file_cannot_hold_are_refused(artifact: Path, tmp_path: Path) -> None:
    path, out = two_outputs(tmp_path), tmp_path / "y.npy"
    result = sunmao("run", path, "--output", out)
    assert result.returncode == 2 and "error[E0002]" in result.stderr and "there are 2 outputs" in result.stderr
    recording = MODELS / "mlp.onnx.safetensors"
    assert "error[E0002]" in sunmao("run", artifact, "--expect", recording, "--output", out).stderr
    assert sunmao("run", artifact, "--expect", recording, "--prefix", "b2.", "--output", out).returncode == 0
    assert np.load(out).shape == (2, 3)
    out.unlink()
    result = sunmao("run", two_outputs(tmp_path, "bfloat16"), "--output", tmp_path / "y.npz")
    assert result.returncode == 2 and "bfloat16" in result.stderr and ".safetensors" in result.stderr
    assert not out.exists() and not (tmp_path / "y.npz").exists()


def test_an_array_that_goes_out_comes_in_again(artifact: Path, tmp_path: Path) -> None:
    shapes = [(), (3,), (0, 2), (2, 3, 4)]
    for shape in shapes:
        rank = "".join(f"{d}, " for d in shape)
        text = f"""
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(({rank}), "float32")):
        return R.add(x, x)
"""
        package.compile(package.parse_module(text)).save(tmp_path / "m.sunmao")
        x = np.full(shape, 1.5, np.float32)
        np.save(tmp_path / "x.npy", x)
        for _ in range(2):
            given = ("--input", f"x={tmp_path / 'x.npy'}", "--output", tmp_path / "x.npy.out.npy")
            assert sunmao("run", tmp_path / "m.sunmao", *given).returncode == 0
            (tmp_path / "x.npy.out.npy").rename(tmp_path / "x.npy")
        np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), x * 4)


def test_threads_of_a_run(artifact: Path) -> None:
    result = sunmao("run", artifact, "--threads", "1", "--json")
    assert result.returncode == 0 and json.loads(result.stdout)["results"]
    assert "error[E0001]" in sunmao("run", artifact, "--threads", "0").stderr
    onnx = MODELS / "mlp.onnx"
    assert "error[E0004]" in sunmao("run", onnx, "--evaluate", "--threads", "1").stderr
