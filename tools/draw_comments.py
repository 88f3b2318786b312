"""Draws comments by a seeded choice, so that a reader who has not seen the code can be asked to restate them.

Prints `file:line: comment` for each, and with --code the line of code below it. One seed draws the same comments from
the same tree.
"""

import argparse
import io
import random
import re
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sources import list_files, read_text, without_comments

FOLDERS = ("src/", "runtime/", "io/", "abi/", "cpu/", "include/", "python/", "tests/", "bench/", "tools/")
# Folders that are left out: cases are input of tests, and upstream's tests keep upstream's comments.
CASE_FOLDERS = ("tests/conformance/", "tests/passes/", "tests/script/")
CPP_SUFFIXES = {".cpp", ".h"}
# Comments that address a tool or state a license.
MARKER = re.compile(
    r"!|NOLINT|noqa\b|type: ?ignore|fmt: |ruff: |mypy: |pragma\b|clang-format |SPDX-|Copyright\b|Licensed\b"
)


@dataclass(frozen=True)
class Comment:
    """Consecutive lines that hold nothing but a comment."""

    path: str
    line: int
    text: str
    code: str


def cpp_comment_lines(text: str) -> dict[int, str]:
    # A line that begins with `//`, but is not blank once comments are removed, lies in a literal.
    rest = without_comments(text).splitlines()
    found: dict[int, str] = {}
    column = -1  # of a comment beside code, which lines below may continue
    for number, line in enumerate(text.splitlines(), 1):
        begin = line.find("//")
        if begin >= 0 and not line[:begin].strip() and not rest[number - 1].strip():
            if begin != column:
                found[number], column = line.strip().lstrip("/").strip(), -1
        else:
            code = rest[number - 1].rstrip()
            column = line.find("//", len(code)) if len(code) < len(line.rstrip()) else -1
    return found


def python_comment_lines(text: str) -> dict[int, str]:
    return {
        token.start[0]: token.string.lstrip("#").strip()
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip()
    }


def find_comments(path: str, text: str) -> Iterator[Comment]:
    """Yields the comment blocks of a file in order, without those that only address a tool."""
    lines = text.splitlines()
    found = python_comment_lines(text) if path.endswith(".py") else cpp_comment_lines(text)
    found = {number: words for number, words in found.items() if not MARKER.match(words)}
    for first in sorted(found):
        if first - 1 in found:
            continue
        end = first
        while end in found:
            end += 1
        words = " ".join(found[number] for number in range(first, end)).strip()
        code = (line.strip() for line in lines[end - 1 :])
        if words:
            yield Comment(path, first, words, next((line for line in code if not line.startswith(("//", "#"))), ""))


def list_comments(root: Path) -> list[Comment]:
    return [
        comment
        for path in list_files(root)
        if path.startswith(FOLDERS) and not path.startswith(CASE_FOLDERS)
        if Path(path).suffix in CPP_SUFFIXES | {".py"}
        for comment in find_comments(path, read_text(root / path))
    ]


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int, help="the number of comments to draw")
    parser.add_argument("--code", action="store_true", help="print the line of code below each comment")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    args = parser.parse_args(argv)
    comments = list_comments(args.root)
    if not 0 <= args.count <= len(comments):
        parser.error(f"there are {len(comments)} comments, {args.count} were asked for")
    for comment in random.Random(args.seed).sample(comments, args.count):
        print(f"{comment.path}:{comment.line}: {comment.text}")
        if args.code:
            print(f"    {comment.code}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
