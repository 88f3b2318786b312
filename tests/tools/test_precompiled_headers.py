"""cmake/SunmaoToolchain.cmake: precompiled headers are taken from ccache only where their headers are the same text."""

import os
import shutil
import subprocess
from pathlib import Path

TOOLCHAIN = Path(__file__).parents[2] / "cmake/SunmaoToolchain.cmake"
PROJECT = f"""
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES C CXX)
include({TOOLCHAIN})
add_library(shared OBJECT first.cpp)
target_include_directories(shared PRIVATE ${{CMAKE_SOURCE_DIR}})
sunmao_precompile_headers(shared point.h)
add_library(user OBJECT second.cpp)
target_include_directories(user PRIVATE ${{CMAKE_SOURCE_DIR}})
target_precompile_headers(user REUSE_FROM shared)
"""


def test_a_comment_that_changed_is_no_other_header(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(PROJECT)
    (source / "first.cpp").write_text("")

    def build(comment: str, value: int) -> subprocess.CompletedProcess[str]:
        (source / "point.h").write_text(f"#pragma once\n// {comment}\nstruct Point {{ int x; }};\n")
        (source / "second.cpp").write_text(f'#include "point.h"\nint f() {{ return Point{{{value}}}.x; }}\n')
        for file in source.iterdir():  # ccache keeps nothing of what is younger than the compiler's start
            os.utime(file, (1_700_000_000 + value, 1_700_000_000 + value))
        environment = {**os.environ, "CCACHE_DIR": str(tmp_path / "cache")}
        environment.pop("CCACHE_DISABLE", None)
        shutil.rmtree(tmp_path / "build", ignore_errors=True)
        command = f"cmake -G Ninja -S {source} -B {tmp_path / 'build'} && cmake --build {tmp_path / 'build'}"
        return subprocess.run(command, shell=True, capture_output=True, text=True, env=environment, check=False)

    for value, comment in enumerate(["A point.", "Where something is.", "A point."]):
        built = build(comment, value)
        assert built.returncode == 0, built.stdout[-2000:]
