"""Worker processes, one per engine and model. Only the one that is asked runs: the others are stopped."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from engines import Files

WORKER = Path(__file__).resolve().parent / "bench_worker.py"


class EngineFailed(Exception):
    """An engine gave an error, ended, or took too long; the text says which."""


class Worker:
    def __init__(self, engine: str, files: Files, log: Path, limit: float) -> None:
        """Starts the process and waits until packages are imported; then it is stopped."""
        command = [
            sys.executable,
            str(WORKER),
            engine,
            str(files.folder),
            files.name,
            *([files.size] if files.size else []),
        ]
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=dict(os.environ)
            )
        self._answered = b""
        self._take(limit)
        self._stop()

    def ask(self, do: str, limit: float, **details: Any) -> dict[str, Any]:
        """Lets the process run for one request. One that is too slow is killed."""
        assert self._process.stdin is not None
        self._process.send_signal(signal.SIGCONT)
        try:
            self._process.stdin.write(json.dumps({"do": do, **details}).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise EngineFailed(self._ended()) from None
        answer = self._take(limit)
        self._stop()
        return answer

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _stop(self) -> None:
        self._process.send_signal(signal.SIGSTOP)

    def _ended(self) -> str:
        status = self._process.wait()
        return f"ended by signal {-status}" if status < 0 else f"ended with status {status}"

    def _take(self, limit: float) -> dict[str, Any]:
        assert self._process.stdout is not None
        end = time.monotonic() + limit
        while b"\n" not in self._answered:
            ready = select.select([self._process.stdout], [], [], max(0.0, end - time.monotonic()))[0]
            if not ready:
                self.close()
                raise EngineFailed(f"not done after {limit:.0f} s")
            data = os.read(self._process.stdout.fileno(), 1 << 16)
            if not data:
                raise EngineFailed(self._ended())
            self._answered += data
        line, self._answered = self._answered.split(b"\n", 1)
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise EngineFailed(answer["error"])
        return answer
