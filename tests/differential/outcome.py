"""What becomes of one exported model: compiled, run on its examples, and compared, in a process of its own.

python tests/differential/outcome.py FOLDER     prints the outcome as JSON
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from comparing import Array, difference, error_beyond, error_of, is_float, outputs_of

HERE = Path(__file__).resolve().parent
SECONDS = 300
# From the best to the worst. Only the first two may stand in the table of what is expected.
KINDS = ("pass", "refused", "wrong", "failed", "hung", "crashed")


@dataclass(frozen=True)
class Outcome:
    """`kind` is one of KINDS, or "skipped" where there is no such export. `refused` is an error with a code while the
    model is compiled; any other exception, and one of a run, is "failed". `build` tells the extension
    that gave the outcome from others. `error` is the largest of float outputs, relative to their scale."""

    kind: str
    detail: str = ""
    seconds: float = 0.0
    build: str = ""
    error: float = 0.0

    def is_worse_than(self, expected: str) -> bool:
        return self.kind != "skipped" and KINDS.index(self.kind) > KINDS.index(expected)


def build_of(python: Path = HERE.parents[1] / "python") -> str:
    """Returns a mark of the extension that stands in the tree: two builds never share one."""
    return ",".join(f"{p.stat().st_mtime_ns}:{p.stat().st_size}" for p in sorted(python.glob("sunmao/_sunmao*.so")))


def _is_half(dtype: object) -> bool:
    return str(dtype) in ("float16", "bfloat16")


def _compare(got: list[Array], example: dict[str, list[Array]], tolerance: float) -> str:
    """Returns what is wrong, or nothing. Half types may err twice as much as the reference does, both against float64;
    so may float32 beyond the tolerance, where float64 is known."""
    want = example["output"]
    if len(got) != len(want):
        return f"{len(got)} outputs, expected {len(want)}"
    for i, (g, w) in enumerate(zip(got, want, strict=True)):
        precise = example["precise"][i] if "precise" in example else None
        if precise is not None and precise.dtype.kind == "f" and _is_half(w.dtype):
            if g.dtype != w.dtype or g.shape != w.shape:
                return difference(g, w, tolerance, f"output {i}")
            if text := error_beyond(g, w, precise):
                return f"output {i}: {text}"
        elif text := difference(g, w, tolerance, f"output {i}"):
            is_comparable = precise is not None and str(g.dtype) == str(w.dtype) == "float32" and g.shape == w.shape
            if not is_comparable or error_beyond(g, w, precise):
                return text
    return ""


def _largest_error(got: list[Array], want: list[Array]) -> float:
    return max((error_of(g, w) for g, w in zip(got, want, strict=True) if is_float(w)), default=0.0)


def _dims(folder: Path) -> dict[str, tuple[int, int]]:
    """Returns the sizes that the model is compiled for, of dimensions that are dynamic in its file."""
    path = folder / "dims.json"
    return {n: (s, s) for n, s in json.loads(path.read_text()).items()} if path.exists() else {}


def outcome_here(folder: Path) -> Outcome:
    """Compiles and runs in this process."""
    import sunmao
    from export_files import load_examples

    tolerance, examples = load_examples(folder)
    path = next(p for p in folder.glob("model.*") if p.suffix in (".pt2", ".onnx"))
    error, precisely = 0.0, ""
    try:
        model = sunmao.compile(path, threads=1, dims=_dims(folder))
    except sunmao.Error as error:
        return Outcome("refused", str(error)) if error.code else Outcome("failed", f"an error without a code: {error}")
    except Exception as error:
        return Outcome("failed", f"{type(error).__name__}: {error}")
    for i, example in enumerate(examples):
        shapes = ", ".join(str(a.shape) for a in example["input"])
        try:
            got = outputs_of(model.flat(*example["input"], *model.states.values()))
            got = got[: len(got) - len(model.states)]
        except Exception as error:
            return Outcome("failed", f"at {shapes}: {type(error).__name__}: {error}")
        if text := _compare(got, example, tolerance):
            return Outcome("wrong", f"example {i} at {shapes}: {text}")
        error = max(error, _largest_error(got, example["output"]))
        if "precise" in example:
            own, of_reference = (_largest_error(a, example["precise"]) for a in (got, example["output"]))
            precisely = f"against float64 {own:.1e}, the reference {of_reference:.1e}"
    return Outcome("pass", precisely, error=error)


def outcome_of(folder: Path) -> Outcome:
    """Compiles and runs in a process of its own, which may crash or hang."""
    skipped, build = folder / "skipped.txt", build_of()
    if skipped.exists():
        return Outcome("skipped", skipped.read_text(), build=build)
    try:
        command = [sys.executable, str(HERE / "outcome.py"), str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return Outcome("hung", f"more than {SECONDS} s", build=build)
    if done.returncode != 0:
        return Outcome("crashed", f"exit status {done.returncode}: {done.stderr[-2000:]}", build=build)
    return Outcome(**json.loads(done.stdout.splitlines()[-1]) | {"build": build})


def main() -> None:
    import time

    sys.path.insert(0, str(HERE.parents[1] / "python"))
    start = time.monotonic()
    found = outcome_here(Path(sys.argv[1]))
    print(json.dumps(asdict(found) | {"seconds": round(time.monotonic() - start, 2)}))


if __name__ == "__main__":
    main()
