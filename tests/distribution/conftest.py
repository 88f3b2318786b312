import subprocess
import sys
from pathlib import Path

import pytest
from empty_machine import ROOT


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make packages` builds, with the tools that have built the tree: ccache knows what these compile alike."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "tools/packages.py", "--out", folder], cwd=ROOT, check=True)
    return folder
