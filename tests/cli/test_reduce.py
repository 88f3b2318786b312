"""`sunmao reduce` leaves the ops that a fault needs, and they fail in the same way."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import seeded_faults
from seeded_faults import FAULTS
from sunmao_binary import BINARY, LIMIT, MODELS, Result, compile_model, run_program, sunmao

MOST_OPS = 5  # a reproducer for a person
COMPILER = (sys.executable, "-S", seeded_faults.__file__)  # without `site`, which takes as long as the rest
COMMAND = " ".join(COMPILER)


def numberless(result: Result) -> tuple[int, str]:
    """How a faulty compiler failed, without what differs from script to script."""
    lines = [line for line in result.stderr.splitlines() if line.strip() and not line.startswith(" ")]
    return result.returncode, re.sub(r"\d+|`\w+`", "", lines[-1]) if lines else ""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model with its types, as the printer writes them."""
    folder = tmp_path_factory.mktemp("reduce")
    (folder / "plain.py").write_text(seeded_faults.model_text())
    assert sunmao("opt", folder / "plain.py", "-o", folder / "model.py").returncode == 0
    return folder / "model.py"


def test_there_are_thirty_faults_of_which_each_shows_in_the_model(model: Path) -> None:
    assert len(FAULTS) == 30
    parsed = seeded_faults.Script.parse(model.read_text())
    assert [name for name, fault in FAULTS.items() if not fault.shows(parsed)] == []


@pytest.mark.parametrize("name", [n for n, f in FAULTS.items() if f.way != "hang"])
def test_a_seeded_fault_is_found(name: str, model: Path, tmp_path: Path) -> None:
    small = tmp_path / "small.py"
    result = sunmao("reduce", model, "-o", small, "--", *COMPILER, name, "{}")
    assert result.returncode == 0, result.stderr
    left = re.search(r"(\d+) of \d+ ops", result.stdout)
    assert left and int(left[1]) == FAULTS[name].ops <= MOST_OPS, small.read_text()
    command = (*COMPILER, name)
    assert numberless(run_program(*command, small)) == numberless(run_program(*command, model)) != (0, "")
    assert f"replay it   {COMMAND} {name} {small}" in result.stdout


def test_a_command_that_takes_too_long_is_found(model: Path, tmp_path: Path) -> None:
    small = tmp_path / "small.py"
    command = ("--timeout", "1", "--", *COMPILER, "exp-hangs", "{}")
    result = sunmao("reduce", model, "-o", small, *command)
    assert result.returncode == 0 and "fails with  takes more than 1 s" in result.stdout, result.stderr
    assert "1 of 82 ops" in result.stdout and "R.exp(" in small.read_text()


def test_a_result_is_the_same_each_time(model: Path, tmp_path: Path) -> None:
    texts = []
    for name in ("a.py", "b.py"):
        command = ("--", *COMPILER, "exp-log-sqrt", "{}")
        assert sunmao("reduce", model, "-o", tmp_path / name, *command).returncode == 0
        texts.append((tmp_path / name).read_text())
    assert texts[0] == texts[1]


def test_sizes_become_small(model: Path, tmp_path: Path) -> None:
    small = tmp_path / "small.py"
    sunmao("reduce", model, "-o", small, "--", *COMPILER, "exp-log-sqrt", "{}")
    assert "(1, 1)" in small.read_text() and "24" not in small.read_text()


CHAIN = """
import sys
print("internal error: " + sys.argv[1]) if "R.exp" in open(sys.argv[1]).read() else None
sys.exit(70 if "R.exp" in open(sys.argv[1]).read() else 0)
"""


def test_a_large_model_takes_few_tries(tmp_path: Path) -> None:
    count = 4000
    lines = [f"v{i} = R.{'exp' if i == 2718 else 'tanh'}({f'v{i - 1}' if i else 'x'})" for i in range(count)]
    body = "\n            ".join(lines)
    (tmp_path / "large.py").write_text(
        '@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((2, 2), "float32")):\n'
        f"        with R.dataflow():\n            {body}\n            R.output(v{count - 1})\n"
        f"        return v{count - 1}\n"
    )
    (tmp_path / "fails.py").write_text(CHAIN)
    command = ("--", sys.executable, tmp_path / "fails.py", "{}")
    result = sunmao("reduce", tmp_path / "large.py", "-o", tmp_path / "small.py", *command)
    found = re.search(r"1 of 4000 ops  (\d+) tries", result.stdout)
    assert found and int(found[1]) < 60, result.stdout + result.stderr


GATHER = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((6, 8), "float32"), y: R.Tensor((3, 8), "float32")):
        with R.dataflow():
            a = R.tanh(x)
            b = R.take(a, R.const([1, 9, 2], "int64"), axis=0)
            c = R.add(b, y)
            d = R.exp(c)
            R.output(d)
        return d
"""


def test_a_failing_run_of_the_product(tmp_path: Path) -> None:
    (tmp_path / "gather.py").write_text(GATHER)
    small = tmp_path / "small.py"
    result = sunmao("reduce", tmp_path / "gather.py", "-o", small, "--fails", "run")
    assert result.returncode == 0, result.stderr
    assert "1 of 4 ops" in result.stdout and "error E0919" in result.stdout
    assert f"replay it   sunmao run {small}" in result.stdout
    assert "R.take" in small.read_text() and "E0919" in sunmao("run", small).stderr


def test_the_model_is_an_onnx_file_too_on_which_the_command_fails_so(tmp_path: Path) -> None:
    (tmp_path / "gather.py").write_text(GATHER)
    small, onnx = tmp_path / "small.py", tmp_path / "small.py.onnx"
    result = sunmao("reduce", tmp_path / "gather.py", "-o", small, "--fails", "run")
    assert result.returncode == 0 and f"as .onnx    {onnx}\n" in result.stdout, result.stdout + result.stderr
    again = sunmao("run", onnx)
    assert again.returncode == 1 and "error[E0919]" in again.stderr, again.stderr
    assert "R.take" in sunmao("opt", onnx).stdout


def test_a_list_of_passes_fails_on_the_onnx_file(model: Path, tmp_path: Path) -> None:
    (tmp_path / "fails.py").write_text(
        "import subprocess\nimport sys\n"
        f"text = subprocess.run([{str(BINARY)!r}, 'opt', sys.argv[1]], capture_output=True, text=True).stdout\n"
        "sys.exit(7 if 'R.exp(' in text else 0)\n"
    )
    small = tmp_path / "small.py"
    result = sunmao("reduce", model, "-o", small, "--", sys.executable, tmp_path / "fails.py", "{}")
    assert "as .onnx    " in result.stdout and "R.exp(" in sunmao("opt", f"{small}.onnx").stdout, result.stderr


KERNEL = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def double(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("double"):
                vi = T.axis.spatial(4, i)
                y[vi] = x[vi] * T.float32(2)

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.double, (x,), out_ty=R.Tensor((4,), "float32"))
            R.output(y)
        return y
"""


@pytest.mark.parametrize(
    ("text", "program", "obstacle"),
    [
        (KERNEL, "sys.exit('T.prim_func' in text)", "the module has more functions than `main`"),
        (GATHER, "sys.exit('R.exp' in text and 2 * (b'sunmao' not in data))", "the command does not fail on it"),
        (GATHER, "sys.exit(3 if b'sunmao' in data else 'R.exp' in text)", "the command fails otherwise on it: exit"),
    ],
)
def test_why_there_is_no_onnx_file(text: str, program: str, obstacle: str, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(text)
    head = "import sys\nfrom pathlib import Path\ndata = Path(sys.argv[1]).read_bytes()\n"
    (tmp_path / "fails.py").write_text(f"{head}text = data.decode(errors='replace')\n{program}\n")
    command = ("--", sys.executable, tmp_path / "fails.py", "{}")
    result = sunmao("reduce", tmp_path / "model.py", "-o", tmp_path / "small.py", *command)
    assert result.returncode == 0 and f"no .onnx    {obstacle}" in result.stdout, result.stdout + result.stderr
    assert not (tmp_path / "small.py.onnx").exists()


def test_weights_go_into_the_onnx_file(tmp_path: Path) -> None:
    (tmp_path / "fails.py").write_text(
        "import subprocess\nimport sys\nfrom pathlib import Path\npath, weights = Path(sys.argv[1]), sys.argv[2]\n"
        "is_weighted = path.suffix == '.onnx' or 'num_input' in path.read_text() and Path(weights).exists()\n"
        f"text = subprocess.run([{str(BINARY)!r}, 'opt', path], capture_output=True, text=True).stdout\n"
        "sys.exit(4 if is_weighted and 'R.matmul(' in text else 0)\n"
    )
    small = tmp_path / "small.py"
    command = ("--", sys.executable, tmp_path / "fails.py", "{}", "{weights}")
    result = sunmao("reduce", MODELS / "mlp.onnx", "-o", small, *command)
    assert result.returncode == 0 and "as .onnx    " in result.stdout, result.stdout + result.stderr
    assert "num_input" in small.read_text() and "num_input" in sunmao("opt", f"{small}.onnx").stdout
    assert sunmao("run", f"{small}.onnx").returncode == 0


def test_weights_of_a_model_become_inputs(tmp_path: Path) -> None:
    (tmp_path / "fails.py").write_text(
        "import sys\nfrom pathlib import Path\npath = Path(sys.argv[1])\n"
        "sys.exit(5 if path.suffix == '.onnx' or 'R.nn.relu' in path.read_text() else 0)\n"
    )
    small = tmp_path / "small.py"
    command = ("--", sys.executable, tmp_path / "fails.py", "{}")
    result = sunmao("reduce", MODELS / "mlp.onnx", "-o", small, *command)
    assert result.returncode == 0 and "exit status 5" in result.stdout, result.stderr
    assert "num_input" not in small.read_text()
    assert sunmao("compile", small, "-o", tmp_path / "small.sunmao").returncode == 0


def test_passes_of_a_list_are_dropped(tmp_path: Path) -> None:
    (tmp_path / "gather.py").write_text(GATHER)
    (tmp_path / "fails.py").write_text(
        "import sys\nwords = sys.argv[2].split(',')\n"
        "sys.exit(9 if {'simplify', 'fuse-ops'} <= set(words) and 'R.exp' in open(sys.argv[4]).read() else 0)\n"
    )
    passes = "normalize,simplify,fold-constants,fuse-ops,eliminate-dead-code"
    command = ("--", sys.executable, tmp_path / "fails.py", "--passes", passes, "in", "{}")
    result = sunmao("reduce", tmp_path / "gather.py", "-o", tmp_path / "small.py", *command)
    assert "--passes simplify,fuse-ops in" in result.stdout, result.stdout + result.stderr


def test_passes_of_another_program_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "gather.py").write_text(GATHER)
    (tmp_path / "fails.py").write_text("import sys\nsys.exit('R.exp' in open(sys.argv[3]).read())\n")
    command = ("--", sys.executable, tmp_path / "fails.py", "--passes", "mine,yours", "{}")
    result = sunmao("reduce", tmp_path / "gather.py", "-o", tmp_path / "small.py", *command)
    assert result.returncode == 0 and "--passes mine,yours" in result.stdout, result.stderr


@pytest.mark.parametrize(
    ("words", "status", "code"),
    [
        (["M"], 2, "E0004"),
        (["M", "--fails", "run", "--", "true", "{}"], 2, "E0004"),
        (["M", "--", "true"], 2, "E0002"),
        (["M", "--fails", "run", "-o", "small.onnx"], 2, "E0002"),
        (["M", "--fails", "fold-constant"], 1, "E0511"),
        (["M", "--fails", "run", "--timeout", "never"], 2, "E0001"),
        (["M", "--fails", "run"], 1, "E0052"),
        (["M", "--fails", "numbers"], 1, "E0052"),
        (["gone.onnx", "--fails", "run"], 1, "E0801"),
        (["M", "--", "no-such-program", "{}"], 1, "E0050"),
        (["M", "--fails", "run", "--weights", "gone.safetensors"], 1, "E0801"),
    ],
)
def test_what_cannot_be_reduced(words: list[str], status: int, code: str, tmp_path: Path) -> None:
    model = str(MODELS / "mlp.onnx")
    command = [str(BINARY), "reduce", *(model if w == "M" else w for w in words)]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert result.returncode == status and f"error[{code}]" in result.stderr, result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_failure_to_read_is_told(tmp_path: Path) -> None:
    path = tmp_path / "broken.onnx"
    path.write_bytes((MODELS / "mlp.onnx").read_bytes()[:200])
    result = sunmao("reduce", path, "-o", tmp_path / "small.py", "--fails", "compile")
    assert result.returncode == 1 and "error[E" in result.stderr


def test_a_failure_that_scripts_do_not_have_is_told(tmp_path: Path) -> None:
    command = ("--", "sh", "-c", 'case "$0" in *.onnx) exit 3;; esac', "{}")
    result = sunmao("reduce", MODELS / "mlp.onnx", "-o", tmp_path / "small.py", *command)
    assert result.returncode == 1 and "error[E0051]" in result.stderr
    assert "on the file: exit status 3" in result.stderr and "as a script: no failure" in result.stderr


def test_an_artifact_is_no_model(tmp_path: Path) -> None:
    artifact = compile_model("mlp.onnx", tmp_path / "m.sunmao")
    for words in (("reduce", artifact, "-o", tmp_path / "small.py", "--fails", "run"), ("check", artifact)):
        result = sunmao(*words)
        assert result.returncode == 2 and "error[E0004]" in result.stderr, result.stderr


def test_the_onnx_file_does_not_overwrite_the_model(tmp_path: Path) -> None:
    model = tmp_path / "small.py.onnx"
    model.write_bytes((MODELS / "mlp.onnx").read_bytes())
    result = sunmao("reduce", model, "-o", tmp_path / "small.py", "--fails", "run")
    assert result.returncode == 1 and "error[E0807]" in result.stderr, result.stderr


def test_the_model_is_not_overwritten(model: Path) -> None:
    before = model.read_bytes()
    result = sunmao("reduce", model, "-o", model, "--fails", "run")
    assert result.returncode == 1 and "error[E0807]" in result.stderr and model.read_bytes() == before


def test_an_interrupt_writes_the_smallest_so_far(model: Path, tmp_path: Path) -> None:
    started = tmp_path / "started"
    script = f'echo x >> {started}; sleep 0.3; exec {COMMAND} exp-log-sqrt "$0"'
    small = tmp_path / "small.py"
    words = [BINARY, "reduce", model, "-o", small, "--", "sh", "-c", script, "{}"]
    process = subprocess.Popen([str(w) for w in words], stdout=subprocess.PIPE, text=True, start_new_session=True)
    for _ in range(2 * LIMIT * 10):
        if started.exists() and len(started.read_text().split()) > 6:
            break
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=LIMIT)
    assert process.returncode == 130 and "(interrupted)" in out
    parsed = seeded_faults.Script.parse(small.read_text())
    assert FAULTS["exp-log-sqrt"].shows(parsed) and len(parsed.bound) < 80


def test_files_that_cannot_be_written(model: Path, tmp_path: Path) -> None:
    command = ("--", *COMPILER, "exp-log-sqrt", "{}")
    for place in (tmp_path / "no" / "small.py", "/proc/small.py"):
        result = sunmao("reduce", model, "-o", place, *command)
        assert result.returncode == 1 and "error[E08" in result.stderr, result.stderr
    environment = {**os.environ, "TMPDIR": str(tmp_path / "gone")}
    words = [str(w) for w in (BINARY, "reduce", model, "-o", tmp_path / "small.py", *command)]
    run = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert run.returncode == 1 and "error[E0802]" in run.stderr, run.stderr
    with open("/dev/full", "w") as full:
        run = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, timeout=LIMIT, check=False)
    assert run.returncode == 1 and "error[E0804]" in run.stderr, run.stderr
