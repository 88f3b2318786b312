"""`make demo`: compiles model files to artifacts, runs them, compares and times them. It needs no framework."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from drawn_models import draw_input, recipe, recorded_output, write_onnx
from load_time import measure
from programs import MODELS, SUNMAO, Array, compile_model, example, read_tensors, run

WIDTH = 78
COLOR = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
ABSOLUTE, RELATIVE = 1e-5, 1e-4  # tolerances for float32
PROCESSES, PROCESSES_OF_NETWORKS = 10, 3
NETWORK_TOLERANCE = 1e-4  # of the largest number
NETWORKS = ("mobilenet", "bert")
BAR = 24  # characters


def paint(code: str, text: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if COLOR else text


class Progress:
    """A bar in the last line of a terminal, taken away before a line is printed; nothing where there is no terminal."""

    def __init__(self, steps: int) -> None:
        self._steps, self._done = steps, 0

    def show(self, doing: str) -> None:
        if COLOR:
            full = BAR * self._done // self._steps
            bar = paint("36", "━" * full) + paint("2", "━" * (BAR - full))
            print(f"\r\x1b[K {bar} {self._done}/{self._steps} {doing}", end="", flush=True)
        self._done += 1

    def clear(self) -> None:
        if COLOR:
            print("\r\x1b[K", end="", flush=True)


def box(*lines: str) -> None:
    print(paint("36", "╭" + "─" * (WIDTH - 2) + "╮"))
    for line in lines:
        print(paint("36", "│ ") + line.ljust(WIDTH - 4) + paint("36", " │"))
    print(paint("36", "╰" + "─" * (WIDTH - 2) + "╯"))


def step(title: str, text: str) -> None:
    print(f" {paint('1', title.ljust(9))} {text}")


def more(text: str) -> None:
    print(" " * 11 + text)


def tick(good: bool) -> str:
    return paint("32", "✓") if good else paint("31", "✗")


def size(count: int) -> str:
    return f"{count:,} bytes"


def show_compilation(model: Path, artifact: Path) -> None:
    report = compile_model(model, artifact)
    source = model.stat().st_size
    step("compile", f"{model.name} ({size(source)}) → {artifact.name} ({size(report['bytes'])})")
    more(paint("2", "  ".join(f"{e['name']} {e['bytes']:,}" for e in report["entries"])))


def show_signature(artifact: Path) -> None:
    def text(value: dict[str, Any]) -> str:
        dims = [d["symbol"] if isinstance(d, dict) else str(d) for d in value["dims"]]
        return f"{value['name']}: {value['dtype']} ({', '.join(dims)})"

    function = json.loads(run(SUNMAO, "inspect", artifact, "--json"))["functions"][0]
    inputs, outputs = (", ".join(map(text, function[key])) for key in ("inputs", "outputs"))
    step("signature", f"{function['name']}({inputs}) → {outputs}")


def run_in_c(artifact: Path, x: Array) -> Array:
    """Runs examples/run_model, a C program on the runtime alone."""
    raw = artifact.with_suffix(".raw")
    raw.write_bytes(x.tobytes())
    first, *numbers = run(example("run_model"), artifact, raw).splitlines()
    return np.array(numbers, np.float32).reshape([int(n) for n in first.split()[2:]])


def show_numbers(artifact: Path, recording: dict[str, Array]) -> bool:
    step("run", "a C program on the runtime alone, against what PyTorch recorded")
    all_good = True
    for name in (n for n in recording if n.endswith("input.0")):
        x, expected = recording[name], recording[name.replace("input", "output")]
        got = run_in_c(artifact, x)
        good = np.allclose(got, expected, rtol=RELATIVE, atol=ABSOLUTE)
        error = float(np.max(np.abs(got - expected)))
        more(
            f"{tick(good)} batch {x.shape[0]:>3}   largest error {error:.1e}   {got.shape[0]} × {got.shape[1]} numbers"
        )
        all_good &= good
    return all_good


def show_evaluator(model: Path, recording: Path) -> bool:
    command = [str(SUNMAO), "run", str(model), "--evaluate", "--expect", str(recording), "--json"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    good = result.returncode == 0
    step("evaluator", f"{tick(good)} the reference evaluator gives the same numbers from the graph alone")
    return good


def show_times(artifact: Path) -> None:
    times = measure(artifact, PROCESSES)
    step("time", f"{times['load_to_first_result_ms']:.2f} ms from opening the artifact to the first result")
    more(paint("2", f"median of {PROCESSES} fresh processes; {times['run_us']:.2f} µs a call after that"))


def show_network(name: str, folder: Path, progress: Progress) -> bool:
    """A real architecture: drawn weights, the artifact, numbers against PyTorch's, times."""
    facts = recipe(name)
    print(paint("1", f"\n{facts['title']}"))
    progress.show(f"{name}: drawing weights")
    model = write_onnx(name, folder)
    x, expected = draw_input(facts["seed"], facts["input"]), recorded_output(name)
    progress.show(f"{name}: compiling")
    artifact, begin = folder / f"{name}.sunmao", time.perf_counter()
    report = compile_model(model, artifact)
    seconds = time.perf_counter() - begin
    progress.show(f"{name}: running")
    got = run_in_c(artifact, x)
    progress.show(f"{name}: timing")
    times = measure(artifact, PROCESSES_OF_NETWORKS)
    progress.clear()

    count = sum(int(np.prod(row["shape"])) for row in facts["weights"])
    same_shape = got.shape == expected.shape
    error = float(np.max(np.abs(got - expected)) / np.max(np.abs(expected))) if same_shape else float("inf")
    good = error <= NETWORK_TOLERANCE
    step("weights", f"{count:,} drawn from a seed: {size(4 * count)}; graph: {size(model.stat().st_size)}")
    step("compile", f"{model.name} → {artifact.name} ({size(report['bytes'])}) in {seconds:.1f} s")
    step("run", f"{tick(good)} {got.size:,} numbers in C; largest error {error:.1e} of PyTorch's largest")
    call = f"{times['run_us'] / 1000:.1f} ms a call"
    step("time", f"{times['load_to_first_result_ms']:.1f} ms from opening it to the first result; {call}")
    return good


def show_networks(folder: Path) -> bool:
    progress = Progress(4 * len(NETWORKS))
    return all([show_network(name, folder, progress) for name in NETWORKS])


def main() -> int:
    box(
        "Sunmao: a model file becomes one small artifact, run by a small library",
        "mlp.onnx → graph → kernels → machine code → mlp.sunmao → numbers",
    )
    with tempfile.TemporaryDirectory() as folder:
        model, artifact = MODELS / "mlp.onnx", Path(folder) / "mlp.sunmao"
        recorded = MODELS / "mlp.onnx.safetensors"
        print(paint("1", "\nA small network with a symbolic batch"))
        show_compilation(model, artifact)
        show_signature(artifact)
        good = show_numbers(artifact, read_tensors(recorded))
        good &= show_evaluator(model, recorded)
        show_times(artifact)
        print(paint("1", "\nLinear(128, 512) with bias: 264,192 bytes of weights"))
        linear = Path(folder) / "linear.sunmao"
        show_compilation(MODELS / "linear_128_512.onnx", linear)
        show_signature(linear)
        show_times(linear)
        good &= show_networks(Path(folder))
    print()
    print(f" {tick(good)} {'All numbers agree.' if good else 'Some numbers differ: see above.'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
