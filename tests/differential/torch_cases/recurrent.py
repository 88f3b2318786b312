"""Recurrent layers and cells."""

from __future__ import annotations

import torch
from aten_calls import Cases
from torch_case import Case, T

CASES: Cases = {}

aten = torch.ops.aten
INPUT, HIDDEN = 5, 4


def layer(name: str, gates: int, *, bias: bool = True, layers: int = 1, both: bool = False, first: bool = False,
          dynamic: bool = False) -> None:  # fmt: skip
    """Adds a case of a layer with all its states given."""
    directions = 2 if both else 1
    weights = []
    for index in range(layers):
        width = INPUT if index == 0 else HIDDEN * directions
        for _ in range(directions):
            weights += [T(gates * HIDDEN, width, low=-0.5, high=0.5), T(gates * HIDDEN, HIDDEN, low=-0.5, high=0.5)]
            weights += [T(gates * HIDDEN), T(gates * HIDDEN)] if bias else []
    op = getattr(aten, name).input
    states = 2 if name == "lstm" else 1
    shape = (2, 3, INPUT) if first else (3, 2, INPUT)
    state = T(layers * directions, 2, HIDDEN)

    def run(x: torch.Tensor, *rest: torch.Tensor) -> object:
        hx, params = rest[:states], list(rest[states:])
        start = list(hx) if states == 2 else hx[0]
        return op(x, start, params, bias, layers, 0.0, False, both, first)

    def run_from_zero(x: torch.Tensor, *params: torch.Tensor) -> object:
        zeros = x.new_zeros(layers * directions, x.shape[0] if first else x.shape[1], HIDDEN)
        return op(x, [zeros, zeros] if states == 2 else zeros, list(params), bias, layers, 0.0, False, both, first)

    target = f"aten.{name}.input"
    if dynamic:
        case = Case(run_from_zero, T(3, 2, INPUT), weights=weights, dynamic={0: {0 if first else 1: (2, 8)}})
    else:
        case = Case(run, T(*shape), *[state] * states, weights=weights)
    CASES.setdefault(target, []).append(case)


for name, gates in (("lstm", 4), ("gru", 3), ("rnn_tanh", 1), ("rnn_relu", 1)):
    layer(name, gates)
    layer(name, gates, bias=False)
    layer(name, gates, layers=2, both=True)
    layer(name, gates, both=True, first=True)
    layer(name, gates, first=True, dynamic=True)
    layer(name, gates, dynamic=True)
    cell = getattr(aten, f"{name}_cell").default
    weights = [T(gates * HIDDEN, INPUT), T(gates * HIDDEN, HIDDEN), T(gates * HIDDEN), T(gates * HIDDEN)]
    for count in (4, 2):
        states = [T(2, HIDDEN)] * (2 if name == "lstm" else 1)

        def step(x: torch.Tensor, *rest: torch.Tensor, cell: object = cell, n: int = len(states)) -> object:
            return cell(x, list(rest[:n]) if n == 2 else rest[0], *rest[n:])  # type: ignore[operator]

        CASES.setdefault(f"aten.{name}_cell.default", []).append(
            Case(step, T(2, INPUT), *states, weights=weights[:count])
        )
