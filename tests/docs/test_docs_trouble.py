"""The commands in docs/trouble.md work as printed, one after the other."""

import re
import subprocess
from pathlib import Path

import pytest
from sunmao_binary import BINARY, LIMIT, ROOT

PAGE = (ROOT / "docs" / "trouble.md").read_text()
COMMANDS = re.findall(r"^ +\$ (.+)$", PAGE, re.MULTILINE)
FILES = dict(re.findall(r"^```python\n# (\w+\.py)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
PRINTED = re.search(r"--fails run\n((?:    .+\n)+)", PAGE)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Runs all commands in a folder with the files of the page; returns what each printed."""
    folder = tmp_path_factory.mktemp("trouble")
    (folder / "tests").symlink_to(ROOT / "tests")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    printed = {}
    for command in COMMANDS:
        run = subprocess.run(
            command,
            shell=True,
            cwd=folder,
            env={"PATH": f"{BINARY.parent}:/usr/bin:/bin"},
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )
        assert run.returncode == 0, f"{command}\n{run.stdout}{run.stderr}"
        printed[command] = run.stdout
    printed["small"] = (folder / "gather.reduced.py").read_text()
    printed["exp"] = (folder / "exp.py").read_text()
    return printed


def test_both_commands_are_there() -> None:
    assert {c.split()[1] for c in COMMANDS} == {"check", "reduce"} and len(COMMANDS) >= 7
    assert set(FILES) == {"gather.py", "my_check.py"}


def test_what_is_printed(outputs: dict[str, str]) -> None:
    assert PRINTED
    said = [line.strip() for line in PRINTED[1].splitlines()]
    got = outputs["sunmao reduce gather.py --fails run"].splitlines()
    assert got == said


def test_what_is_left(outputs: dict[str, str]) -> None:
    assert "R.take(" in outputs["small"] and "R.tanh" not in outputs["small"]
    assert "R.exp(" in outputs["exp"] and "R.take" not in outputs["exp"]


def test_what_check_says(outputs: dict[str, str]) -> None:
    checks = [
        out for command, out in outputs.items() if command.startswith("sunmao check") and "--record" not in command
    ]
    assert len(checks) == 3 and all("the same" in out for out in checks)


def test_linked_pages_are_there() -> None:
    links = [link.split("#")[0] for link in re.findall(r"\]\(([^)]+)\)", PAGE)]
    assert [link for link in links if link and not (ROOT / "docs" / Path(link)).exists()] == []
