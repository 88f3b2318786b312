"""Options that take numbers refuse what is none, in every command."""

import re

import pytest
from sunmao_binary import command_names, sunmao

DECIMALS = {"--seconds", "--timeout", "--max-growth"}
NUMBERS = {"N", "SECONDS", "PERCENT"}  # the types of options that take one number, as `--help` has them


def number_options() -> list[tuple[str, str]]:
    found = []
    for command in command_names():
        text = sunmao(command, "--help").stdout
        for option, kind in re.findall(r"^  (?:-\w,)?(--[\w-]+) ([A-Z]+)\b", text, re.MULTILINE):
            if kind in NUMBERS:
                found.append((command, option))
    return found


def test_the_options_are_found() -> None:
    assert {option for _, option in number_options()} > DECIMALS | {"--threads", "--repeat", "--top"}


@pytest.mark.parametrize(("command", "option"), number_options())
def test_what_is_no_number_of_the_option_is_refused(command: str, option: str) -> None:
    for value in ("nan", "-nan", "inf", "-inf", "infinity", "1e300", "-1", "1x", "1e", "", " "):
        result = sunmao(command, f"{option}={value}", "model.onnx")
        assert result.returncode == 2 and re.match(r"error\[E000[12]\]", result.stderr), (value, result.stderr)
        assert option in result.stderr and result.stdout == "", (value, result.stderr)
