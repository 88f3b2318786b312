"""Compiles the same models by two builds, and tells what differs: modules by the pass after which they do, kernels by
their instructions, artifacts by their entries.

Usage: replay.py BASE [HEAD] [--class CLASS] [--time] [--json FILE] [--only WORD,...]

BASE and HEAD are revisions, which are built in build/replay, or `sunmao` programs; HEAD is this tree's release build
unless it is given. A change has one of three classes, and the tool ends with 1 where it finds a higher one than CLASS:

- move: no byte of any artifact differs
- rewrite: artifacts differ, and the instructions of all kernels are the same
- change: kernels differ

`--time` runs the kernels that differ, before and after in turn, on one thread: ratios of their fastest calls, the
median of rounds with the interval that holds it with 95 % probability.

The corpus: tests/models, the models of the bench and the exported models of the zoo that there are, modules of one op
each, and random modules.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from rounds import median_interval  # noqa: E402

FOLDER = ROOT / "build" / "replay"
RELEASE = ROOT / "build" / "release"
OBJDUMP = "/usr/lib/llvm-19/bin/llvm-objdump"
TARGETS = "x86-64-v3,x86-64-v4"
CLASSES = ("move", "rewrite", "change")
CALLS, MODULES = 600, 200  # that are drawn
SECONDS = 600  # that one model may take
ROUNDS = 9
RUNS = 5  # of a model in a round
LISTED = 30  # names that a report gives of each kind
CONSTANTS = "(constants)"

Kernel = tuple[str, str]  # instruction set, name


@dataclass
class Reading:
    """What a build made of a model."""

    status: int
    message: str  # of a model that is refused
    modules: list[tuple[str, str]] = field(default_factory=list)  # a pass, and the digest of the module after it
    entries: dict[str, str] = field(default_factory=dict)  # the digest of each entry of the artifact
    kernels: dict[Kernel, str] = field(default_factory=dict)  # the digest of each kernel's instructions


@dataclass
class Difference:
    model: str
    first_pass: str | None = None  # after which the modules differ
    refusal: str | None = None  # where the builds do not refuse alike
    kernels: list[Kernel] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)

    @property
    def kind(self) -> str:
        return "change" if self.refusal or self.kernels else "rewrite" if self.entries else "move"


def run(*command: object, seconds: float | None = None) -> subprocess.CompletedProcess[str]:
    words = [str(word) for word in command]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=seconds)


def checked(*command: object) -> str:
    done = run(*command)
    if done.returncode != 0:
        sys.exit(f"replay.py: {' '.join(str(word) for word in command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def program_of(build: str) -> Path:
    """Returns the `sunmao` of a program's path or of a revision, which is built where it is not there."""
    if Path(build).is_file():
        return Path(build).resolve()
    commit = checked("git", "-C", ROOT, "rev-parse", "--verify", f"{build}^{{commit}}").strip()
    tree = FOLDER / commit[:12]
    program = tree / "build" / "release" / "bin" / "sunmao"
    if not program.exists():
        if not tree.exists():
            checked("git", "-C", ROOT, "worktree", "add", "--detach", tree, commit)
        settings = [
            "-DCMAKE_BUILD_TYPE=Release",
            "-DCMAKE_CXX_COMPILER=g++",
            "-DCMAKE_C_COMPILER=gcc",
            "-DSUNMAO_TESTS=OFF",
            "-DSUNMAO_PYTHON=OFF",
        ]
        checked("cmake", "-S", tree, "-B", tree / "build" / "release", "-G", "Ninja", *settings)
        checked("cmake", "--build", tree / "build" / "release", "--target", "sunmao")
    return program


def kept(program: Path, name: str) -> Path:
    """Returns a copy of a program, which a build during the run does not change."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(program, FOLDER / name))


def drawn() -> list[Path]:
    """Returns the drawn modules. They are those of this tree, so that both builds read the same ones."""
    folder = FOLDER / "drawn"
    shutil.rmtree(folder, ignore_errors=True)  # of a run that drew more
    folder.mkdir(parents=True)
    checked("cmake", "--build", RELEASE, "--target", "draw_modules")
    checked(RELEASE / "tests" / "random" / "draw_modules", folder, CALLS, MODULES)
    return sorted(folder.glob("*.py"))


def corpus() -> list[tuple[str, Path]]:
    """Returns the name and the file of each model."""
    files = [p for p in sorted((ROOT / "tests" / "models").iterdir()) if p.suffix in (".onnx", ".pt2", ".py")]
    out = [(f"tests/{path.name}", path) for path in files]
    out += [(f"bench/{path.stem}", path) for path in sorted((ROOT / "build" / "bench" / "models").glob("*.onnx"))]
    exported = (ROOT / "build" / "differential" / "models").glob("*/model.*")
    out += [(f"zoo/{p.parent.name}", p) for p in sorted(exported) if p.suffix in (".onnx", ".pt2")]
    return out + [(f"drawn/{path.stem}", path) for path in drawn()]


def digest(data: str | bytes) -> str:
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()[:16]


def instructions(isa: str, elf: Path) -> dict[Kernel, str]:
    """Returns the digest of each function's instructions, without where they and their constants lie."""
    text = checked(OBJDUMP, "--disassemble", "--no-show-raw-insn", "--no-leading-addr", elf)
    out = {}
    for name, body in re.findall(r"^<([^>]+)>:\n((?:[ \t].*\n?)*)", text, re.MULTILINE):
        lines = re.sub(r"[-+]?0x[0-9a-f]+\(%rip\)", "(%rip)", re.sub(r"\s*#.*$", "", body, flags=re.MULTILINE))
        out[isa, name] = digest(re.sub(r"0x[0-9a-f]+ <([^>]*)>", r"<\1>", lines).rstrip())
    found = checked(OBJDUMP, "--full-contents", "--section=.rodata", elf)
    words = [" ".join(line.split()[1:5]) for line in found.splitlines() if line.startswith(" ")]
    out[isa, CONSTANTS] = digest("\n".join(words))
    return out


def read(program: Path, model: Path) -> Reading:
    with tempfile.TemporaryDirectory() as folder:
        artifact = Path(folder) / "model.sunmao"
        command = (program, "compile", model, "-o", artifact, "--target", TARGETS, "--dump-after", "all")
        try:
            done = run(*command, seconds=SECONDS)
        except subprocess.TimeoutExpired:
            return Reading(-1, f"not done in {SECONDS} seconds")
        if done.returncode != 0:
            return Reading(done.returncode, (re.findall(r"error\[(\w+)\]", done.stderr) or [done.stderr])[0])
        parts = re.split(r"^# after (\S+)\n", done.stderr, flags=re.MULTILINE)
        made = Reading(0, "")
        runs: Counter[str] = Counter()
        for name, text in zip(parts[1::2], parts[2::2], strict=True):
            runs[name] += 1
            made.modules.append((name if runs[name] == 1 else f"{name} ({runs[name]})", digest(text)))
        with zipfile.ZipFile(artifact) as packed:
            for name in packed.namelist():
                data = packed.read(name)
                made.entries[name] = digest(data)
                if name.startswith("code/"):
                    elf = Path(folder) / "code.elf"
                    elf.write_bytes(data)
                    made.kernels |= instructions(name.removeprefix("code/"), elf)
        return made


def compare(model: str, base: Reading, head: Reading) -> Difference | None:
    """Returns how two readings differ; None where they do not."""
    if (base.status, base.message) != (head.status, head.message):
        said = [r.message or "compiled" for r in (base, head)]
        return Difference(model, refusal=f"{said[0]}, then {said[1]}")
    before, after = dict(base.modules), dict(head.modules)
    changed = next((name for name, text in head.modules if before.get(name) != text), None)
    kernels = sorted(k for k in base.kernels.keys() | head.kernels.keys() if base.kernels.get(k) != head.kernels.get(k))
    names = base.entries.keys() | head.entries.keys()
    entries = sorted(name for name in names if base.entries.get(name) != head.entries.get(name))
    gone = next((name for name in before if name not in after), None)
    first_pass = changed or gone
    if not (first_pass or kernels or entries):
        return None
    return Difference(model, first_pass, None, kernels, entries)


def fastest_calls(program: Path, model: Path) -> dict[str, float]:
    """Returns the seconds of the fastest call of each kernel of a model."""
    done = run(program, "profile", model, "--threads", "1", "--repeat", RUNS, "--json", "-", seconds=SECONDS)
    if done.returncode != 0:
        return {}
    return {kernel["name"]: kernel["seconds_fastest"] for kernel in json.loads(done.stdout)["kernels"]}


@dataclass
class Timed:
    model: str
    kernel: str
    seconds: float  # before
    ratio: float
    interval: tuple[float, float] | None


def timed(programs: Sequence[Path], model: str, file: Path, kernels: Sequence[str]) -> Iterator[Timed]:
    """Times kernels of a model by both builds in turn; those that one of them has not are left out."""
    rounds: list[list[dict[str, float]]] = []
    with tempfile.TemporaryDirectory() as folder:
        artifacts = [Path(folder) / f"{i}.sunmao" for i in range(2)]
        for program, artifact in zip(programs, artifacts, strict=True):
            if run(program, "compile", file, "-o", artifact, seconds=SECONDS).returncode != 0:
                return
        for turn in range(ROUNDS):
            order = (0, 1) if turn % 2 == 0 else (1, 0)
            calls = {i: fastest_calls(programs[i], artifacts[i]) for i in order}
            rounds.append([calls[0], calls[1]])
    for kernel in kernels:
        if all(kernel in calls and calls[kernel] > 0 for pair in rounds for calls in pair):
            ratios = [head[kernel] / base[kernel] for base, head in rounds]
            seconds = min(base[kernel] for base, _ in rounds)
            yield Timed(model, kernel, seconds, statistics.median(ratios), median_interval(ratios))


def listed(names: Sequence[str]) -> str:
    more = f", and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more


def report(count: int, refused: int, differences: Sequence[Difference], times: Sequence[Timed]) -> str:
    lines = [f"{count} models, of which both builds refuse {refused}; {len(differences)} differ"]
    passes = Counter(d.first_pass for d in differences if d.first_pass)
    for name, number in passes.most_common():
        models = [d.model for d in differences if d.first_pass == name]
        lines.append(f"  modules differ after {name}: {number}: {listed(models)}")
    if refusals := [d for d in differences if d.refusal]:
        lines += [f"  refused otherwise: {d.model}: {d.refusal}" for d in refusals[:LISTED]]
    kernels = [f"{d.model} {name} ({isa})" for d in differences for isa, name in d.kernels]
    if kernels:
        lines.append(f"  kernels whose instructions differ: {len(kernels)}: {listed(kernels)}")
    if times:
        slower = sorted((t for t in times if t.interval and t.interval[1] > 1.05), key=lambda t: -t.ratio)
        ratio = statistics.geometric_mean(t.ratio for t in times)
        before = sum(t.seconds for t in times)
        after = sum(t.seconds * t.ratio for t in times)
        lines.append(
            f"  {len(times)} kernels timed: geometric mean of after / before {ratio:.3f}, of sums {after / before:.3f}"
        )
        lines.append(f"  kernels whose interval ends above 1.05: {len(slower)}")
        for t in slower[:LISTED]:
            assert t.interval
            interval = f"[{t.interval[0]:.3f}, {t.interval[1]:.3f}]"
            lines.append(f"    {t.ratio:.3f} {interval} of {t.seconds * 1e6:.1f} us: {t.model} {t.kernel}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base")
    parser.add_argument("head", nargs="?", default=str(RELEASE / "bin" / "sunmao"))
    parser.add_argument(
        "--class", dest="allowed", choices=CLASSES, default="change", help="the class that the change has"
    )
    parser.add_argument("--time", action="store_true", help="time the kernels that differ")
    parser.add_argument("--json", type=Path, help="where all that differs is written")
    parser.add_argument("--only", default="", help="models whose names have one of these words")
    options = parser.parse_args()
    programs = [kept(program_of(options.base), "base"), kept(program_of(options.head), "head")]
    words = options.only.split(",")
    models = [(name, file) for name, file in corpus() if any(word in name for word in words)]

    def read_both(item: tuple[str, Path]) -> tuple[Reading, Reading]:
        return read(programs[0], item[1]), read(programs[1], item[1])

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        readings = list(pool.map(read_both, models))
    pairs = list(zip(models, readings, strict=True))
    differences = [d for (name, _), (base, head) in pairs if (d := compare(name, base, head))]
    times: list[Timed] = []
    if options.time:
        files = dict(models)
        for d in differences:
            times += timed(programs, d.model, files[d.model], sorted({name for _, name in d.kernels}))
    refused = sum(base.status != 0 and head.status != 0 for base, head in readings)
    print(report(len(models), refused, differences, times))
    found = max((d.kind for d in differences), key=CLASSES.index, default="move")
    print(f"class: {found}")
    if options.json:
        what = {"class": found, "differences": [vars(d) for d in differences], "times": [vars(t) for t in times]}
        options.json.write_text(json.dumps(what, indent=1))
    return int(CLASSES.index(found) > CLASSES.index(options.allowed))


if __name__ == "__main__":
    sys.exit(main())
