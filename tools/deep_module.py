"""Times parsing, checking, hashing, rewriting, printing and freeing of a module with many chained ops.

Prints a JSON object: seconds of each step for --ops, their sum, and the ratio of sums when the ops are doubled.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "python"))

import sunmao
from sunmao import _sunmao


def script(ops: int) -> str:
    """Returns a script with a chain of `ops` additions."""
    lines = [f"        lv{i + 1} = R.add(lv{i}, x)" for i in range(ops)]
    head = '@R.function\ndef main(x: R.Tensor(("n",), "float32")):\n    with R.dataflow():\n        lv0 = R.add(x, x)\n'
    return head + "\n".join(lines) + f"\n        gv = R.add(lv{ops}, x)\n        R.output(gv)\n    return gv\n"


def measure(ops: int) -> dict[str, float]:
    seconds: dict[str, float] = {}

    def timed(step: str, run: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        result = run()
        seconds[step] = time.perf_counter() - start
        return result

    text = script(ops)
    held = [timed("parse", lambda: sunmao.parse_module(text))]
    timed("verify", lambda: _sunmao.check_well_formed(held[0], True))
    timed("hash", lambda: sunmao.structural_hash(held[0]))
    held.append(timed("rewrite", lambda: sunmao.run_pass(held[0], "to-non-dataflow")))
    timed("print", held[1].script)
    timed("free", held.clear)
    return seconds


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ops", type=int, default=100_000)
    args = parser.parse_args(argv)
    half, whole = measure(args.ops // 2), measure(args.ops)
    total = sum(whole.values())
    steps = {name: round(value, 3) for name, value in whole.items()}
    growth = total / max(sum(half.values()), 1e-9)
    print(json.dumps({"ops": args.ops, "steps": steps, "seconds": round(total, 3), "growth": round(growth, 2)}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
