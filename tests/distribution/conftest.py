import sys
from pathlib import Path

import pytest
from empty_machine import ROOT, run


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make packages` builds."""
    folder = tmp_path_factory.mktemp("dist")
    run(ROOT, sys.executable, "tools/packages.py", "--out", folder)
    return folder
