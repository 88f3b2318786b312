"""What the machine is and can do, and which commit is measured: no name of the host, no paths."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("SUNMAO_BUILD_DIR", ROOT / "build" / "release"))
PROGRAM = BUILD / "bench" / "bench_machine"


def describe() -> dict[str, Any]:
    cpu = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    memory = re.search(r"^MemTotal:\s*(\d+) kB$", Path("/proc/meminfo").read_text(), re.MULTILINE)
    return {
        "cpu": cpu[1].strip() if cpu else platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(int(memory[1]) / 2**20) if memory else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def load_average() -> float:
    """Returns how many processes have wanted to run in the last minute."""
    return round(os.getloadavg()[0], 2)


def measure(threads: Sequence[int], target: str = "host") -> list[dict[str, Any]]:
    """Measures by each number of threads the FMA peak of a target's instructions, this machine's peaks of bytes and of
    bfloat16, and memory bandwidth."""
    command = [str(PROGRAM), "--target", target, *map(str, threads)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def best(measured: Sequence[Sequence[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Returns the best of each figure by number of threads: what the machine can do when nothing disturbs it."""
    out = []
    for rows in zip(*measured, strict=True):
        figures = {k: max(row[k] for row in rows) for k in rows[0] if k not in ("threads", "isa")}
        out.append({"threads": rows[0]["threads"], "isa": rows[0]["isa"], **figures})
    return out


def commit() -> dict[str, Any]:
    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()

    return {"commit": git("rev-parse", "HEAD")[:12], "changed": bool(git("status", "--porcelain", "-uno"))}
