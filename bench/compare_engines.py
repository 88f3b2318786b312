"""Compares Sunmao with PyTorch, ONNX Runtime and OpenVINO on whole models, interleaved in one run (`make bench`).

docs/bench.md says what is measured and how. Results go to build/bench/latest.json, .md and .svg; those of
`make bench-quantised`, `bench-symbolic` and `bench-trained` to files named quantised, symbolic and trained.
"""

from __future__ import annotations

import argparse
import datetime
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import machine
import report
import symbolic_kernels
import symbolic_report
import trained_report
from chart import draw
from engines import ENGINES
from model_names import MODELS, PACKAGES, QUANTISED, SMALL, SMALL_QUANTISED, SYMBOLIC
from model_run import BASELINE, CONSTANT, ModelRun, with_shares
from report import history_line

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "bench"
TRAINED = ROOT / "build" / "trained-models" / "files"
HISTORY = ROOT / "bench" / "history.jsonl"
SETTINGS = ("models", "engines", "threads", "seconds", "minutes", "seed", "results")  # that are told in the result
BUSY = 0.5  # load average from which other work disturbs the times
LEAST_SECONDS = 1.0  # of rounds, for a model that is measured at all
DEFAULT = [name for name, engine in ENGINES.items() if engine.by_default and name != BASELINE]


@dataclass(frozen=True)
class Kind:
    """Models of one kind, and what they are compared with."""

    models: Sequence[str]  # that are compared where none are named
    others: Sequence[str] = ()
    maker: str = "bench_models.py"
    folder: Path = FOLDER / "models"
    engines: Sequence[str] = tuple(name for name in ENGINES if name not in (BASELINE, CONSTANT))
    default: Sequence[str] = tuple(DEFAULT)  # engines, where none are named
    ours: Sequence[str] = (BASELINE,)  # that are always compared
    reporter: Any = report


NO_TORCH = [name for name in DEFAULT if name != "torch"]  # it has no kernels for bytes, and does not read ONNX files
KINDS = {
    "latest": Kind(MODELS, SMALL),
    "quantised": Kind(QUANTISED, SMALL_QUANTISED, default=NO_TORCH),
    "symbolic": Kind(
        SYMBOLIC,
        (),
        "symbolic_models.py",
        FOLDER / "symbolic",
        DEFAULT,
        NO_TORCH,
        (BASELINE, CONSTANT),
        symbolic_report,
    ),
    "trained": Kind(PACKAGES, (), "packaged_models.py", TRAINED, NO_TORCH, ("onnxruntime",), reporter=trained_report),
}


def chosen(text: str, known: Sequence[str], default: Sequence[str], what: str) -> list[str]:
    """Returns the names of a list with commas; `all` are all, nothing is the default."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if unknown := [name for name in names if name not in known and name != "all"]:
        raise SystemExit(f"bench: no {what} is called `{unknown[0]}`; there are {', '.join(known)}, and `all`")
    if "all" in names:
        return list(known)
    return list(dict.fromkeys(names)) or list(default)


def positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"`{text}` is no positive number")
    return value


def thread_counts(text: str) -> list[int]:
    words = text.split(",")
    if not all(word.isdecimal() and 1 <= int(word) <= 1024 for word in words):
        raise argparse.ArgumentTypeError(f"`{text}` is no list of thread counts, such as 1,2")
    return sorted({int(word) for word in words})


def parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--models", default="", help=f"some of {', '.join([*MODELS, *SMALL])}; of quantised ones, see below"
    )
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument(
        "--quantised",
        action="store_true",
        help=f"quantised models: some of {', '.join([*QUANTISED, *SMALL_QUANTISED])}",
    )
    kinds.add_argument(
        "--symbolic",
        action="store_true",
        help=f"models whose sizes are symbols, at four sizes each: some of {', '.join(SYMBOLIC)}",
    )
    kinds.add_argument(
        "--trained", action="store_true", help=f"trained models of packages: of some of {', '.join(PACKAGES)}"
    )
    parser.add_argument(
        "--engines",
        default="",
        help=f"some of {', '.join(KINDS['latest'].engines)}; `all` has torch.compile too, in three forms",
    )
    parser.add_argument("--threads", type=thread_counts, default=[1, 2], help="thread counts, such as 1,2")
    parser.add_argument("--seconds", type=positive, default=12.0, help="of rounds, per model and thread count, at most")
    parser.add_argument("--minutes", type=positive, default=23.0, help="of the whole run, without making models")
    parser.add_argument("--seed", type=int, default=0, help="of the order within rounds")
    parser.add_argument("--record", action="store_true", help="add a line to bench/history.jsonl")
    parser.add_argument(
        "--kernels",
        action="store_true",
        help="of symbolic models: profile both forms, and tell which kernels lose most",
    )
    arguments = parser.parse_args(argv)
    if arguments.kernels and not arguments.symbolic:
        parser.error("--kernels compares the kernels of symbolic models with those of constants: add --symbolic")
    arguments.results = next((k for k in ("quantised", "symbolic", "trained") if getattr(arguments, k)), "latest")
    kind = KINDS[arguments.results]
    arguments.models = chosen(arguments.models, [*kind.models, *kind.others], kind.models, "model")
    engines = chosen(arguments.engines, [BASELINE, *kind.engines], kind.default, "engine")
    arguments.engines = [*kind.ours, *(name for name in engines if name not in kind.ours)]
    return arguments


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def make_models(names: Sequence[str], maker: str, log: Path) -> dict[str, dict[str, Any]]:
    """Makes the models that are not there, in another process; returns their facts, or why there are none."""
    say("bench: making the models that are not there")
    made = {name: {"name": name, "error": "it was not made"} for name in names}
    command = [sys.executable, str(ROOT / "bench" / maker), *names]
    with log.open("wb") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        assert process.stdout is not None
        for line in process.stdout:
            facts = json.loads(line)
            made[facts["name"]] = facts
        process.wait()
    return made


def cases_of(facts: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the facts of each case of a model, such as its sizes; those of a model without cases as they are."""
    if "cases" not in facts:
        return [facts]
    shared = {"files": facts["name"], **{key: value for key, value in facts.items() if key != "cases"}}
    return [{**shared, **case, "name": f"{facts['name']} {case['case']}"} for case in facts["cases"]]


class Budget:
    """Shares what is left of the time among the models that are left."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._end = time.monotonic() + 60 * arguments.minutes
        self._seconds, self._counts = arguments.seconds, len(arguments.threads)
        self._overheads: list[float] = []

    def rounds_seconds(self, models_left: int) -> float:
        """Returns the seconds of rounds for each thread count of the next model; 0 when the time is over."""
        left = self._end - time.monotonic()
        if left <= 0:
            return 0.0
        mean = sum(self._overheads) / len(self._overheads) if self._overheads else 0.0
        return float(min(self._seconds, max(LEAST_SECONDS, (left / models_left - mean) / self._counts)))

    def spent(self, total: float, on_rounds: float) -> None:
        self._overheads.append(total - on_rounds)


def run_model(facts: dict[str, Any], arguments: argparse.Namespace, seconds: float) -> dict[str, Any]:
    log = FOLDER / "engines.log"
    with ModelRun(facts, KINDS[arguments.results].folder, log) as run:
        for engine in arguments.engines:
            run.start(engine, arguments.threads[0])
        for threads in arguments.threads:
            run.time(threads, seconds, arguments.seed)
        row = {**facts, "engines": run.engines, "timings": run.timings}
    if arguments.kernels:
        row["kernels"] = kernels_of(run, facts["input"], arguments.threads[0])
    if run.files.size:
        run.files.at_size().form("sunmao").unlink(missing_ok=True)  # gigabytes, of all sizes
    return row


def kernels_of(run: ModelRun, name: str, threads: int) -> list[dict[str, Any]]:
    """Compares the kernels of both forms of a symbolic model, where they are compiled from nodes of the same names."""
    forms = [run.engines.get(engine, {}).get("form") for engine in (BASELINE, CONSTANT)]
    if forms != ["onnx", "onnx"]:
        say("bench: kernels do not correspond, as not both forms are of the ONNX file")
        return []
    try:
        return symbolic_kernels.compare(run.files, name, threads)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        say(f"bench: no profile: {error}")
        return []


def run_all(arguments: argparse.Namespace) -> dict[str, Any]:
    load = machine.load_average()
    if load > BUSY:
        say(f"bench: the machine is busy (load average {load}); times are good for trying only")
    made = make_models(arguments.models, KINDS[arguments.results].maker, FOLDER / "engines.log")
    cases = [case for name in arguments.models for case in cases_of(made[name])]
    budget, measured, rows = Budget(arguments), [machine.measure(arguments.threads)], []
    compiled: dict[str, dict[str, Any]] = {}  # what compiling a symbolic model gave: it serves all sizes
    for i, facts in enumerate(cases):
        name = facts["name"]
        seconds = budget.rounds_seconds(len(cases) - i)
        if "error" in facts or seconds == 0:
            rows.append({"name": name, "reason": facts.get("error", "no time was left"), "engines": {}, "timings": []})
            continue
        say(f"bench: {i + 1}/{len(cases)} {name}, {seconds:.1f} s of rounds by each thread count")
        begin = time.monotonic()
        files = facts.get("files", name)
        rows.append(run_model({**facts, **compiled.get(files, {})}, arguments, seconds))
        own = rows[-1]["engines"][BASELINE]
        if "form" in own:
            compiled[files] = {"compiled": {k: own[k] for k in ("compile_seconds", "form", "refused") if k in own}}
        budget.spent(time.monotonic() - begin, seconds * len(arguments.threads))
        measured.append(machine.measure(arguments.threads))
    limits = machine.best(measured)
    for row in rows:
        with_shares(row["timings"], row, limits)
    return {
        "format": 1,
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        **machine.commit(),
        "machine": {**machine.describe(), "load_average": load},
        "versions": {name: ENGINES[name].version() for name in arguments.engines if ENGINES[name].package},
        "settings": {k: getattr(arguments, k) for k in SETTINGS},
        "limits": limits,
        "models": rows,
    }


def main(argv: Sequence[str]) -> int:
    arguments = parse(argv)
    FOLDER.mkdir(parents=True, exist_ok=True)
    try:
        result = run_all(arguments)
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"bench: {Path(error.cmd[0]).name} failed: {(error.stderr or '').strip()}") from None
    except KeyboardInterrupt:
        raise SystemExit("bench: interrupted; nothing is written") from None
    name = arguments.results
    reporter = KINDS[name].reporter
    if name in ("symbolic", "trained"):
        result["bounds"] = reporter.by_threads(result)
    (FOLDER / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n")
    (FOLDER / f"{name}.md").write_text(reporter.markdown(result))
    (FOLDER / f"{name}.svg").write_text(draw(result))
    print(reporter.terminal(result))
    print(f"\nwritten: build/bench/{name}.json, {name}.md, {name}.svg")
    if arguments.record:
        with HISTORY.open("a") as history:
            history.write(history_line(result))
        print("recorded: bench/history.jsonl")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
