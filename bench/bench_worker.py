"""One engine on one model, in a process of its own: answers lines of JSON with lines of JSON.

python bench/bench_worker.py ENGINE FOLDER MODEL [SIZE]

{"do": "load", "threads": 1}      -> {"seconds"}
{"do": "check"}                   -> {"seconds", "difference"}: one call, against PyTorch's recorded outputs
{"do": "turn", "seconds": 0.02}   -> {"per_call", "calls", "spent", "cores"}: calls for that long, one at least
{"do": "memory"}                  -> {"peak_bytes"}: the most that has been resident
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import signal
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from engines import ENGINES, ROOT, Array, Call, Files

PR_SET_PDEATHSIG = 1  # <linux/prctl.h>
SHORT = 0.1  # seconds: a turn of calls this short begins with one that is not counted


def recorded(path: Path, kind: str) -> list[Array]:
    with np.load(path) as arrays:
        return [arrays[f"{kind}{i}"] for i in range(sum(name.startswith(kind) for name in arrays))]


def difference(outputs: Sequence[Any], expected: Sequence[Array]) -> float:
    """Returns the largest difference as a share of the largest finite number that is expected; infinity where shapes
    differ, or where one is not finite and the other is something else."""
    if len(outputs) != len(expected) or any(np.shape(o) != e.shape for o, e in zip(outputs, expected, strict=True)):
        return float("inf")
    worst = 0.0
    for output, wanted in zip(outputs, expected, strict=True):
        given, right = np.asarray(output, np.float64), np.asarray(wanted, np.float64)
        scale = float(np.max(np.abs(right), initial=1e-30, where=np.isfinite(right)))
        differs = (given != right) & ~(np.isnan(given) & np.isnan(right))
        error = float(np.max(np.abs(given[differs] - right[differs]), initial=0.0)) / scale
        worst = max(worst, error if np.isfinite(error) else float("inf"))
    return worst


def peak_bytes() -> int:
    """Returns the most that this process has had resident, without that of the process which started it."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) * 1024 if found else 0


def turn(call: Call, seconds: float) -> dict[str, Any]:
    cpu, begin = time.process_time(), time.perf_counter()
    call()
    first = time.perf_counter() - begin
    times = [first] if first > SHORT else []
    while not times or (first <= SHORT and time.perf_counter() - begin - first < seconds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    spent = time.perf_counter() - begin
    cores = (time.process_time() - cpu) / spent
    return {"per_call": statistics.median(times), "calls": len(times), "spent": spent, "cores": cores}


class Session:
    """What a worker holds between requests."""

    def __init__(self, engine: str, files: Files) -> None:
        self._engine, self._files = ENGINES[engine], files
        self._engine.import_modules(json.loads(files.form("json").read_text()))
        self._inputs = recorded(files.at_size().form("npz"), "input")
        self._call: Call | None = None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        if request["do"] == "load":
            self._call = None
            begin = time.perf_counter()
            self._call = self._engine.load(self._files, self._inputs, request["threads"])
            return {"seconds": time.perf_counter() - begin}
        if request["do"] == "memory":
            return {"peak_bytes": peak_bytes()}
        assert self._call is not None, "load comes first"
        if request["do"] == "check":
            begin = time.perf_counter()
            outputs = self._call()
            seconds = time.perf_counter() - begin
            return {
                "seconds": seconds,
                "difference": difference(outputs, recorded(self._files.at_size().form("npz"), "output")),
            }
        return turn(self._call, request["seconds"])


def reason(error: BaseException) -> str:
    """The first line of an error, without paths of this machine."""
    lines = [line for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    return lines[0].replace(f"{ROOT}/", "").strip()[:200]


def main() -> int:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # a stopped process would outlive a killed parent
    engine, folder, *model = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")  # what engines print goes to standard error
    os.dup2(2, 1)

    def say(reply: dict[str, Any]) -> None:
        print(json.dumps(reply), file=answers, flush=True)

    try:
        session = Session(engine, Files(Path(folder), *model))
        say({"ready": True})
    except Exception as error:
        say({"error": reason(error)})
        return 1
    for line in sys.stdin:
        try:
            say(session.answer(json.loads(line)))
        except Exception as error:
            say({"error": reason(error)})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
