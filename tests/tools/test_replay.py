"""tools/replay.py: two builds read the same models, and what differs is told by its class."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import replay
from replay import Difference, Reading

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(os.environ.get("SUNMAO_BIN", ROOT / "build" / "release" / "bin" / "sunmao"))
MLP = ROOT / "tests" / "models" / "mlp.onnx"


@pytest.fixture(scope="module")
def reading() -> Reading:
    return replay.read(PROGRAM, MLP)


def changed(reading: Reading, **fields: object) -> Reading:
    return Reading(**{**vars(reading), **fields})  # type: ignore[arg-type]


def test_a_model_is_read_alike_each_time(reading: Reading) -> None:
    assert reading.status == 0
    names = [name for name, _ in reading.modules]
    assert names[0] == "normalize" and "fuse-kernels" in names
    assert {"program.bin", "code/x86-64-v3", "code/x86-64-v4"} <= reading.entries.keys()
    isas = {isa for isa, name in reading.kernels if name != replay.CONSTANTS}
    assert isas == {"x86-64-v3", "x86-64-v4"}
    assert replay.compare("mlp", reading, replay.read(PROGRAM, MLP)) is None


def test_the_first_pass_that_differs_is_named(reading: Reading) -> None:
    names = [name for name, _ in reading.modules]
    modules = [(name, text + "x" * (i >= 3)) for i, (name, text) in enumerate(reading.modules)]
    found = replay.compare("mlp", reading, changed(reading, modules=modules))
    assert found == Difference("mlp", first_pass=names[3]) and found.kind == "move"


def test_an_entry_that_differs_is_a_rewrite(reading: Reading) -> None:
    found = replay.compare("mlp", reading, changed(reading, entries={**reading.entries, "program.bin": "other"}))
    assert found and found.entries == ["program.bin"] and found.kind == "rewrite"


def test_a_kernel_that_differs_is_a_change(reading: Reading) -> None:
    kernel = next(k for k in reading.kernels if k[1] != replay.CONSTANTS)
    found = replay.compare("mlp", reading, changed(reading, kernels={**reading.kernels, kernel: "other"}))
    assert found and found.kernels == [kernel] and found.kind == "change"


def test_a_model_that_is_refused_otherwise_is_a_change(reading: Reading) -> None:
    found = replay.compare("mlp", reading, Reading(1, "E0501"))
    assert found and found.refusal == "compiled, then E0501" and found.kind == "change"
    assert replay.compare("mlp", Reading(1, "E0501"), Reading(1, "E0501")) is None


def test_where_instructions_lie_does_not_count(tmp_path: Path) -> None:
    """The same function behind another one, and its constant elsewhere."""
    function = "double f(double x) { return x * 0.3 + 1.7; }\n"
    digests = []
    for before in ("", "double a(double x) { return x * 5.5; }\n"):
        source = tmp_path / "f.c"
        source.write_text(before + function)
        library = tmp_path / "f.so"
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", source, "-o", library], check=True)
        digests.append(replay.instructions("v", library))
    assert digests[0]["v", "f"] == digests[1]["v", "f"]
    assert digests[0]["v", replay.CONSTANTS] != digests[1]["v", replay.CONSTANTS]


def test_the_report_names_models_kernels_and_passes() -> None:
    differences = [
        Difference("a", first_pass="fuse-ops", kernels=[("x86-64-v3", "dense")]),
        Difference("b", refusal="compiled, then E0501"),
    ]
    times = [
        replay.Timed("a", "dense", 1e-4, 1.2, (1.1, 1.3)),
        replay.Timed("a", "relu", 1e-4, 0.8, (0.7, 0.9)),
    ]
    text = replay.report(5, 1, differences, times)
    assert "5 models, of which both builds refuse 1; 2 differ" in text
    assert "modules differ after fuse-ops: 1: a" in text
    assert "refused otherwise: b: compiled, then E0501" in text
    assert "a dense (x86-64-v3)" in text
    assert "1.200 [1.100, 1.300] of 100.0 us: a dense" in text and "relu" not in text.split("above 1.05")[1]


def test_a_revision_that_is_not_there_is_told() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "replay.py", "no-such-revision"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and "no-such-revision" in done.stderr
