"""Output on a terminal and in a pipe, and invalid settings."""

import os
import re
import subprocess
from pathlib import Path

import pytest
import sunmao
from pseudo_terminal import on_terminal
from sunmao_binary import BINARY, LIMIT, MODELS, compile_model
from sunmao_binary import sunmao as run_sunmao

MANY = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("first_of_the_sizes", "second_of_the_sizes", "third_of_the_sizes"), "float32")):
        y = R.add(x, x)
        return y
"""


def plain(text: str) -> str:
    return re.sub("\x1b\\[[0-9;]*m", "", text)


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("terminal") / "m.sunmao"
    sunmao.compile(sunmao.parse_module(MANY)).save(path)
    return path


def test_long_signatures_fit_the_terminal(artifact: Path) -> None:
    lines = plain(on_terminal("inspect", artifact, columns=50)).splitlines()
    signature = lines[: lines.index("entries")]
    assert all(len(line) <= 50 for line in signature)
    assert signature[1].startswith("  in   x: float32 (first_of_the_sizes,") and signature[2].startswith("         ")
    piped = run_sunmao("inspect", artifact).stdout
    assert "x: float32 (first_of_the_sizes, second_of_the_sizes, third_of_the_sizes)\n" in piped
    joined = re.sub(r"\n {9}", " ", "\n".join(signature))
    assert joined == piped[: piped.index("\nentries")]


def test_explain_is_rendered_on_a_terminal_alone() -> None:
    page = run_sunmao("explain", "E0002").stdout
    assert page.startswith("# E0002") and "```" in page and "**What to do.**" in page
    shown = on_terminal("explain", "E0002", columns=60)
    assert shown.startswith("\x1b[1mE0002: bad value of an option\x1b[0m\n")
    assert "\x1b[1mWhat to do.\x1b[0m" in shown
    text = plain(shown)
    assert "```" not in text and "**" not in text
    assert "\n    error[E0002]: --dim: the range of `batch` is empty: 64 is above 1\n" in text
    assert all(len(line) <= 60 for line in text.splitlines() if not line.startswith("    "))


def test_timings_are_no_results() -> None:
    result = run_sunmao("opt", MODELS / "mlp.onnx", "--passes", "normalize", "--timing")
    assert "all passes" in result.stderr and "all passes" not in result.stdout


@pytest.mark.parametrize("value", ["abc", "0", "-1", "1e9", "1000000000", "2 ", "257"])
def test_a_thread_count_that_is_none_is_refused(value: str, tmp_path: Path) -> None:
    artifact = compile_model("mlp.onnx", tmp_path / "m.sunmao")
    env = os.environ | {"SUNMAO_NUM_THREADS": value}
    result = subprocess.run([BINARY, "run", artifact], env=env, capture_output=True, text=True, timeout=LIMIT)
    assert result.returncode == 1 and "error[E0920]" in result.stderr and f"`{value}`" in result.stderr
    for count in ("1", "256", ""):
        env["SUNMAO_NUM_THREADS"] = count
        assert subprocess.run([BINARY, "run", artifact], env=env, capture_output=True, timeout=LIMIT).returncode == 0


@pytest.mark.parametrize(
    ("words", "code", "help"),
    [
        (("--passes", "convert-to-dataflow(min_sise=3)"), "E0514", "did you mean `min_size`"),
        (("--passes", "normalise"), "E0511", "did you mean `normalize`"),
        (("--disable", "fold-constant", "--pipeline"), "E0511", "did you mean `fold-constants`"),
        (("--stop-after", "fold-constant"), "E0511", "did you mean `fold-constants`"),
        (("--stop-after", "all", "--pipeline"), "E0511", "there is no pass `all`"),
        (("--disable", "all", "--pipeline"), "E0511", "there is no pass `all`"),
        (("--passes", f"bind-params(params={'[' * 100_000})"), "E0514", "deeper than 64"),
        (("--dump-after", "fold-constant", "--pipeline"), "E0511", "did you mean `fold-constants`"),
    ],
)
def test_passes_and_arguments_that_are_none(words: tuple[str, ...], code: str, help: str) -> None:
    result = run_sunmao("opt", MODELS / "mlp.onnx", *words)
    assert result.returncode == 1 and f"error[{code}]" in result.stderr and help in result.stderr


def test_python_refuses_them_too() -> None:
    module = sunmao.parse_module(MANY)
    with pytest.raises(sunmao.Error, match=r"E0514(.|\n)*did you mean `min_size`"):
        sunmao.run_pass(module, "convert-to-dataflow", min_sise=3)
    with pytest.raises(sunmao.Error, match=r"E0511(.|\n)*did you mean `normalize`"):
        sunmao.run_pass(module, "normalise")


def test_rows_of_a_profile_fit_the_terminal() -> None:
    for columns in (123, 130):
        text = on_terminal("profile", MODELS / "mlp.pt2", "--repeat", "2", columns=columns)
        header, *rows = plain(text).splitlines()
        assert header.split()[0] == "share" and len(rows) == 3 + 3 and "\x1b[1m" in text
        assert all(len(row) <= columns for row in rows[:3])


def test_a_reduction_tells_how_far_it_is(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(MANY)
    words = ("-o", tmp_path / "small.py", "--", "sh", "-c", 'grep -q R.add "$0" && exit 3 || exit 0', "{}")
    assert re.search(r"1 ops left, \d+ tries: ", on_terminal("reduce", tmp_path / "m.py", *words, columns=80))
    in_pipe = run_sunmao("reduce", tmp_path / "m.py", *words)
    assert in_pipe.returncode == 0 and in_pipe.stderr == ""
