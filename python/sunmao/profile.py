"""Profiles of compiled models: what `Model.profile` returns."""

from __future__ import annotations

from typing import Any

MAX_REPEAT = 100_000_000


class Profile(dict[str, Any]):
    """Where the time of runs went, as `sunmao profile --json` tells it: `runs`, `seconds`, `seconds_outside`, `peak`,
    and `kernels`, a list of dictionaries, the slowest first. Printed, it is a table."""

    @property
    def kernels(self) -> list[dict[str, Any]]:
        """Returns what is known of each kernel: `name`, `family`, `seconds`, `calls`, `places` and more."""
        kernels: list[dict[str, Any]] = self["kernels"]
        return kernels

    def __repr__(self) -> str:
        lines = [
            f"{'share':>7}  {'time':>10}  {'calls':>6}  {'GFLOP/s':>8}  {'GB/s':>7}  {'of limit':>11}  "
            f"{'family':<11}  kernel, and where it comes from"
        ]
        lines += [self._row(kernel) for kernel in self.kernels]
        outside = self["seconds_outside"]
        lines.append(f"{self._share(outside)}  {self._time(outside)}  outside of kernels")
        peak = self["peak"]
        runs, threads = _counted(self["runs"], "run"), _counted(self["threads"], "thread")
        lines.append(
            f"{runs} of {_duration(self['seconds'] / self['runs'])}; code for {self['isa']}, {threads}; "
            f"limits measured: {peak['gflops']:.0f} GFLOP/s, {peak['int8_gflops']:.0f} of int8, {peak['gb_s']:.1f} GB/s"
        )
        return "\n".join(lines)

    def _row(self, kernel: dict[str, Any]) -> str:
        limit = f"{100 * kernel['share_of_limit']:.0f} % {_word(kernel['limit'])}" if "share_of_limit" in kernel else ""
        rates = "  ".join(
            f"{kernel[key]:>{width}.1f}" if kernel.get(key) else " " * width
            for key, width in (("gflops", 8), ("gb_s", 7))
        )
        places = [p.get("module") or p.get("node") or p.get("line", "") for p in kernel["places"]]
        source = places[0] + (f" +{len(places) - 1}" if len(places) > 1 else "")
        return (
            f"{self._share(kernel['seconds'])}  {self._time(kernel['seconds'])}  {kernel['calls'] / self['runs']:>6g}  "
            f"{rates}  {limit:>11}  {kernel['family']:<11}  {kernel['name']}  {source}"
        ).rstrip()

    def _share(self, seconds: float) -> str:
        return f"{100 * seconds / self['seconds']:>5.1f} %"

    def _time(self, seconds: float) -> str:
        return f"{_duration(seconds / self['runs']):>10}"


def _word(limit: str) -> str:
    return {"arithmetic": "fma", "memory": "mem"}.get(limit, limit)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _duration(seconds: float) -> str:
    if seconds < 1e-6:
        return f"{seconds * 1e9:.0f} ns"
    if seconds < 1e-3:
        return f"{seconds * 1e6:.1f} us"
    return f"{seconds * 1e3:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"
