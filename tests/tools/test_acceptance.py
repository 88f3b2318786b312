"""acceptance: reads values as its table says, judges them, and keeps what was not measured this time."""

from pathlib import Path

import acceptance
import pytest

TABLE = """
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
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/acceptance.toml").write_text(TABLE)
    return tmp_path


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
    (root / "tools/acceptance.toml").write_text(TABLE.replace("900", "1900").replace("12.5", "1.5"))
    assert acceptance.main(["--root", str(root), "speed"]) == 0
    after = page_lines(root)
    assert after["size", "library"] == before["size", "library"]
    assert after["speed", "one | run"][4:6] == ["1.5 ms", "yes"]


def test_rows_no_longer_in_the_table_go(root: Path) -> None:
    acceptance.main(["--root", str(root)])
    (root / "tools/acceptance.toml").write_text(TABLE.split('[[row]]\ntopic = "lint"')[0])
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


@pytest.mark.parametrize("wanted", ["about 3", "<3", ""])
def test_bad_bound(wanted: str) -> None:
    with pytest.raises(ValueError):
        acceptance.Row(topic="t", figure="f", command="true", wanted=wanted, exit=True)


def test_one_way_of_reading() -> None:
    with pytest.raises(ValueError, match="one of json, regex and exit"):
        acceptance.Row(topic="t", figure="f", command="true", wanted="< 3")


def test_the_project_s_table_is_valid() -> None:
    table = Path(acceptance.__file__).with_suffix(".toml")
    assert acceptance.read_table(table.read_text())


def test_summary_names_no_host() -> None:
    assert acceptance.platform.node() not in acceptance.machine_summary().split()
