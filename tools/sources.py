"""Access to the files of the repository for checks: file lists, lines, comments and includes."""

import posixpath
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CPP_SUFFIXES = {".cpp", ".h", ".hpp", ".c"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
# Matches comments, and string and character literals.
_NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^(\s]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Za-z_])\'(?:\\.|[^\'\\\n])+\'',
    re.DOTALL,
)


@dataclass(frozen=True)
class Finding:
    """One violation, printed as `path:line: message`."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


@dataclass(frozen=True)
class Include:
    line: int
    is_quoted: bool
    name: str


def list_files(root: Path) -> list[str]:
    """Returns the tracked and untracked files that git does not ignore, or every file without git; relative and
    sorted."""
    if (root / ".git").exists():
        command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        output = subprocess.run(command, capture_output=True, check=True).stdout.decode()
        names = {name for name in output.split("\0") if name}
    else:
        names = {str(path.relative_to(root)) for path in root.rglob("*")}
    return sorted(name for name in names if (root / name).is_file())


def list_cpp_files(root: Path) -> list[str]:
    return [name for name in list_files(root) if Path(name).suffix in CPP_SUFFIXES]


def read_text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def code_only(text: str) -> str:
    """Returns the text with comments and literals blanked out and line numbers unchanged."""
    return _NOT_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def without_comments(text: str) -> str:
    """Returns the text with only comments blanked out."""
    return _NOT_CODE.sub(
        lambda match: re.sub(r"[^\n]", " ", match.group()) if match.group().startswith("/") else match.group(), text
    )


def includes(text: str) -> Iterator[Include]:
    for number, line in enumerate(text.splitlines(), 1):
        if match := INCLUDE.match(line):
            yield Include(number, match.group(1) == '"', match.group(2))


def resolve_include(root: Path, file: str, name: str) -> str | None:
    """Returns the file of the repository that an include refers to, or None."""
    for folder in (Path(file).parent, Path("."), Path("src"), Path("include"), Path("python")):
        candidate = posixpath.normpath((folder / name).as_posix())
        if (root / candidate).is_file():
            return candidate
    return None
