"""Caches of weights on disk, as programs for language models read them: `tensor-cache.json` lists the tensors in files
of raw bytes. Loaded tensors are found by name, by programs as `vm.builtin.tensor_cache.get` and the like."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sunmao.arrays import NumPyArray, numpy_dtype
from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.runtime.device import Device, need_cpu
from sunmao.compat.runtime.registry import register_global_func
from sunmao.compat.runtime.tensors import Tensor, tensor
from sunmao.errors import fail

_INDEX = "tensor-cache.json"
_HALVED = "f32-to-bf16"  # float32 values, of which the upper two bytes are stored
_tensors: dict[str, Tensor] = {}


def to_bf16(value: NumPyArray) -> NumPyArray:
    """Returns float32 values as the bits of bfloat16: rounded to the nearest, to even; those beyond the largest are
    cut off."""
    bits = value.view(np.uint32)
    largest = np.array([0x7F7F0000], np.uint32).view(np.float32)[0]
    rounding = np.where(np.abs(value) < largest, ((bits >> 16) & 1) + 0x7FFF, 0).astype(np.uint32)
    return ((bits + rounding) >> 16).astype(np.uint16)


def from_bf16(value: NumPyArray) -> NumPyArray:
    return (value.view(np.uint16).astype(np.uint32) << 16).view(np.float32)


def _damaged(path: Path, why: str) -> Exception:
    return fail("E0864", f"`{path}` is no cache of tensors: {why}", "write it with tvmjs.dump_tensor_cache")


class _Shards:
    """The files of a cache, of which the last grows until it is full."""

    def __init__(self, folder: Path, records: list[dict[str, Any]], limit: int) -> None:
        self.records = records
        self._folder = folder
        self._limit = limit
        self._open: dict[str, Any] | None = None
        self._known = {r["name"]: (shard, r) for shard in records for r in shard["records"]}

    def add(self, record: dict[str, Any], data: bytes) -> None:
        known = self._known.get(record["name"])
        if known is not None:
            self._replace(*known, record, data)
            return
        if self._open is None or self._open["nbytes"] + len(data) > self._limit:
            path = f"params_shard_{len(self.records)}.bin"
            self._open = {"dataPath": path, "format": "raw-shard", "nbytes": 0, "records": []}
            (self._folder / path).write_bytes(b"")
            self.records.append(self._open)
        record["byteOffset"] = self._open["nbytes"]
        with open(self._folder / self._open["dataPath"], "ab") as file:
            file.write(data)
        self._open["nbytes"] += len(data)
        self._open["records"].append(record)

    def _replace(self, shard: dict[str, Any], old: dict[str, Any], new: dict[str, Any], data: bytes) -> None:
        if old["nbytes"] != len(data):
            raise fail("E0034", f"`{new['name']}` has {len(data)} bytes, in the cache {old['nbytes']}")
        with open(self._folder / shard["dataPath"], "r+b") as file:
            file.seek(old["byteOffset"])
            file.write(data)
        old.update(new)

    def finish(self) -> list[dict[str, Any]]:
        for shard in self.records:
            data = (self._folder / shard["dataPath"]).read_bytes()
            shard["md5sum"] = hashlib.md5(data, usedforsecurity=False).hexdigest()
        return self.records


@checked
def dump_tensor_cache(
    params: Any,
    cache_dir: str,
    encode_format: str = _HALVED,
    meta_data: Any = None,
    shard_cap_mb: int = 32,
    show_progress: bool = True,
    update_if_exists: bool = False,
) -> None:
    """Writes tensors by name, a mapping or pairs, to a folder; with `update_if_exists` they are added to what is there,
    or replace it by name."""
    if encode_format not in ("raw", _HALVED):
        raise fail("E0032", f"the format `{encode_format}` is not supported", f"there are raw and {_HALVED}")
    folder = Path(cache_dir)
    folder.mkdir(parents=True, exist_ok=True)
    index = folder / _INDEX
    before = json.loads(index.read_text()) if update_if_exists and index.exists() else {"metadata": {}, "records": []}
    shards = _Shards(folder, before["records"], shard_cap_mb << 20)
    pairs: Iterable[tuple[str, Any]] = params.items() if isinstance(params, Mapping) else params
    for count, (name, value) in enumerate(pairs, 1):
        array = np.ascontiguousarray(value.numpy() if isinstance(value, Tensor) else value)
        dtype = value.dtype if isinstance(value, Tensor) else array.dtype.name
        data = (to_bf16(array) if encode_format == _HALVED and dtype == "float32" else array).tobytes()
        record = {"name": name, "shape": list(value.shape), "dtype": dtype, "format": encode_format}
        shards.add({**record, "nbytes": len(data)}, data)
        if show_progress:
            print(f"[{count:04d}] saved {name}")
    known = before["metadata"] if meta_data is None else meta_data() if callable(meta_data) else meta_data
    index.write_text(json.dumps({"metadata": known, "records": shards.finish()}, indent=4))


def _read(folder: Path, shard: Mapping[str, Any]) -> Iterable[tuple[str, Tensor]]:
    path = folder / shard["dataPath"]
    if path.resolve().parent != folder.resolve():
        raise _damaged(path, "it lies outside of the folder")
    data = path.read_bytes()
    for record in shard["records"]:
        begin, size, shape = record["byteOffset"], record["nbytes"], [int(n) for n in record["shape"]]
        is_halved = record["format"] == _HALVED and record["dtype"] == "float32"
        kind = np.dtype(np.uint16) if is_halved else numpy_dtype(record["dtype"])
        if min([begin, *shape]) < 0 or begin + size > len(data) or size != math.prod(shape) * kind.itemsize:
            raise _damaged(path, f"`{record['name']}` does not lie in it")
        array = np.frombuffer(data, kind, math.prod(shape), begin)
        yield record["name"], tensor((from_bf16(array) if is_halved else array).reshape(shape))


@checked
def load(cache_path: str, device_type: int, device_id: int) -> None:
    """Loads all tensors of a cache; they replace those of the same names."""
    need_cpu(Device(device_type, device_id))
    index = Path(cache_path) / _INDEX
    try:
        records = json.loads(index.read_text())["records"]
        found = [pair for shard in records for pair in _read(index.parent, shard)]
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise error if getattr(error, "code", None) else _damaged(index, str(error)) from error
    _tensors.update(found)


@checked
def update(name: str, value: Any, override: bool = False) -> None:
    if name in _tensors and not override:
        raise fail("E0034", f"there is a tensor `{name}` in the cache already", "say that it is replaced: True")
    _tensors[name] = value if isinstance(value, Tensor) else tensor(value)


@checked
def by_names(names: Sequence[str]) -> list[Tensor]:
    missing = [name for name in names if name not in _tensors]
    if missing:
        raise fail("E0034", f"there is no tensor `{missing[0]}` in the cache")
    return [_tensors[name] for name in names]


@checked
def by_prefix(prefix: str, num_params: int) -> list[Tensor]:
    """Returns the tensors `prefix_0`, `prefix_1` and so on: so many, or, for -1, as many as there are."""
    count = num_params
    if num_params == -1:
        count = next(i for i in range(len(_tensors) + 1) if f"{prefix}_{i}" not in _tensors)
    return by_names([f"{prefix}_{i}" for i in range(count)])


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "tensor_cache.load": load,
    "tensor_cache.get": _tensors.get,
    "tensor_cache.update": update,
    "tensor_cache.remove": lambda name: _tensors.pop(name, None),
    "tensor_cache.clear": _tensors.clear,
    "param_array_from_cache": by_prefix,
    "param_array_from_cache_by_name": by_names,
    "param_array_from_cache_by_name_unpacked": lambda *names: by_names(names),
}
for _name, _function in _FUNCTIONS.items():
    register_global_func(f"vm.builtin.{_name}", _function, override=True)

__getattr__ = attribute_of(__name__)
