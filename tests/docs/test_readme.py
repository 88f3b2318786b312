"""The commands and programs in README.md work as printed; README.zh.md has the same."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from sunmao import _sunmao
from sunmao_binary import BUILD, LIMIT, ROOT

README = (ROOT / "README.md").read_text()
COMMANDS = re.findall(r"^    \$ (.+)$", README, re.MULTILINE)
SNIPPETS = {language: text for language, text in re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)}


def without_comments(code: str) -> str:
    return re.sub(r"(#(?!include)|//) .*$", "", code, flags=re.MULTILINE)


def parts_of(text: str) -> list:
    """What two languages have in common: commands, programs without comments, links and pictures, figures."""
    programs = re.findall(r"^```\w+\n.*?^```$", text, re.MULTILINE | re.DOTALL)
    return [
        re.findall(r"^    \$ (.+)$", text, re.MULTILINE),
        [without_comments(p) for p in programs],
        [len(re.findall(r"^## ", text, re.MULTILINE)), len(re.findall(r"^!\[", text, re.MULTILINE))],
    ]


def test_both_languages_say_the_same() -> None:
    chinese = (ROOT / "README.zh.md").read_text()
    english = README[: README.index("## The folders")]
    assert parts_of(chinese) == parts_of(english)
    links = re.compile(r"\]\((docs/[^)#]*)")
    assert set(links.findall(chinese)) == set(links.findall(english))
    assert all((ROOT / link.partition("#")[0]).exists() for link in links.findall(README))


def run(folder: Path, *command: object, shell: bool = False) -> str:
    words = command[0] if shell else [str(c) for c in command]
    env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT / "python"), "LD_LIBRARY_PATH": str(BUILD)}
    result = subprocess.run(
        words, cwd=folder, env=env, shell=shell, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a writable folder that looks like the root of the repository, in which the commands have run."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / "build").mkdir()
    (folder / "build" / "release").symlink_to(BUILD)
    (folder / "tests").symlink_to(ROOT / "tests")
    for command in COMMANDS:
        run(folder, command, shell=True)
    return folder


def test_every_kind_of_snippet_is_there() -> None:
    assert [c.split()[1] for c in COMMANDS] == ["compile", "inspect", "run", "bench", "view", "opt"]
    assert set(SNIPPETS) == {"c", "python"}


def test_commands_leave_what_the_others_use(clone: Path) -> None:
    assert (clone / "mlp.sunmao").stat().st_size > 0
    name = re.search(r"`sunmao explain (E\d+)`", README)
    assert name and run(clone, BUILD / "bin" / "sunmao", "explain", name[1])


def test_c(clone: Path) -> None:
    (clone / "snippet.c").write_text(SNIPPETS["c"])
    library = next(BUILD.glob("**/libsunmao_runtime.so"))
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}"]
    run(clone, "cc", *flags, "snippet.c", library, f"-Wl,-rpath,{library.parent}", "-o", "snippet")
    assert re.fullmatch(r"-?[\d.e-]+\n", run(clone, "./snippet"))


def test_python(clone: Path) -> None:
    out = run(clone, sys.executable, "-c", SNIPPETS["python"] + "print(y.shape)\n")
    assert out == "(8, 3)\n"


def test_numbers_of_ops() -> None:
    numbers = re.search(r"Of the (\d+) \[ops\]\(docs/ops\.md\), (\d+) are\s+tested", README)
    tested = list(_sunmao.sampled_ops())
    # Counts the ops in a new process, since other tests of this process define custom ops.
    program = "from sunmao import _sunmao; print(len(_sunmao.op_names()))"
    count = int(run(ROOT, sys.executable, "-c", program))
    assert numbers and [int(n) for n in numbers.groups()] == [count, len(tested)]


def test_linked_files_and_targets_are_there() -> None:
    links = re.findall(r"\]\(([^)]+)\)", README)
    assert links and [link for link in links if not (ROOT / link.partition("#")[0]).exists()] == []
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^    make (\w+)", README, re.MULTILINE):
        assert re.search(rf"^{target}\b.*:", makefile, re.MULTILINE)
