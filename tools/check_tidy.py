"""Runs clang-tidy with the checks in .clang-tidy over the sources, in parallel.

By default it looks at the sources whose code has changed since the commit in tools/tidy_checked.txt, and at one source
for each header that has, or all its users when it includes less than before. `--all` looks at every source and, when
none has findings, writes the commit to that file. A file that passed is skipped until it, a header of the repository
that it includes, or the list of checks changes. Changed comments are no changes, unless they direct clang-tidy.
"""

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sources import includes, read_text, resolve_include, without_comments

FOLDERS = ("src/", "io/", "cpu/", "runtime/")
HEADER_FOLDERS = (*FOLDERS, "abi/", "include/")
CHECKED = "tools/tidy_checked.txt"


class Headers:
    """Which headers of the repository a file includes; each file is read once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.direct: dict[str, list[str]] = {}
        self.code: dict[str, str] = {}

    def closure(self, file: str) -> set[str]:
        """Returns the file and all headers of the repository that it includes, directly or indirectly."""
        seen: set[str] = set()
        pending = [file]
        while pending:
            path = pending.pop()
            if path in seen:
                continue
            seen.add(path)
            if path not in self.direct:
                text = read_text(self.root / path)
                targets = (resolve_include(self.root, path, include.name) for include in includes(text))
                self.direct[path] = [target for target in targets if target]
                self.code[path] = code_of(text)
            pending += self.direct[path]
        return seen

    def key(self, file: str) -> str:
        """Returns a digest of all that clang-tidy sees of the file, comments apart."""
        digest = hashlib.sha256((self.root / ".clang-tidy").read_bytes())
        for path in sorted(self.closure(file)):
            digest.update(f"{path}\0{self.code[path]}".encode())
        return digest.hexdigest()


def code_of(text: str) -> str:
    """Returns the text without blank space and comments, other than those that direct clang-tidy."""
    lines = zip(text.splitlines(), without_comments(text).splitlines(), strict=True)
    kept = (line if "NOLINT" in line else code for line, code in lines)
    return "\n".join(line.strip() for line in kept if line.strip())


def sources_of(root: Path, build: Path) -> list[str]:
    """Returns the files in the build's compile commands that belong to the compiler or the runtime."""
    commands = json.loads((build / "compile_commands.json").read_text())
    files = set()
    for command in commands:
        path = Path(command["directory"], command["file"]).resolve()
        if path.is_relative_to(root) and path.relative_to(root).as_posix().startswith(FOLDERS):
            files.add(path.relative_to(root).as_posix())
    return sorted(files)


def git(root: Path, *arguments: str) -> str | None:
    """Returns what git prints; None when it fails."""
    result = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False)
    return result.stdout if result.returncode == 0 else None


def changed_sources(root: Path, files: list[str]) -> list[str]:
    """Returns those of `files` to look at for what has changed since the recorded commit; all of them when git does not
    know it or the list of checks has changed."""
    base = (root / CHECKED).read_text().strip() if (root / CHECKED).exists() else "none"
    listed = git(root, "diff", "--name-only", "--no-renames", base, "--")
    if listed is None or ".clang-tidy" in listed.split():
        return files
    new = (git(root, "ls-files", "--others", "--exclude-standard") or "").split()
    found: set[str] = set()
    headers = Headers(root)
    for path in sorted({*listed.split(), *new}):
        is_header = path.startswith(HEADER_FOLDERS) and path.endswith(".h")
        if not (is_header or path in files) or not (root / path).exists():
            continue
        before, now = git(root, "show", f"{base}:{path}"), read_text(root / path)
        if before is not None and code_of(before) == code_of(now):
            continue
        if not is_header:
            found.add(path)
            continue
        users = [file for file in files if path in headers.closure(file)]
        namesake = path.removesuffix(".h") + ".cpp"
        dropped = {i.name for i in includes(before or "")} - {i.name for i in includes(now)}
        found.update(users if dropped else [namesake] if namesake in users else users[:1])
    return sorted(found)


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
    parser.add_argument("--all", action="store_true", help="every source, and record the commit when none has findings")
    args = parser.parse_args(argv)
    root = args.root.resolve()
    tool = shutil.which("clang-tidy-19")
    if tool is None:
        print("check_tidy: clang-tidy-19 is not installed; tools/setup.sh brings it")
        return 1
    passed = args.build / "tidy"
    passed.mkdir(exist_ok=True)
    sources = sources_of(root, args.build)
    files = sources if args.all else changed_sources(root, sources)
    headers = Headers(root)
    keys = {file: headers.key(file) for file in files}
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
    print(f"check_tidy: {len(sources)} files, {len(files)} chosen, {len(pending)} looked at, {failed} with findings")
    head = git(root, "rev-parse", "HEAD")
    if args.all and not failed and head and not git(root, "status", "--porcelain"):
        (root / CHECKED).write_text(head)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
