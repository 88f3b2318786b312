"""include/sunmao/sunmao.hpp: it compiles without a warning under C++17 and C++20, and does what it says."""

import shutil
from pathlib import Path

import pytest
from installed_tree import Recording
from sunmao_binary import BUILD, ROOT, run_program

SOURCE = Path(__file__).parent / "use_header.cpp"
FLAGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror", "-O1"]
COMPILERS = ["g++", next((c for c in ("clang++-19", "clang++") if shutil.which(c)), "clang++")]


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_header(
    compiler: str, standard: str, artifact: Path, counter: Path, recording: Recording, tmp_path: Path
) -> None:
    if not shutil.which(compiler):
        pytest.skip("clang++ comes with `make setup-check`; g++ alone is what `make test` installs")
    program, library = tmp_path / "use_header", BUILD / "lib"
    command = [compiler, f"-std={standard}", *FLAGS, f"-I{ROOT / 'include'}", SOURCE, "-o", program]
    built = run_program(*command, f"-L{library}", "-lsunmao_runtime", f"-Wl,-rpath,{library}")
    assert built.returncode == 0, built.stderr
    result = run_program(program, artifact, counter, tmp_path, recording.x_file, recording.y_file)
    assert result.returncode == 0, result.stderr
