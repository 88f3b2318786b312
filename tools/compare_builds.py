"""Times scripts on this build relative to another build and prints the ratios as JSON.

Usage: compare_builds.py --before DIR [--rounds N] [--threads N]

DIR is a checkout with a release build, such as that of the commit before a change. Each build compiles and runs in a
process of its own; the processes alternate, so that both see the same machine load. A ratio is the median over rounds.
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


def function(params: list[str], lines: list[str]) -> str:
    symbols = [line for line in lines if line.endswith("T.int64()")]
    body = [f"            {line}" for line in lines if line not in symbols]
    start = [f"    def main({', '.join(params)}):", *(f"        {s}" for s in symbols), "        with R.dataflow():"]
    return HEAD + "\n".join([*start, *body, "            y = h", "            R.output(y)", "        return y", ""])


SCRIPTS = {"mlp": mlp, "bert": bert, "embedding": embedding}


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
                else random.integers(0, 30000, shape)
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


def measure(before: Path, rounds: int, threads: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--work", "--threads", str(threads)]
    builds = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                         env={"PYTHONPATH": str(folder / "python"), "PATH": ""})
        for folder in (ROOT, before)
    ]  # fmt: skip

    def ask(build: "subprocess.Popen[str]", name: str) -> float:
        assert build.stdin and build.stdout
        build.stdin.write(f"{name}\n")
        build.stdin.flush()
        return float(build.stdout.readline())

    shares: dict[str, float] = {}
    for name in SCRIPTS:
        ratios = []
        for turn in range(rounds):
            order = builds if turn % 2 == 0 else builds[::-1]
            times = {id(build): ask(build, name) for build in order}
            ratios.append(times[id(builds[0])] / times[id(builds[1])])
        shares[name] = round(statistics.median(ratios), 4)
    for build in builds:
        build.communicate()
    return shares


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--rounds", type=int, default=25)
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
