"""Checks that C and C++ files are formatted by clang-format; --fix rewrites them."""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from sources import list_cpp_files

BATCH = 64


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).parent.parent)
    parser.add_argument("--fix", action="store_true", help="rewrite the files")
    args = parser.parse_args(argv)
    tool = shutil.which("clang-format-19")
    if tool is None:
        print("check_format: clang-format-19 is not installed; tools/setup.sh brings it")
        return 1
    flags = ["-i"] if args.fix else ["--dry-run", "-Werror", "--ferror-limit=1"]
    files = list_cpp_files(args.root)
    failed = False
    for start in range(0, len(files), BATCH):
        batch = files[start : start + BATCH]
        failed |= subprocess.run([tool, *flags, *batch], cwd=args.root, check=False).returncode != 0
    print(
        f"check_format: {len(files)} files, {'see above; `make format` rewrites them' if failed else 'all formatted'}"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
