"""`pip install .` gives a package that works in an empty environment, outside of the tree."""

import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
EXAMPLE = re.search(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)


def run(folder: Path, *command: object) -> str:
    """Runs a command without this tree's environment, but with what says where packages are, and returns its output."""
    kept = {
        name: value for name, value in os.environ.items() if re.match(r"PIP_|(https?|no|all)_proxy$|SSL_", name, re.I)
    }
    result = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(Path.home()), **kept},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(ROOT, sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ".")
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_the_package_and_its_extension_alone(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert sorted({name.split("/")[0] for name in names if ".dist-info" not in name}) == ["sunmao"]
    assert len([name for name in names if re.match(r"sunmao/_sunmao\..*\.so$", name)]) == 1
    assert {Path(name).suffix for name in names if name.startswith("sunmao/")} <= {".py", ".pyi", ".so", ".typed"}


def test_the_example_of_the_readme_runs_where_the_wheel_is_installed(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    run(tmp_path, python, "-m", "pip", "install", "--quiet", wheel)
    (tmp_path / "tests" / "models").mkdir(parents=True)
    shutil.copy(ROOT / "tests" / "models" / "mlp.onnx", tmp_path / "tests" / "models")
    assert EXAMPLE
    out = run(tmp_path, python, "-c", EXAMPLE[1] + "print(y.shape, sunmao.__file__)\n")
    assert out.startswith("(8, 3) ") and str(tmp_path / "env") in out
    backends = "from importlib.metadata import entry_points; print(*entry_points(group='torch_dynamo_backends'))"
    assert "sunmao.torch_backend:backend" in run(tmp_path, python, "-c", backends)
