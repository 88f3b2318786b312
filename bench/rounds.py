"""Rounds in which every engine has one turn, and the statistics of what they give. Nothing here takes time itself."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

TURN = 0.02  # seconds of calls that a fast engine makes in its turn
SLOW_SHARE = 0.5  # of all the time, at most, is for an engine that is slow
CONFIDENCE = 0.95
Turn = Mapping[str, Any]  # per_call, calls, spent, cores
Round = dict[str, Turn]


def plural(count: int, what: str) -> str:
    return f"{count} {what}{'s' if count != 1 else ''}"


def allowance(call_seconds: float, seconds: float) -> int | None:
    """Returns how many rounds an engine takes part in: all (None), or, where a call takes an eighth of the time or
    more, as many as fit into its share, one at least."""
    return None if call_seconds < seconds / 8 else max(1, int(SLOW_SHARE * seconds / call_seconds))


def play(
    turns: Mapping[str, Callable[[], Turn | None]], call_seconds: Mapping[str, float], seconds: float, seed: int
) -> list[Round]:
    """Plays rounds in shuffled order until the turns have taken so many seconds; the first is played to its end. A slow
    engine is in the first ones only. One that fails, whose turn is None, is in no further round."""
    order, shuffle = list(turns), random.Random(seed)
    left = {engine: allowance(call_seconds[engine], seconds) for engine in turns}
    rounds: list[Round] = []
    spent = 0.0
    while spent < seconds or not rounds:
        shuffle.shuffle(order)
        now: Round = {}
        for engine in order:
            if left[engine] == 0:
                continue
            turn, count = turns[engine](), left[engine]
            if turn is None:
                left[engine] = 0
                continue
            now[engine] = turn
            spent += turn["spent"]
            left[engine] = None if count is None else count - 1
        if not now:
            break
        rounds.append(now)
    return rounds


def median_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Returns the interval between two order statistics that holds the median of the distribution with 95 %
    probability; None where there are too few values for one (less than six)."""
    n, ordered = len(values), sorted(values)
    below, k = 0.0, 0  # the chance that fewer than k of n values lie below the median
    while below + math.comb(n, k) / 2**n <= (1 - CONFIDENCE) / 2:
        below += math.comb(n, k) / 2**n
        k += 1
    return (ordered[k - 1], ordered[n - k]) if k else None


def least(measured: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Returns what has the least median of these values by round: its name, the median and its interval."""
    name = min(measured, key=lambda key: statistics.median(measured[key]))
    return {"of": name, "median": statistics.median(measured[name]), "interval": median_interval(measured[name])}


def summary(rounds: Sequence[Round], baseline: str) -> dict[str, dict[str, Any]]:
    """Returns for each engine the median time of a call, and its ratio to the baseline's in the same rounds."""
    out: dict[str, dict[str, Any]] = {}
    for engine in sorted({engine for r in rounds for engine in r}):
        mine = [r[engine] for r in rounds if engine in r]
        row: dict[str, Any] = {
            "seconds": statistics.median(t["per_call"] for t in mine),
            "rounds": len(mine),
            "calls": sum(t["calls"] for t in mine),
            "cores": statistics.median(t["cores"] for t in mine),
        }
        paired = [r[engine]["per_call"] / r[baseline]["per_call"] for r in rounds if engine in r and baseline in r]
        if paired and engine != baseline:
            row["ratio"] = statistics.median(paired)
            row["ratio_rounds"] = len(paired)
            row["ratio_interval"] = median_interval(paired)
        out[engine] = row
    return out
