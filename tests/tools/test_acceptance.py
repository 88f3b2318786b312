"""tools/acceptance.py: what it measures, when it does not, and how it reads, keeps and judges figures."""

import json
import re
import subprocess
import time
from pathlib import Path

import acceptance
import acceptance_table
import pytest
from acceptance import main
from acceptance_table import read_table

ROOT = Path(acceptance.__file__).parent.parent
TABLE = """
files = ["src"]

[areas]
sizes = "Sizes"
speed = "Speed, of a run"

[[command]]
name = "library"
run = "echo run >>runs; echo text; echo '{\\"bytes\\": {\\"all\\": 900}}'"
minutes = 2

[[command.row]]
area = "sizes"
name = "size"
figure = "library | stripped"
json = "bytes.all"
wanted = "< 1000"
unit = "bytes"
limit = "800 bytes"

[[command]]
name = "bench"
run = "echo bench >>runs; cat bench/times"
minutes = 3
files = ["bench"]

[[command.row]]
area = "speed"
name = "run"
figure = "one run"
regex = "took ([0-9.]+) ms"
wanted = "<= 10"
unit = "ms"

[[command.row]]
area = "sizes"
name = "memory"
figure = "memory of two runs"
regex = "([0-9]+) and ([0-9]+) MB"
wanted = "< 100"
unit = "MB"

[[command]]
name = "builds"
run = "echo builds >>runs; echo took 1 ms"
minutes = 4
available = "test -d another"
needs = "two built trees: OTHER=DIR"

[[command.row]]
area = "speed"
name = "ratio"
figure = "time to another build's"
regex = "took ([0-9.]+) ms"
wanted = "<= 1.02"
"""
MORE = """
[[command]]
name = "more{0}"
run = "true"
minutes = 1

[[command.row]]
area = "sizes"
name = "more{0}"
figure = "figure {0}"
json = "a"
wanted = "< 1"
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder in ("tools", "src", "bench"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "file").write_text(folder)
    (tmp_path / "tools/acceptance.toml").write_text(TABLE)
    (tmp_path / "bench/times").write_text("took 12.5 ms, 30 and 40 MB\n")
    (tmp_path / ".gitignore").write_text("runs\n")
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    return tmp_path


def git(root: Path, *args: str) -> str:
    identity = ("-c", "user.name=t", "-c", "user.email=t@t")
    return subprocess.run(["git", "-C", root, *identity, *args], capture_output=True, text=True, check=True).stdout


def commit(root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-qm", "c")


def change(root: Path, file: str, text: str) -> None:
    (root / file).write_text(text)
    commit(root)


def runs(root: Path) -> list[str]:
    """Returns which commands were run, in order."""
    return (root / "runs").read_text().split() if (root / "runs").exists() else []


def page_cells(root: Path) -> dict[str, list[str]]:
    """Returns the cells of the page by figure, without the figure."""
    rows = [re.split(r"(?<!\\) \| ", line[2:-2]) for line in (root / acceptance.PAGE).read_text().splitlines()
            if line.startswith("| ")]  # fmt: skip
    return {cells[0].replace("\\|", "|"): cells[1:] for cells in rows}


def test_each_command_runs_once_for_all_its_rows(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--root", str(root)]) == 1
    assert runs(root) == ["run", "bench"]
    cells = page_cells(root)
    head, date = git(root, "show", "-s", "--format=%h %cs").split()
    assert cells["library | stripped"] == [
        "900 bytes", "< 1,000 bytes", "800 bytes", "yes", f"{date} {head}", "A", "library",
    ]  # fmt: skip
    assert cells["one run"][:4] == ["12.5 ms", "≤ 10 ms", "", "**no**"]
    assert cells["memory of two runs"][:4] == ["70 MB", "< 100 MB", "", "yes"]
    assert cells["time to another build's"] == [
        "", "≤ 1.02", "", "not measured: needs two built trees", "", "", "builds",
    ]  # fmt: skip
    page = (root / acceptance.PAGE).read_text()
    assert "4 rows: 2 yes, 1 **no**, 1 not measured. 0 are older (†). All commands are estimated at 9 minutes." in page
    assert "**no**: speed: run: one run" in capsys.readouterr().out


def test_the_page_has_a_table_and_the_commands_of_each_area(root: Path) -> None:
    main(["--root", str(root)])
    page = (root / acceptance.PAGE).read_text()
    sizes, speed = page[page.index("## Sizes") :].split("## Speed, of a run")
    for part, figures, commands, minutes in (
        (sizes, ["library", "memory of"], ["library", "bench"], 5),
        (speed, ["one run", "time to"], ["bench", "builds"], 7),
    ):
        assert [line[2:9] for line in part.splitlines() if line.startswith("| ")] == [
            "figure ", *(figure[:7] for figure in figures)
        ]  # fmt: skip
        assert re.findall(r"^- (\w+), [0-9]+ min: `", part, re.MULTILINE) == commands
        assert f"estimated at {minutes} minutes" in part
    assert f"- A: {acceptance.machine_summary()}\n" in page


@pytest.mark.parametrize("topic", ["sizes", "bench", "memory"])
def test_an_area_a_command_or_a_row_is_measured(root: Path, topic: str) -> None:
    main(["--root", str(root), topic])
    assert runs(root) == (["run", "bench"] if topic == "sizes" else ["bench"])
    assert page_cells(root)["memory of two runs"][3] == "yes"


def test_the_plan_is_said_before_a_run(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--root", str(root), "--plan"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("2 commands, about 5 minutes:\n")
    assert "     3 min  bench: run, memory\n" in out
    assert "left out: builds needs two built trees: OTHER=DIR\n" in out
    assert not runs(root) and not (root / "docs").exists()


def test_what_was_measured_at_this_commit_is_not_run_again(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--root", str(root), "bench"])
    commit(root)  # the page alone
    main(["--root", str(root)])
    assert runs(root) == ["bench", "run"]
    assert "measured at this commit already: bench" in capsys.readouterr().out
    main(["--root", str(root), "--again", "bench"])
    assert runs(root) == ["bench", "run", "bench"]
    change(root, "README", "text")
    main(["--root", str(root), "bench"])
    assert runs(root)[3:] == ["bench"]


def test_what_another_machine_measured_is_run_here(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main(["--root", str(root), "library"])
    monkeypatch.setattr(acceptance, "machine_summary", lambda: "another")
    main(["--root", str(root), "library"])
    assert runs(root) == ["run", "run"]
    assert page_cells(root)["library | stripped"][5] == "A"
    assert "- A: another\n" in (root / acceptance.PAGE).read_text()


def test_a_run_that_was_ended_goes_on_where_it_was(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measure = acceptance.Ledger.measure

    def end_at_bench(self: acceptance.Ledger, command: acceptance_table.Command) -> None:
        if command.name == "bench":
            raise KeyboardInterrupt
        measure(self, command)

    monkeypatch.setattr(acceptance.Ledger, "measure", end_at_bench)
    with pytest.raises(KeyboardInterrupt):
        main(["--root", str(root)])
    assert page_cells(root)["library | stripped"][3] == "yes"
    monkeypatch.setattr(acceptance.Ledger, "measure", measure)
    main(["--root", str(root)])
    assert runs(root) == ["run", "bench"]


def test_a_failure_is_recorded_and_not_tried_again(root: Path) -> None:
    change(root, "bench/times", "nothing")
    assert main(["--root", str(root), "bench"]) == main(["--root", str(root), "bench"]) == 1
    assert runs(root) == ["bench"]
    assert page_cells(root)["one run"][:4] == ["no value in the output", "≤ 10 ms", "", "**no**"]


def test_nothing_is_measured_of_what_is_not_committed(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "src/file").write_text("other")
    assert main(["--root", str(root)]) == 2
    assert "not committed: src/file" in capsys.readouterr().err
    assert not runs(root) and not (root / "docs").exists()


@pytest.mark.parametrize("how", ["echo x >src/file", "git -c user.name=t -c user.email=t@t commit -qm c --allow-empty"])
def test_what_is_measured_while_the_tree_changes_is_not_recorded(
    root: Path, capsys: pytest.CaptureFixture[str], how: str
) -> None:
    change(root, "tools/acceptance.toml", TABLE.replace("echo bench >>runs", how))
    assert main(["--root", str(root), "bench"]) == 2
    assert "the tree changed while bench ran" in capsys.readouterr().err
    assert not (root / "docs").exists()


def test_an_older_figure_keeps_its_value_and_verdict(root: Path) -> None:
    main(["--root", str(root)])
    head = git(root, "rev-parse", "--short", "HEAD").strip()
    change(root, "bench/file", "other")
    assert main(["--root", str(root), "--judge"]) == 1
    cells = page_cells(root)
    assert not cells["library | stripped"][4].endswith("†")
    assert cells["one run"][4].endswith(f" {head} †")
    assert (cells["one run"][0], cells["one run"][3]) == ("12.5 ms", "**no**")
    assert (cells["memory of two runs"][3], cells["memory of two runs"][4][-1]) == ("yes", "†")
    assert "2 are older" in (root / acceptance.PAGE).read_text()
    change(root, "src/file", "other")
    main(["--root", str(root), "--judge"])
    assert page_cells(root)["library | stripped"][3:5] == ["yes", cells["one run"][4]]
    change(root, "src/file", "src")
    main(["--root", str(root), "--judge"])
    assert not page_cells(root)["library | stripped"][4].endswith("†")


def test_a_figure_of_another_command_or_an_unknown_commit_is_older(root: Path) -> None:
    main(["--root", str(root)])
    readings = json.loads((root / acceptance.READINGS).read_text())
    readings["size"][0]["commit"] = "0123abc"
    (root / acceptance.READINGS).write_text(json.dumps(readings))
    change(root, "tools/acceptance.toml", TABLE.replace("cat bench/times", "cat  bench/times"))
    main(["--root", str(root), "--judge"])
    assert {cells[4][-1] for cells in page_cells(root).values() if cells[4].startswith("2")} == {"†"}


def test_a_bound_judges_older_figures_too(root: Path) -> None:
    main(["--root", str(root)])
    change(root, "tools/acceptance.toml", TABLE.replace("< 1000", "< 800"))
    assert main(["--root", str(root), "--judge", "library"]) == 1
    assert page_cells(root)["library | stripped"][:4] == ["900 bytes", "< 800 bytes", "800 bytes", "**no**"]


def test_both_readings_are_shown_until_two_agree(root: Path) -> None:
    heads = []

    def measured(milliseconds: str) -> tuple[int, list[str]]:
        change(root, "bench/times", f"took {milliseconds} ms, 30 and 40 MB\n")
        heads.append(git(root, "rev-parse", "--short", "HEAD").strip())
        status = main(["--root", str(root), "bench"])
        return status, page_cells(root)["one run"]

    assert measured("12")[1][3] == "**no**"
    status, cells = measured("8")
    assert status == 1
    assert (cells[0], cells[3]) == ("8 ms<br>before: 12 ms", "yes<br>before: **no**")
    assert re.sub(r"\d{4}-\d\d-\d\d", "D", cells[4]) == f"D {heads[1]}<br>before: D {heads[0]} †"
    assert "1 two verdicts" in (root / acceptance.PAGE).read_text()
    status, cells = measured("7")
    assert status == 0
    assert (cells[0], cells[3]) == ("7 ms", "yes")
    assert measured("11")[1][3] == "**no**<br>before: yes"
    assert measured("6")[1][0] == "6 ms<br>before: 11 ms"


def test_an_interval_stands_beside_its_value(root: Path) -> None:
    text = TABLE.replace(
        'regex = "took ([0-9.]+) ms"\nwanted = "<= 10"', 'json = "ms"\ninterval = "ends"\nwanted = "<= 10"'
    )
    change(root, "tools/acceptance.toml", text)
    change(root, "bench/times", '30 and 40 MB\n{"ms": 9.5, "ends": [9.25, 11]}')
    assert main(["--root", str(root), "run"]) == 1
    assert page_cells(root)["one run"][:4] == ["9.5 ms [9.25, 11]", "≤ 10 ms", "", "undecided"]
    change(root, "bench/times", '30 and 40 MB\n{"ms": 9.5, "ends": null}')
    main(["--root", str(root), "run"])
    assert page_cells(root)["one run"][0] == "9.5 ms (too few rounds for an interval)"


def test_readings_of_rows_that_are_gone_go(root: Path) -> None:
    main(["--root", str(root)])
    change(root, "tools/acceptance.toml", TABLE.replace('name = "memory"', 'name = "peak"'))
    main(["--root", str(root), "--judge"])
    assert set(json.loads((root / acceptance.READINGS).read_text())) == {"size", "run"}
    assert page_cells(root)["memory of two runs"][3] == "not measured"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('json = "bytes.all"\n', "", "one of json and regex"),
        ('json = "bytes.all"', "exit = true", "unexpected keyword argument 'exit'"),
        ('wanted = "< 1000"\n', "", "one of wanted and family"),
        ('wanted = "< 1000"', 'wanted = "<1000"', "a space and a number"),
        ('wanted = "< 1000"', 'wanted = "< few"', "could not convert"),
        ('name = "memory"', 'name = "size"', "two rows of the same name: size"),
        ('name = "builds"', 'name = "bench"', "two commands of the same name: bench"),
        ('figure = "one run"', 'figure = "memory of two runs"', "memory of two runs"),
        ('area = "speed"', 'area = "sizes"', "differ: speed"),
        ('regex = "took ([0-9.]+) ms"', 'regex = "x"\ninterval = "ends"', "an interval goes with json"),
    ],
)
def test_tables_that_are_refused(old: str, new: str, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        read_table(TABLE.replace(old, new))


def test_there_are_few_rows() -> None:
    most = "".join(MORE.format(i) for i in range(acceptance_table.MOST_ROWS - 4))
    assert len(read_table(TABLE + most).rows) == 60
    with pytest.raises(ValueError, match="61 rows: there may be 60"):
        read_table(TABLE + most + MORE.format("x"))


def test_unknown_topic(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--root", str(root), "speeed"]) == 2
    assert "areas sizes, speed and the commands library, bench, builds" in capsys.readouterr().err


def test_a_failed_command_shows_how_it_ended(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert acceptance.run_command("echo fine; echo said >&2", root) == ("fine\n", 0)
    assert capfd.readouterr().err == "said\n"
    acceptance.run_command("seq 1000; exit 1", root)
    assert capfd.readouterr().err.splitlines() == [str(i) for i in range(961, 1001)]


def test_a_command_without_an_end_is_ended_with_all_it_started(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acceptance, "TIMEOUT", 0.5)
    assert acceptance.run_command("sleep 600 & echo $! >runs; wait", root) == ("no end after 0.5 s", 124)
    (pid,) = runs(root)
    end = time.monotonic() + 20
    while is_running(pid) and time.monotonic() < end:
        time.sleep(0.01)
    assert not is_running(pid)


def is_running(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def test_summary_names_no_host() -> None:
    assert acceptance.platform.node() not in acceptance.machine_summary().split()
