"""One model through all engines: load, check against the expected outputs, then rounds for each number of threads."""

from __future__ import annotations

import functools
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench_worker import reason
from engines import ENGINES, Files
from machine import BUILD
from rounds import TURN, Turn, play, plural, summary
from workers import EngineFailed, Worker

BASELINE = "sunmao"
CONSTANT = "constant"  # the same with numbers for the symbols of a model
TOLERANCE = 1e-4  # of the largest number that PyTorch gives; the facts of a quantised model have their own
LOAD_LIMIT = 180.0  # seconds: importing, compiling, loading
CALL_LIMIT = 30.0  # seconds: a slower call is cut off


def compile_for_sunmao(files: Files, forms: Sequence[str], options: Sequence[str] = ()) -> dict[str, Any]:
    """Compiles the first of these forms that `sunmao compile` takes, and says why it refused the one before."""
    artifact, refusal = files.form("sunmao"), ""
    artifact.unlink(missing_ok=True)
    for form in forms:
        begin = time.perf_counter()
        command = [
            str(BUILD / "bin" / "sunmao"),
            "compile",
            str(files.form(form)),
            "-o",
            str(artifact),
            "--json",
            *options,
        ]
        try:
            run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LOAD_LIMIT)
        except subprocess.TimeoutExpired:
            raise EngineFailed(f"not compiled after {LOAD_LIMIT:.0f} s") from None
        if run.returncode == 0:
            done = {"compile_seconds": time.perf_counter() - begin, "form": form}
            return {**done, "refused": refusal} if refusal else done
        refusal = refusal or reason(Exception(run.stderr or f"exit status {run.returncode}"))
    raise EngineFailed(refusal)


class ModelRun:
    """The workers of one model; leaving the `with` ends them."""

    def __init__(self, facts: dict[str, Any], folder: Path, log: Path) -> None:
        self._facts, self._log = facts, log
        self.files = Files(folder, facts.get("files", facts["name"]), facts.get("size", ""))
        self._workers: dict[str, Worker] = {}
        self._threads: dict[str, int] = {}  # with which an engine has loaded the model and been checked
        self.engines: dict[str, dict[str, Any]] = {}  # what is measured once, or the reason why there is nothing
        self.timings: list[dict[str, Any]] = []

    def __enter__(self) -> ModelRun:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers.values():
            worker.close()

    def start(self, engine: str, threads: int) -> None:
        """Compiles where that is a step of its own, loads, makes the first call, and compares what it gives."""
        own = self.files.at_size() if engine == CONSTANT else self.files
        row = self.engines[engine] = {}
        if not ENGINES[engine].reads(self.files):
            return
        try:
            if engine in (BASELINE, CONSTANT):
                compiled = self._facts.get("compiled") if engine == BASELINE else None
                forms, options = self._facts.get("forms", ("onnx", "pt2")), self._facts.get("options", ())
                row.update(compiled or compile_for_sunmao(own, forms, options))
            self._workers[engine] = Worker(engine, self.files, self._log, LOAD_LIMIT)
            row["load_seconds"] = self._load(engine, threads)
            row["first_call_seconds"] = row["call_seconds"] = self._check(engine)
            row["peak_bytes"] = self._workers[engine].ask("memory", CALL_LIMIT)["peak_bytes"]
            row["artifact_bytes"] = own.bytes_of(*ENGINES[engine].deployed)
        except EngineFailed as error:
            self._drop(engine, str(error))

    def time(self, threads: int, seconds: float, seed: int) -> None:
        """Plays rounds of the engines that are left."""
        for engine in [e for e in self._workers if self._threads[e] != threads]:
            try:
                self._load(engine, threads)
                self.engines[engine]["call_seconds"] = self._check(engine)
            except EngineFailed as error:
                self._drop(engine, f"{plural(threads, 'thread')}: {error}")

        def turn(engine: str) -> Turn | None:
            try:
                return self._workers[engine].ask("turn", CALL_LIMIT, seconds=TURN)
            except EngineFailed as error:
                self._drop(engine, f"{plural(threads, 'thread')}: {error}")
                return None

        call_seconds = {engine: self.engines[engine]["call_seconds"] for engine in self._workers}
        turns = {engine: functools.partial(turn, engine) for engine in list(self._workers)}
        rounds = play(turns, call_seconds, seconds, seed)
        self.timings.append({"threads": threads, "engines": summary(rounds, BASELINE), "rounds": rounds})

    def _load(self, engine: str, threads: int) -> float:
        self._threads[engine] = threads
        return float(self._workers[engine].ask("load", LOAD_LIMIT, threads=threads)["seconds"])

    def _check(self, engine: str) -> float:
        answer = self._workers[engine].ask("check", CALL_LIMIT)
        row = self.engines[engine]
        row["difference"] = max(answer["difference"], row.get("difference", 0.0))
        if not answer["difference"] <= self._facts.get("tolerance", TOLERANCE):
            right = self._facts.get("reference", "PyTorch's")
            raise EngineFailed(f"its output differs from {right} by {answer['difference']:.1e} of its scale")
        return float(answer["seconds"])

    def _drop(self, engine: str, why: str) -> None:
        if engine in self._workers:
            self._workers.pop(engine).close()
        self.engines[engine]["reason"] = why


def with_shares(timings: Sequence[dict[str, Any]], facts: dict[str, Any], limits: Sequence[dict[str, Any]]) -> None:
    """Adds to each engine the share of the machine's FMA peak and bandwidth that it reaches. Bytes are those of weights
    alone, so the second is a lower bound. A model whose arithmetic is not counted has none."""
    if "flops" not in facts:
        return
    by_threads = {row["threads"]: row for row in limits}
    for timing in timings:
        limit = by_threads[timing["threads"]]
        bandwidth = max(limit["read_gb_s"], limit["triad_gb_s"])
        for row in timing["engines"].values():
            row["peak_share"] = facts["flops"] / row["seconds"] / 1e9 / limit["fma_gflops"]
            row["bandwidth_share"] = facts["bytes_read"] / row["seconds"] / 1e9 / bandwidth
