"""What `make packages` builds, and that it works in an empty environment, with libraries of this machine alone."""

import gzip
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import packages
import pytest
from empty_machine import ROOT, first_steps, only, run

PROJECT = ROOT / "examples" / "project"
MACHINE = platform.machine()
HEADERS = ["dlpack.h", "op.h", "runtime.h", "sunmao.hpp"]
CMAKE_PACKAGE = [f"Sunmao{name}.cmake" for name in ("Config", "ConfigVersion", "Targets", "Targets-release")]


def own_wheel(dist: Path) -> Path:
    """Returns the wheel for the Python that runs the tests."""
    return only(dist, "*-cp311-*.whl" if sys.version_info < (3, 12) else "*-abi3-*.whl")


@pytest.fixture(scope="module")
def python(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that has the wheel and what it depends on, and nothing else."""
    folder = tmp_path_factory.mktemp("env")
    venv.create(folder, with_pip=True)
    run(folder, folder / "bin" / "python", "-m", "pip", "install", "--quiet", own_wheel(dist))
    return folder / "bin" / "python"


def test_names_say_what_runs_them(dist: Path) -> None:
    names = sorted(path.name for path in dist.iterdir())
    version = packages.PROJECT["version"]
    glibc = r"manylinux_2_(\d+)_" + MACHINE
    patterns = [
        rf"sunmao-{version}-cp311-cp311-{glibc}\.whl",
        rf"sunmao-{version}-cp312-abi3-{glibc}\.whl",
        rf"sunmao-{version}\.tar\.gz",
        rf"sunmao-runtime-{version}-linux-{MACHINE}\.tar\.gz",
    ]
    assert len(names) == len(patterns)
    for name, pattern in zip(names, patterns, strict=True):
        found = re.fullmatch(pattern, name)
        assert found, name
        assert not found.groups() or int(found[1]) <= 36  # Debian 12


def test_wheels_hold_compiler_runtime_and_headers(dist: Path) -> None:
    for wheel, suffix in (("*-cp311-*.whl", f"cpython-311-{MACHINE}-linux-gnu"), ("*-abi3-*.whl", "abi3")):
        names = zipfile.ZipFile(only(dist, wheel)).namelist()
        assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"sunmao"}
        others = {
            name.removeprefix("sunmao/") for name in names if not re.search(r"\.(py|pyi|typed)$|\.dist-info/", name)
        }
        assert others == {
            f"_sunmao.{suffix}.so",
            "lib/libsunmao_runtime.so.0",
            "lib/pkgconfig/sunmao.pc",
            *(f"lib/cmake/Sunmao/{name}" for name in CMAKE_PACKAGE),
            *(f"include/sunmao/{name}" for name in HEADERS),
        }
        assert any(name.endswith("/LICENSE") for name in names) and any(name.endswith("/NOTICE") for name in names)


def test_the_sources_are_those_of_the_tree(dist: Path) -> None:
    with tarfile.open(only(dist, "sunmao-[0-9]*.tar.gz")) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    built_from = {name for name in tracked if re.match(r"(src|runtime|io|abi|builtins|include|cmake|python)/", name)}
    assert built_from <= names
    assert not [name for name in names if name.endswith(".so") or name.startswith(("build/", ".venv/", "dist/"))]


def test_the_runtime_archive_is_the_same_each_time(dist: Path, tmp_path: Path) -> None:
    first = only(dist, "sunmao-runtime-*.tar.gz")
    assert packages.build_runtime(tmp_path).read_bytes() == first.read_bytes()
    with tarfile.open(first) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "NOTICE", "include/sunmao/runtime.h", "include/sunmao/sunmao.hpp"} <= names
    assert gzip.decompress(first.read_bytes()).find(str(ROOT).encode()) < 0


def test_a_library_that_needs_others_is_refused() -> None:
    extension = only(ROOT / "python" / "sunmao", "_sunmao.*.so")  # of the tree, which uses the machine's LLVM
    with pytest.raises(packages.NotPortable, match="libLLVM"):
        packages.glibc_baseline([extension])


def test_the_example_of_the_readme_runs_where_the_wheel_is_installed(python: Path, tmp_path: Path) -> None:
    out = run(tmp_path, python, "-c", first_steps(tmp_path))
    assert out.startswith("(8, 3) ") and str(python.parent.parent) in out
    backends = "from importlib.metadata import entry_points; print(*entry_points(group='torch_dynamo_backends'))"
    assert "sunmao.torch_backend:backend" in run(tmp_path, python, "-c", backends)


def test_the_command_line_of_the_wheel(python: Path, tmp_path: Path) -> None:
    sunmao = python.parent / "sunmao"
    assert run(tmp_path, sunmao, "--version").startswith(f"sunmao {packages.PROJECT['version']}")
    run(tmp_path, sunmao, "compile", ROOT / "tests" / "models" / "mlp.onnx", "-o", "mlp.sunmao", "--dim", "batch=1..8")
    assert "batch" in run(tmp_path, sunmao, "inspect", "mlp.sunmao")


def test_a_program_finds_the_runtime_of_the_wheel(python: Path, tmp_path: Path) -> None:
    asked = "import sunmao; print(sunmao.get_cmake_dir(), sunmao.get_pkgconfig_dir(), sunmao.get_include(), sep='\\n')"
    cmake_dir, pkgconfig_dir, include = run(tmp_path, python, "-c", asked).splitlines()
    assert (Path(include) / "sunmao" / "sunmao.hpp").is_file()
    shutil.copytree(PROJECT, tmp_path / "project")
    run(tmp_path, shutil.which("cmake"), "-S", "project", "-B", "build", f"-DSunmao_DIR={cmake_dir}")
    run(tmp_path, shutil.which("cmake"), "--build", "build")
    flags = run(
        tmp_path, "env", f"PKG_CONFIG_PATH={pkgconfig_dir}", "pkg-config", "--cflags", "--libs", "sunmao"
    ).split()
    library = next(flag[2:] for flag in flags if flag.startswith("-L"))
    run(tmp_path, "gcc", "-std=c99", PROJECT / "embed.c", *flags, f"-Wl,-rpath,{library}", "-o", "embed")
    run(tmp_path, python.parent / "sunmao", "compile", ROOT / "tests" / "models" / "mlp.onnx", "-o", "mlp.sunmao")
    (tmp_path / "x.raw").write_bytes(bytes(2 * 16 * 4))
    for program in ("build/embed", "./embed"):
        run(tmp_path, tmp_path / program, "mlp.sunmao", "x.raw", "y.raw")
        assert (tmp_path / "y.raw").stat().st_size == 2 * 3 * 4
        (tmp_path / "y.raw").unlink()
