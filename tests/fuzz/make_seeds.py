"""Makes the packed seeds of the fuzzers of model readers: stored zip archives `seeds.pack`, a seed each entry.

    build/differential-env/bin/python tests/fuzz/make_seeds.py {onnx|pt2}

The seeds are small cases of each op in tests/differential, and for ONNX also models of onnx's own tests of nodes.
Programs of PyTorch are their JSON, of which the reader needs no metadata; buffers become inputs. Those of all overloads
are too large to be kept with the sources: they go to build/fuzz/seeds_pt2.pack, where `make fuzz-pt2-models` looks.
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/differential"))
CASES = 2  # of an op or overload that are kept
LARGEST = 4096  # bytes of a seed of one op
NODE_TESTS = 300  # of onnx that are kept


def write(path: Path, seeds: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in sorted(seeds.items()):
            archive.writestr(zipfile.ZipInfo(name), data)
    print(f"{path}: {len(seeds)} seeds, {path.stat().st_size} bytes")


def smallest(seeds: dict[str, list[bytes]], suffix: str) -> dict[str, bytes]:
    out = {}
    for key, datas in seeds.items():
        for i, data in enumerate(sorted(datas, key=len)[:CASES]):
            if len(data) <= LARGEST:
                out[f"{key.replace('::', '.')}.{i}.{suffix}"] = data
    return out


def onnx_node_tests() -> dict[str, bytes]:
    """Returns models of onnx's tests, the smallest for each combination of ops and attributes, with small operands
    behind the first as initialisers: many ops are read only where these are known."""
    from onnx import TensorProto, numpy_helper
    from onnx.backend.test.loader import load_model_tests

    found: dict[tuple[Any, ...], tuple[str, bytes]] = {}
    for case in load_model_tests(kind="node"):
        model, graph = case.model, case.model.graph
        if case.data_sets:
            kept = list(graph.input)[:1]
            for info, value in zip(list(graph.input)[1:], case.data_sets[0][0][1:], strict=False):
                if isinstance(value, TensorProto):
                    value = numpy_helper.to_array(value)
                if not hasattr(value, "size") or value.size > 8 or value.dtype == object:
                    kept.append(info)
                    continue
                graph.initializer.append(numpy_helper.from_array(value, info.name))
            del graph.input[:]
            graph.input.extend(kept)
        names = tuple(sorted({(n.domain, n.op_type, *sorted(a.name for a in n.attribute)) for n in graph.node}))
        data = model.SerializeToString()
        if len(data) <= LARGEST and (names not in found or len(data) < len(found[names][1])):
            found[names] = (case.name, data)
    kept = sorted(found.values(), key=lambda seed: len(seed[1]))[:NODE_TESTS]
    return {f"{name}.onnx": data for name, data in kept}


def make_onnx() -> None:
    import numpy as np
    from case_tables import tables
    from onnx_case import W, build

    random = np.random.default_rng(1)
    seeds: dict[str, list[bytes]] = {}
    for key, cases in tables("onnx_cases").items():
        for case in cases:
            weights = {i: s.draw(random) for i, s in enumerate(case.inputs) if isinstance(s, W)}
            seeds.setdefault(key, []).append(build(key, case, weights).SerializeToString())
    write(ROOT / "tests/fuzz/corpus/fuzz_onnx/seeds.pack", onnx_node_tests() | smallest(seeds, "onnx"))


def slim(program: dict[str, Any]) -> bytes:
    """Returns the JSON that a reader needs."""
    module = program["graph_module"]
    graph, signature = module["graph"], module["signature"]
    for node in graph["nodes"]:
        for key in ("metadata", "is_hop_single_tensor_return", "name"):
            node.pop(key, None)
        for argument in node["inputs"]:
            argument.pop("kind", None)
    for meta in graph["tensor_values"].values():
        for key in ("requires_grad", "device", "layout", "strides", "storage_offset"):
            meta.pop(key, None)
    for i, spec in enumerate(signature["input_specs"]):
        (kind,) = spec
        if kind in ("parameter", "buffer", "tensor_constant"):
            signature["input_specs"][i] = {"user_input": {"arg": {"as_tensor": spec[kind]["arg"]}}}
    kept = {
        "graph_module": {
            "graph": {k: graph[k] for k in ("inputs", "outputs", "nodes", "tensor_values", "sym_int_values")},
            "signature": signature,
        },
        "range_constraints": program["range_constraints"],
        "schema_version": {"major": program["schema_version"]["major"]},
    }
    return json.dumps(kept, separators=(",", ":")).encode()


def make_pt2() -> None:
    import torch
    from case_tables import tables
    from torch_case import _export, _Module

    generator = torch.Generator().manual_seed(1)
    seeds: dict[str, list[bytes]] = {}
    for key, cases in sorted(tables("torch_cases").items()):
        dynamic = [c for c in cases if c.dynamic]
        for case in [c for c in cases if not c.dynamic][:1] + dynamic[:1]:
            try:
                module = _Module(case.fn, [w.draw(generator) for w in case.weights]).eval()
                program = _export(case, key, [spec.draw(generator) for spec in case.args], module)
                with tempfile.TemporaryDirectory() as folder:
                    path = Path(folder) / "case.pt2"
                    torch.export.save(program, path)
                    with zipfile.ZipFile(path) as archive:
                        (name,) = (n for n in archive.namelist() if n.endswith("/models/model.json"))
                        seeds.setdefault(key, []).append(slim(json.load(io.BytesIO(archive.read(name)))))
            except Exception as error:  # a case that this PyTorch cannot export
                print(f"{key}: {type(error).__name__}: {str(error)[:200]}")
    every = smallest(seeds, "json")
    write(ROOT / "build/fuzz/seeds_pt2.pack", every)
    by_op: dict[str, str] = {}
    for name in sorted(every, key=lambda n: len(every[n])):
        by_op.setdefault(name.split(".")[1], name)
    write(ROOT / "tests/fuzz/corpus/fuzz_pt2/seeds.pack", {n: every[n] for n in by_op.values() if len(every[n]) <= 800})


if __name__ == "__main__":
    make_onnx() if sys.argv[1:] == ["onnx"] else make_pt2()
