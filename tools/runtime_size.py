"""Strips a copy of the runtime library and prints its size and its dependencies, as JSON.

Usage: runtime_size.py [build/release/lib/libsunmao_runtime.so]
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# The libraries that make up the C library, including its loader.
C_LIBRARY = re.compile(r"(?:libc|libm|libpthread|libdl|librt)\.so\.\d+|ld-linux[\w-]*\.so\.\d+")


def stripped_size(library: Path) -> int:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / library.name
        subprocess.run(["strip", "-o", str(copy), str(library)], check=True)
        return copy.stat().st_size


def needed(library: Path) -> list[str]:
    output = subprocess.run(["readelf", "-d", str(library)], capture_output=True, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[([^\]]+)\]", output)


def exported(library: Path) -> list[str]:
    command = ["nm", "-D", "--defined-only", "--format=posix", str(library)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in output.splitlines() if line]


def measure(library: Path) -> dict[str, object]:
    names = needed(library)
    return {
        "stripped_bytes": stripped_size(library),
        "needed": names,
        "needed_beyond_c_library": len([name for name in names if not C_LIBRARY.fullmatch(name)]),
        "exported_beyond_api": len([name for name in exported(library) if not name.startswith("sunmao_")]),
    }


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", nargs="?", type=Path, default=Path("build/release/lib/libsunmao_runtime.so"))
    library = parser.parse_args(argv).library
    if not library.is_file():
        print(f"no such library: {library}; `make build` makes it", file=sys.stderr)
        return 1
    print(json.dumps(measure(library)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
