"""tools/acceptance.py: reads values as its table specifies, judges them, and reports stale and unmeasured figures."""

import subprocess
from pathlib import Path

import acceptance
import pytest

TABLE = """
[files]
all = ["src"]
size = []
speed = ["bench"]
lint = []

[[row]]
topic = "size"
figure = "library"
command = "echo text; echo '{\\"bytes\\": {\\"all\\": 900}}'"
json = "bytes.all"
wanted = "< 1000"
unit = "bytes"

[[row]]
topic = "speed"
figure = "one | run"
command = "echo took 12.5 ms"
regex = "took ([0-9.]+) ms"
wanted = "<= 10"
unit = "ms"

[[row]]
topic = "lint"
figure = "status"
command = "exit 3"
exit = true
wanted = "== 3"
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder in ("tools", "src", "bench"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "file").write_text(folder)
    (tmp_path / "tools/acceptance.toml").write_text(TABLE)
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    return tmp_path


def git(root: Path, *args: str) -> str:
    identity = ("-c", "user.name=t", "-c", "user.email=t@t")
    return subprocess.run(["git", "-C", root, *identity, *args], capture_output=True, text=True, check=True).stdout


def commit(root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-qm", "c")


ROOT = Path(acceptance.__file__).parent.parent


def page_lines(root: Path) -> dict[tuple[str, str], list[str]]:
    return acceptance.read_page((root / "docs/acceptance.md").read_text())


def test_all_topics(root: Path) -> None:
    assert acceptance.main(["--root", str(root)]) == 1
    lines = page_lines(root)
    assert lines["size", "library"][3:6] == ["< 1000 bytes", "900 bytes", "yes"]
    assert lines["speed", "one | run"][3:6] == ["<= 10 ms", "12.5 ms", "**no**"]
    assert lines["lint", "status"][4:6] == ["3", "yes"]


def test_other_topics_are_kept(root: Path) -> None:
    acceptance.main(["--root", str(root)])
    before = page_lines(root)
    (root / "tools/acceptance.toml").write_text(TABLE.replace("12.5", "1.5"))
    commit(root)
    assert acceptance.main(["--root", str(root), "speed"]) == 0
    after = page_lines(root)
    assert after["size", "library"] == before["size", "library"]
    assert after["speed", "one | run"][4:6] == ["1.5 ms", "yes"]


def test_nothing_is_measured_of_what_is_not_committed(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "src/file").write_text("other")
    assert acceptance.main(["--root", str(root)]) == 2
    assert "not committed: src/file" in capsys.readouterr().err
    assert not (root / "docs").exists()


def test_a_figure_is_stale_when_its_files_have_changed(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    acceptance.main(["--root", str(root)])
    commit(root)
    assert acceptance.main(["--root", str(root), "--judge"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "**no**: speed: one | run"
    (root / "bench/file").write_text("other")
    commit(root)
    acceptance.main(["--root", str(root), "--judge"])
    met = {topic: cells[5] for (topic, _), cells in page_lines(root).items()}
    assert met == {"size": "yes", "speed": "stale", "lint": "yes"}
    git(root, "revert", "--no-edit", "HEAD")
    acceptance.main(["--root", str(root), "--judge"])
    assert page_lines(root)["speed", "one | run"][5] == "**no**"
    (root / "src/file").write_text("other")
    commit(root)
    acceptance.main(["--root", str(root), "size"])
    met = {topic: cells[5] for (topic, _), cells in page_lines(root).items()}
    assert met == {"size": "yes", "speed": "stale", "lint": "stale"}


@pytest.mark.parametrize(
    ("name", "before", "comment", "code"),
    [
        ("a.cpp", 'int x = 1;  // "one"\n', "// A number.\nint x = 1; /* two\nlines */\n", 'int x = 2;  // "one"\n'),
        ("a.h", 'auto a = "//b";\n', 'auto a = "//b";  // c\n', 'auto a = "//c";\n'),
        ("a.py", "x = 1\n", "# A number.\nx = 1  # one\n", "x = 2\n"),
        ("a.txt", "// x\n", "// x\n", "// y\n"),
    ],
)
def test_comments_make_no_figure_stale(root: Path, name: str, before: str, comment: str, code: str) -> None:
    file = root / "src" / name
    file.write_text(before)
    commit(root)
    acceptance.main(["--root", str(root), "size"])
    for text, met in ((comment, "yes"), (code, "stale")):
        file.write_text(text)
        commit(root)
        acceptance.main(["--root", str(root), "--judge"])
        assert page_lines(root)["size", "library"][5] == met


def test_a_figure_is_stale_when_its_command_or_commit_is_another(root: Path) -> None:
    acceptance.main(["--root", str(root)])
    page = root / "docs/acceptance.md"
    page.write_text(page.read_text().replace("| `exit 3` |", "| `exit 4` |"))
    text = page.read_text().replace(page_lines(root)["size", "library"][6], "0123abc-dirty", 1)
    page.write_text(text)
    acceptance.main(["--root", str(root), "--judge"])
    assert page_lines(root)["lint", "status"][5] == page_lines(root)["size", "library"][5] == "stale"


def test_what_was_never_measured_is_listed(root: Path) -> None:
    acceptance.main(["--root", str(root), "size"])
    assert page_lines(root)["lint", "status"][4:] == ["not measured", "not measured", ""]
    assert acceptance.main(["--root", str(root), "--judge"]) == 1


def test_rows_no_longer_in_the_table_go(root: Path) -> None:
    acceptance.main(["--root", str(root)])
    text = TABLE.split('[[row]]\ntopic = "lint"')[0].replace("lint = []\n", "")
    (root / "tools/acceptance.toml").write_text(text)
    commit(root)
    acceptance.main(["--root", str(root), "size"])
    assert set(page_lines(root)) == {("size", "library"), ("speed", "one | run")}


def test_unknown_topic(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert acceptance.main(["--root", str(root), "speeed"]) == 2
    assert "there are: lint, size, speed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "reason"),
    [("exit 4", "exit status 4"), ("echo nothing", "no `bytes.all`"), ("echo '{\"bytes\": 3}'", "no `bytes.all`")],
)
def test_no_value_is_not_met(root: Path, command: str, reason: str) -> None:
    row = acceptance.Row(topic="t", figure="f", command=command, wanted="< 1", json="bytes.all")
    cells = acceptance.measure(row, *acceptance.run_command(command, root), "abc")
    assert reason in cells[4]
    assert cells[5] == "**no**"


def test_a_failed_command_shows_how_it_ended(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    acceptance.run_command("echo fine", root)
    assert capsys.readouterr().err == ""
    acceptance.run_command("seq 1000; exit 1", root)
    assert capsys.readouterr().err.splitlines() == [str(i) for i in range(961, 1001)]


@pytest.mark.parametrize("wanted", ["about 3", "<3", ""])
def test_bad_bound(wanted: str) -> None:
    with pytest.raises(ValueError):
        acceptance.Row(topic="t", figure="f", command="true", wanted=wanted, exit=True)


def test_one_way_of_reading() -> None:
    with pytest.raises(ValueError, match="one of json, regex and exit"):
        acceptance.Row(topic="t", figure="f", command="true", wanted="< 3")


def test_the_project_s_table_is_valid() -> None:
    table = acceptance.read_table(Path(acceptance.__file__).with_suffix(".toml").read_text())
    missing = {name for files in table.files.values() for name in files if not (ROOT / name).exists()}
    assert table.rows and not missing


def test_each_topic_says_its_files() -> None:
    with pytest.raises(ValueError, match="differ in topics: lint"):
        acceptance.read_table(TABLE.replace("lint = []\n", ""))


def test_summary_names_no_host() -> None:
    assert acceptance.platform.node() not in acceptance.machine_summary().split()
