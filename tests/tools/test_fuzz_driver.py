"""The driver of fuzz harnesses: a failing input is kept and counted, and a stored count is that of one program."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

BUILD = Path(os.environ.get("SUNMAO_BUILD_DIR", Path(__file__).parents[2] / "build/release"))
HARNESS = BUILD / "tests/fuzz/failing_harness"


@pytest.fixture
def harness(tmp_path: Path) -> Path:
    """A copy of the harness in a folder of its own, as failing inputs are kept beside the program."""
    assert HARNESS.is_file(), "`make build` makes it"
    return Path(shutil.copy(HARNESS, tmp_path / "harness"))


def fuzz(harness: Path, *arguments: str | Path) -> tuple[int, str]:
    """Returns the exit status and the last line."""
    ended = subprocess.run([harness, *arguments], capture_output=True, text=True)
    return ended.returncode, ended.stdout.splitlines()[-1]


def test_no_failure(harness: Path) -> None:
    (harness.parent / "seed").write_text("1")
    assert fuzz(harness, "--iterations=0", harness.parent / "seed") == (
        0,
        "1 corpus inputs, 0 mutated inputs, seed 1: no failure",
    )


@pytest.mark.parametrize("seed", ["abort", "zero", "slow"])
def test_failing_corpus(harness: Path, seed: str) -> None:
    (harness.parent / "seed").write_text(seed)
    assert fuzz(harness, "--iterations=0", "--max-seconds=1", harness.parent / "seed") == (
        1,
        "1 corpus inputs, 0 mutated inputs, seed 1: 1 failed",
    )
    assert (harness.parent / "harness.failed.corpus.1").read_text() == seed


def test_failing_mutations(harness: Path) -> None:
    count = harness.parent / "count"
    status, line = fuzz(harness, "--iterations=2000", f"--resume={count}")
    kept = list(harness.parent.glob("count.failed.*"))
    assert len(kept) > 1 and all(file.read_bytes()[:1] in (b"a", b"z") for file in kept)
    assert (status, line) == (1, f"0 corpus inputs, 2000 mutated inputs, seed 1: {len(kept)} failed")
    # The failures count as long as the program is the same, also in a run that has nothing left to do.
    assert fuzz(harness, "--iterations=2000", f"--resume={count}") == (status, line)


def test_many_failures_end_the_run(harness: Path) -> None:
    for i in range(30):
        (harness.parent / f"{i}.seed").write_text(f"a{i}")
    status, line = fuzz(harness, "--iterations=0", *sorted(harness.parent.glob("*.seed")))
    assert (status, line) == (1, "30 corpus inputs, 0 mutated inputs, seed 1: 20 failed")


@pytest.mark.parametrize("change", ["program", "seed", "corpus"])
def test_another_run_starts_anew(harness: Path, change: str) -> None:
    count, seed = harness.parent / "count", harness.parent / "seed"
    seed.write_text("1")
    arguments = ["--iterations=50", f"--resume={count}", seed]
    assert fuzz(harness, *arguments)[0] == 0
    program, _, done, *_ = count.read_text().split()
    assert done == "50"
    count.write_text(count.read_text().replace("\n50\n", "\n49\n"))
    assert "49 inputs" in subprocess.run([harness, *arguments], capture_output=True, text=True).stdout
    if change == "program":
        with harness.open("ab") as file:
            file.write(b"another build")
    elif change == "corpus":
        seed.write_text("2")
    else:
        arguments.append("--seed=7")
    assert "earlier runs" not in subprocess.run([harness, *arguments], capture_output=True, text=True).stdout
    assert (count.read_text().split()[0] == program) == (change != "program")


def test_numbers_are_numbers(harness: Path) -> None:
    ended = subprocess.run([harness, "--iterations=1e6"], capture_output=True, text=True)
    assert ended.returncode == 2 and "not a number: --iterations=1e6" in ended.stderr
