"""Files damaged after they were written, and external data behind symbolic links."""

import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
import sunmao
from onnx_bytes import linear
from sunmao_binary import MODELS, write_tensors
from sunmao_binary import sunmao as run_sunmao

WEIGHT, BIAS = np.arange(12, dtype="float32").reshape(4, 3), np.arange(3, dtype="float32")
X, Y = np.ones((2, 4), "float32"), np.ones((2, 3), "float32")

PREPARES = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            y = R.add(x, R.exp(w))
            R.output(y)
        return y
"""


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 0x10
    path.write_bytes(data)


def test_a_damaged_file_of_a_cache_is_made_again(tmp_path: Path) -> None:
    w = np.linspace(0, 1, 4, dtype="float32")
    artifact, cache = tmp_path / "m.sunmao", tmp_path / "cache"
    cache.mkdir()
    sunmao.compile(sunmao.parse_module(PREPARES), weights={"w": w}, prepare="load").save(artifact)
    x = np.zeros(4, "float32")
    expected = sunmao.load(artifact, cache=cache)(x)
    (kept,) = cache.iterdir()
    whole = kept.read_bytes()
    for at in (len(whole) - 1, len(whole) - 16, 8 + whole[8:].index(b"data_offsets"), 0):
        flip(kept, at)
        np.testing.assert_array_equal(sunmao.load(artifact, cache=cache)(x), expected)
        assert kept.read_bytes() == whole
    kept.write_bytes(whole[:-4])
    np.testing.assert_array_equal(sunmao.load(artifact, cache=cache)(x), expected)
    assert kept.read_bytes() == whole
    digest = whole.index(b"sunmao.sha256")
    kept.write_bytes(whole[:digest] + b"another.value" + whole[digest + 13 :])  # without a digest: not trusted
    np.testing.assert_array_equal(sunmao.load(artifact, cache=cache)(x), expected)
    assert kept.read_bytes() == whole


def test_a_cache_replaces_files_and_does_not_write_into_them(tmp_path: Path) -> None:
    artifact, cache = tmp_path / "m.sunmao", tmp_path / "cache"
    cache.mkdir()
    sunmao.compile(sunmao.parse_module(PREPARES), weights={"w": np.ones(4, "float32")}, prepare="load").save(artifact)
    model = sunmao.load(artifact, cache=cache)
    expected = model(X[0])
    (kept,) = cache.iterdir()
    inode = kept.stat().st_ino
    model.save_weights(kept)
    assert kept.stat().st_ino != inode
    np.testing.assert_array_equal(model(X[0]), expected)


@pytest.mark.parametrize("entry", ["manifest.json", "program.bin", "code/", "weights.safetensors"])
def test_inspect_refuses_a_damaged_artifact(entry: str, tmp_path: Path) -> None:
    path = tmp_path / "m.sunmao"
    assert run_sunmao("compile", MODELS / "mlp.onnx", "-o", path).returncode == 0
    report = json.loads(run_sunmao("inspect", path, "--json").stdout)
    name = next(e["name"] for e in report["entries"] if e["name"].startswith(entry))
    data = path.read_bytes()
    size = next(e["bytes"] for e in report["entries"] if e["name"] == name)
    following = data.index(b"PK", data.index(name.encode()) + size)
    flip(path, following - 200 if entry != "manifest.json" else data.index(b'"producer"') + 14)
    for options in ((), ("--json",), ("--bytecode",)):
        result = run_sunmao("inspect", path, *options)
        assert result.returncode == 1 and result.stdout == ""
        assert "error[E08" in result.stderr


@pytest.mark.parametrize("entry", ["program.bin", "code/", "weights.safetensors"])
def test_inspect_refuses_an_entry_that_was_replaced(entry: str, tmp_path: Path) -> None:
    path, other = tmp_path / "m.sunmao", tmp_path / "other.sunmao"
    assert run_sunmao("compile", MODELS / "mlp.onnx", "-o", path).returncode == 0
    with zipfile.ZipFile(path) as before, zipfile.ZipFile(other, "w") as after:
        for name in before.namelist():
            data = before.read(name)
            after.writestr(name, data[:-1] + bytes([data[-1] ^ 1]) if name.startswith(entry) else data)
    result = run_sunmao("inspect", other)
    assert result.returncode == 1 and result.stdout == ""
    assert "error[E0852]" in result.stderr and entry in result.stderr


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    """A folder laid out like the cache of a model hub: a snapshot folder of links into a folder of blobs."""
    root = tmp_path / "models--x"
    snapshot, blobs = root / "snapshots" / "abc", root / "blobs"
    snapshot.mkdir(parents=True)
    blobs.mkdir()
    (blobs / "1111").write_bytes(WEIGHT.tobytes())
    linear(blobs / "0000", WEIGHT, BIAS, external={"location": "model.onnx_data"})
    (snapshot / "model.onnx").symlink_to("../../blobs/0000")
    (snapshot / "model.onnx_data").symlink_to("../../blobs/1111")
    return snapshot


def test_external_data_behind_links_of_a_hub(hub: Path) -> None:
    np.testing.assert_allclose(sunmao.compile(hub / "model.onnx")(X, Y), X @ WEIGHT + BIAS + Y)
    result = run_sunmao("compile", hub / "model.onnx", "-o", hub.parent.parent / "blobs" / "1111")
    assert result.returncode == 1 and "E0807" in result.stderr


@pytest.mark.parametrize("target", ["../../../secret", "/etc/hostname", "../../link/secret"])
def test_external_data_never_leaves_the_tree(target: str, hub: Path) -> None:
    root = hub.parent.parent
    (root.parent / "secret").write_bytes(WEIGHT.tobytes())
    (root / "link").symlink_to("..")
    (hub / "model.onnx_data").unlink()
    (hub / "model.onnx_data").symlink_to(target)
    with pytest.raises(sunmao.Error, match="E0805"):
        sunmao.compile(hub / "model.onnx")


def test_external_data_with_two_names_is_refused(hub: Path) -> None:
    os.link(hub.parent.parent / "blobs" / "1111", hub.parent.parent / "second")
    with pytest.raises(sunmao.Error, match="E0806"):
        sunmao.compile(hub / "model.onnx")


def test_weights_by_name_stay_when_a_file_is_replaced(tmp_path: Path) -> None:
    """A loaded artifact keeps using the file that it was loaded from."""
    artifact = tmp_path / "m.sunmao"
    onnx = linear(tmp_path / "m.onnx", WEIGHT, BIAS)
    sunmao.compile(onnx).save(artifact)
    model = sunmao.load(artifact)
    before = model(X, Y)
    other = write_tensors(tmp_path / "w.safetensors", {"encoder.layer.0/bias:0": BIAS + 1})
    assert run_sunmao("compile", onnx, "--weights", other, "-o", artifact).returncode == 0
    np.testing.assert_array_equal(model(X, Y), before)
    np.testing.assert_allclose(sunmao.load(artifact)(X, Y), before + 1)
