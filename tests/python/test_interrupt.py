"""Ctrl-C while a model is compiled: at once, with nothing left behind."""

import signal
import subprocess
import sys
import time

import pytest
from sunmao_binary import LIMIT, ROOT

# Kernels that all differ, too many to be compiled within the seconds that the test waits.
CHILD = """
import numpy as np
import sunmao

def module(n):
    params = ", ".join(f"x{i}: R.Tensor((8, {i + 3}), 'float32')" for i in range(n))
    lines = [f"    y{i} = R.nn.softmax(R.matmul(x{i}, R.permute_dims(x{i})))" for i in range(n)]
    head = f"@I.ir_module\\nclass Module:\\n  @R.function\\n  def main({params}):\\n"
    outputs = ", ".join(f"y{i}" for i in range(n))
    return sunmao.parse_module(head + "\\n".join(lines) + f"\\n    return ({outputs},)\\n")

large = module(1500)
print("ready", flush=True)
try:
    sunmao.compile(large)
    print("compiled", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
assert sunmao.compile(module(1))(np.ones((8, 3), np.float32)).shape == (8, 8)
print("compiled another", flush=True)
"""


@pytest.mark.parametrize("delay", [0.0, 0.5, 2.0])
def test_compiling_stops_at_once(delay: float) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD],
        env={"PYTHONPATH": str(ROOT / "python")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert child.stdout is not None and child.stdout.readline() == "ready\n"
        time.sleep(0.05 + delay)
        begin = time.monotonic()
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "interrupted\n"
        assert time.monotonic() - begin < 1
        out, errors = child.communicate(timeout=LIMIT)
        assert (child.returncode, out) == (0, "compiled another\n"), errors
    finally:
        child.kill()
        child.wait()
