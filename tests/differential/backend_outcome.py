"""What becomes of a model of the zoo under `torch.compile(backend="sunmao")`: called, and compared with eager mode.

    python tests/differential/backend_outcome.py NAME     prints the outcome as JSON

The detail of a model that passes is `N graphs`, of which those that Sunmao refuses run in PyTorch: `N graphs, M in
PyTorch: REASON`.
"""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
import tempfile
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Any

from outcome import Outcome, build_of

HERE = Path(__file__).resolve().parent
SECONDS = 600


def _arrays(result: Any) -> list[Any]:
    import torch
    import torch.utils._pytree as pytree
    from sunmao.arrays import to_numpy, to_tensor

    leaves = pytree.tree_leaves(result)
    return [to_numpy(to_tensor(x.detach().contiguous())) if isinstance(x, torch.Tensor) else x for x in leaves]


def _difference(got: list[Any], want: list[Any], tolerance: float) -> str:
    from comparing import difference

    if len(got) != len(want):
        return f"{len(got)} outputs, expected {len(want)}"
    for i, (g, w) in enumerate(zip(got, want, strict=True)):
        if not hasattr(w, "dtype"):
            if g != w:
                return f"output {i}: {g!r}, expected {w!r}"
        elif text := difference(g, w, tolerance, f"output {i}"):
            return text
    return ""


def outcome_here(name: str) -> Outcome:
    """Compiles and runs in this process."""
    import torch
    from models import entries
    from sunmao import CompileWarning, torch_backend

    built = entries()[name].build()
    eager, compiled = built.module, torch.compile(copy.deepcopy(built.module), backend=torch_backend.backend)
    calls = [(built.args, dict(built.kwargs)), *((args, dict(built.kwargs)) for args in built.others)]
    with torch.no_grad(), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", CompileWarning)
        for args, kwargs in calls:
            want = _arrays(eager(*copy.deepcopy(args), **copy.deepcopy(kwargs)))
            try:
                got = _arrays(compiled(*copy.deepcopy(args), **copy.deepcopy(kwargs)))
            except Exception as error:
                return Outcome("failed", f"{type(error).__name__}: {error}")
            if text := _difference(got, want, built.tolerance):
                return Outcome("wrong", text)
    seen = torch_backend.statistics
    graphs = f"{seen.compiled + seen.loaded + seen.refused} graphs"
    reasons = [str(w.message) for w in said if "in PyTorch" in str(w.message)]
    return Outcome(
        "pass", f"{graphs}, {seen.refused} in PyTorch: {reasons[0] if reasons else ''}" if seen.refused else graphs
    )


def outcome_of(name: str) -> Outcome:
    """Compiles and runs in a process of its own, with a cache of its own."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "SUNMAO_CACHE_DIR": cache}
        command = [sys.executable, str(HERE / "backend_outcome.py"), name]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS,
                                  env=environment)  # fmt: skip
        except subprocess.TimeoutExpired:
            return Outcome("hung", f"more than {SECONDS} s", build=build_of())
    if done.returncode != 0:
        return Outcome("crashed", f"exit status {done.returncode}: {done.stderr[-2000:]}", build=build_of())
    return Outcome(**json.loads(done.stdout.splitlines()[-1]) | {"build": build_of()})


if __name__ == "__main__":
    print(json.dumps(asdict(outcome_here(sys.argv[1]))))
