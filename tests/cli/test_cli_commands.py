"""Each command of the command line on valid input."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
import sunmao as library
from sunmao_binary import BINARY, MODELS, ROOT, TOLERANCE, compile_model, read_tensors, sunmao, write_tensors

COMMANDS = ("compile", "run", "profile", "transform-params", "opt", "inspect", "check", "reduce", "explain")


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_model("mlp.onnx", tmp_path_factory.mktemp("cli") / "mlp.sunmao", "--dim", "batch=1..64")


def output_of(*arguments: object) -> str:
    result = sunmao(*arguments)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_version_and_help() -> None:
    assert output_of("--version").startswith("sunmao 0.")
    text = output_of("--help")
    assert all(command in text for command in COMMANDS) and "Examples:" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_has_an_example(command: str) -> None:
    assert f"sunmao {command}" in output_of(command, "--help")


def test_output_is_plain_text_when_it_is_no_terminal(artifact: Path) -> None:
    for text in (output_of("inspect", artifact), output_of("run", artifact), sunmao("run", "gone.sunmao").stderr):
        assert "\x1b" not in text


def test_compile_reports_where_the_bytes_are(tmp_path: Path) -> None:
    path = tmp_path / "m.sunmao"
    report = json.loads(output_of("compile", MODELS / "mlp.onnx", "-o", path, "--json"))
    assert report["bytes"] == path.stat().st_size
    names = [entry["name"] for entry in report["entries"]]
    assert names[:2] == ["manifest.json", "program.bin"] and names[-1] == "weights.safetensors"
    assert "lift-transform-params" in [p["name"] for p in report["passes"]]


PHASES = [
    "read model",
    "compile preparation",
    "emit bytecode",
    "generate code",
    "link",
    "prepare weights",
    "write artifact",
]


def test_compile_tells_where_its_time_went(tmp_path: Path) -> None:
    result = sunmao("compile", MODELS / "mlp.onnx", "-o", tmp_path / "m.sunmao", "--timing", "--json")
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert [phase["name"] for phase in report["phases"]] == PHASES
    parts = sum(entry["milliseconds"] for entry in report["phases"] + report["passes"])
    assert parts <= 1000 * report["seconds"]
    rows = [line.split() for line in result.stderr.splitlines()]
    times = {" ".join(row[: row.index("ms") - 2]): int(row[row.index("ms") - 2]) for row in rows[1:-2]}
    assert all(times[phase] == 1 for phase in PHASES)
    names = [p["name"] for p in report["passes"]]
    assert all(times[name] == names.count(name) for name in names) and times["all passes"] == len(names)
    assert rows[-1][0] == "everything" and rows[-1][-2:] == ["100.0", "%"]


def test_timing_of_several_targets_adds_them_up(tmp_path: Path) -> None:
    targets = ("--target", "x86-64-v2,x86-64-v3")
    result = sunmao("compile", MODELS / "mlp.onnx", "-o", tmp_path / "m.sunmao", "--timing", *targets)
    (link,) = (line.split() for line in result.stderr.splitlines() if line.split()[0] == "link")
    assert link[1] == "2"


def test_compile_for_several_targets(tmp_path: Path) -> None:
    path = compile_model("mlp.onnx", tmp_path / "m.sunmao", "--target", "x86-64-v2,x86-64-v3")
    code = json.loads(output_of("inspect", path, "--json"))["manifest"]["code"]
    assert [entry["isa"] for entry in code] == ["x86-64-v3", "x86-64-v2"]
    assert library.load(path).isa == "x86-64-v3"


def test_compile_with_a_small_stack(tmp_path: Path) -> None:
    path = tmp_path / "m.sunmao"
    shell = 'ulimit -s 64 && exec "$@"'
    arguments = ["sh", "-c", shell, "sh", BINARY, "compile", MODELS / "mlp.onnx", "-o", path]
    result = subprocess.run(arguments, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert path.exists()


def test_compile_stops_and_dumps_as_script(tmp_path: Path) -> None:
    result = sunmao(
        "compile", MODELS / "mlp.onnx", "--stop-after", "normalize", "--dump-after", "normalize", "--timing"
    )
    assert result.returncode == 0, result.stderr
    assert "@R.function" in result.stdout
    assert "# after normalize" in result.stderr and "all passes" in result.stderr


def test_inspect(artifact: Path) -> None:
    text = output_of("inspect", artifact, "--bytecode")
    assert "(batch, 16)" in text and "batch=1..64" in text
    assert "weights.safetensors" in text and "call" in text.lower()
    report = json.loads(output_of("inspect", artifact, "--json"))
    (main,) = report["functions"]
    assert main["inputs"][0]["dims"] == [{"symbol": "batch", "minimum": 1, "maximum": 64}, 16]
    assert sum(entry["bytes"] for entry in report["entries"]) <= report["bytes"] == artifact.stat().st_size


SIZES = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(s: R.Shape(["n", "m"])) -> R.Tensor(("n", "m"), "float32"):
        n = T.int64()
        m = T.int64()
        x = R.ones(R.shape([n, m]), "float32")
        y = R.call_packed("note", x, sinfo_args=R.Tensor((n, m), "float32"))
        return y
    @R.function
    def zeros(s: R.Shape(["n", "m"])) -> R.Tensor(("n", "m"), "float32"):
        n = T.int64()
        m = T.int64()
        return R.zeros(R.shape([n, m]), "float32")
"""


def test_a_size_that_is_asked_for_is_no_symbol(tmp_path: Path) -> None:
    path = compile_model("mlp.onnx", tmp_path / "mlp.sunmao", "--dim", "batch=8")
    text = output_of("inspect", path)
    assert "in   x: float32 (8, 16)\n" in text and "with" not in text
    script = tmp_path / "scheduled.py"
    sunmao("compile", MODELS / "mlp.onnx", "--dim", "batch=8", "--stop-after", "schedule", "-o", script)
    assert "T.int64()" not in script.read_text()


def test_inspect_and_run_know_shapes_and_functions_of_the_host(tmp_path: Path) -> None:
    path = tmp_path / "sizes.sunmao"
    library.compile(library.parse_module(SIZES)).save(path)
    text = output_of("inspect", path)
    assert "in   s: sizes (n, m)" in text and "with n=0.., m=0.." in text
    assert "functions of the host that it calls\n  note\n" in text
    told = json.loads(output_of("inspect", path, "--json"))
    assert told["host_functions"] == ["note"]
    assert [d["symbol"] for d in told["functions"][0]["inputs"][0]["sizes"]] == ["n", "m"]
    assert "float32 (1, 3)" in output_of("run", path, "--function", "zeros", "--dim", "m=3")
    refused = sunmao("run", path)
    assert refused.returncode == 1 and "E0924" in refused.stderr


def test_run_repeats_and_times(artifact: Path) -> None:
    report = json.loads(output_of("run", artifact, "--dim", "batch=8", "--repeat", "20", "--json"))
    (result,) = report["results"]
    assert result["runs"] == 20 and result["outputs"][0]["shape"] == [8, 3]


def test_run_takes_npy_files_and_tensors(artifact: Path, tmp_path: Path) -> None:
    recorded = MODELS / "mlp.onnx.safetensors"
    x = read_tensors(recorded)["b7.input.0"]
    np.save(tmp_path / "x.npy", x)
    outputs = []
    for source in (tmp_path / "x.npy", f"{recorded}:b7.input.0"):
        output_of("run", artifact, "--input", f"x={source}", "--output", tmp_path / "y.safetensors")
        outputs.append(read_tensors(tmp_path / "y.safetensors")["output.0"])
    assert np.array_equal(*outputs)
    np.testing.assert_allclose(outputs[0], read_tensors(recorded)["b7.output.0"], **TOLERANCE["float32"])


def test_run_zeros_is_not_random(artifact: Path, tmp_path: Path) -> None:
    for source in ("zeros", "random"):
        output_of("run", artifact, "--input", f"x={source}", "--output", tmp_path / f"{source}.safetensors")
    zeros, made_up = (read_tensors(tmp_path / f"{s}.safetensors")["output.0"] for s in ("zeros", "random"))
    assert not np.array_equal(zeros, made_up)


def test_expect_tells_numbers_that_differ(artifact: Path, tmp_path: Path) -> None:
    tensors = dict(read_tensors(MODELS / "mlp.onnx.safetensors"))
    wrong = tensors["b2.output.0"].copy()
    wrong[1, 2] += 0.5
    tensors["b2.output.0"] = wrong
    result = sunmao("run", artifact, "--expect", write_tensors(tmp_path / "rec.safetensors", tensors))
    assert result.returncode == 1
    assert "error[E0010]: b2.output.0: 1 of 6 elements differ" in result.stderr and "[1, 2]" in result.stderr
    assert sunmao("run", artifact, "--expect", tmp_path / "rec.safetensors", "--prefix", "b1.").returncode == 0


def test_opt_prints_what_can_be_read_again(tmp_path: Path) -> None:
    script = tmp_path / "mlp.py"
    weights = tmp_path / "weights.safetensors"
    output_of("opt", MODELS / "mlp.onnx", "-o", script, "--save-weights", weights)
    assert output_of("opt", script) == output_of("opt", MODELS / "mlp.onnx")
    output_of("run", script, "--weights", weights, "--expect", MODELS / "mlp.onnx.safetensors")


def test_opt_says_which_constants_its_text_lacks(tmp_path: Path) -> None:
    data = np.arange(100, dtype="float32")
    text = '@R.function\ndef main(x: R.Tensor((100,), "float32")):\n    return R.add(x, R.const(data))\n'
    module = library.parse_module(text, names={"data": data})
    model = tmp_path / "model.py"
    model.write_text(module.script())
    write_tensors(tmp_path / "model.py.constants.safetensors", {"0": data})
    printed = sunmao("opt", model)
    lacks = "the text lacks the script's large constants (1 of 400 B): `-o FILE.py` writes them beside it"
    assert printed.returncode == 0
    assert printed.stdout.startswith(f"# {lacks}\n")
    assert printed.stderr == f"note: {lacks}\n"
    alone = tmp_path / "alone.py"
    alone.write_text(printed.stdout)
    refused = sunmao("opt", alone)
    assert refused.returncode == 1
    assert "E0118" in refused.stderr
    assert "alone.py.constants.safetensors" in refused.stderr
    assert "is not there" in refused.stderr
    (tmp_path / "alone.py.constants.safetensors").write_bytes(
        (tmp_path / "model.py.constants.safetensors").read_bytes()
    )
    assert sunmao("opt", alone).stdout == printed.stdout


def test_opt_of_a_script_without_large_constants_prints_it_alone() -> None:
    printed = sunmao("opt", MODELS / "mlp.py")
    assert printed.stderr == ""
    assert not printed.stdout.startswith("# the text")


def test_opt_runs_the_passes_named() -> None:
    lifted = output_of("opt", MODELS / "mlp.py", "--passes", "normalize,lift-transform-params", "--verify=each")
    assert "def main_transform_params" in lifted
    assert "main_transform_params" not in output_of("opt", MODELS / "mlp.py")


def test_explain_prints_the_page() -> None:
    assert output_of("explain", "E0801") == (ROOT / "docs/errors/E0801.md").read_text()
    pages = sorted(path.stem for path in (ROOT / "docs/errors").glob("E*.md"))
    assert [line.split(":")[0] for line in output_of("explain").splitlines()] == pages


def test_explain_tells_what_a_pass_claims() -> None:
    lines = output_of("explain", "lift-transform-params").splitlines()
    assert lines[0] == "lift-transform-params: work on weights alone moves to <name>_transform_params"
    assert "upstream: LiftTransformParams" in lines
    assert "idempotent: yes" in lines
    assert any(line.startswith("needs: states-inputs: ") for line in lines)
    assert any(line.startswith("parameter shared_transform: ") for line in lines)
    assert lines[-1] == "reasons: sunmao opt MODEL --explain lift-transform-params"
    assert "idempotent: no, " in output_of("explain", "topological-sort")
