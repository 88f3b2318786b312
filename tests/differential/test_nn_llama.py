"""examples/llama_nn_tvm.py, as a program that imports `tvm`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
# transformers needs torchvision, whose ops are declared first.
PROGRAM = """
import sys
from vision_ops import torchvision
torchvision()
from sunmao.as_tvm import main
sys.exit(main([sys.argv[1]]))
"""


def test_it_generates_what_transformers_generates() -> None:
    paths = [str(ROOT / "python"), str(ROOT / "tests/differential")]
    command = [sys.executable, "-c", PROGRAM, str(ROOT / "examples/llama_nn_tvm.py")]
    environment = {"PYTHONPATH": ":".join(paths), "PATH": "", "HOME": str(Path.home())}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    found = re.match(r"64 tokens as those of transformers, (\d+) of them different", done.stdout)
    assert found and int(found[1]) > 16, done.stdout
