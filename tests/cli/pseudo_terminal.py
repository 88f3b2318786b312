"""Runs commands on a pseudo-terminal, and a model that takes long enough to show how far a command is."""

import os
import pty
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

from sunmao_binary import BINARY, LIMIT


class Terminal:
    """A command that runs on a terminal, and the terminal's other end."""

    def __init__(self, process: subprocess.Popen[bytes], end: int) -> None:
        self.process = process
        self.end = end
        self.text = ""

    def read(self) -> bool:
        """Adds what the command wrote since to `text`; false when the command has closed the terminal."""
        try:
            part = os.read(self.end, 4096)
        except OSError:
            return False
        self.text += part.decode(errors="replace").replace("\r\n", "\n")
        return bool(part)

    def read_all(self) -> str:
        """Returns all that the command writes, once it has ended."""
        while self.read():
            pass
        self.process.wait(LIMIT)
        return self.text


@contextmanager
def started(
    *words: object, columns: int = 80, environment: dict[str, str] | None = None, only_errors: bool = False
) -> Iterator[Terminal]:
    """Starts `sunmao` on a terminal with this many columns, or with its standard error alone there."""
    here, there = pty.openpty()
    ioctl(there, TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm"} | (environment or {})
    out = subprocess.DEVNULL if only_errors else there
    with subprocess.Popen([BINARY, *map(str, words)], stdout=out, stderr=there, env=env) as process:
        os.close(there)
        try:
            yield Terminal(process, here)
        finally:
            process.kill()
            os.close(here)


def on_terminal(*words: object, **options: object) -> str:
    """Returns what a command writes to a terminal; it has to succeed."""
    with started(*words, **options) as terminal:  # type: ignore[arg-type]
        text = terminal.read_all()
        assert terminal.process.returncode == 0, text
        return text


def slow_script(path: Path) -> Path:
    """Writes a model of many different kernels, which take seconds to compile."""
    lines = "".join(
        f'        v{i} = R.nn.softmax(R.matmul(x, R.zeros((64, {i + 2}), "float32")))\n        s{i} = R.sum(v{i})\n'
        for i in range(60)
    )
    total = "        return (" + ", ".join(f"s{i}" for i in range(60)) + ")\n"
    head = "@I.ir_module\nclass Module:\n    @R.function\n"
    path.write_text(f'{head}    def main(x: R.Tensor((32, 64), "float32")):\n{lines}{total}')
    return path
