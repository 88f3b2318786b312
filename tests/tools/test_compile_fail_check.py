"""tests/compile_fail/check.py: it fails when the forbidden part compiles, or fails to compile for another reason."""

import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).parents[1] / "compile_fail/check.py"


def run_check(tmp_path: Path, *texts: str) -> tuple[int, str]:
    sources = [tmp_path / f"{index}.cpp" for index in range(len(texts))]
    for path, text in zip(sources, texts, strict=True):
        path.write_text(text)
    result = subprocess.run(
        [sys.executable, CHECK, *sources, "--", "g++", "-std=c++20"], capture_output=True, text=True, check=False
    )
    return result.returncode, result.stdout


def source(expect: str, plain: str, forbidden: str) -> str:
    return f"// expect: {expect}\n{plain}\n#ifdef SUNMAO_MUST_NOT_COMPILE\n{forbidden}\n#endif\n"


@pytest.mark.parametrize(
    ("text", "status", "words"),
    [
        (source("read-only", "const int x = 1;", "void f() { x = 2; }"), 0, ""),
        (source("private", "const int x = 1;", "void f() { x = 2; }"), 1, "but not with `private`"),
        (source("read-only", "int x = 1;", "void f() { x = 2; }"), 1, "the forbidden part compiles"),
        (source("read-only", "int x = y;", "void f() { x = 2; }"), 1, "even without the forbidden part"),
        ("int x;\n", 1, "wants a first line"),
    ],
)
def test_check(tmp_path: Path, text: str, status: int, words: str) -> None:
    code, output = run_check(tmp_path, text)
    assert code == status, output
    assert words in output


def test_each_file_must_fail(tmp_path: Path) -> None:
    fails = source("read-only", "const int x = 1;", "void f() { x = 2; }")
    compiles = source("read-only", "int y = 1;", "void g() { y = 2; }")
    code, output = run_check(tmp_path, fails, compiles)
    assert code == 1
    assert "1.cpp: the forbidden part compiles" in output
    assert "0.cpp: the" not in output
