"""An installed tree, and a recorded input of the model `mlp` with its output."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sunmao_binary import BUILD

CMAKE = re.findall(r"^CMAKE_COMMAND:INTERNAL=(.+)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)[0]


@dataclass(frozen=True)
class Recording:
    """The arrays, also as files of raw elements."""

    x: np.ndarray
    y: np.ndarray
    x_file: Path
    y_file: Path


def install(prefix: Path) -> Path:
    for component in ("compiler", "runtime"):
        command = [CMAKE, "--install", str(BUILD), "--strip", "--prefix", str(prefix), "--component", component]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return prefix
