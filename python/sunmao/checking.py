"""Checks of compiled models layer by layer: `sunmao.check`, and `python -m sunmao check --against onnxruntime`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from sunmao.errors import Error, fail
from sunmao.layer_references import Arrays, by_onnx_runtime, by_pytorch, read_arrays, write_arrays

REFERENCES: dict[str, Callable[[Path, Sequence[Any]], Arrays]] = {
    "onnxruntime": by_onnx_runtime,
    "pytorch": by_pytorch,
}
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
VALUED = ("--input", "--dim", "--weights", "--target", "--disable")  # options that go to both runs


class _Ended(BaseException):
    """A signal that ends the command."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.is_told = False


class Check(dict[str, Any]):
    """What a check found, as `sunmao check --json` tells it: `same`, `layers`, `compared`, `first`, the first layer
    that differs, and `not_finite`, the layers where NaN and infinities begin."""

    @property
    def is_same(self) -> bool:
        """True when no compared number differs."""
        return bool(self["same"])


def check(
    model: str | os.PathLike[str],
    *,
    against: str | os.PathLike[str] = "evaluator",
    inputs: Mapping[str, Any] | None = None,
    dims: Mapping[str, int] | None = None,
    weights: str | os.PathLike[str] | None = None,
    target: str = "host",
    disable: Sequence[str] = (),
    bisect: bool = False,
) -> Check:
    """Compiles a model file, and compares each of its layers with a reference: `evaluator`, `onnxruntime`, `pytorch` or
    a recording. `inputs` are arrays by name; others are made up. It runs in a process of its own, so that code that
    crashes is an error here.
    """
    with tempfile.TemporaryDirectory(prefix="sunmao-check-") as folder:
        words = ["check", os.fspath(model), "--against", os.fspath(against), "--target", target, "--json"]
        for i, (name, value) in enumerate((inputs or {}).items()):
            np.save(Path(folder, f"{i}.npy"), np.asarray(value))
            words += ["--input", f"{name}={Path(folder, f'{i}.npy')}"]
        for name, size in (dims or {}).items():
            words += ["--dim", f"{name}={size}"]
        words += ["--weights", os.fspath(weights)] if weights else []
        words += ["--disable", ",".join(disable)] if disable else []
        words += ["--bisect"] if bisect else []
        run = _run(words, subprocess.PIPE, subprocess.PIPE)
    if not run.stdout:
        raise fail("E0055", f"the check of `{os.fspath(model)}` ended without a result", run.stderr.strip())
    return Check(json.loads(run.stdout))


def run_command(arguments: Sequence[str]) -> int | None:
    """Runs `check` against a reference that needs Python; returns its exit status, or None for other commands."""
    reference = _value_of(arguments, "--against")
    if not arguments or arguments[0] != "check" or reference not in REFERENCES:
        return None
    before = {s: signal.signal(s, _end) for s in ENDING if signal.getsignal(s) is not signal.SIG_IGN}
    try:
        return _check_against(arguments, reference)
    except Error as error:
        print(error, file=sys.stderr)
        return 1
    except _Ended as ended:
        if not ended.is_told:
            print("interrupted" if ended.number == signal.SIGINT else "terminated", file=sys.stderr)
        return 128 + ended.number
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, _: object) -> NoReturn:
    """Unwinds the command, so that its temporary folder goes; nothing interrupts that."""
    for other in ENDING:
        signal.signal(other, signal.SIG_IGN)
    raise _Ended(number)


def _check_against(arguments: Sequence[str], reference: str) -> int:
    with tempfile.TemporaryDirectory(prefix="sunmao-check-") as folder:
        recorded, expected = Path(folder, "compiled.safetensors"), Path(folder, f"{reference}.safetensors")
        model, shared = _shared_words(arguments)
        status = _run(["check", *model, *shared, "--record", str(recorded)], subprocess.DEVNULL, None).returncode
        if status != 0 or not model:
            return status
        arrays = read_arrays(recorded)
        inputs = [arrays[f"input.{i}"] for i in range(sum(name.startswith("input.") for name in arrays))]
        values = REFERENCES[reference](Path(model[0]), inputs)
        write_arrays(expected, {**values, **{f"input.{i}": array for i, array in enumerate(inputs)}})
        words = list(arguments)
        at = words.index("--against") + 1 if "--against" in words else words.index(f"--against={reference}")
        words[at] = str(expected) if words[at] == reference else f"--against={expected}"
        status = _run(words, None, None).returncode
        return status if status >= 0 else 128 - status


def _run(words: Sequence[str], out: int | None, errors: int | None) -> subprocess.CompletedProcess[str]:
    """Runs a command in a process of its own, which finds this package where this process has. What ends this process
    ends that one, which removes what it has begun."""
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in paths if p)}
    command = [sys.executable, "-m", "sunmao", *words]
    # Signals wait while the process starts, which inherits that until its main function runs.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        process = subprocess.Popen(command, stdout=out, stderr=errors, text=True, env=environment)
    except BaseException:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        raise
    with process:
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            written, told = process.communicate()
        except BaseException as reason:
            process.send_signal(reason.number if isinstance(reason, _Ended) else signal.SIGTERM)
            status = process.wait()
            if isinstance(reason, _Ended):
                reason.is_told = errors is None and status >= 0  # a signal that ends it at once leaves it no time to
            raise
    return subprocess.CompletedProcess(command, process.returncode, written, told)


def _value_of(arguments: Sequence[str], option: str) -> str:
    for word, following in zip(arguments, [*arguments[1:], ""], strict=False):
        if word == option:
            return following
        if word.startswith(option + "="):
            return word[len(option) + 1 :]
    return ""


def _shared_words(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Returns the model, and the options of a recording of it."""
    model, shared = [], []
    words = iter(arguments[1:])
    for word in words:
        option = word.split("=")[0]
        if not word.startswith("-"):
            model.append(word)
        elif option in VALUED:
            shared += [word] if "=" in word else [word, next(words, "")]
        elif word == "--against":
            next(words, "")
    return model[:1], shared
