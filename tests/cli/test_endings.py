"""How commands end that are interrupted, or cannot write: with a line that says so, no part of a file, and older files
as they were."""

import fcntl
import os
import re
import resource
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pseudo_terminal import slow_script, started
from sunmao_binary import BINARY, LIMIT, MODELS, command_names, compile_model, sunmao

MODEL, ARTIFACT, OUTPUT = "MODEL", "ARTIFACT", "OUTPUT"  # places in the words below
OLD = b"what stood here before"
MOST_BYTES = 100  # of a file, where the disk is full


@dataclass(frozen=True)
class Case:
    words: tuple[str, ...]
    suffix: str = ""  # of the file that OUTPUT stands for
    old: bytes = OLD  # what that file holds before

    @property
    def name(self) -> str:
        return " ".join(self.words)

    @property
    def writes(self) -> bool:
        return OUTPUT in self.words


# At least one case for each command, and one for each option that names an output.
CASES = [
    Case(("compile", MODEL, "-o", OUTPUT), ".sunmao"),
    Case(("compile", MODEL, "--emit=so", "-o", OUTPUT), ".so"),
    Case(("compile", MODEL, "--stop-after", "normalize", "-o", OUTPUT), ".py"),
    Case(("run", ARTIFACT, "--output", OUTPUT), ".safetensors"),
    Case(("run", ARTIFACT, "--output", OUTPUT), ".npy"),
    Case(("run", ARTIFACT, "--output", OUTPUT), ".npz"),
    Case(("bench", ARTIFACT, "--seconds", "0.01", "-o", OUTPUT), ".txt"),
    Case(("profile", ARTIFACT, "--repeat", "2", "--json", OUTPUT), ".json"),
    Case(("profile", ARTIFACT, "--repeat", "2", "--trace", OUTPUT), ".json"),
    Case(("tune", MODEL, "--time", "1s", "-o", OUTPUT), ".tuning", old=b"\n"),
    Case(("transform-params", MODEL, "-o", OUTPUT), ".safetensors"),
    Case(("opt", MODEL, "-o", OUTPUT), ".py"),
    Case(("opt", MODEL, "--save-weights", OUTPUT), ".safetensors"),
    Case(("inspect", MODEL)),
    Case(("view", MODEL, "-o", OUTPUT), ".html"),
    Case(("size", ARTIFACT, "--page", OUTPUT), ".html"),
    Case(("diff", MODEL, MODEL)),
    Case(("check", MODEL, "--record", OUTPUT), ".safetensors"),
    Case(("reduce", MODEL, "-o", OUTPUT, "--", "false", "{}"), ".py"),
    Case(("completion", "bash")),
    Case(("explain", "E0001")),
]
WRITING = [c for c in CASES if c.writes]
# At least one case for each command: what does not end for minutes, or waits for a reader of its results. The evaluator
# is slow at a large size.
LARGE = ("--dim", "batch=300000")
VALIDATED = ("--validate=each", *LARGE)
ENDLESS = [
    Case(("compile", MODEL, *VALIDATED, "-o", OUTPUT), ".sunmao"),
    Case(("compile", MODEL, *VALIDATED, "--emit=so", "-o", OUTPUT), ".so"),
    Case(("run", MODEL, "--evaluate", *LARGE, "--output", OUTPUT), ".safetensors"),
    Case(("run", ARTIFACT, "--repeat", "100000000", "--output", OUTPUT), ".safetensors"),
    Case(("bench", ARTIFACT, "--seconds", "3600", "-o", OUTPUT), ".txt"),
    Case(("profile", ARTIFACT, "--repeat", "100000000", "--json", OUTPUT), ".json"),
    Case(("tune", MODEL, "--time", "0.000001s", "-o", OUTPUT), ".tuning", old=b"\n"),
    Case(("transform-params", MODEL, *VALIDATED, "-o", OUTPUT), ".safetensors"),
    Case(("opt", MODEL, "--pipeline", *VALIDATED, "-o", OUTPUT), ".py"),
    Case(("view", MODEL, MODEL, "--numbers", *LARGE, "-o", OUTPUT), ".html"),
    Case(("check", MODEL, *LARGE)),
    Case(("diff", MODEL, MODEL, *LARGE)),
    Case(("reduce", MODEL, "-o", OUTPUT, "--timeout", "600", "--", "sh", "-c", "sleep 600", "{}"), ".py"),
    Case(("inspect", MODEL)),
    Case(("size", ARTIFACT)),
    Case(("completion", "bash")),
    Case(("explain", "E0001")),
]


def named(cases: list[Case]) -> dict[str, object]:
    return {"argvalues": cases, "ids": [c.name + c.suffix for c in cases]}


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_model("mlp.onnx", tmp_path_factory.mktemp("endings") / "mlp.sunmao")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def command(case: Case, output: Path, artifact: Path, model: Path = MODELS / "mlp.onnx") -> list[str]:
    places = {MODEL: model, ARTIFACT: artifact, OUTPUT: output}
    return [str(BINARY), *(str(places.get(word, word)) for word in case.words)]


def output_options(name: str) -> set[str]:
    """Returns the options of a command that its help says to be places of outputs."""
    text = sunmao(name, "--help").stdout
    rows = re.findall(r"^  (?:(-\w),)?(--[\w-]+) (FILE\S*) +(.*)$", text, re.MULTILINE)
    return {short or long for short, long, _, words in rows if re.match(r"where |write |.* goes?\b", words)}


def test_every_command_and_every_output_has_a_case() -> None:
    assert {c.words[0] for c in CASES} == {c.words[0] for c in ENDLESS} == set(command_names())
    options = {(name, option) for name in command_names() for option in output_options(name)}
    assert len(options) > 8
    covered = {(c.words[0], c.words[c.words.index(OUTPUT) - 1]) for c in WRITING}
    assert options - covered == set()


def is_coded(result: subprocess.CompletedProcess[str]) -> bool:
    # Compiling links in a folder for temporary files (E1007); other files are outputs.
    return result.returncode == 1 and re.match(r"error\[(E08\d\d|E1007)\]: ", result.stderr) is not None


@pytest.mark.parametrize("case", **named(CASES))
def test_results_that_cannot_be_printed(case: Case, folder: Path, artifact: Path) -> None:
    words = command(case, folder / f"out{case.suffix}", artifact)
    if case.words[0] == "bench" or "--json" in case.words or case.words[:1] == ("opt",) or "--stop-after" in words:
        words = [w for i, w in enumerate(words) if OUTPUT not in (case.words[i - 1 : i] or ())]
        words = [w for w in words if w not in ("-o", "--json", "--save-weights")]
    with open("/dev/full", "w") as full:
        result = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, timeout=LIMIT, check=False)
    assert result.returncode == 1 and "error[E0804]: cannot write to standard output" in result.stderr, result.stderr


@pytest.mark.parametrize("is_there", [False, True])
@pytest.mark.parametrize("case", **named(WRITING))
def test_a_full_disk(case: Case, is_there: bool, folder: Path, artifact: Path) -> None:
    output = folder / f"out{case.suffix}"
    if is_there:
        output.write_bytes(case.old)
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    result = subprocess.run(
        command(case, output, artifact),
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_BYTES, MOST_BYTES)),
    )
    assert is_coded(result), (result.returncode, result.stderr)
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before


@pytest.mark.parametrize("case", **named(WRITING))
def test_a_folder_that_takes_no_files(case: Case, folder: Path, artifact: Path) -> None:
    (folder / "file").write_bytes(OLD)
    for place in (folder / "file" / f"out{case.suffix}", Path(f"/proc/out{case.suffix}"), folder / "no" / "out.py"):
        output = place.with_suffix(case.suffix)
        words = command(case, output, artifact)
        result = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, check=False)
        assert is_coded(result) and output.name in result.stderr, (result.returncode, result.stderr)
    assert [p.name for p in folder.iterdir()] == ["file"] and (folder / "file").read_bytes() == OLD


def catches(process: subprocess.Popen[str], number: int) -> bool:
    status = Path(f"/proc/{process.pid}/status").read_text()
    mask = int(re.search(r"^SigCgt:\s*(\w+)", status, re.MULTILINE)[1], 16)  # type: ignore[index]
    return bool(mask & 1 << (number - 1))


def interrupted(words: list[str], stdout: int, number: int = signal.SIGINT) -> tuple[int, str]:
    """Sends a signal to a command that does not end by itself, once the command knows what to do then."""

    def take_signals() -> None:  # a job in the background of a shell ignores SIGINT
        signal.signal(number, signal.SIG_DFL)

    process = subprocess.Popen(words, stdout=stdout, stderr=subprocess.PIPE, text=True, preexec_fn=take_signals)
    try:
        for _ in range(LIMIT * 100):
            if process.poll() is not None or catches(process, number):
                break
            time.sleep(0.01)
        time.sleep(0.2)  # it is somewhere in its work
        process.send_signal(number)
        _, errors = process.communicate(timeout=LIMIT)
        return process.returncode, errors
    finally:
        process.kill()


@pytest.fixture
def full_pipe() -> Iterator[int]:
    """The end of a pipe that nobody reads from and that takes no more bytes: who writes to it waits."""
    here, there = os.pipe()
    fcntl.fcntl(there, fcntl.F_SETFL, os.O_NONBLOCK)
    try:
        while True:
            os.write(there, bytes(4096))
    except BlockingIOError:
        pass
    fcntl.fcntl(there, fcntl.F_SETFL, 0)
    yield there
    os.close(here)
    os.close(there)


@pytest.mark.parametrize("case", **named(ENDLESS))
def test_an_interrupt(
    case: Case, folder: Path, artifact: Path, full_pipe: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    output, scratch = folder / f"out{case.suffix}", folder.parent / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    if case.writes:
        output.write_bytes(case.old)
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    status, errors = interrupted(command(case, output, artifact), full_pipe)
    assert status == 130 and re.fullmatch(r"interrupted.*\n", errors), errors
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before and list(scratch.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_other_signals_end_a_command_as_well(number: int, folder: Path, artifact: Path) -> None:
    words = [str(BINARY), "bench", str(artifact), "--seconds", "3600", "-o", str(folder / "t.txt")]
    assert interrupted(words, subprocess.DEVNULL, number) == (128 + number, "terminated\n")
    assert list(folder.iterdir()) == []


def test_an_interrupt_clears_the_line_of_progress(folder: Path) -> None:
    model = slow_script(folder.parent / "m.py")
    with started("compile", model, "-o", folder / "m.sunmao", only_errors=True) as terminal:
        while "generate code" not in terminal.text:
            assert terminal.read(), terminal.text
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.read_all().endswith("\r\x1b[Kinterrupted\n") and terminal.process.returncode == 130
    assert list(folder.iterdir()) == []


def test_a_signal_that_is_ignored_stays_so(folder: Path, artifact: Path) -> None:
    words = [str(BINARY), "bench", str(artifact), "--seconds", "0.5", "-o", str(folder / "t.txt")]
    with subprocess.Popen(words, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)) as process:
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.wait(LIMIT) == 0 and (folder / "t.txt").exists()
