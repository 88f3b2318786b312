"""Checks that includes point downwards.

Checks the order of the compiler's folders, what compiler and runtime may share, and where headers of LLVM and Python
may be included. Prints `file:line: include: why` for each violation and exits 1 when there is one.
"""

import argparse
import sys
from pathlib import Path

from sources import Finding, includes, list_cpp_files, read_text, resolve_include

# The folders of src/ from top to bottom: a folder may include itself and the folders after it.
COMPILER = (
    "cli", "view", "upstream_vm", "compiler", "frontend", "codegen", "passes", "eval", "ops", "script", "loop", "ir",
    "sym", "target", "support",
)  # fmt: skip

# Subfolders of src/passes, in the same order. Files directly in src/passes (the table, the runner) may include any
# subfolder, and any subfolder may include them.
PASS_ROOMS = (
    "validation", "upstream", "fuse", "lower", "layout", "weights", "devices", "algebra", "canonical", "schedule",
    "loop", "pattern", "analysis",
)  # fmt: skip

# Maps each folder outside of src/ to the folders that it may include.
ALLOWED = {
    "abi": {"abi"},
    "cpu": {"cpu", "abi"},
    "io": {"io", "abi"},
    "include": {"include"},
    "runtime": {"runtime", "io", "cpu", "abi", "include"},
    "examples": {"examples", "include"},
}
SHARED = {"io", "abi", "cpu"}
RUNTIME_HEADER = "include/sunmao/runtime.h"
USES_RUNTIME = {"cli", "compiler"}

LLVM_FOLDERS = ("src/codegen/llvm/", "tests/unit/codegen/llvm/")
LLVM_PREFIXES = ("llvm/", "llvm-c/", "lld/", "clang/")
PYTHON_PREFIXES = ("Python.h", "nanobind/", "pybind11/")
# Streams and locales would link large parts of libstdc++ into the runtime.
RUNTIME_BANNED = {"iostream", "fstream", "sstream", "ostream", "istream", "iomanip", "regex", "locale", "filesystem"}
WITHOUT_STREAMS = {"runtime", "io", "cpu"}


def folder_of(path: str) -> str:
    """Returns `src/ir` for a file of the compiler, otherwise the top-level folder."""
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "src" and len(parts) > 2 else parts[0]


def check_external(path: str, name: str) -> str | None:
    if name.startswith(LLVM_PREFIXES) and not path.startswith(LLVM_FOLDERS):
        return "LLVM headers appear under src/codegen/llvm alone, and its tests"
    if name.startswith(PYTHON_PREFIXES) and not path.startswith("python/"):
        return "Python headers appear under python/ alone"
    if name in RUNTIME_BANNED and folder_of(path) in WITHOUT_STREAMS:
        return "the runtime does without streams, locales and std::filesystem"
    return None


def check_compiler(source: str, target: str, target_path: str) -> str | None:
    if target in SHARED:
        return None
    name = source.removeprefix("src/")
    if name not in COMPILER:
        return f"`{source}` is not a folder of the design"
    if target in ("runtime", "include"):
        if target_path == RUNTIME_HEADER and name in USES_RUNTIME:
            return None
        return f"only {' and '.join(sorted(USES_RUNTIME))} use the runtime, through <sunmao/runtime.h>"
    below = target.removeprefix("src/")
    if not target.startswith("src/") or below not in COMPILER:
        return f"`{source}` may not include `{target}`"
    if COMPILER.index(below) < COMPILER.index(name):
        return f"`{below}` stands above `{name}`"
    return None


def room_of(path: str) -> str | None:
    parts = path.split("/")
    return parts[2] if parts[:2] == ["src", "passes"] and len(parts) > 3 else None


def check_rooms(path: str, target_path: str) -> str | None:
    room, below = room_of(path), room_of(target_path)
    if room is not None and room not in PASS_ROOMS:
        return f"`passes/{room}` is not a room of the design"
    if room is None or below is None or below not in PASS_ROOMS:
        return None
    return f"`{below}` stands above `{room}`" if PASS_ROOMS.index(below) < PASS_ROOMS.index(room) else None


def check_python(target: str, target_path: str) -> str | None:
    if target == "runtime" or (target == "include" and target_path != RUNTIME_HEADER):
        return "the bindings use the runtime through <sunmao/runtime.h>"
    return None


def check_include(root: Path, path: str, name: str, is_quoted: bool) -> str | None:
    """Returns why this include is wrong, or None."""
    if reason := check_external(path, name):
        return reason
    target_path = resolve_include(root, path, name)
    if target_path is None:
        is_ours = is_quoted and "/" in name and not name.startswith(LLVM_PREFIXES + PYTHON_PREFIXES)
        return "no such file in the repository" if is_ours else None
    source, target = folder_of(path), folder_of(target_path)
    if source.startswith("src"):
        return check_compiler(source, target, target_path) or check_rooms(path, target_path)
    if source == "python":
        return check_python(target, target_path)
    if source in ALLOWED and target not in ALLOWED[source]:
        return f"`{source}` includes {', '.join(f'`{name}`' for name in sorted(ALLOWED[source]))} only"
    return None


def check(root: Path) -> list[Finding]:
    findings = []
    for path in list_cpp_files(root):
        for include in includes(read_text(root / path)):
            if reason := check_include(root, path, include.name, include.is_quoted):
                findings.append(Finding(path, include.line, f"{include.name}: {reason}"))
    return findings


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).parent.parent)
    findings = check(parser.parse_args(argv).root)
    for finding in findings:
        print(finding)
    print(f"check_layers: {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
