"""Writes the type stubs of the extension `sunmao._sunmao`, as it is before the package adds methods to its classes.

Usage: make_stubs.py [--output DIR]: by default to python/sunmao/_sunmao.
"""

import argparse
import subprocess
import sys
import types
from pathlib import Path

from nanobind.stubgen import StubGen

PACKAGE = Path(__file__).parent.parent / "python" / "sunmao"


def stub_texts() -> dict[str, str]:
    """Returns the text of each stub file by name. The package is replaced by an empty one, so that only the extension
    runs."""
    package = types.ModuleType("sunmao")
    package.__path__ = [str(PACKAGE)]
    sys.modules["sunmao"] = package
    from sunmao import _sunmao

    texts = {}
    for name, module in (("__init__.pyi", _sunmao), ("make.pyi", _sunmao.make)):
        made = StubGen(module=module)
        made.put(module)
        texts[name] = made.get()
    return texts


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=PACKAGE / "_sunmao", help="the folder that is written")
    args = parser.parse_args(argv)
    args.output.mkdir(parents=True, exist_ok=True)
    for name, text in stub_texts().items():
        (args.output / name).write_text(text)
    ruff = Path(sys.executable).with_name("ruff")
    subprocess.run([ruff, "check", "-q", "--fix", args.output], check=False)
    return subprocess.run([ruff, "format", "-q", args.output], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
