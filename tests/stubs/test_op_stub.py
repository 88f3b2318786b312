"""The stub of `relax.op` is what tools/op_stubs.py writes today, and a type checker uses it."""

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
STUB = ROOT / "python" / "sunmao" / "compat" / "relax" / "op" / "__init__.pyi"

PROGRAM = """
from sunmao._sunmao import Var
from sunmao.compat.relax import op
from sunmao.compat.script import relax as R

def calls(x: Var) -> None:
    op.nn.softmax(x, axis=-1)
    op.strided_slice(x, axes=[0], begin=[1], end=[2])
    op.zeros([2, 3], "float32")
    op.image.resize2d(x, 4, layout="NHWC", method="linear")
    op.sum(op.add(x, x), axis=[0, 1], keepdims=True)
    op.call_tir("kernel", [x], x.type)
    R.nn.conv2d(x, x, strides=2, padding=(1, 1))
    op.nn.softmax(x, axes=-1)  # call-arg
    op.nn.softmax(x, axis="last")  # arg-type
    op.nn.softmax()  # call-arg
    op.add(x, x, x)  # call-arg
    op.addition(x, x)  # attr-defined
    R.nn.conv2d(x, x, stride=2)  # call-arg
"""


def test_the_stub_is_up_to_date(tmp_path: Path) -> None:
    made = tmp_path / "op.pyi"
    subprocess.run([sys.executable, ROOT / "tools" / "op_stubs.py", "--output", made], check=True, timeout=120)
    assert ast.dump(ast.parse(STUB.read_text())) == ast.dump(ast.parse(made.read_text()))


def test_a_checker_takes_right_calls_and_refuses_wrong_ones(tmp_path: Path) -> None:
    program = tmp_path / "calls.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", program]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600, cwd=ROOT)
    wrong = {i: line.split("# ")[1] for i, line in enumerate(PROGRAM.splitlines(), 1) if "# " in line}
    found = {
        int(line.split(":")[1]): line.rsplit("[")[-1][:-1] for line in run.stdout.splitlines() if ": error:" in line
    }
    assert found == wrong, run.stdout
