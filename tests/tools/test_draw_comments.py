"""tools/draw_comments.py: finds comment blocks of C++ and Python, and draws the same ones for the same seed."""

from pathlib import Path

import draw_comments
import pytest

CPP = """// NOLINTNEXTLINE(misc-no-recursion)
/// Adds one.
/// Never overflows.
int add(int x);
const char* script = R"(
// not a comment
)";
int y;  // beside code,
        // continued
"""
PYTHON = '''#!/usr/bin/env python3
"""
# not a comment
"""
# The size of a page in bytes.
# noqa: E731
PAGE = 4096
'''


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in (("src/add.h", CPP), ("tools/page.py", PYTHON), ("tests/passes/fold/case.py", "# a case\n")):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_blocks(tree: Path) -> None:
    assert draw_comments.list_comments(tree) == [
        draw_comments.Comment("src/add.h", 2, "Adds one. Never overflows.", "int add(int x);"),
        draw_comments.Comment("tools/page.py", 5, "The size of a page in bytes.", "PAGE = 4096"),
    ]


def test_same_seed_draws_the_same(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    drawn = []
    for _ in range(2):
        assert draw_comments.main(["--root", str(tree), "7", "2"]) == 0
        drawn.append(capsys.readouterr().out)
    assert drawn[0] == drawn[1]
    assert sorted(drawn[0].splitlines()) == [
        "src/add.h:2: Adds one. Never overflows.",
        "tools/page.py:5: The size of a page in bytes.",
    ]


def test_code_on_request(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draw_comments.main(["--root", str(tree), "--code", "1", "2"])
    assert "    int add(int x);" in capsys.readouterr().out.splitlines()


def test_more_than_there_are(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        draw_comments.main(["--root", str(tree), "1", "3"])
    assert "there are 2 comments, 3 were asked for" in capsys.readouterr().err
