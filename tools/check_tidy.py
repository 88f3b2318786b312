"""Runs clang-tidy with the checks in .clang-tidy over the sources, in parallel.

A file that passed is skipped until it, a header of the repository that it includes, or the list of checks changes.
"""

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sources import includes, read_text, resolve_include

FOLDERS = ("src/", "io/", "runtime/", "builtins/")


def closure(root: Path, file: str, seen: set[str]) -> set[str]:
    """Returns the file and all headers of the repository that it includes, directly or indirectly."""
    pending = [file]
    while pending:
        path = pending.pop()
        if path in seen:
            continue
        seen.add(path)
        for include in includes(read_text(root / path)):
            if target := resolve_include(root, path, include.name):
                pending.append(target)
    return seen


def key_of(root: Path, file: str) -> str:
    digest = hashlib.sha256((root / ".clang-tidy").read_bytes())
    for path in sorted(closure(root, file, set())):
        digest.update(path.encode() + b"\0" + (root / path).read_bytes())
    return digest.hexdigest()


def sources_of(root: Path, build: Path) -> list[str]:
    """Returns the files in the build's compile commands that belong to the compiler or the runtime."""
    commands = json.loads((build / "compile_commands.json").read_text())
    files = set()
    for command in commands:
        path = Path(command["directory"], command["file"]).resolve()
        if path.is_relative_to(root) and path.relative_to(root).as_posix().startswith(FOLDERS):
            files.add(path.relative_to(root).as_posix())
    return sorted(files)


def run_tidy(tool: str, root: Path, build: Path, file: str) -> str:
    """Returns the findings of clang-tidy in the file; empty when there are none."""
    result = subprocess.run(
        [tool, "--quiet", "-p", str(build), file],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if result.returncode == 0 else result.stdout + result.stderr


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).parent.parent)
    parser.add_argument("--build", type=Path, required=True, help="a configured build made with clang")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args(argv)
    root = args.root.resolve()
    tool = shutil.which("clang-tidy-19")
    if tool is None:
        print("check_tidy: clang-tidy-19 is not installed; tools/setup.sh brings it")
        return 1
    passed = args.build / "tidy"
    passed.mkdir(exist_ok=True)
    files = sources_of(root, args.build)
    keys = {file: key_of(root, file) for file in files}
    pending = [file for file in files if not (passed / keys[file]).exists()]
    failed = 0
    with ThreadPoolExecutor(args.jobs) as pool:
        for file, output in zip(
            pending, pool.map(lambda file: run_tidy(tool, root, args.build, file), pending), strict=True
        ):
            if output:
                failed += 1
                print(output)
            else:
                (passed / keys[file]).touch()
    print(f"check_tidy: {len(files)} files, {len(pending)} looked at, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
