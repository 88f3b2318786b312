"""Writes docs/kernels.md: how the arithmetic of models falls on families of kernels, and what stays behind them.

Usage: kernel_shares.py [--json] [--models FOLDER] [NAME ...]

Profiles every exported model of the zoo (`python tests/differential/export.py` makes them) on one thread. A kernel
counts by its fastest call. `--json` prints the shares as one line and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "kernels.md"
EXPORTS = ROOT / "build" / "differential" / "models"
PROGRAM = Path(os.environ.get("SUNMAO_BUILD_DIR", ROOT / "build" / "release")) / "bin" / "sunmao"
FORMS = ("core", "onnx")
RUNS = 10
LISTED = 40  # kernels that the page names at most

FAMILIES = {
    "contraction": "sums of products: products of matrices, convolutions, einsums",
    "window": "sums and other reductions over windows: depthwise convolutions, pools",
    "row": "reductions along axes and what hangs on them: softmax, norms, attention",
    "scan": "recurrent layers",
    "map": "what has no reduction: elementwise, copies, permutations",
}

HEAD = """# Kernels

Written by `tools/kernel_shares.py`, which compiles the models of the zoo, runs them on one thread, and compares every
kernel with what its family is expected to reach: a share of the limit that binds it, the FMA peak or the bandwidth of
memory or cache, all measured in the same process (`sunmao profile`). A kernel counts by its fastest call.

The expected shares are those of `kExpected` in `src/compiler/model_profile.cpp`. [Acceptance](acceptance.md) wants them
of layers, too.
"""


@dataclass(frozen=True)
class Kernel:
    model: str
    name: str
    family: str
    flops: float  # of one run
    seconds: float  # the fastest call
    of_expected: float | None  # what it reaches of its family's share; None: of no family

    @property
    def is_behind(self) -> bool:
        return self.of_expected is None or self.of_expected < 0.5


def exports(folder: Path, names: Sequence[str]) -> list[tuple[str, Path]]:
    """Returns the name and file of each exported model, in the forms that are measured."""
    out = []
    for path in sorted(folder.glob("*/model.*")):
        name, form = path.parent.name.split(".")[:2]
        if form in FORMS and path.suffix in (".pt2", ".onnx") and (not names or name in names):
            out.append((f"{name}, {form}", path))
    return out


def kernels_of(model: str, file: Path) -> list[Kernel] | None:
    """Returns the kernels of a model; None when it is refused."""
    command = [str(PROGRAM), "profile", str(file), "--threads", "1", "--repeat", str(RUNS), "--json", "-"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if run.returncode != 0:
        return None
    profile = json.loads(run.stdout)
    out = []
    for k in profile["kernels"]:
        mean = k["seconds"] / k["calls"]
        reached = k.get("share_of_expected")
        of_expected = None if reached is None else reached * mean / k["seconds_fastest"]
        flops = (k.get("flops") or 0) / profile["runs"]
        out.append(Kernel(model, k["name"], k["family"], flops, k["seconds_fastest"], of_expected))
    return out


@dataclass
class Shares:
    models: int
    kernels: int
    refused: list[str]
    by_family: dict[str, float]
    outside: float
    behind: float
    worst: list[Kernel]
    total: float


def shares_of(measured: Iterable[tuple[str, list[Kernel] | None]]) -> Shares:
    all_kernels: list[Kernel] = []
    refused, models = [], 0
    for name, kernels in measured:
        models += 1
        if kernels is None:
            refused.append(name)
        else:
            all_kernels += kernels
    total = sum(k.flops for k in all_kernels) or 1.0
    families: Counter[str] = Counter()
    for k in all_kernels:
        families[k.family] += k.flops / total  # type: ignore[assignment]
    behind = sorted((k for k in all_kernels if k.is_behind), key=lambda k: -k.flops)
    return Shares(
        models=models,
        kernels=len(all_kernels),
        refused=refused,
        by_family={f: float(families[f]) for f in FAMILIES},
        outside=sum(k.flops for k in all_kernels if k.family not in FAMILIES) / total,
        behind=sum(k.flops for k in behind) / total,
        worst=behind[:LISTED],
        total=total,
    )


def expected_shares() -> dict[str, tuple[str, str]]:
    """Reads what each family is expected to reach, of arithmetic and of bandwidth, from the profiler's table."""
    text = (ROOT / "src" / "compiler" / "model_profile.cpp").read_text()
    table = re.search(r"kExpected\[\] = \{(.*?)\};", text, re.DOTALL)
    assert table, "the profiler has a table of expectations"
    rows = re.findall(r'\{"(\w+)", ([0-9.]+), ([0-9.]+)\}', table[1])
    return {family: (f"{float(a):.0%}", f"{float(m):.0%}") for family, a, m in rows}


def page(shares: Shares) -> str:
    lines = [HEAD, "## Families\n", "| family | takes | of FMA peak | of bandwidth | share of the zoo's arithmetic |"]
    lines.append("|---|---|---|---|---|")
    expected = expected_shares()
    for family, what in FAMILIES.items():
        arithmetic, moving = expected[family]
        lines.append(f"| `{family}` | {what} | {arithmetic} | {moving} | {shares.by_family[family]:.2%} |")
    lines += [
        "",
        f"Models: {shares.models} ({', '.join(FORMS)}), of which {len(shares.refused)} are refused; "
        f"{shares.kernels} kernels, {shares.total / 1e9:.2f} GFLOP.",
        f"Arithmetic outside of families: {shares.outside:.2%}.",
        f"Arithmetic outside of families or below half of its family's share: {shares.behind:.2%}.",
        "",
        "## Behind their family\n",
        "The kernels with most arithmetic of those outside of families or below half of their family's share:\n",
        "| model | kernel | family | MFLOP | fastest call | of what is expected |",
        "|---|---|---|---|---|---|",
    ]
    for k in shares.worst:
        reached = "-" if k.of_expected is None else f"{k.of_expected:.0%}"
        lines.append(
            f"| {k.model} | `{k.name}` | {k.family} | {k.flops / 1e6:.2f} | {k.seconds * 1e6:.1f} us | {reached} |"
        )
    return "\n".join(lines) + "\n"


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--models", type=Path, default=EXPORTS)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args(argv)
    found = exports(options.models, options.names)
    if not found:
        sys.exit("kernel_shares: no exported models; run `python tests/differential/export.py` first")
    shares = shares_of((name, kernels_of(name, file)) for name, file in found)
    if options.json:
        result: dict[str, Any] = {
            "models": shares.models,
            "outside_percent": 100 * shares.outside,
            "behind_percent": 100 * shares.behind,
        }
        print(json.dumps(result))
    else:
        PAGE.write_text(page(shares))
        print(f"behind their family: {shares.behind:.2%} of the arithmetic of {shares.models} models")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
