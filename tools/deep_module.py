"""Times parsing, checking, hashing, rewriting, printing and freeing of a module with many chained ops, and brings a
module with many different ops to the legal stage, where each has a kernel of its own.

Prints a JSON object: seconds of each step for --ops and of the legal stage for --kernels, and for both the ratio of
seconds when the number is doubled. For --ops these are medians of rounds, in which half as many ops and all of them
have a turn, and `intervals` has the intervals that hold the medians with 95 % probability.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "python"))
sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))

import sunmao
from module_scripts import additions, different_ops
from rounds import median_interval
from sunmao import _sunmao

ROUNDS = 9


def measure_legal(kernels: int) -> float:
    module = sunmao.parse_module(different_ops(kernels))
    seconds = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        legal = sunmao.run_pass(module, "legalize-ops")
        seconds = min(seconds, time.perf_counter() - start)
    made = len(legal.functions) - 1
    if made != kernels:
        raise SystemExit(f"{made} kernels were made of {kernels} ops")
    return seconds


def measure(ops: int) -> dict[str, float]:
    seconds: dict[str, float] = {}

    def timed(step: str, run: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        result = run()
        seconds[step] = time.perf_counter() - start
        return result

    text = additions(ops)
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
    parser.add_argument("--kernels", type=int, default=10_000)
    args = parser.parse_args(argv)
    halves, wholes = [], []
    for _ in range(ROUNDS):
        halves.append(measure(args.ops // 2))
        wholes.append(measure(args.ops))
    steps = {name: round(statistics.median(whole[name] for whole in wholes), 3) for name in wholes[0]}
    totals = [sum(whole.values()) for whole in wholes]
    growths = [total / max(sum(half.values()), 1e-9) for total, half in zip(totals, halves, strict=True)]
    legal_half, legal = measure_legal(args.kernels // 2), measure_legal(args.kernels)
    print(
        json.dumps(
            {
                "ops": args.ops,
                "steps": steps,
                "seconds": round(statistics.median(totals), 3),
                "growth": round(statistics.median(growths), 2),
                "intervals": {"seconds": median_interval(totals), "growth": median_interval(growths)},
                "kernels": args.kernels,
                "legal_seconds": round(legal, 3),
                "legal_growth": round(legal / max(legal_half, 1e-9), 2),
            }
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
