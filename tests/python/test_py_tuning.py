"""Tuning under upstream's names. No times are asserted."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
import sunmao.compat as tvm
from sunmao.compat import relax
from sunmao.compat.script import ir as I
from sunmao.compat.script import relax as R
from sunmao.compat.script import tirx as T

TARGET = tvm.target.Target({"kind": "llvm", "num-cores": 16})


@I.ir_module
class Kernels:
    @T.prim_func
    def tir_matmul(x: T.handle, y: T.handle, z: T.handle) -> None:
        T.func_attr({"global_symbol": "tir_matmul"})
        A = T.match_buffer(x, (32, 32))
        B = T.match_buffer(y, (32, 32))
        C = T.match_buffer(z, (32, 32))
        for i0, j0, k0 in T.grid(32, 32, 32):
            with T.sblock():
                i, j, k = T.axis.remap("SSR", [i0, j0, k0])
                with T.init():
                    C[i, j] = 0.0
                C[i, j] += A[i, k] * B[k, j]

    @T.prim_func
    def tir_transpose(x: T.handle, y: T.handle):
        T.func_attr({"global_symbol": "tir_transpose"})
        A = T.match_buffer(x, (32, 32))
        B = T.match_buffer(y, (32, 32))
        for i, j in T.grid(32, 32):
            with T.sblock():
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vj, vi]

    @R.function
    def main(x: R.Tensor((32, 32), "float32"), w: R.Tensor((32, 32), "float32")) -> R.Tensor:
        cls = Kernels
        with R.dataflow():
            lv0 = R.call_tir(cls.tir_matmul, (x, w), R.Tensor((32, 32), dtype="float32"))
            lv1 = R.call_tir(cls.tir_transpose, (lv0,), R.Tensor((32, 32), dtype="float32"))
            R.output(lv1)
        return lv1


X, W = (np.random.default_rng(i).standard_normal((32, 32)).astype("float32") for i in (1, 2))


def entries(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "sunmao.tuning").read_text().splitlines()]


def take_second_plans(folder: Path) -> None:
    lines = [e | {"plans": e["times"][0]["plans"], "used": True} for e in entries(folder)]
    (folder / "sunmao.tuning").write_text("".join(json.dumps(e) + "\n" for e in lines))


def product(module: tvm.IRModule) -> np.ndarray:
    machine = relax.VirtualMachine(tvm.compile(module, TARGET), tvm.cpu())
    found: np.ndarray = machine["main"](tvm.runtime.tensor(X), tvm.runtime.tensor(W)).numpy()
    return found


def test_a_module_is_tuned_and_the_plans_are_applied(tmp_path: Path) -> None:
    work_dir = str(tmp_path / "logs")
    with TARGET, tvm.transform.PassContext(opt_level=0):
        tune = relax.transform.MetaScheduleTuneIRMod(params={}, work_dir=work_dir, max_trials_global=4)
        assert tune(Kernels).same_as(Kernels)
    assert sum(len(e["times"]) for e in entries(tmp_path / "logs")) <= 4
    take_second_plans(tmp_path / "logs")
    applied = relax.transform.MetaScheduleApplyDatabase(work_dir)(Kernels)
    assert not tvm.ir.structural_equal(Kernels, applied)
    assert "sunmao.tuning" in applied.script()
    np.testing.assert_allclose(product(applied), product(Kernels), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(product(applied), (X @ W).T, rtol=1e-4, atol=1e-5)


def test_kernels_of_some_names_are_tuned(tmp_path: Path) -> None:
    with TARGET:
        relax.transform.MetaScheduleTuneIRMod({}, str(tmp_path), 4, 2, ["matmul"])(Kernels)
    (entry,) = entries(tmp_path)
    assert entry["name"] == "tir_matmul" and len(entry["times"]) == 2


def test_loop_level_functions_are_tuned(tmp_path: Path) -> None:
    alone = tvm.IRModule({"tir_matmul": Kernels["tir_matmul"]})
    with TARGET:
        tuned = relax.transform.MetaScheduleTuneTIR(work_dir=str(tmp_path), max_trials_global=2)(alone)
    assert tuned.same_as(alone)
    (entry,) = entries(tmp_path)
    assert len(entry["times"]) == 2


def test_params_are_constants(tmp_path: Path) -> None:
    with TARGET:
        relax.transform.MetaScheduleTuneIRMod({"w": tvm.runtime.tensor(W)}, str(tmp_path), 2)(Kernels)
    assert entries(tmp_path)


def test_the_pipeline_tunes_and_applies(tmp_path: Path) -> None:
    @I.ir_module
    class Product:
        @R.function
        def main(x: R.Tensor((32, 32), "float32"), w: R.Tensor((32, 32), "float32")):
            with R.dataflow():
                y = R.nn.relu(R.matmul(x, w))
                R.output(y)
            return y

    options: dict[str, Any] = {"target": TARGET, "work_dir": str(tmp_path)}
    relax.get_pipeline("static_shape_tuning", total_trials=3, max_trials_per_task=2, **options)(Product)
    (entry,) = entries(tmp_path)
    assert len(entry["times"]) == 2
    take_second_plans(tmp_path)
    tuned = relax.get_pipeline("static_shape_tuning", total_trials=0, **options)(Product)
    assert "sunmao.tuning" in tuned.script()
    np.testing.assert_allclose(product(tuned), np.maximum(X @ W, 0), rtol=1e-4, atol=1e-5)


def test_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(sunmao.Error, match="E0032.*work_dir"):
        relax.transform.MetaScheduleApplyDatabase()
    with pytest.raises(sunmao.Error, match="E0032.*enable_warning"):
        relax.transform.MetaScheduleApplyDatabase(str(tmp_path), enable_warning=True)
    with pytest.raises(sunmao.Error, match="E0801"):
        relax.transform.MetaScheduleApplyDatabase(str(tmp_path))(Kernels)
    with pytest.raises(sunmao.Error, match="E0034.*max_trials_global"):
        relax.transform.MetaScheduleTuneTIR(str(tmp_path), -1)
    (tmp_path / "sunmao.tuning").write_text("words\n")
    with pytest.raises(sunmao.Error, match="E0548.*line 1"):
        relax.transform.MetaScheduleApplyDatabase(str(tmp_path))(Kernels)
