"""`sunmao tune` and `sunmao compile --tuning`. No times are asserted: files that tests write
say what is faster."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
from sunmao_binary import BINARY, LIMIT, MODELS, compile_model
from sunmao_binary import sunmao as run

PRODUCTS = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 60), "float32"), w: R.Tensor((60, 96), "float32"), v: R.Tensor((96, 40), "float32")):
        with R.dataflow():
            h = R.nn.relu(R.matmul(x, w))
            y = R.nn.softmax(R.matmul(h, v))
            R.output(y)
        return y
"""
TARGET = ("--target", "x86-64-v3")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    (tmp_path / "model.py").write_text(PRODUCTS)
    return tmp_path / "model.py"


def entries(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of `tune`, in which each kernel has been measured."""
    folder = tmp_path_factory.mktemp("tune")
    (folder / "model.py").write_text(PRODUCTS)
    done = run("tune", folder / "model.py", *TARGET, "--dim", "n=50", "--threads", "1", "--time", "20s")
    assert done.returncode == 0, done.stderr
    assert "kernel" in done.stdout and "whole model" in done.stdout and str(folder / "model.tuning") in done.stdout
    return folder / "model.tuning"


def chosen(measured: Path, path: Path) -> Path:
    """Writes a file in which each kernel takes the second plan that was measured."""
    lines = entries(measured)
    for entry in lines:
        entry |= {"plans": entry["times"][1]["plans"], "used": True}
    path.write_text("".join(json.dumps(entry) + "\n" for entry in lines))
    return path


def artifact(model: Path, path: Path, *options: object) -> bytes:
    done = run("compile", model, "--no-bind-weights", *TARGET, "-o", path, *options)
    assert done.returncode == 0, done.stderr
    return path.read_bytes()


def test_the_file_has_a_line_for_each_kernel(measured: Path) -> None:
    lines = entries(measured)
    assert sorted(entry["name"] for entry in lines) == ["fused_matmul_nn_relu", "matmul1", "nn_softmax"]
    for entry in lines:
        assert re.fullmatch(r"[0-9a-f]{16}", entry["kernel"]) and "threads" in entry["machine"]
        assert entry["target"] == "x86-64-v3" and entry["seconds"] > 0 and len(entry["times"]) >= 2
        plans = [entry["first"], *(measured["plans"] for measured in entry["times"])]
        assert entry["plans"] in plans and len({json.dumps(p) for p in plans}) == len(plans)
        for times in entry["times"]:
            low, median, high = times["ratio"]
            assert 0 < low <= median <= high and times["seconds"] > 0 and times["rounds"] >= 8
            assert times["plans"] != entry["plans"] or high < 1


def test_compile_takes_the_plans_of_a_file(measured: Path, model: Path, tmp_path: Path) -> None:
    plain = artifact(model, tmp_path / "plain.sunmao")
    tuning = chosen(measured, tmp_path / "chosen.tuning")
    tuned = artifact(model, tmp_path / "tuned.sunmao", "--tuning", tuning)
    assert tuned == artifact(model, tmp_path / "again.sunmao", "--tuning", tuning)
    assert tuned != plain
    (tmp_path / "none.tuning").write_text("")
    assert artifact(model, tmp_path / "none.sunmao", "--tuning", tmp_path / "none.tuning") == plain
    random = np.random.default_rng(0)
    inputs = [random.standard_normal(shape).astype("f4") for shape in ((7, 60), (60, 96), (96, 40))]
    want = sunmao.load(tmp_path / "plain.sunmao")(*inputs)
    np.testing.assert_allclose(sunmao.load(tmp_path / "tuned.sunmao")(*inputs), want, rtol=1e-5, atol=1e-6)


def test_python_takes_the_same_file(measured: Path, model: Path, tmp_path: Path) -> None:
    tuning = chosen(measured, tmp_path / "chosen.tuning")
    options: dict[str, Any] = {"target": "x86-64-v3", "bind_weights": False}
    sunmao.compile(model, tuning=tuning, **options).save(tmp_path / "tuned.sunmao")
    sunmao.compile(model, **options).save(tmp_path / "plain.sunmao")
    tuned, plain = ((tmp_path / f"{name}.sunmao").read_bytes() for name in ("tuned", "plain"))
    assert tuned == artifact(model, tmp_path / "own.sunmao", "--tuning", tuning)
    assert tuned != plain
    with pytest.raises(sunmao.Error, match="E0801"):
        sunmao.compile(model, tuning=tmp_path / "none.tuning")
    with pytest.raises(sunmao.Error, match="E0034"):
        sunmao.compile(model, tuning=3)


def test_a_stage_has_the_plans_of_the_file(measured: Path, model: Path, tmp_path: Path) -> None:
    tuning, stage = chosen(measured, tmp_path / "chosen.tuning"), tmp_path / "stage.py"
    options = ("--no-bind-weights", *TARGET)
    for name in ("inline-elementwise", "apply-tuning", "schedule"):
        done = run("compile", model, *options, "--tuning", tuning, "--stop-after", name, "-o", stage)
        assert done.returncode == 0, done.stderr
        assert ('"sunmao.tuning"' in stage.read_text()) == (name == "inline-elementwise")
        assert ('"sunmao.plans"' in stage.read_text()) == (name == "apply-tuning")
        again = artifact(stage, tmp_path / "again.sunmao")
        assert kernels_of(again) == kernels_of(artifact(model, tmp_path / "own.sunmao", "--tuning", tuning))


def kernels_of(data: bytes) -> bytes:
    """Returns the code of an artifact: lines that calls come from are others for a stage."""
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.read(next(name for name in archive.namelist() if name.startswith("code/")))


def test_plans_that_are_not_used_or_for_another_target_change_nothing(
    measured: Path, model: Path, tmp_path: Path
) -> None:
    plain = artifact(model, tmp_path / "plain.sunmao")
    for change in ({"used": False}, {"target": "x86-64-v4"}, {"kernel": "0" * 16}):
        lines = [entry | change for entry in entries(chosen(measured, tmp_path / "chosen.tuning"))]
        (tmp_path / "other.tuning").write_text("".join(json.dumps(entry) + "\n" for entry in lines))
        assert artifact(model, tmp_path / "other.sunmao", "--tuning", tmp_path / "other.tuning") == plain


def test_plans_that_a_kernel_does_not_have_are_left_aside(measured: Path, model: Path, tmp_path: Path) -> None:
    lines = [entry | {"plans": ["tile 7x9"]} for entry in entries(chosen(measured, tmp_path / "chosen.tuning"))]
    (tmp_path / "old.tuning").write_text("".join(json.dumps(entry) + "\n" for entry in lines))
    plain = artifact(model, tmp_path / "plain.sunmao")
    words = ("compile", model, "--no-bind-weights", *TARGET, "--tuning", tmp_path / "old.tuning")
    done = run(*words, "-o", tmp_path / "old.sunmao")
    assert done.returncode == 0 and (tmp_path / "old.sunmao").read_bytes() == plain
    assert done.stderr.count("is left aside: it has no plans `tile 7x9` for x86-64-v3") == 3
    with pytest.warns(sunmao.CompileWarning, match="left aside"):
        sunmao.compile(model, target="x86-64-v3", bind_weights=False, tuning=tmp_path / "old.tuning")


def test_what_the_file_has_is_not_measured_again(measured: Path, model: Path, tmp_path: Path) -> None:
    path = tmp_path / "copy.tuning"
    path.write_bytes(measured.read_bytes())
    words = ("tune", model, *TARGET, "--dim", "n=50", "--threads", "1", "-o", path)
    done = run(*words)
    assert done.returncode == 0 and done.stdout.count(", known") == 3, done.stdout
    before = {e["name"]: e["times"] for e in entries(measured)}
    assert {e["name"]: e["times"] for e in entries(path)} == before
    lines = entries(path)
    lines[0]["times"].pop()
    path.write_text("".join(json.dumps(entry) + "\n" for entry in lines) + '{"kernel":"wri')
    done = run(*words)
    assert done.returncode == 0 and done.stdout.count(", known") == 2, done.stdout
    after = {e["name"]: e["times"] for e in entries(path)}
    assert {name: len(times) for name, times in after.items()} == {name: len(times) for name, times in before.items()}


def test_an_interrupt_loses_nothing_that_was_measured(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(PRODUCTS.replace("60", "600").replace("96", "960"))
    words = [str(BINARY), "tune", str(tmp_path / "model.py"), "--dim", "n=500", "--time", "1h", "--threads", "1"]
    path = tmp_path / "model.tuning"
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        for _ in range(LIMIT * 100):
            if path.exists() or process.poll() is not None:
                break
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=LIMIT)
    assert process.returncode == 130 and errors.startswith("interrupted")
    assert all(entry["times"] for entry in entries(path))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model.py", "model.tuning"]
    done = run("compile", tmp_path / "model.py", "--no-bind-weights", "--tuning", path, "-o", tmp_path / "m.sunmao")
    assert done.returncode == 0, done.stderr


def test_a_model_without_a_choice(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("""
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        y = R.exp(x)
        return y
""")
    done = run("tune", tmp_path / "model.py")
    assert done.returncode == 0 and "no plan is faster" in done.stdout
    assert (tmp_path / "model.tuning").read_text() == ""


@pytest.mark.parametrize("text", ["words", "0", "-1s", "5 m", "5d", "1e9h", "nan"])
def test_times_that_are_none(text: str) -> None:
    done = run("tune", MODELS / "mlp.onnx", f"--time={text}")
    assert done.returncode == 2 and f"error[E0002]: --time: `{text}` is no time" in done.stderr


def test_bad_usage(tmp_path: Path) -> None:
    for words, message in [
        (("tune",), "E0001"),
        (("tune", tmp_path / "none.onnx"), "E0801"),
        (("tune", compile_model("mlp.onnx", tmp_path / "m.sunmao")), "E0004"),
        (("tune", MODELS / "mlp.onnx", "--target", "x86-64-v2,x86-64-v3"), "E0002"),
        (("tune", MODELS / "mlp.onnx", "--dim", "none=3", "-o", tmp_path / "a.tuning"), "E0003"),
        (("tune", MODELS / "mlp.onnx", "-o", MODELS / "mlp.onnx"), "E0807"),
        (("compile", MODELS / "mlp.onnx", "--tuning", tmp_path / "none.tuning"), "E0801"),
    ]:
        done = run(*words)
        assert done.returncode in (1, 2) and f"error[{message}]" in done.stderr, done.stderr
    assert not (tmp_path / "a.tuning").exists()


def test_a_malformed_file_is_an_error_and_stays(measured: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad.tuning"
    path.write_text(measured.read_text() + "words\n")
    before, line = path.read_bytes(), len(entries(measured)) + 1
    for words in (("compile", "--tuning", path, "-o", tmp_path / "m.sunmao"), ("tune", "-o", path)):
        done = run(words[0], MODELS / "mlp.onnx", *words[1:])
        assert done.returncode == 1 and "error[E0548]" in done.stderr and f"line {line}:" in done.stderr
        assert path.read_bytes() == before
