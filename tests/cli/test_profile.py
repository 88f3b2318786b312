"""`sunmao profile`: its table, its JSON and its trace. Times are not asserted."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from sunmao_binary import MODELS, compile_model, sunmao

KERNELS = ["fused_matmul_add_nn_relu1_prepacked", "sum", "fused_matmul1_add1"]
SIZES = ("--dim", "batch=8")


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_model("mlp.onnx", tmp_path_factory.mktemp("profile") / "mlp.sunmao", "--dim", "batch=1..64")


def output_of(*arguments: object) -> str:
    result = sunmao("profile", *arguments)
    assert result.returncode == 0, result.stderr
    return result.stdout


def profile_of(*arguments: object) -> Any:
    return json.loads(output_of(*arguments, "--json", "-"))


def test_the_table_has_all_kernels_and_totals(artifact: Path) -> None:
    text = output_of(artifact, *SIZES, "--repeat", "20")
    header, *rows = text.splitlines()
    assert header.split()[:5] == ["share", "time", "calls", "GFLOP/s", "GB/s"]
    assert sorted(name for name in KERNELS for row in rows if f" {name} " in row) == sorted(KERNELS)
    assert "in 3 kernels" in text and "outside of kernels" in text and "20 runs of" in text
    assert "Gemm_0" in text and "\x1b" not in text
    shares = [float(share) for share in re.findall(r"^ *([0-9.]+) %", text, re.MULTILINE)]
    assert sum(shares[:3]) == pytest.approx(shares[3], abs=0.2) and shares[3] + shares[4] == pytest.approx(100, abs=0.2)


def test_the_slowest_kernel_comes_first(artifact: Path) -> None:
    kernels = profile_of(artifact, *SIZES, "--repeat", "20")["kernels"]
    assert [k["seconds"] for k in kernels] == sorted((k["seconds"] for k in kernels), reverse=True)


def test_top_limits_the_rows(artifact: Path) -> None:
    text = output_of(artifact, "--repeat", "5", "--top", "1")
    assert sum(f" {name} " in text for name in KERNELS) == 1 and "2 more kernels" in text


def test_sums_of_the_json_agree(artifact: Path) -> None:
    report = profile_of(artifact, *SIZES, "--repeat", "10", "--threads", "1")
    assert report["runs"] == 10 and report["threads"] == 1
    assert {k["name"]: k["calls"] for k in report["kernels"]} == dict.fromkeys(KERNELS, 10)
    inside = sum(k["seconds"] for k in report["kernels"])
    assert inside == pytest.approx(report["seconds_in_kernels"])
    assert inside + report["seconds_outside"] == pytest.approx(report["seconds"])
    for k in report["kernels"]:
        assert sum(p["calls"] for p in k["places"]) == k["calls"]
        assert sum(p["seconds"] for p in k["places"]) == pytest.approx(k["seconds"])
        assert k["gflops"] == pytest.approx(k["flops"] / k["seconds"] * 1e-9)
        assert k["share_of_expected"] == pytest.approx(k["share_of_limit"] / k["expected_share"])
    assert report["peak"]["gflops"] > 0 and report["peak"]["gb_s"] > 0 and report["peak"]["cache_gb_s"] > 0


def test_work_follows_the_sizes(artifact: Path) -> None:
    for rows in (1, 8):
        report = profile_of(artifact, "--dim", f"batch={rows}", "--repeat", "10")
        (product,) = (k for k in report["kernels"] if k["name"] == KERNELS[0])
        assert product["flops"] == 10 * rows * 32 * (2 * 16 + 2)
        assert product["bytes"] == 10 * 4 * (rows * (16 + 32) + 16 * 32 + 32)


def test_a_model_is_compiled_first() -> None:
    report = profile_of(MODELS / "mlp.pt2", "--repeat", "2")
    places = {k["name"]: k["places"][0] for k in report["kernels"]}
    assert places[KERNELS[2]]["module"] == "fc2"
    assert all(p["line"].startswith("make_models.py:") and p["function"] == "main" for p in places.values())


def test_a_kernel_that_is_called_twice_has_both_places(tmp_path: Path) -> None:
    script = tmp_path / "twice.py"
    script.write_text("""
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((4, 4), "float32")):
        y = R.matmul(x, x)
        return R.matmul(y, x)
""")
    (kernel,) = profile_of(script, "--repeat", "3")["kernels"]
    assert kernel["calls"] == 6 and [p["calls"] for p in kernel["places"]] == [3, 3]
    assert sorted(p["line"] for p in kernel["places"]) == ["twice.py:6", "twice.py:7"]
    row = next(line for line in output_of(script, "--repeat", "3").splitlines() if " matmul " in line)
    assert row.endswith(" +1")


def test_the_json_goes_to_a_file_beside_the_table(artifact: Path, tmp_path: Path) -> None:
    text = output_of(artifact, "--repeat", "4", "--json", tmp_path / "p.json")
    assert "in 3 kernels" in text and json.loads((tmp_path / "p.json").read_text())["runs"] == 4


def test_the_trace_has_an_event_for_each_call(artifact: Path, tmp_path: Path) -> None:
    output_of(artifact, "--repeat", "7", "--trace", tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    calls = [e for e in events if e["cat"] == "kernel"]
    runs = [e for e in events if e["cat"] == "run"]
    assert [e["name"] for e in calls] == 7 * KERNELS and len(runs) == 7
    assert all(e["ph"] == "X" and e["dur"] >= 0 for e in events)
    assert calls[0]["args"] == {"family": "contraction", "function": "main", "call": 0, "source": "Gemm_0"}
    for run, first in zip(runs, calls[::3], strict=True):
        assert run["ts"] <= first["ts"] <= first["ts"] + first["dur"] <= run["ts"] + run["dur"]


def test_a_trace_that_is_not_complete_says_so(artifact: Path, tmp_path: Path) -> None:
    result = sunmao("profile", artifact, "--repeat", "30000", "--trace", tmp_path / "trace.json")
    assert result.returncode == 0 and "the first 100000 runs and kernel calls of 120000" in result.stderr
    assert len(json.loads((tmp_path / "trace.json").read_text())["traceEvents"]) == 100000


@pytest.mark.parametrize(
    ("arguments", "code", "status"),
    [
        (["gone.sunmao"], "E0801", 1),
        (["--repeat", "0"], "E0001", 2),
        (["--threads", "1000"], "E0001", 2),
        (["--top", "none"], "E0001", 2),
        (["--dim", "batch=0"], "E0906", 1),
        (["--dim", "width=3"], "E0003", 2),
        (["--function", "other"], "E0003", 2),
        (["--input", "y=zeros"], "E0003", 2),
        (["--trace", "gone/trace.json"], "E0804", 1),
        (["--json", ""], "E0002", 2),
        (["--fast"], "E0001", 2),
    ],
)
def test_bad_input_is_an_error_with_a_code(artifact: Path, arguments: list[str], code: str, status: int) -> None:
    given = arguments if arguments[0] == "gone.sunmao" else [str(artifact), *arguments]
    result = sunmao("profile", *given)
    assert (result.returncode, f"error[{code}]" in result.stderr) == (status, True), result.stderr


def test_the_model_is_not_overwritten(tmp_path: Path) -> None:
    path = compile_model("mlp.onnx", tmp_path / "m.sunmao")
    before = path.read_bytes()
    for option in ("--json", "--trace"):
        assert "error[E0807]" in sunmao("profile", path, option, path).stderr
    both = sunmao("profile", path, "--json", tmp_path / "x", "--trace", tmp_path / "x")
    assert "error[E0807]" in both.stderr and path.read_bytes() == before


def test_a_cache_is_for_artifacts(tmp_path: Path) -> None:
    assert "error[E0004]" in sunmao("profile", MODELS / "mlp.onnx", "--cache", tmp_path).stderr
