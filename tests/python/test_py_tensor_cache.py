"""Caches of weights on disk."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
from sunmao.compat.contrib import tvmjs
from sunmao.compat.runtime.registry import get_global_func

WEIGHTS = {
    "w_0": np.arange(6, dtype="int32").reshape(2, 3),
    "w_1": np.array([1.0, 1.00390625, -3.4e38, np.inf], "float32"),
    "w_2": np.zeros((0, 4), "float16"),
}


def builtin(name: str) -> Any:
    return get_global_func(f"vm.builtin.{name}")


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    builtin("tensor_cache.clear")()


@pytest.mark.parametrize("encoding", ["raw", "f32-to-bf16"])
@pytest.mark.parametrize("megabytes", [0, 32])
def test_what_is_written_is_loaded(encoding: str, megabytes: int, tmp_path: Path) -> None:
    tvmjs.dump_tensor_cache(WEIGHTS, str(tmp_path), encoding, shard_cap_mb=megabytes, show_progress=False)
    assert len(list(tmp_path.glob("*.bin"))) == (1 if megabytes else 3)
    builtin("tensor_cache.load")(str(tmp_path), 1, 0)
    found = builtin("param_array_from_cache")("w", -1)
    rounded = np.array([1.0, 1.0, -3.389531e38, np.inf], "float32")
    expected = [WEIGHTS["w_0"], WEIGHTS["w_1"] if encoding == "raw" else rounded, WEIGHTS["w_2"]]
    for got, wanted in zip(found, expected, strict=True):
        assert (got.dtype, got.shape) == (wanted.dtype.name, wanted.shape)
        np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-6)
    assert builtin("param_array_from_cache_by_name_unpacked")("w_1", "w_0")[1] is found[0]
    assert builtin("tensor_cache.get")("nothing") is None


def test_an_update_replaces_by_name_and_adds(tmp_path: Path) -> None:
    tvmjs.dump_tensor_cache({"a": np.zeros(2, "int8")}, str(tmp_path), meta_data={"k": 1}, show_progress=False)
    more = {"a": np.ones(2, "int8"), "b": np.full(1, 7, "int8")}
    tvmjs.dump_tensor_cache(more, str(tmp_path), show_progress=False, update_if_exists=True)
    assert json.loads((tmp_path / "tensor-cache.json").read_text())["metadata"] == {"k": 1}
    builtin("tensor_cache.load")(str(tmp_path), 1, 0)
    assert [x.numpy().tolist() for x in builtin("param_array_from_cache_by_name")(["a", "b"])] == [[1, 1], [7]]
    with pytest.raises(sunmao.Error, match=r"E0034.*3 bytes, in the cache 2"):
        tvmjs.dump_tensor_cache({"a": np.ones(3, "int8")}, str(tmp_path), show_progress=False, update_if_exists=True)


@pytest.mark.parametrize(
    "change", [{"dataPath": "../x.bin"}, {"nbytes": 99}, {"byteOffset": -1}, {"shape": [-2]}, {"dtype": "x"}, {}]
)
def test_a_cache_that_is_damaged_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    tvmjs.dump_tensor_cache({"a": np.zeros(2, "int8")}, str(folder), show_progress=False)
    (tmp_path / "x.bin").write_bytes(b"\0\0")
    index = folder / "tensor-cache.json"
    about = json.loads(index.read_text())
    shard = about["records"][0]
    (shard if "dataPath" in change else shard["records"][0]).update(change)
    index.write_text(json.dumps(about) if change else "[]")
    with pytest.raises(sunmao.Error, match=r"E0864|E0034"):
        builtin("tensor_cache.load")(str(folder), 1, 0)
    assert builtin("tensor_cache.get")("a") is None


def test_tensors_are_noted_by_name() -> None:
    builtin("tensor_cache.update")("a", np.ones(1, "float32"))
    with pytest.raises(sunmao.Error, match=r"E0034.*already"):
        builtin("tensor_cache.update")("a", np.zeros(1, "float32"))
    builtin("tensor_cache.update")("a", np.zeros(1, "float32"), True)
    assert builtin("tensor_cache.get")("a").numpy().tolist() == [0]
    builtin("tensor_cache.remove")("a")
    with pytest.raises(sunmao.Error, match=r"E0034.*no tensor `a`"):
        builtin("param_array_from_cache_by_name")(["a"])
