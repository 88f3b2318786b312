"""Touches one pass, rebuilds, and prints the build time on two cores as JSON.

The build folder must be up to date (`make build`); the compiler cache is disabled.
Usage: incremental_build.py [src/passes/canonical/fold_constants.cpp]
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from programs import BUILD, ROOT

CORES = 2


def build(environment: dict[str, str]) -> float:
    begin = time.monotonic()
    command = ["cmake", "--build", str(BUILD), "-j", str(CORES)]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if result.returncode != 0:
        sys.exit(f"the build fails:\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
    return time.monotonic() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", nargs="?", type=Path, default=ROOT / "src/passes/canonical/fold_constants.cpp")
    source = parser.parse_args().source
    environment = {**os.environ, "CCACHE_RECACHE": "1"}
    build(environment)
    source.touch()
    seconds = build(environment)
    print(json.dumps({"source": str(source.name), "incremental_build_seconds": round(seconds, 2)}))


if __name__ == "__main__":
    main()
