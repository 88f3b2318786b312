"""check_tidy looks at the sources whose code has changed since the recorded commit."""

import subprocess
from pathlib import Path

import check_tidy
import pytest

SOURCES = ["src/a.cpp", "src/b.cpp"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Returns a repository of two sources and their headers, all checked at its only commit."""
    (tmp_path / "src").mkdir()
    (tmp_path / "tools").mkdir()
    (tmp_path / ".clang-tidy").write_text("Checks: 'bugprone-*'\n")
    (tmp_path / "src/a.h").write_text("// A.\nint a();\n")
    (tmp_path / "src/shared.h").write_text("int shared();\n")
    (tmp_path / "src/a.cpp").write_text('#include "a.h"\n\n#include "shared.h"\n\n// One.\nint a() { return 1; }\n')
    (tmp_path / "src/b.cpp").write_text('#include "shared.h"\n\nint b() { return 2; }\n')
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "all")
    (tmp_path / check_tidy.CHECKED).write_text(git(tmp_path, "rev-parse", "HEAD"))
    return tmp_path


def git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True).stdout


def rewrite(path: Path, old: str, new: str) -> None:
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def test_nothing_changed(tree: Path) -> None:
    assert check_tidy.changed_sources(tree, SOURCES) == []


def test_a_changed_source(tree: Path) -> None:
    rewrite(tree / "src/b.cpp", "return 2", "return 3")
    assert check_tidy.changed_sources(tree, SOURCES) == ["src/b.cpp"]


def test_a_new_source(tree: Path) -> None:
    (tree / "src/c.cpp").write_text("int c() { return 3; }\n")
    assert check_tidy.changed_sources(tree, [*SOURCES, "src/c.cpp"]) == ["src/c.cpp"]


def test_a_changed_comment_is_no_change_unless_it_directs_clang_tidy(tree: Path) -> None:
    rewrite(tree / "src/a.cpp", "// One.", "// Returns one.")
    assert check_tidy.changed_sources(tree, SOURCES) == []
    rewrite(tree / "src/a.cpp", "// Returns one.", "// NOLINTNEXTLINE")
    assert check_tidy.changed_sources(tree, SOURCES) == ["src/a.cpp"]


def test_a_changed_header_is_seen_in_one_source(tree: Path) -> None:
    rewrite(tree / "src/a.h", "int a()", "long a()")
    assert check_tidy.changed_sources(tree, SOURCES) == ["src/a.cpp"]
    rewrite(tree / "src/shared.h", "int shared()", "long shared()")
    assert check_tidy.changed_sources(tree, SOURCES[1:]) == ["src/b.cpp"]


def test_a_header_of_the_interface_counts_too(tree: Path) -> None:
    (tree / "include").mkdir()
    (tree / "include/c.h").write_text("int c(void);\n")
    (tree / "src/c.cpp").write_text('#include "include/c.h"\n')
    git(tree, "add", "-A")
    git(tree, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "c")
    (tree / check_tidy.CHECKED).write_text(git(tree, "rev-parse", "HEAD"))
    rewrite(tree / "include/c.h", "int c", "long c")
    assert check_tidy.changed_sources(tree, [*SOURCES, "src/c.cpp"]) == ["src/c.cpp"]


def test_a_header_that_includes_less_is_seen_in_all_its_users(tree: Path) -> None:
    rewrite(tree / "src/shared.h", "int shared", "#include <vector>\nint shared")
    git(tree, "add", "-A")
    git(tree, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "more")
    (tree / check_tidy.CHECKED).write_text(git(tree, "rev-parse", "HEAD"))
    rewrite(tree / "src/shared.h", "#include <vector>\n", "")
    assert check_tidy.changed_sources(tree, SOURCES) == SOURCES


def test_all_sources_when_the_commit_is_unknown_or_the_checks_changed(tree: Path) -> None:
    (tree / ".clang-tidy").write_text("Checks: '*'\n")
    assert check_tidy.changed_sources(tree, SOURCES) == SOURCES
    git(tree, "checkout", "-q", ".clang-tidy")
    (tree / check_tidy.CHECKED).write_text("0" * 40 + "\n")
    assert check_tidy.changed_sources(tree, SOURCES) == SOURCES
