"""Kernel times of a symbolic model beside those of the same model with constants, both from `sunmao profile`.

Kernels correspond by the nodes of the graph that they come from. Where fusion or folding differs, a node has kernels in
one artifact only; in the other one its work is part of another node's kernel, or was done by the compiler.
"""

from __future__ import annotations

import json
import statistics
import subprocess
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from engines import Files
from machine import BUILD

ROUNDS = 5  # in which both are profiled in turn
LIMIT = 120.0  # seconds of one profile
Profile = Mapping[str, Any]


def seconds_by_node(profiles: Sequence[Profile]) -> dict[str, float]:
    """Returns the seconds of a run that kernels spend on each node, medians of the profiles."""
    found: dict[str, list[float]] = defaultdict(list)
    for profile in profiles:
        spent: dict[str, float] = defaultdict(float)
        for kernel in profile["kernels"]:
            for place in kernel["places"]:
                spent[place["node"]] += place["seconds"] / profile["runs"]
        for node, seconds in spent.items():
            found[node].append(seconds)
    return {node: statistics.median(times) for node, times in found.items()}


def leading_kernels(profile: Profile) -> dict[str, tuple[str, str]]:
    """Returns for each node the name and family of the kernel that takes longest on it."""
    found: dict[str, tuple[float, str, str]] = {}
    for kernel in profile["kernels"]:
        for place in kernel["places"]:
            mine = (place["seconds"], kernel["name"], kernel["family"])
            found[place["node"]] = max(found.get(place["node"], mine), mine)
    return {node: (name, family) for node, (_, name, family) in found.items()}


def losses(symbolic: Sequence[Profile], constant: Sequence[Profile]) -> list[dict[str, Any]]:
    """Returns a row for each kernel that leads nodes of the symbolic model, with the seconds that both models spend on
    these nodes, and one for nodes that only constants have kernels for. What loses most comes first."""
    mine, theirs = seconds_by_node(symbolic), seconds_by_node(constant)
    rows: dict[str, dict[str, Any]] = {}
    leading = leading_kernels(symbolic[0])
    for node in [*mine, *(node for node in theirs if node not in mine)]:
        name, family = leading.get(node, ("", ""))
        empty = {"kernel": name, "family": family, "nodes": 0, "symbolic": 0.0, "constant": 0.0}
        row = rows.setdefault(name, empty)
        row["nodes"] += 1
        row["symbolic"] += mine.get(node, 0.0)
        row["constant"] += theirs.get(node, 0.0)
    return sorted(rows.values(), key=lambda row: row["constant"] - row["symbolic"])


def profile(artifact: Any, values: str, threads: int) -> Profile:
    command = [str(BUILD / "bin" / "sunmao"), "profile", str(artifact), "--input", values, "--threads", str(threads)]
    run = subprocess.run([*command, "--json", "-"], capture_output=True, text=True, check=True, timeout=LIMIT)
    found: Profile = json.loads(run.stdout)
    return found


def compare(files: Files, name: str, threads: int) -> list[dict[str, Any]]:
    """Profiles both artifacts of a symbolic model at one size; nothing where one of them is not there."""
    artifacts = files.form("sunmao"), files.at_size().form("sunmao")
    if not all(artifact.exists() for artifact in artifacts):
        return []
    values = f"{name}={files.at_size().form('npz')}:input0"
    pairs = [[profile(artifact, values, threads) for artifact in artifacts] for _ in range(ROUNDS)]
    return losses([symbolic for symbolic, _ in pairs], [constant for _, constant in pairs])
