"""Programs that run without this tree and its environment."""

import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
EXAMPLE = re.search(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)


def environment() -> dict[str, str]:
    """Returns an environment without this tree's, but with what says where packages are."""
    kept = {
        name: value for name, value in os.environ.items() if re.match(r"PIP_|(https?|no|all)_proxy$|SSL_", name, re.I)
    }
    return {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": str(Path.home()), **kept}


def run(folder: Path, *command: object) -> str:
    """Runs a command in an environment without this tree, and returns its output."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=folder, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{words}\n{done.stdout}{done.stderr}"
    return done.stdout


def only(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


def first_steps(folder: Path) -> str:
    """Returns a program: the README's example, in a folder with its model, and what has come of it."""
    (folder / "tests" / "models").mkdir(parents=True)
    shutil.copy(ROOT / "tests" / "models" / "mlp.onnx", folder / "tests" / "models")
    assert EXAMPLE
    return EXAMPLE[1] + "print(y.shape, sunmao.__file__)\n"
