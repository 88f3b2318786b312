"""bench/model_run.py and its workers, with Sunmao alone on a small model; what the command line refuses."""

import json
import shutil
from pathlib import Path
from typing import Any

import compare_engines
import machine
import numpy as np
import pytest
from bench_worker import difference
from engines import Files
from model_names import QUANTISED, float_base
from model_run import ModelRun
from programs import MODELS, read_tensors
from workers import EngineFailed, Worker


def prepare(folder: Path, model: str = "mlp.onnx", scale: float = 1.0) -> dict[str, Any]:
    """Lays out what bench_models.py makes; `scale` falsifies the expected output."""
    recorded = read_tensors(MODELS / "mlp.onnx.safetensors")
    np.savez(folder / "mlp.npz", input0=recorded["b7.input.0"], output0=scale * recorded["b7.output.0"])
    shutil.copy(MODELS / model, folder / "mlp.onnx")
    facts = {"name": "mlp", "flops": 7 * 2 * 16 * 32, "bytes_read": 2000, "classes_from": []}
    (folder / "mlp.json").write_text(json.dumps(facts))
    return facts


def run(folder: Path, facts: dict[str, Any]) -> ModelRun:
    with ModelRun(facts, folder, folder / "log") as model_run:
        model_run.start("sunmao", 1)
        model_run.time(1, 0.1, seed=0)
    return model_run


def test_a_model_is_compiled_checked_and_timed(tmp_path: Path) -> None:
    model_run = run(tmp_path, prepare(tmp_path))
    row = model_run.engines["sunmao"]
    assert "reason" not in row and row["form"] == "onnx"
    assert row["difference"] < 1e-5 and row["artifact_bytes"] == (tmp_path / "mlp.sunmao").stat().st_size
    assert row["peak_bytes"] > 1e6
    timing = model_run.timings[0]["engines"]["sunmao"]
    assert timing["rounds"] >= 1 and timing["calls"] >= timing["rounds"]


def test_another_output_than_pytorchs_is_shown_and_not_timed(tmp_path: Path) -> None:
    model_run = run(tmp_path, prepare(tmp_path, scale=1.001))
    assert "differs from PyTorch's by 1.0e-03" in model_run.engines["sunmao"]["reason"]
    assert model_run.timings[0]["engines"] == {}


def test_a_model_may_have_its_own_bound_and_reference(tmp_path: Path) -> None:
    facts = prepare(tmp_path, scale=1.001)
    assert "reason" not in run(tmp_path, {**facts, "tolerance": 0.01}).engines["sunmao"]
    facts |= {"tolerance": 1e-5, "reference": "that of exact arithmetic"}
    assert "differs from that of exact arithmetic by 1.0e-03" in run(tmp_path, facts).engines["sunmao"]["reason"]


def test_a_model_may_say_which_form_is_compiled_first(tmp_path: Path) -> None:
    facts = prepare(tmp_path)
    shutil.copy(MODELS / "mlp.pt2", tmp_path / "mlp.pt2")
    assert run(tmp_path, {**facts, "forms": ["pt2", "onnx"]}).engines["sunmao"]["form"] == "pt2"


def test_an_onnx_file_alone_is_nothing_for_pytorch(tmp_path: Path) -> None:
    with ModelRun(prepare(tmp_path), tmp_path, tmp_path / "log") as model_run:
        model_run.start("frozen", 1)
        model_run.time(1, 0.1, seed=0)
    assert model_run.engines["frozen"] == {} and model_run.timings[0]["engines"] == {}


def test_a_refused_file_leaves_the_pt2(tmp_path: Path) -> None:
    facts = prepare(tmp_path)
    (tmp_path / "mlp.onnx").write_bytes(b"{")
    shutil.copy(MODELS / "mlp.pt2", tmp_path / "mlp.pt2")
    row = run(tmp_path, facts).engines["sunmao"]
    assert "reason" not in row and row["form"] == "pt2"


def test_a_model_that_is_refused_has_the_first_error_as_reason(tmp_path: Path) -> None:
    facts = prepare(tmp_path)
    (tmp_path / "mlp.onnx").write_bytes(b"{")
    row = run(tmp_path, facts).engines["sunmao"]
    assert row["reason"].startswith("error[E0841]: ") and "\n" not in row["reason"]


def test_a_worker_without_its_artifact_says_so(tmp_path: Path) -> None:
    prepare(tmp_path)
    worker = Worker("sunmao", Files(tmp_path, "mlp"), tmp_path / "log", 60)
    with pytest.raises(EngineFailed, match="cannot open"):
        worker.ask("load", 60, threads=1)
    assert worker.ask("memory", 60)["peak_bytes"] > 0  # an error ends nothing
    worker.close()


def test_a_worker_that_is_too_slow_is_ended(tmp_path: Path) -> None:
    prepare(tmp_path)
    with pytest.raises(EngineFailed, match="not done after 0 s"):
        Worker("sunmao", Files(tmp_path, "mlp"), tmp_path / "log", 0)


def test_a_worker_that_ends_is_a_reason(tmp_path: Path) -> None:
    with pytest.raises(EngineFailed, match="No such file"):
        Worker("sunmao", Files(tmp_path, "mlp"), tmp_path / "log", 60)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--models", "resnet"], "no model is called `resnet`"),
        (["--engines", "tvm"], "no engine is called `tvm`"),
        (["--threads", "0"], "`0` is no list of thread counts"),
        (["--threads", "1,x"], "`1,x` is no list of thread counts"),
        (["--seconds", "-1"], "`-1` is no positive number"),
        (["--seconds", "nan"], "`nan` is no positive number"),
        (["--seconds", "long"], "`long` is no positive number"),
    ],
)
def test_mistakes_are_told(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        compare_engines.parse(arguments)
    assert words in f"{stopped.value}{capsys.readouterr().err}"


def test_choices() -> None:
    assert compare_engines.parse([]).engines == ["sunmao", "torch", "onnxruntime", "openvino"]
    assert compare_engines.parse(["--engines", "all"]).engines[-3:] == ["compile", "frozen", "backend"]
    chosen = compare_engines.parse(["--engines", "openvino", "--models", "bert,gru", "--threads", "2,1"])
    assert (chosen.engines, chosen.models, chosen.threads) == (["sunmao", "openvino"], ["bert", "gru"], [1, 2])


def test_quantised_models_have_engines_and_results_of_their_own() -> None:
    arguments = compare_engines.parse(["--quantised"])
    assert arguments.models == QUANTISED and len(QUANTISED) == 22
    assert (arguments.engines, arguments.results) == (["sunmao", "onnxruntime", "openvino"], "quantised")
    assert compare_engines.parse(["--quantised", "--models", "bert_small_dynamic"]).models == ["bert_small_dynamic"]
    assert compare_engines.parse([]).results == "latest"
    with pytest.raises(SystemExit, match="no model is called `resnet50_u8s8`"):
        compare_engines.parse(["--models", "resnet50_u8s8"])


def test_the_float_model_of_a_quantised_one() -> None:
    assert (float_base("vit_b16_s8s8"), float_base("bert_dynamic"), float_base("vit_b16")) == ("vit_b16", "bert", None)


def test_time_is_shared_among_the_models_that_are_left() -> None:
    budget = compare_engines.Budget(compare_engines.parse(["--minutes", "1", "--seconds", "12"]))
    assert budget.rounds_seconds(1) == 12
    assert 0 < budget.rounds_seconds(20) <= 1.5
    budget.spent(5, 2)  # three seconds a model beside rounds: nothing would be left, so the least
    assert budget.rounds_seconds(20) == compare_engines.LEAST_SECONDS


def test_no_model_is_begun_after_the_end() -> None:
    assert compare_engines.Budget(compare_engines.parse(["--minutes", "1e-9"])).rounds_seconds(1) == 0


def test_best_of_the_measurements_of_the_machine() -> None:
    def row(threads: int, value: float) -> dict[str, Any]:
        return {"threads": threads, "isa": "x", "fma_gflops": value, "read_gb_s": 10 - value, "triad_gb_s": value}

    best = machine.best([[row(1, 1), row(2, 5)], [row(1, 3), row(2, 4)]])
    assert [(r["threads"], r["fma_gflops"], r["read_gb_s"]) for r in best] == [(1, 3, 9), (2, 5, 6)]


@pytest.mark.parametrize(
    ("given", "right", "share"),
    [
        ([1.0, 2.0], [1.0, 4.0], 0.5),
        ([np.nan, np.inf, 1.0], [np.nan, np.inf, 2.0], 0.5),
        ([np.nan, 1.0], [3.0, 1.0], np.inf),
        ([1.0, 1.0], [np.inf, 1.0], np.inf),
        ([], [], 0.0),
        ([0.0], [0.0], 0.0),
        ([1.0], [1.0, 1.0], np.inf),
    ],
)
def test_differences_are_shares_of_the_largest_finite_number(given: Any, right: Any, share: float) -> None:
    assert difference([np.array(given, "f4")], [np.array(right, "f4")]) == share
