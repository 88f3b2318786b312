"""Runs ONNX's own tests of nodes through Sunmao.

    python tests/differential/onnx_node_tests.py [--every K] [--filter REGEX] [--jobs N]

Cases run in worker processes: one that crashes, or takes more than 20 s, is counted and a new worker goes on. Results
go to build/differential/onnx_nodes.json. Each case passes, is refused (an error with a code while it is compiled), is
wrong, failed (any other exception), crashed, or hung; cases with values that are no tensors, and those whose expected
outputs are drawn at random, are put aside. A result that misses a recorded output passes when it is as near to float64
as that is (wide_reference.py).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import selectors
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from export_files import CACHE

HERE = Path(__file__).resolve().parent
SECONDS = 20
KINDS = ("passed", "refused", "wrong", "failed", "crashed", "hung", "aside")
# The recorded outputs of these are draws of a generator, which nothing can reproduce.
RANDOM = (
    "test_bernoulli",
    "test_bernoulli_double",
    "test_bernoulli_double_expanded",
    "test_bernoulli_expanded",
    "test_bernoulli_seed",
    "test_bernoulli_seed_expanded",
    "test_training_dropout",
    "test_training_dropout_default",
    "test_training_dropout_default_mask",
    "test_training_dropout_mask",
)


@dataclass
class Worker:
    """A process that answers a line for each line: the index of a case, what became of it."""

    process: subprocess.Popen[str]
    case: int = -1
    since: float = 0.0

    @staticmethod
    def start(filter_: str) -> Worker:
        command = [sys.executable, str(HERE / "onnx_node_worker.py"), filter_]
        return Worker(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))

    @property
    def answers(self) -> IO[str]:
        assert self.process.stdout
        return self.process.stdout

    def give(self, case: int) -> None:
        assert self.process.stdin
        self.case, self.since = case, time.monotonic()
        self.process.stdin.write(f"{case}\n")
        self.process.stdin.flush()

    def end(self) -> int:
        """Returns the exit status: its own when it has closed its answers, else that of being killed."""
        assert self.process.stdin
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            return self.process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


def _answer(worker: Worker) -> dict[str, Any] | None:
    """Returns the worker's answer; None when it has died."""
    line = worker.answers.readline()
    return json.loads(line) if line.endswith("\n") else None


def run(names: list[str], chosen: list[int], jobs: int, filter_: str) -> dict[str, dict[str, Any]]:
    """Runs the chosen cases."""
    todo, results = list(reversed(chosen)), {}
    selector = selectors.DefaultSelector()
    # The first answer says that a worker has loaded the cases, which takes longer than a case may.
    workers: list[Worker] = []

    def begin() -> None:
        worker = Worker.start(filter_)
        assert _answer(worker) is not None, "the worker does not start"
        if not todo:
            worker.end()
            return
        workers.append(worker)
        selector.register(worker.answers, selectors.EVENT_READ, worker)
        worker.give(todo.pop())

    def leave(worker: Worker) -> int:
        selector.unregister(worker.answers)
        workers.remove(worker)
        return worker.end()

    def report(worker: Worker, result: dict[str, Any]) -> None:
        results[names[worker.case]] = result | {"seconds": round(time.monotonic() - worker.since, 2)}
        if len(results) % 200 == 0:
            print(f"{len(results)} of {len(chosen)}", file=sys.stderr)

    for _ in range(min(jobs, len(todo))):
        begin()
    while workers:
        ready = [key.data for key, _ in selector.select(timeout=1)]
        for worker in list(workers):
            if worker in ready:
                answer = _answer(worker)
                if answer is None:
                    report(worker, {"kind": "crashed", "detail": f"exit status {leave(worker)}"})
                    begin()
                    continue
                report(worker, answer)
                if todo:
                    worker.give(todo.pop())
                else:
                    leave(worker)
            elif time.monotonic() - worker.since > SECONDS:
                leave(worker)
                report(worker, {"kind": "hung", "detail": f"more than {SECONDS} s"})
                begin()
    return results


def reasons(results: dict[str, dict[str, Any]]) -> Counter[str]:
    """Returns how many refusals there are of each message, with names and numbers of a case left out."""
    found: Counter[str] = Counter()
    for row in results.values():
        if row["kind"] == "refused":
            ops = re.findall(r"\|\s+`([^`]+)`: \d+ time", row["detail"])
            first = row["detail"].splitlines()[0]
            found.update({f"op `{op}`" for op in ops} or {re.sub(r"`[^`]*`|-?\d+", "_", first)[:160]})
    return found


def table(results: dict[str, dict[str, Any]]) -> dict[str, Counter[str]]:
    by_op: dict[str, Counter[str]] = {}
    for row in results.values():
        by_op.setdefault(row.get("op", "?"), Counter())[row["kind"]] += 1
    return dict(sorted(by_op.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description="Runs ONNX's own tests of nodes through Sunmao.")
    parser.add_argument("--every", type=int, default=1, metavar="K", help="each K-th case only")
    parser.add_argument("--filter", default="", metavar="REGEX", help="cases whose name matches")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="counts as JSON in the last line")
    options = parser.parse_args()
    from onnx_node_worker import load_cases

    cases = load_cases(options.filter)
    names = [case.name for case in cases]
    ops = {case.name: "+".join(sorted({n.op_type for n in case.model.graph.node})) for case in cases}
    aside = {name: "drawn at random" for name in names if name in RANDOM}
    chosen = [i for i in range(0, len(names), options.every) if names[i] not in aside]
    results = run(names, chosen, options.jobs, options.filter)
    results |= {name: {"kind": "aside", "detail": reason} for name, reason in aside.items()}
    for name, row in results.items():
        row["op"] = ops[name]
    counts = Counter(row["kind"] for row in results.values())
    why = reasons(results)
    CACHE.mkdir(parents=True, exist_ok=True)
    (CACHE / "onnx_nodes.json").write_text(
        json.dumps(
            {"counts": counts, "reasons": dict(why.most_common()), "cases": dict(sorted(results.items()))}, indent=1
        )
    )
    print(f"{'op':40} " + " ".join(f"{kind:>8}" for kind in KINDS))
    for op, row in table(results).items():
        print(f"{op[:40]:40} " + " ".join(f"{row[kind] or '':>8}" for kind in KINDS))
    print("\nrefusals by message:")
    for text, count in why.most_common():
        print(f"{count:5} {text}")
    print("\nwrong, failed, crashed, hung:")
    for name, row in sorted(results.items()):
        if row["kind"] in ("wrong", "failed", "crashed", "hung"):
            print(f"  {name}: {row['kind']}: {row['detail'].splitlines()[0][:200] if row['detail'] else ''}")
    by_float64 = sorted(name for name, row in results.items() if row["kind"] == "passed" and row["detail"])
    print(f"\nright by float64, where the recorded output is rounded otherwise: {', '.join(by_float64) or 'none'}")
    tried = sum(counts[kind] for kind in KINDS if kind != "aside")
    share = counts["passed"] / tried if tried else 0.0
    print(f"\n{counts['passed']} of {tried} pass ({share:.1%}); " + ", ".join(f"{counts[k]} {k}" for k in KINDS[1:]))
    if options.json:
        faults = sum(counts[kind] for kind in ("failed", "crashed", "hung"))
        bad = {"wrong": counts["wrong"], "faults": faults, "wrong_or_faults": counts["wrong"] + faults}
        print(json.dumps({"share": round(100 * share, 1), **bad, "of": tried}))


if __name__ == "__main__":
    main()
