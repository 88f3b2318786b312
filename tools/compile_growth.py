"""Compiles modules of many ops to machine code at sizes that double, and tells how the time grows with the size.

Prints a JSON object: for each shape of a module the seconds of all processors by its number of ops, and `growth`, the
greatest ratio of the seconds when the number is doubled; `growth` of all shapes and its shape, `worst`; and `seconds`,
what a user waits for --ops additions in a chain. Times are the least of rounds in which all numbers have a turn.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from module_scripts import SHAPES, additions, different_ops, functions
from programs import SUNMAO

ROUNDS = 3
SLOW = (functions, different_ops)  # of which LLVM has minutes of work: two sizes, one round


def compile_script(text: str) -> tuple[float, float]:
    """Compiles a module; returns the seconds of all processors, and those that passed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "module.py"
        path.write_text(text)
        command = [str(SUNMAO), "compile", str(path), "-o", str(path.with_suffix(".sunmao")), "--json"]
        before = os.times()
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        after = os.times()
    if result.returncode != 0:
        sys.exit(f"sunmao compile: exit status {result.returncode}\n{result.stderr[:2000]}")
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return spent, json.loads(result.stdout)["seconds"]


def measure(shape: Callable[[int], str], sizes: list[int], rounds: int) -> tuple[dict[int, float], dict[int, float]]:
    """Returns the least seconds of all processors by size, and those that passed."""
    texts = {size: shape(size) for size in sizes}
    spent = dict.fromkeys(sizes, float("inf"))
    passed = dict.fromkeys(sizes, float("inf"))
    for _ in range(rounds):
        for size, text in texts.items():
            turn = compile_script(text)
            spent[size], passed[size] = min(spent[size], turn[0]), min(passed[size], turn[1])
    return spent, passed


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ops", type=int, default=3000, help="modules have half, as many and twice as many")
    parser.add_argument("--kernels", type=int, default=10_000, help="different ops: half as many, and so many")
    parser.add_argument("--shapes", default="", help="names of shapes; default: all")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    args = parser.parse_args(argv)
    known = {shape.__name__: shape for shape in SHAPES}
    names = [name for name in args.shapes.split(",") if name] or list(known)
    if unknown := [name for name in names if name not in known]:
        parser.error(f"no shape {', '.join(unknown)}: there are {', '.join(known)}")
    report: dict[str, object] = {"ops": args.ops, "kernels": args.kernels}
    shapes: dict[str, dict[str, object]] = {}
    growths: dict[str, float] = {}
    for name in names:
        shape = known[name]
        whole = args.kernels if shape is different_ops else args.ops
        sizes = [whole // 2, whole] if shape in SLOW else [whole // 2, whole, 2 * whole]
        spent, passed = measure(shape, sizes, 1 if shape in SLOW else args.rounds)
        ratios = [spent[b] / max(spent[a], 1e-9) for a, b in zip(sizes, sizes[1:], strict=False)]
        growths[name] = round(max(ratios), 2)
        shapes[name] = {"seconds": {str(n): round(s, 3) for n, s in spent.items()}, "growth": growths[name]}
        if shape is additions:
            report["seconds"] = round(passed[args.ops], 3)
        print(name, json.dumps(shapes[name]), file=sys.stderr)
    worst = max(growths, key=lambda name: growths[name])
    print(json.dumps({**report, "growth": growths[worst], "worst": worst, "shapes": shapes}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
