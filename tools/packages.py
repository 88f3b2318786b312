"""Builds what is handed out, into dist/: a wheel for CPython 3.11, one for all versions from 3.12 on, the sources, and
the runtime with its headers as an archive.

Usage: packages.py [--out dist] [wheel] [abi3] [sdist] [runtime]
"""

import argparse
import gzip
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
NAME = f"{PROJECT['name']}-{PROJECT['version']}"
# What a wheel may need of the machine it runs on: the C library, and the libraries of g++.
ALLOWED = re.compile(r"(lib(c|m|dl|pthread|rt|gcc_s|stdc\+\+)|ld-linux-[\w-]+)\.so\.\d")
NEWEST_LIBSTDCXX = (3, 4, 30)  # of g++ 12


class NotPortable(Exception):
    """A library needs what other machines may lack."""


# The compilers by the names that CMakePresets.json gives them, by which ccache knows what they have compiled.
COMPILERS = {"CC": "gcc", "CXX": "g++"}


def run(*command: object) -> str:
    environment = {**COMPILERS, **os.environ}
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


def versions(dynamic: str, name: str) -> list[tuple[int, ...]]:
    """Returns the versions of symbols that a library needs, in order."""
    return sorted({tuple(int(n) for n in v.split(".")) for v in re.findall(rf"\b{name}_(\d[\d.]*)", dynamic)})


def glibc_baseline(libraries: list[Path]) -> tuple[int, ...]:
    """Returns the oldest glibc that has all that the libraries need. Fails when they need another library, or a later
    C++ library than wheels may."""
    newest: tuple[int, ...] = (2, 17)
    for library in libraries:
        needed = re.findall(r"\(NEEDED\).*\[([^\]]+)\]", run("readelf", "--dynamic", "--wide", library))
        if others := [name for name in needed if not ALLOWED.fullmatch(name)]:
            raise NotPortable(f"{library.name} needs {', '.join(others)}")
        symbols = run("readelf", "--version-info", "--wide", library)
        if (cxx := versions(symbols, "GLIBCXX")) and cxx[-1] > NEWEST_LIBSTDCXX:
            raise NotPortable(f"{library.name} needs GLIBCXX_{'.'.join(map(str, cxx[-1]))}")
        newest = max([newest, *versions(symbols, "GLIBC")])
    return newest[:2]


def platform_tag(wheel: Path, scratch: Path) -> str:
    with zipfile.ZipFile(wheel) as packed:
        libraries = [Path(packed.extract(n, scratch)) for n in packed.namelist() if re.search(r"\.so(\.\d+)?$", n)]
    major, minor = glibc_baseline(libraries)
    (machine,) = re.findall(r"-linux_(\w+)\.whl$", wheel.name)
    return f"manylinux_{major}_{minor}_{machine}"


def build_wheel(out: Path, *, abi3: bool) -> Path:
    """Builds a wheel whose name says which versions of Python and glibc it runs with.

    The one for .venv's Python is built with .venv's nanobind, so that ccache has what the tree has compiled. The other
    one is built as `pip install` does it: with what pyproject.toml names, and nothing else."""
    settings = ["--no-build-isolation", "--config-settings=build-dir=build/wheel"]
    tags = []
    if abi3:
        headers = run("tools/python_headers.sh", ROOT / "build" / "python-headers").strip()
        settings = [
            "--config-settings=build-dir=build/wheel-abi3",
            f"--config-settings=cmake.define.SUNMAO_ABI3_HEADERS={headers}",
        ]
        tags = ["--python-tag=cp312", "--abi-tag=abi3"]
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", f"--wheel-dir={folder}", *settings, ".")
        (built,) = Path(folder).glob("*.whl")
        tag = f"--platform-tag={platform_tag(built, Path(folder) / 'unpacked')}"
        run(sys.executable, "-m", "wheel", "tags", "--remove", *tags, tag, built)
        (tagged,) = Path(folder).glob("*.whl")
        out.joinpath(tagged.name).write_bytes(tagged.read_bytes())
    return out / tagged.name


def build_sdist(out: Path) -> Path:
    run(sys.executable, "-m", "build", "--quiet", "--no-isolation", "--sdist", f"--outdir={out}", ".")
    return out / f"{NAME}.tar.gz"


def build_runtime(out: Path) -> Path:
    """Archives what `make install` installs for programs that embed the runtime. Equal contents give equal bytes."""
    machine = run("uname", "-m").strip()
    name = f"sunmao-runtime-{PROJECT['version']}-linux-{machine}"
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / name
        run("cmake", "--install", ROOT / "build" / "release", "--strip", "--prefix", tree, "--component", "runtime")
        for text in ("LICENSE", "NOTICE"):
            (tree / text).write_bytes((ROOT / text).read_bytes())
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as archive:
            for path in sorted(tree.rglob("*")):
                entry = archive.gettarinfo(path, f"{name}/{path.relative_to(tree)}")
                entry.uid = entry.gid = entry.mtime = 0
                entry.uname = entry.gname = "root"
                with path.open("rb") if entry.isreg() else io.BytesIO() as contents:
                    archive.addfile(entry, contents)
    archive_file = out / f"{name}.tar.gz"
    archive_file.write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return archive_file


def main() -> int:
    kinds = {
        "wheel": lambda out: build_wheel(out, abi3=False),
        "abi3": lambda out: build_wheel(out, abi3=True),
        "sdist": build_sdist,
        "runtime": build_runtime,
    }
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("kinds", nargs="*", metavar="kind", help=f"what to build (default: all): {', '.join(kinds)}")
    options = parser.parse_args()
    if unknown := [kind for kind in options.kinds if kind not in kinds]:
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(kinds)}")
    options.out.mkdir(parents=True, exist_ok=True)
    try:
        for kind in options.kinds or kinds:
            built = kinds[kind](options.out)
            print(f"{built.stat().st_size / 1e6:7.1f} MB  {built.name}", flush=True)
    except NotPortable as problem:
        print(f"packages.py: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
