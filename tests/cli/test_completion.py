"""`sunmao completion`: shells complete commands, options and their values from what the parser knows."""

import re
from pathlib import Path

import pytest
from sunmao_binary import BINARY, command_names, run_program, sunmao

# Runs the completion function as bash does, on the words that follow, of which the last one is being completed.
DRIVER = """
source <("$0" completion bash)
cd "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_sunmao
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("files")
    for name in ("a.onnx", "b.pt2", "c.py", "d.sunmao", "e.safetensors", "f.txt", "with space.onnx"):
        (out / name).touch()
    (out / "folder").mkdir()
    return out


def complete(folder: Path, *words: str) -> set[str]:
    result = run_program("bash", "-c", DRIVER, BINARY, folder, "sunmao", *words)
    assert result.returncode == 0 and result.stderr == "", result.stderr
    return set(result.stdout.splitlines()) - {""}


def options_of(command: str) -> set[str]:
    """Returns the long options in the help of a command, the columns of which begin with them."""
    text = sunmao(*command.split(), "--help").stdout
    return set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", text, re.MULTILINE))


def test_bash_knows_the_function() -> None:
    result = run_program("bash", "-c", 'source <("$0" completion bash); complete -p sunmao', BINARY)
    assert result.stdout == "complete -F _sunmao sunmao\n" and result.stderr == ""


def test_commands(folder: Path) -> None:
    assert len(command_names()) > 8 and complete(folder, "") == set(command_names())
    assert complete(folder, "comp") == {"compile", "completion"}
    assert complete(folder, "--v") == {"--version"}


@pytest.mark.parametrize("command", command_names())
def test_options_of_every_command(command: str, folder: Path) -> None:
    offered = complete(folder, command, "--")
    assert "--help" in offered and offered == options_of(command)


def test_choices_of_options(folder: Path) -> None:
    assert complete(folder, "compile", "m.onnx", "--emit", "") == {"artifact", "so"}
    assert complete(folder, "compile", "--emit", "=") == {"artifact", "so"}
    assert complete(folder, "compile", "--emit", "=", "s") == {"so"}
    assert complete(folder, "compile", "--prepare", "l") == {"load"}
    assert complete(folder, "opt", "--verify", "") == {"each", "end"}
    assert complete(folder, "completion", "") == {"bash", "zsh", "fish"}
    assert complete(folder, "run", "d.sunmao", "--repeat", "") == set()


def test_names_of_passes_and_codes(folder: Path) -> None:
    assert complete(folder, "compile", "--stop-after", "fold-c") == {"fold-constants"}
    assert complete(folder, "opt", "--passes", "normalize,fold-c") == {"normalize,fold-constants"}
    assert complete(folder, "explain", "E080") >= {"E0801", "E0807"}
    assert "fuse-ops" in complete(folder, "explain", "fuse")


def test_files_by_extension(folder: Path) -> None:
    models = {"a.onnx", "b.pt2", "c.py", "d.sunmao", "with space.onnx", "folder"}
    assert complete(folder, "run", "") == models
    assert complete(folder, "compile", "--json", "") == models
    assert complete(folder, "diff", "a.onnx", "b") == {"b.pt2"}
    assert complete(folder, "run", "d.sunmao", "--weights", "") == {"e.safetensors", "folder"}
    assert complete(folder, "run", "d.sunmao", "--cache", "") == {"folder"}
    assert complete(folder, "compile", "a.onnx", "-o", "f") == {"f.txt", "folder"}


def script(shell: str, folder: Path) -> Path:
    result = sunmao("completion", shell)
    assert result.returncode == 0, result.stderr
    path = folder / f"completion.{shell}"
    path.write_text(result.stdout)
    return path


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_syntax(shell: str, tmp_path: Path) -> None:
    path = script(shell, tmp_path)
    text = path.read_text()
    for option in options_of("compile"):
        assert option in text or f"-l {option[2:]} " in text
    result = run_program(shell, "-n", path)
    assert (result.returncode, result.stderr) == (0, "")


def test_fish_completes(tmp_path: Path, folder: Path) -> None:
    path = script("fish", tmp_path)

    def offered(line: str) -> set[str]:
        result = run_program("fish", "--no-config", "-c", f"cd {folder}; source {path}; complete -C '{line}'")
        assert result.stderr == ""
        return {row.split("\t")[0] for row in result.stdout.splitlines()}

    assert offered("sunmao ") == set(command_names())
    assert offered("sunmao compile --emit ") == {"artifact", "so"}
    assert options_of("compile") <= offered("sunmao compile --")
    assert offered("sunmao opt --passes normalize,fold-c") == {"normalize,fold-constants"}
    assert {"a.onnx", "d.sunmao"} <= offered("sunmao run ")


def test_shell_that_is_not_known() -> None:
    result = sunmao("completion", "tcsh")
    assert result.returncode == 2 and "error[E0001]" in result.stderr and "tcsh" in result.stderr
