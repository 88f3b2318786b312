"""`sunmao bench`: combinations of sizes and threads, and its forms. Times are not asserted."""

import csv
import io
import json
from pathlib import Path

import pytest
from sunmao_binary import MODELS, ROOT, compile_model, sunmao

QUICK = ("--seconds", "0.01")


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_model("mlp.onnx", tmp_path_factory.mktemp("bench") / "mlp.sunmao", "--dim", "batch=1..64")


def output_of(*arguments: object) -> str:
    result = sunmao("bench", *arguments, *QUICK)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_all_combinations_are_rows(artifact: Path) -> None:
    rows = json.loads(output_of(artifact, "--batch", "1,8..16:4", "--threads", "1,2", "--format", "json"))
    assert [(r["sizes"]["batch"], r["threads"]) for r in rows] == [(b, t) for b in (1, 8, 12, 16) for t in (1, 2)]
    for row in rows:
        assert row["runs"] >= 5 and 0 < row["seconds_fastest"] <= row["seconds_median"]
        assert row["build"].startswith("sunmao ") and row["processor"] and row["isa"].startswith("x86-64")


def test_ranges_double(artifact: Path) -> None:
    rows = json.loads(output_of(artifact, "--dim", "batch=1..64*2", "--format", "json"))
    assert [r["sizes"]["batch"] for r in rows] == [1, 2, 4, 8, 16, 32, 64]


def test_a_number_that_is_named_twice_is_timed_once(artifact: Path) -> None:
    lists = ("--batch", "2,1,1..3,2", "--threads", "1,1", "--format", "json")
    rows = json.loads(output_of(artifact, *lists))
    assert [(r["sizes"]["batch"], r["threads"]) for r in rows] == [(2, 1), (1, 1), (3, 1)]


def test_forms_have_the_same_rows(artifact: Path, tmp_path: Path) -> None:
    text = output_of(artifact, "--batch", "1,2")
    header, *rows = text.splitlines()
    assert header.split() == ["batch", "threads", "mean", "median", "fastest", "runs", "runs/s"]
    assert len(rows) == 3 and "±" in rows[0] and "code for x86-64" in rows[2] and "\x1b" not in text
    markdown = output_of(artifact, "--batch", "1,2", "--format", "md").splitlines()
    assert len(markdown) == 4 and {line.count("|") for line in markdown} == {11}
    file = tmp_path / "times.csv"
    assert output_of(artifact, "--batch", "1,2", "--format", "csv", "-o", file) == ""
    table = list(csv.DictReader(io.StringIO(file.read_text())))
    assert [row["batch"] for row in table] == ["1", "2"] and all(float(row["seconds_mean"]) > 0 for row in table)


def test_models_are_compiled_in_memory() -> None:
    (row,) = json.loads(output_of(MODELS / "mlp.onnx", "--format", "json"))
    assert row["sizes"] == {} and row["threads"] >= 1


@pytest.mark.parametrize(
    ("arguments", "status", "code", "words"),
    [
        (["--batch", "0"], 2, "E0002", "whole numbers from 1"),
        (["--batch", "8..1"], 2, "E0002", "whole numbers from 1"),
        (["--batch", "1..8*1"], 2, "E0002", "doubling"),
        (["--batch", "1..100000"], 2, "E0002", "more than 1000"),
        (["--batch", "1..9223372036854775807*9223372036854775807", "--threads", "1..257"], 2, "E0002", "256"),
        (["--batch", "1", "--dim", "batch=2"], 2, "E0002", "given twice"),
        (["--batch", "1..40", "--threads", "1..40"], 2, "E0002", "1000 combinations"),
        (["--dim", "seq=1"], 2, "E0003", "seq"),
        (["--batch", "65"], 1, "E09", "batch"),
        (["--threads", "x"], 2, "E0002", "--threads"),
        (["--seconds", "0"], 2, "E0001", "--seconds"),
        (["--format", "xml"], 2, "E0001", "--format"),
        (["-o", "/no/such/folder/t.csv"], 1, "E08", "t.csv"),
    ],
)
def test_what_is_wrong_is_said(arguments: list[str], status: int, code: str, words: str, artifact: Path) -> None:
    result = sunmao("bench", artifact, *arguments, *([] if "--seconds" in arguments else QUICK))
    assert (result.returncode, result.stdout) == (status, ""), result.stderr
    assert code in result.stderr and words in result.stderr


def test_constant_sizes_have_no_batch() -> None:
    result = sunmao("bench", MODELS / "classifier.py", "--batch", "1,8", "--weights", "gone", *QUICK)
    assert result.returncode == 1 and "gone" in result.stderr
    constant = ROOT / "bench" / "programs" / "loop_state.py"
    result = sunmao("bench", constant, "--batch", "1,8", *QUICK)
    assert result.returncode == 2 and "symbolic first dimension" in result.stderr


def test_the_table_is_not_written_over_the_model(artifact: Path) -> None:
    before = artifact.read_bytes()
    result = sunmao("bench", artifact, *QUICK, "-o", artifact)
    assert result.returncode == 1 and "E0807" in result.stderr and artifact.read_bytes() == before
