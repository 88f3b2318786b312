"""Ctrl-C interrupts long work at once and leaves nothing behind."""

import signal
import subprocess
import sys
import time

import pytest
from sunmao_binary import LIMIT, ROOT

# Programs whose work takes longer than the test, so that the signal interrupts it: compiling many distinct kernels,
# replacing ops, parsing lines, evaluating products.
CHILD = """
import sys
import tempfile
from pathlib import Path

import numpy as np
import sunmao
from sunmao.compat import IRModule, relax

def text(n):
    params = ", ".join(f"x{i}: R.Tensor((8, {i + 3}), 'float32')" for i in range(n))
    lines = [f"    y{i} = R.nn.softmax(R.matmul(x{i}, R.permute_dims(x{i})))" for i in range(n)]
    head = f"@I.ir_module\\nclass Module:\\n  @R.function\\n  def main({params}):\\n"
    outputs = ", ".join(f"y{i}" for i in range(n))
    return head + "\\n".join(lines) + f"\\n    return ({outputs},)\\n"

def module(n):
    return sunmao.parse_module(text(n))

def products(n):
    lines = [f"    y{i} = R.matmul(y{i - 1}, x)" for i in range(1, n)]
    head = "@R.function\\ndef main(x: R.Tensor((256, 256), 'float32')):\\n    y0 = R.exp(x)\\n"
    return sunmao.parse_module(head + "\\n".join(lines) + f"\\n    return y{n - 1}\\n")

work = sys.argv[1]
if work == "compile":
    large = module(1500)
    run = lambda: sunmao.compile(large)
elif work == "run_pass":
    large = module(8000)
    run = lambda: sunmao.run_pass(large, "legalize-ops")
elif work == "read_model":
    path = Path(tempfile.mkdtemp()) / "large.py"
    path.write_text(text(20000))
    run = lambda: sunmao.read_model(path)
elif work in ("one_kernel", "fold"):
    large = sunmao.parse_module(str(products(2)).replace("256", "2500"))
    ones = np.ones((2500, 2500), np.float32)
    run = lambda: sunmao.evaluate(large, ones)
    if work == "fold":
        whole = relax.transform.ConvertToDataflow(1)(IRModule(large))
        bound = relax.transform.BindParams("main", {"x": ones})(whole)
        run = lambda: relax.transform.FoldConstant()(bound)
else:
    chain, ones = products(300), np.ones((256, 256), np.float32)
    run = lambda: sunmao.evaluate(chain, ones)
print("ready", flush=True)
try:
    run()
    print("done", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
assert sunmao.compile(module(1))(np.ones((8, 3), np.float32)).shape == (8, 8)
print("compiled another", flush=True)
"""


RECURSION = """
import numpy as np
import sunmao
module = sunmao.parse_module('''
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((), "bool")) -> R.Tensor((), "bool"):
        y: R.Tensor((), "bool") = Module.main(x)
        return y
''')
try:
    sunmao.evaluate(module, np.array(True))
except sunmao.Error as error:
    print(error.code)
"""


@pytest.mark.parametrize(
    ("work", "delay"),
    [
        ("compile", 0.0),
        ("compile", 0.5),
        ("compile", 2.0),
        ("evaluate", 0.5),
        ("one_kernel", 0.5),
        ("fold", 0.5),
        ("run_pass", 0.0),
        ("read_model", 0.0),
    ],
)
def test_long_work_stops_at_once(work: str, delay: float) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, work],
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
        assert time.monotonic() - begin < 5
        out, errors = child.communicate(timeout=LIMIT)
        assert (child.returncode, out) == (0, "compiled another\n"), errors
    finally:
        child.kill()
        child.wait()


def test_nested_calls_end_in_an_error_whatever_the_stack_of_the_process_is() -> None:
    command = 'ulimit -s 1024 && exec "$0" -c "$1"'  # KiB
    done = subprocess.run(
        ["bash", "-c", command, sys.executable, RECURSION],
        env={"PYTHONPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "E0506\n"), done.stderr
