"""Pytest plugin of import_tests.py: gives torchvision its ops where its own, which are compiled, do not fit PyTorch."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "tests/differential"))

from vision_ops import torchvision

torchvision()
