"""Elements of less than a byte at the borders: NumPy, DLPack, script text, ONNX files and artifacts."""

import io
import json
import struct
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import sunmao
from onnx_bytes import number, text, value, varint
from sunmao import _sunmao
from sunmao.arrays import to_numpy, to_tensor
from sunmao_binary import sunmao as run_sunmao

ONNX_TYPES = {"uint4": 21, "int4": 22, "float4_e2m1fn": 23, "uint2": 25, "int2": 26}
DTYPES = (*ONNX_TYPES, "float6_e2m3fn", "float6_e3m2fn")


def width(name: str) -> int:
    return int(getattr(ml_dtypes, "finfo" if "float" in name else "iinfo")(name).bits)


def drawn(name: str, *shape: int) -> Any:
    codes = np.random.default_rng(0).integers(0, 2 ** width(name), shape)
    return codes.astype(np.uint8).view(getattr(ml_dtypes, name))


def packed(array: Any) -> bytes:
    """Packs the elements, low bits first."""
    bits = np.unpackbits(array.reshape(-1, 1).view(np.uint8), axis=1, bitorder="little")[:, : width(array.dtype.name)]
    return np.packbits(bits.reshape(-1), bitorder="little").tobytes()


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", [(), (3, 5), (0, 2), (8,)])
def test_numpy_arrays_are_packed_and_unpacked(name: str, shape: tuple[int, ...]) -> None:
    x = drawn(name, *shape)
    for given in (x, x.T.copy().T):
        tensor = to_tensor(given)
        assert (tensor.dtype, tensor.shape) == (name, shape)
        got = to_numpy(tensor)
        assert got.dtype == x.dtype
        np.testing.assert_array_equal(got.view(np.uint8), x.view(np.uint8))


def test_a_tensor_has_memory_of_its_own_that_can_be_written() -> None:
    x = drawn("int4", 3, 5)
    tensor = sunmao.runtime.tensor(x)
    tensor[1, 2] = np.array(-3, x.dtype)
    x[1, 2] = -3
    np.testing.assert_array_equal(tensor.numpy(), x)
    tensor.copyfrom(x[::-1])
    np.testing.assert_array_equal(tensor.numpy(), x[::-1])
    with pytest.raises(sunmao.Error, match=r"E0034.*cannot be written"):
        to_tensor(x).assign(np.zeros((3, 5), np.uint8))
    with pytest.raises(sunmao.Error, match=r"E0034.*contiguous array of uint8"):
        tensor.native.assign(np.zeros((5, 3), np.uint8))


@pytest.mark.parametrize("name", DTYPES)
def test_dlpack_carries_packed_elements(name: str) -> None:
    tensor = to_tensor(drawn(name, 3, 5))
    again = _sunmao.Tensor.from_array(tensor)
    assert (again.dtype, again.shape) == (name, (3, 5))
    np.testing.assert_array_equal(to_numpy(again).view(np.uint8), to_numpy(tensor).view(np.uint8))


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", [(3, 5), (1,), (40, 41)])
def test_constants_hold_every_element(name: str, shape: tuple[int, ...]) -> None:
    x = drawn(name, *shape)
    np.testing.assert_array_equal(sunmao.relax.const(x).data.numpy().view(np.uint8), x.view(np.uint8))


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("count", [1, 8, 15])
def test_constants_go_through_script_text(name: str, count: int) -> None:
    x = drawn(name, count).astype(np.float32 if "float" in name else np.int8)
    head = "from tvm.script import relax as R\n\n@R.function\ndef main():\n"
    module = sunmao.parse_module(f'{head}    return R.const([{", ".join(map(str, x))}], "{name}")\n')
    again = sunmao.parse_module(module.script())
    assert again.script() == module.script()
    for got in (sunmao.evaluate(again), sunmao.compile(again)()):
        assert got.dtype.name == name
        np.testing.assert_array_equal(got.astype(x.dtype), x)


def tensor(name: str, array: Any, form: str, location: str = "") -> bytes:
    """Encodes an ONNX tensor whose data stands in `raw_data`, in `int32_data` or in an external file."""
    head = b"".join(number(1, d) for d in array.shape) + number(2, ONNX_TYPES[array.dtype.name]) + text(8, name)
    if form == "raw":
        return head + text(9, packed(array))
    if form == "typed":
        return head + text(5, b"".join(varint(b) for b in packed(array)))
    entries = {"location": location, "offset": "3", "length": str(len(packed(array)))}
    return head + b"".join(text(13, text(1, k) + text(2, v)) for k, v in entries.items()) + number(14, 1)


def attribute(name: str, integer: int) -> bytes:
    return text(5, text(1, name) + number(3, integer) + number(20, 2))


def dequantizing(path: Path, weights: dict[str, Any], form: str, attributes: Sequence[tuple[str, int]]) -> Path:
    """Writes a model that returns x + DequantizeLinear(w, s)."""
    data = path.with_suffix(".bin")
    data.write_bytes(b"abc" + packed(weights["w"]))
    scale = weights["s"]
    s = b"".join(number(1, d) for d in scale.shape) + number(2, 1) + text(8, "s") + text(9, scale.tobytes())
    node = text(1, "w") + text(1, "s") + text(2, "d") + text(3, "node") + text(4, "DequantizeLinear")
    node += b"".join(attribute(*a) for a in attributes)
    add = text(1, "x") + text(1, "d") + text(2, "y") + text(3, "sum") + text(4, "Add")
    graph = (
        text(1, node) + text(1, add) + text(2, "g") + text(5, tensor("w", weights["w"], form, data.name)) + text(5, s)
    )
    graph += text(11, value("x", weights["w"].shape)) + text(12, text(1, "y"))
    path.write_bytes(number(1, 11) + text(7, graph) + text(8, text(1, "") + number(2, 25)))
    return path


def weights_in(artifact: Path) -> dict[str, dict[str, Any]]:
    with zipfile.ZipFile(artifact) as archive:
        data = io.BytesIO(archive.read("weights.safetensors"))
    (size,) = struct.unpack("<Q", data.read(8))
    return {k: v for k, v in json.loads(data.read(size)).items() if not k.startswith("__")}


@pytest.mark.parametrize("name", ONNX_TYPES)
@pytest.mark.parametrize("form", ["raw", "typed", "external"])
def test_onnx_weights_stay_packed(name: str, form: str, tmp_path: Path) -> None:
    w, s = drawn(name, 3, 5), np.float32([0.5, 1, 2])
    path = dequantizing(tmp_path / "m.onnx", {"w": w, "s": s}, form, [("axis", 0)])
    module, weights = sunmao.read_model(path)
    np.testing.assert_array_equal(weights["w"].view(np.uint8), w.view(np.uint8))
    x = np.ones((3, 5), np.float32)
    expected = x + w.astype(np.float32) * s[:, None]
    np.testing.assert_array_equal(sunmao.evaluate(module, x, *(weights[n] for n in ("w", "s"))), expected)
    np.testing.assert_array_equal(sunmao.compile(path)(x), expected)


def test_blocks_of_int4_weights(tmp_path: Path) -> None:
    w, s = drawn("int4", 6, 5), np.linspace(0.5, 4, 15, dtype=np.float32).reshape(3, 5)
    path = dequantizing(tmp_path / "m.onnx", {"w": w, "s": s}, "raw", [("axis", 0), ("block_size", 2)])
    x = np.ones((6, 5), np.float32)
    np.testing.assert_array_equal(sunmao.compile(path)(x), x + w.astype(np.float32) * s.repeat(2, axis=0))


def identity(path: Path, w: Any) -> Path:
    """Writes a model that casts an int4 weight by the sign of an input, so that the weight is kept as it is."""
    take = text(1, "w") + text(1, "i") + text(2, "t") + text(3, "node") + text(4, "Gather")
    cast = text(1, "t") + text(2, "y") + text(3, "cast") + text(4, "Cast") + attribute("to", 1)
    index = text(1, "i") + text(2, text(1, number(1, 7) + text(2, text(1, number(1, 2)))))
    graph = text(1, take) + text(1, cast) + text(2, "g") + text(5, tensor("w", w, "raw"))
    path.write_bytes(number(1, 11) + text(7, graph + text(11, index) + text(12, text(1, "y"))) +
                     text(8, text(1, "") + number(2, 25)))  # fmt: skip
    return path


@pytest.mark.parametrize("shape", [(3, 5), (4, 6), (1, 1)])
def test_an_artifact_holds_half_a_byte_for_each_int4(shape: tuple[int, ...], tmp_path: Path) -> None:
    w = drawn("int4", *shape)
    model = sunmao.compile(identity(tmp_path / "m.onnx", w))
    model.save(tmp_path / "m.sunmao")
    (entry,) = [e for n, e in weights_in(tmp_path / "m.sunmao").items() if n == "w"]
    begin, end = entry["data_offsets"]
    assert end - begin == (w.size + 1) // 2
    assert (entry["dtype"], entry["shape"]) == ("U8", [(w.size + 1) // 2])
    i = np.array([shape[0] - 1, 0], np.int64)
    for loaded in (model, sunmao.load(tmp_path / "m.sunmao")):
        np.testing.assert_array_equal(loaded(i), w.astype(np.float32)[i])
    shown = run_sunmao("inspect", "--json", tmp_path / "m.sunmao")
    (weight,) = [e for e in json.loads(shown.stdout)["weights"] if e["name"] == "w"]
    assert weight["bytes"] == (w.size + 1) // 2
    model_facts = json.loads(run_sunmao("inspect", "--json", tmp_path / "m.onnx").stdout)
    assert model_facts["weight_bytes"] == (w.size + 1) // 2


@pytest.mark.parametrize("shape", [(3, 5), (4, 6)])
def test_files_of_weights_hold_packed_elements(shape: tuple[int, ...], tmp_path: Path) -> None:
    """Weights of a dtype that safetensors has no name for come back from a file, compiled with or at load time."""
    w, other = drawn("int4", *shape), np.zeros(shape, ml_dtypes.int4)
    sunmao.compile(identity(tmp_path / "m.onnx", w)).save_weights(tmp_path / "w.safetensors")
    path, i = identity(tmp_path / "other.onnx", other), np.array([1, 2], np.int64)
    sunmao.compile(path).save(tmp_path / "other.sunmao")
    for model in (
        sunmao.compile(path, weights=tmp_path / "w.safetensors"),
        sunmao.load(tmp_path / "other.sunmao", weights=tmp_path / "w.safetensors"),
    ):
        np.testing.assert_array_equal(model(i), w.astype(np.float32)[i])
