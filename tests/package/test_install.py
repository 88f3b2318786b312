"""What `make install` installs, and that programs outside of the tree build and run with it, also after a move."""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
from installed_tree import CMAKE, Recording, install
from sunmao_binary import ROOT, TOLERANCE, Result, run_program

PROJECT = ROOT / "examples" / "project"


def test_make_install_installs_two_components_and_no_more() -> None:
    command = ["make", "-n", "install", "PREFIX=/opt/sunmao", "DESTDIR=/stage"]
    recipe = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "for part in compiler runtime" in recipe
    assert "DESTDIR=/stage cmake --install build/release --strip --prefix /opt/sunmao --component $part" in recipe


def test_installed_files(prefix: Path) -> None:
    files = {str(path.relative_to(prefix)) for path in prefix.rglob("*") if not path.is_dir()}
    (cmake,) = {str(Path(name).parent) for name in files if name.endswith("SunmaoConfig.cmake")}
    library = str(Path(cmake).parent.parent)
    assert files == {
        "bin/sunmao",
        *(f"{library}/libsunmao_runtime.so{version}" for version in ("", ".0", ".0.1.0")),
        *(f"include/sunmao/{name}" for name in ("dlpack.h", "op.h", "runtime.h", "sunmao.hpp")),
        *(f"{cmake}/Sunmao{name}.cmake" for name in ("Config", "ConfigVersion", "Targets", "Targets-release")),
        f"{library}/pkgconfig/sunmao.pc",
    }
    assert os.readlink(prefix / library / "libsunmao_runtime.so") == "libsunmao_runtime.so.0"
    names = run_program("readelf", "-d", prefix / library / "libsunmao_runtime.so").stdout
    assert "Library soname: [libsunmao_runtime.so.0]" in names


def test_nothing_installed_names_the_place_it_was_built_or_installed_at(prefix: Path) -> None:
    for path in [p for folder in ("include", "lib*") for p in prefix.glob(f"{folder}/**/*")]:
        if path.is_file():
            assert str(ROOT).encode() not in path.read_bytes(), path
            assert str(prefix).encode() not in path.read_bytes(), path


def test_installed_command_line(prefix: Path) -> None:
    assert run_program(prefix / "bin" / "sunmao", "--version").stdout.startswith("sunmao 0.")


def configure(folder: Path, prefix: Path) -> Result:
    shutil.copytree(PROJECT, folder / "project")
    return run_program(CMAKE, "-S", folder / "project", "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}")


def check_outputs(program: list[object], artifact: Path, recording: Recording, folder: Path) -> str:
    result = run_program(*program, artifact, recording.x_file, folder / "out.raw")
    assert result.returncode == 0, result.stderr
    got = np.fromfile(folder / "out.raw", np.float32).reshape(recording.y.shape)
    np.testing.assert_allclose(got, recording.y, **TOLERANCE["float32"])
    return result.stdout


def build_by_cmake(folder: Path, prefix: Path) -> Path:
    configured = configure(folder, prefix)
    assert configured.returncode == 0, configured.stderr
    built = run_program(CMAKE, "--build", folder / "build")
    assert built.returncode == 0, built.stdout + built.stderr
    return folder / "build" / "embed"


def build_by_pkg_config(folder: Path, prefix: Path) -> Path:
    (config,) = prefix.glob("**/sunmao.pc")
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "sunmao"],
        env={**os.environ, "PKG_CONFIG_PATH": str(config.parent)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    library = next(flag[2:] for flag in flags if flag.startswith("-L"))
    warnings = ["-std=c99", "-Wall", "-Wextra", "-Werror"]
    command = ["gcc", *warnings, PROJECT / "embed.c", *flags, f"-Wl,-rpath,{library}", "-o", folder / "embed"]
    built = run_program(*command)
    assert built.returncode == 0, built.stderr
    return folder / "embed"


def test_project_that_finds_the_cmake_package(
    prefix: Path, artifact: Path, recording: Recording, tmp_path: Path
) -> None:
    program = build_by_cmake(tmp_path, prefix)
    rows = len(recording.x)
    assert check_outputs([program], artifact, recording, tmp_path) == f"main: {rows} 3\n"
    gone = run_program(program, "gone.sunmao", recording.x_file, tmp_path / "out.raw")
    assert gone.returncode == 1 and gone.stderr.startswith("E0801: ")


def test_another_version_is_not_found(prefix: Path, tmp_path: Path) -> None:
    for version in ("0.2", "0.0", "1.0"):
        folder = tmp_path / version
        folder.mkdir()
        (folder / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.16)\nproject(wants LANGUAGES C)\n"
            f"find_package(Sunmao {version} REQUIRED)\n"
        )
        result = run_program(CMAKE, "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
        assert result.returncode != 0 and "version: 0.1.0" in result.stderr


def test_c_program_by_pkg_config(prefix: Path, artifact: Path, recording: Recording, tmp_path: Path) -> None:
    check_outputs([build_by_pkg_config(tmp_path, prefix)], artifact, recording, tmp_path)


def test_an_installed_tree_can_be_moved(artifact: Path, recording: Recording, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere" / "with a space"
    moved.parent.mkdir()
    install(tmp_path / "first").rename(moved)
    check_outputs([build_by_cmake(tmp_path, moved)], artifact, recording, tmp_path)
    straight = tmp_path / "moved"
    moved.rename(straight)
    check_outputs([build_by_pkg_config(tmp_path, straight)], artifact, recording, tmp_path)
