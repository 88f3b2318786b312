"""`make bench-symbolic`: a model at its sizes, symbols beside constants, bounds, kernels that lose."""

import json
import shutil
from pathlib import Path
from typing import Any

import chart
import compare_engines
import numpy as np
import pytest
import symbolic_kernels
import symbolic_report
from bounds import Bounds
from engines import Files
from model_names import SYMBOLIC
from model_run import ModelRun
from programs import MODELS, read_tensors
from rounds import summary

FACTS = {"name": "mlp", "input": "x", "flops": 7168, "bytes_read": 2000, "classes_from": []}


def prepare(folder: Path, size: str = "7x16") -> dict[str, Any]:
    """Lays out what symbolic_models.py makes; the model with constants is the symbolic one too."""
    recorded = read_tensors(MODELS / "mlp.onnx.safetensors")
    np.savez(folder / f"mlp.{size}.npz", input0=recorded["b7.input.0"], output0=recorded["b7.output.0"])
    for name in ("mlp.onnx", f"mlp.{size}.onnx"):
        shutil.copy(MODELS / "mlp.onnx", folder / name)
    (folder / "mlp.json").write_text(json.dumps(FACTS))
    return {**FACTS, "name": f"mlp {size}", "files": "mlp", "size": size}


def run(folder: Path, facts: dict[str, Any]) -> ModelRun:
    with ModelRun(facts, folder, folder / "log") as model_run:
        for engine in ("sunmao", "constant"):
            model_run.start(engine, 1)
        model_run.time(1, 0.2, seed=0)
    return model_run


def test_a_symbolic_model_has_engines_and_results_of_its_own() -> None:
    arguments = compare_engines.parse(["--symbolic"])
    assert (arguments.models, arguments.results) == (SYMBOLIC, "symbolic")
    assert arguments.engines == ["sunmao", "constant", "onnxruntime", "openvino"]
    assert compare_engines.parse(["--symbolic", "--engines", "torch"]).engines == ["sunmao", "constant", "torch"]
    assert "constant" not in compare_engines.parse(["--engines", "all"]).engines


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--symbolic", "--models", "swin_t"], "no model is called `swin_t`"),
        (["--symbolic", "--engines", "compile"], "no engine is called `compile`"),
        (["--engines", "constant"], "no engine is called `constant`"),
        (["--symbolic", "--quantised"], "not allowed with argument"),
        (["--kernels"], "add --symbolic"),
    ],
)
def test_mistakes_are_told(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        compare_engines.parse(arguments)
    assert words in f"{stopped.value}{capsys.readouterr().err}"


def test_a_model_is_a_row_for_each_size() -> None:
    cases = [{"case": "1x1", "size": "1x1", "flops": 1}, {"case": "1x2", "size": "1x2", "flops": 2}]
    rows = compare_engines.cases_of({"name": "bert", "bytes_read": 5, "cases": cases})
    assert rows[1] == {"name": "bert 1x2", "files": "bert", "size": "1x2", "flops": 2, "bytes_read": 5, "case": "1x2"}
    assert compare_engines.cases_of(FACTS) == [FACTS]


def test_inputs_and_constants_belong_to_a_size() -> None:
    files = Files(Path("f"), "bert", "1x2")
    assert (files.form("onnx"), files.at_size().form("onnx")) == (Path("f/bert.onnx"), Path("f/bert.1x2.onnx"))
    assert Files(Path("f"), "bert").at_size().form("npz") == Path("f/bert.npz")


def test_symbols_and_constants_play_in_the_same_rounds(tmp_path: Path) -> None:
    model_run = run(tmp_path, prepare(tmp_path))
    for engine, artifact in (("sunmao", "mlp.sunmao"), ("constant", "mlp.7x16.sunmao")):
        row = model_run.engines[engine]
        assert "reason" not in row and row["difference"] < 1e-5
        assert row["artifact_bytes"] == (tmp_path / artifact).stat().st_size
    assert all(set(r) == {"sunmao", "constant"} for r in model_run.timings[0]["rounds"])
    assert symbolic_report.of_constant({"timings": model_run.timings}, 1)["ratio"] > 0
    kernels = compare_engines.kernels_of(model_run, "x", 1)
    assert sum(row["nodes"] for row in kernels) >= 2 and all(row["symbolic"] > 0 for row in kernels)
    (tmp_path / "mlp.7x16.sunmao").unlink()
    assert symbolic_kernels.compare(model_run.files, "x", 1) == []


def test_the_symbolic_artifact_serves_all_sizes(tmp_path: Path) -> None:
    run(tmp_path, prepare(tmp_path))
    made = (tmp_path / "mlp.sunmao").stat().st_mtime_ns
    compiled = {"compile_seconds": 0.5, "form": "onnx"}
    model_run = run(tmp_path, {**prepare(tmp_path, "other"), "compiled": compiled})
    assert model_run.engines["sunmao"]["compile_seconds"] == 0.5
    assert (tmp_path / "mlp.sunmao").stat().st_mtime_ns == made
    assert model_run.engines["constant"]["compile_seconds"] != 0.5


def test_a_refused_onnx_file_is_told_of(tmp_path: Path) -> None:
    facts = prepare(tmp_path)
    (tmp_path / "mlp.onnx").write_bytes(b"{")
    shutil.copy(MODELS / "mlp.pt2", tmp_path / "mlp.pt2")
    model_run = run(tmp_path, facts)
    engines = model_run.engines
    assert compare_engines.kernels_of(model_run, "x", 1) == []  # nodes have other names in it
    assert engines["sunmao"]["form"] == "pt2" and engines["sunmao"]["refused"].startswith("error[E0841]")
    assert "refused" not in engines["constant"]
    (line,) = symbolic_report.other_forms({"models": [{"name": "mlp 7x16", "engines": engines}]})
    assert line.startswith("mlp: Sunmao reads the .pt2 file") and "E0841" in line


@pytest.mark.parametrize(
    ("interval", "bound", "at_most", "answer"),
    [
        ([0.9, 1.05], 1.05, True, "yes"),
        ([1.06, 1.2], 1.05, True, "no"),
        ([1.0, 1.2], 1.05, True, "undecided"),
        ([1.0, 1.2], 1.0, False, "yes"),
        ([0.8, 0.9], 0.92, False, "no"),
        ([0.8, 1.0], 0.92, False, "undecided"),
        (None, 1.0, False, "undecided"),
    ],
)
def test_a_bound_is_kept_by_whole_intervals(
    interval: list[float] | None, bound: float, at_most: bool, answer: str
) -> None:
    assert Bounds("ratio", bound, bound, at_most).verdict(interval, bound) == answer


def ratio(value: float, *interval: float) -> dict[str, Any]:
    return {"ratio": value, "ratio_interval": list(interval) or None}


def test_one_size_beyond_a_bound_breaks_it() -> None:
    rows = {"a": ratio(1.0, 0.9, 1.1), "b": ratio(1.2, 1.15, 1.3), "c": ratio(0.9, 0.85, 1.2)}
    found = Bounds("ratio", 1.2, 1.12, at_most=True).figures(rows, 0)
    assert (found["worst_model"], found["worst"], found["worst_interval"]) == ("b", 1.2, [1.15, 1.3])
    assert (found["mean_kept"], found["each_kept"]) == ("yes", "no")
    assert found["mean"] == pytest.approx((1.0 * 1.2 * 0.9) ** (1 / 3))


def test_what_is_not_measured_leaves_a_bound_open() -> None:
    rows = {"a": ratio(1.1, 1.05, 1.2)}
    kept = Bounds("ratio", 1.0, 0.92, at_most=False).figures(rows, 0)
    assert (kept["mean_kept"], kept["each_kept"]) == ("yes", "yes")
    kept = Bounds("ratio", 1.0, 0.92, at_most=False).figures(rows, 1)
    assert (kept["mean_kept"], kept["each_kept"]) == ("undecided", "undecided")
    assert Bounds("ratio", 1.3, 1.3, at_most=False).figures(rows, 1)["each_kept"] == "no"


def result() -> dict[str, Any]:
    """A run with one size that all engines were timed on, and one that Sunmao refuses."""
    seconds = {"sunmao": 2.0, "constant": 1.0, "onnxruntime": 3.0, "openvino": 8.0}
    one = {e: {"per_call": s, "calls": 1, "spent": s, "cores": 1.0} for e, s in seconds.items()}
    rounds = [one] * 6
    timing = {"threads": 1, "engines": summary(rounds, "sunmao"), "rounds": rounds}
    loses = {"family": "row", "nodes": 2, "symbolic": 3e-6, "constant": 1e-6}
    return {
        "commit": "c",
        "changed": False,
        "date": "d",
        "machine": {"cpu": "c", "cores": 2, "memory_gib": 1, "system": "s", "load_average": 0.1},
        "versions": {},
        "limits": [{"threads": 1, "fma_gflops": 100, "read_gb_s": 10.0, "triad_gb_s": 9.0}],
        "settings": {"threads": [1], "engines": list(seconds), "results": "symbolic"},
        "models": [
            {
                "name": "bert 1x2",
                "engines": {engine: {} for engine in seconds},
                "timings": [timing],
                "kernels": [
                    {"kernel": "softmax", **loses},
                    {"kernel": "gains", **loses, "symbolic": 0.5e-6},
                ],
            },
            {"name": "yolo 1x3", "engines": {"sunmao": {"reason": "refused"}}, "timings": []},
        ],
    }


def test_tables_have_both_ratios_and_the_answers() -> None:
    text = symbolic_report.terminal(result())
    (line,) = [line for line in text.splitlines() if line.startswith("bert 1x2") and "ONNX Runtime" in line]
    assert "2.00 [2.00, 2.00]" in line and "1.50 [1.50, 1.50]" in line
    assert "geometric mean 2.000 [2.000, 2.000]; at most 1.05: no" in text
    assert "worst 1.500 [1.500, 1.500] (bert 1x2); none below 0.92: undecided" in text  # yolo is not measured
    assert "softmax" in text and "gains" not in text
    assert symbolic_report.by_threads(result())["1"]["constant"]["missing"] == 1


def test_the_page_ends_with_the_bounds_and_the_chart_has_constants() -> None:
    page = symbolic_report.markdown(result())
    assert "![ratios](symbolic.svg)" in page
    assert "- 1 thread, Sunmao / constant (1 row, 1 not measured):" in page.partition("## Bounds")[2]
    assert "Sunmao, constant" in chart.draw(result())


def profile(runs: int, *kernels: tuple[str, dict[str, float]]) -> dict[str, Any]:
    rows = [
        {"name": name, "family": "map", "places": [{"node": node, "seconds": s} for node, s in nodes.items()]}
        for name, nodes in kernels
    ]
    return {"runs": runs, "kernels": rows}


def test_kernels_correspond_by_nodes() -> None:
    """Two layers have the same kernels; what is an op of its own with symbols may be fused with constants."""
    symbolic = profile(2, ("matmul", {"m1": 20, "m2": 24}), ("pad", {"m1": 2}), ("copy", {"c": 6}))
    constant = profile(1, ("matmul", {"m1": 9, "m2": 9}), ("mask", {"k": 1}))
    rows = {row["kernel"]: row for row in symbolic_kernels.losses([symbolic], [constant])}
    assert list(rows) == ["matmul", "copy", ""]  # by seconds lost: 5, 3, -1
    assert rows["matmul"] == {"kernel": "matmul", "family": "map", "nodes": 2, "symbolic": 23, "constant": 18}
    assert (rows["copy"]["symbolic"], rows["copy"]["constant"]) == (3, 0)
    assert (rows[""]["symbolic"], rows[""]["constant"], rows[""]["nodes"]) == (0, 1, 1)


def test_kernel_times_are_medians_of_the_profiles() -> None:
    profiles = [profile(1, ("matmul", {"m": seconds})) for seconds in (5, 1, 2)]
    (row,) = symbolic_kernels.losses(profiles, profiles)
    assert (row["symbolic"], row["constant"]) == (2, 2)
