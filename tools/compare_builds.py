"""Times scripts on this build relative to another build and prints the ratios as JSON.

Usage: compare_builds.py --before DIR [--rounds N] [--threads N]

DIR is a checkout with a release build, such as that of the commit before a change. Each build compiles and runs in a
process of its own; the processes alternate, so that both see the same machine load, and new ones replace them after a
few rounds, since where a process's memory lies counts too. A ratio is the median over rounds, and `intervals` has the
interval that holds it with 95 % probability. `most` is the largest ratio, `most_interval` its interval.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "bench"))
ROUNDS_OF_PAIR = 4
Inputs = list[tuple[tuple[int, ...], str]]
HEAD = "from tvm.script import ir as I, relax as R, tirx as T\n\n@I.ir_module\nclass Module:\n    @R.function\n"


def mlp() -> tuple[str, Inputs]:
    """An MLP, 784 to 512 to 512 to 10, at a batch of 64 that is symbolic."""
    sizes = [784, 512, 512, 10]
    pairs = list(zip(sizes, sizes[1:], strict=False))
    params = ['x: R.Tensor(("b", 784), "float32")']
    params += [
        f'w{i}: R.Tensor(({m}, {n}), "float32"), c{i}: R.Tensor(({n},), "float32")' for i, (m, n) in enumerate(pairs)
    ]
    lines = ["h = x"]
    for i in range(len(pairs)):
        lines += [f"h = R.add(R.matmul(h, w{i}), c{i})", "h = R.nn.relu(h)"]
    inputs: Inputs = [((64, 784), "float32")]
    for m, n in pairs:
        inputs += [((m, n), "float32"), ((n,), "float32")]
    return function(params, lines), inputs


def bert() -> tuple[str, Inputs]:
    """Two layers of a BERT shape: width 256, 4 heads, 128 tokens, a batch of 2 that is symbolic."""
    params = ['x: R.Tensor(("b", 128, 256), "float32")']
    inputs: Inputs = [((2, 128, 256), "float32")]
    lines = ["h = x"]

    def weight(name: str, *shape: int) -> str:
        params.append(f'{name}: R.Tensor({shape}, "float32")')
        inputs.append((shape, "float32"))
        return name

    for i in range(2):
        for part in "qkv":
            lines.append(
                f"{part} = R.add(R.matmul(h, {weight(f'w{part}{i}', 256, 256)}), {weight(f'c{part}{i}', 256)})"
            )
            lines.append(f"{part} = R.reshape({part}, (b, 128, 4, 64))")
        lines.append("a = R.reshape(R.nn.attention(q, k, v), (b, 128, 256))")
        lines.append(f"a = R.add(h, R.matmul(a, {weight(f'wo{i}', 256, 256)}))")
        lines.append(f"h = R.nn.layer_norm(a, {weight(f'g{i}', 256)}, {weight(f's{i}', 256)}, axes=[-1])")
        lines.append(f"f = R.nn.gelu(R.matmul(h, {weight(f'wf{i}', 256, 1024)}))")
        lines.append(f"h = R.add(h, R.matmul(f, {weight(f'wp{i}', 1024, 256)}))")
    return function(params, ["b = T.int64()", *lines]), inputs


def embedding() -> tuple[str, Inputs]:
    """A gather of 512 rows from a table of 30,000 x 768."""
    params = ['x: R.Tensor((30000, 768), "float32"), i: R.Tensor((512,), "int64")']
    return function(params, ["h = R.take(x, i, axis=0)"]), [((30000, 768), "float32"), ((512,), "int64")]


def scatter() -> tuple[str, Inputs]:
    """Writes of 262,144 elements to places that indices name."""
    shape = (512, 512)
    params = [f'x: R.Tensor({shape}, "float32"), i: R.Tensor({shape}, "int64"), u: R.Tensor({shape}, "float32")']
    return function(params, ["h = R.scatter_elements(x, i, u, axis=0)"]), [
        (shape, "float32"),
        (shape, "int64"),
        (shape, "float32"),
    ]


def cache() -> tuple[str, Inputs]:
    """Writes of 64 rows of 128 to a cache of 1,024."""
    params = ['x: R.Tensor((1024, 128), "float32"), i: R.Tensor((64,), "int64"), u: R.Tensor((64, 128), "float32")']
    return function(params, ["h = R.index_put(x, (i,), u)"]), [
        ((1024, 128), "float32"),
        ((64,), "int64"),
        ((64, 128), "float32"),
    ]


def function(params: list[str], lines: list[str]) -> str:
    symbols = [line for line in lines if line.endswith("T.int64()")]
    body = [f"            {line}" for line in lines if line not in symbols]
    start = [f"    def main({', '.join(params)}):", *(f"        {s}" for s in symbols), "        with R.dataflow():"]
    return HEAD + "\n".join([*start, *body, "            y = h", "            R.output(y)", "        return y", ""])


SCRIPTS = {"mlp": mlp, "bert": bert, "embedding": embedding, "scatter": scatter, "cache": cache}


def work(threads: int) -> None:
    """Worker process of one build: for each script name on its input, prints the median time of several runs."""
    import numpy as np
    import sunmao

    random = np.random.default_rng(0)
    ready: dict[str, tuple[Any, list[Any]]] = {}
    for line in sys.stdin:
        name = line.strip()
        if name not in ready:
            script, inputs = SCRIPTS[name]()
            model = sunmao.compile(sunmao.parse_module(script), threads=threads)
            values = [
                random.standard_normal(shape, dtype=np.float32)
                if dtype == "float32"
                else random.integers(0, inputs[0][0][0], shape)
                for shape, dtype in inputs
            ]
            ready[name] = model, values
            for _ in range(10):
                model(*values)
        model, values = ready[name]
        times = []
        end = time.perf_counter() + 0.2
        while time.perf_counter() < end:
            begin = time.perf_counter()
            model(*values)
            times.append(time.perf_counter() - begin)
        print(statistics.median(times), flush=True)


class Pair:
    """Two processes, one of each build, which are asked in turn."""

    def __init__(self, folders: list[Path], threads: int) -> None:
        command = [sys.executable, __file__, "--work", "--threads", str(threads)]
        self.processes = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                             env={"PYTHONPATH": str(folder / "python"), "PATH": ""})
            for folder in folders
        ]  # fmt: skip

    def ratio(self, name: str, turn: int) -> float:
        times = {}
        for i in (0, 1) if turn % 2 == 0 else (1, 0):
            process = self.processes[i]
            assert process.stdin and process.stdout
            process.stdin.write(f"{name}\n")
            process.stdin.flush()
            times[i] = float(process.stdout.readline())
        return times[0] / times[1]

    def close(self) -> None:
        for process in self.processes:
            process.communicate()


def measure(before: Path, rounds: int, threads: int) -> dict[str, Any]:
    from rounds import median_interval

    ratios: dict[str, list[float]] = {name: [] for name in SCRIPTS}
    for start in range(0, rounds, ROUNDS_OF_PAIR):
        pair = Pair([ROOT, before], threads)
        for name, values in ratios.items():
            values += [pair.ratio(name, turn) for turn in range(start, min(start + ROUNDS_OF_PAIR, rounds))]
        pair.close()
    medians = {name: round(statistics.median(values), 4) for name, values in ratios.items()}
    intervals = {name: median_interval(values) or (min(values), max(values)) for name, values in ratios.items()}
    ends = {name: [round(end, 4) for end in interval] for name, interval in intervals.items()}
    most = max(medians, key=lambda name: medians[name])
    return {**medians, "intervals": ends, "most": medians[most], "most_script": most, "most_interval": ends[most]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.work:
        work(args.threads)
    elif args.before is None or not (args.before / "python/sunmao").is_dir():
        parser.error("--before: the folder of a checkout with a release build")
    else:
        print(json.dumps(measure(args.before.resolve(), args.rounds, args.threads)))


if __name__ == "__main__":
    main()
