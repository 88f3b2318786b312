"""Recurrent layers of batches that are no whole groups of sequences, known and symbolic."""

import numpy as np
import pytest
import sunmao
from test_recurrent_panels import GATES, MODULE

CALLS = {
    "lstm": "R.nn.lstm(g, w, h, h{lengths}, clip=2.0, reverse=True)",
    "peeps": "R.nn.lstm(g, w, h, h, peeps{lengths})",
    "couples": "R.nn.lstm(g, w, h, h, peeps{lengths}, couples_gates=True)",
    "gru": "R.nn.gru(g, w, h, peeps{lengths}, resets_product=True)",
    "resets": "R.nn.gru(g, w, h{lengths}, reverse=True, resets_product=False)",
    "rnn": 'R.nn.rnn(g, w, h{lengths}, activations=["relu"])',
}


def op_of(call: str) -> str:
    return {"peeps": "lstm", "couples": "lstm", "resets": "gru"}.get(call, call)


def module_of(call: str, size: int, batch: int | str, known: bool, lengths: bool):
    op, steps = op_of(call), 5 if isinstance(batch, int) else '"s"'
    b = batch if isinstance(batch, int) else f'"{batch}"'
    gates = GATES[op] * size
    params = [f'g: R.Tensor(({steps}, {b}, {gates}), "float32")', f'h: R.Tensor(({b}, {size}), "float32")']
    if lengths:
        params.append(f'lengths: R.Tensor(({b},), "int64")')
    weights = [f'w: R.Tensor(({gates}, {size}), "float32")']
    if "peeps" in CALLS[call]:
        weights.append(f'peeps: R.Tensor(({3 * size if op == "lstm" else size},), "float32")')
    text = CALLS[call]
    absent = "" if op == "rnn" or "peeps" in text else ", None"
    text = text.format(lengths=f"{absent}, lengths" if lengths else "")
    inputs = len(params) if known else len(params) + len(weights)
    return sunmao.parse_module(MODULE.format(params=", ".join(params + weights), inputs=inputs, call=text))


def arrays_of(call: str, size: int, batch: int, steps: int, lengths: bool) -> tuple[list[np.ndarray], dict]:
    op, random = op_of(call), np.random.default_rng(batch * size + steps)

    def tensor(*shape: int) -> np.ndarray:
        return random.normal(size=shape).astype("float32") * 0.3

    data = [tensor(steps, batch, GATES[op] * size), tensor(batch, size)]
    if lengths:
        data.append(random.integers(0, steps + 1, batch).astype("int64"))
    weights = {"w": tensor(GATES[op] * size, size)}
    if "peeps" in CALLS[call]:
        weights["peeps"] = tensor(3 * size if op == "lstm" else size)
    return data, weights


def check(got, want) -> None:
    assert len(got) == len(want)
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("lengths", [False, True])
@pytest.mark.parametrize("batch", [1, 5, 6, 7, 8, 9, 11])
@pytest.mark.parametrize(("call", "size"), [("lstm", 27), ("peeps", 18), ("couples", 33), ("gru", 20), ("resets", 25)])
def test_known_batches(call: str, size: int, batch: int, lengths: bool) -> None:
    data, weights = arrays_of(call, size, batch, 5, lengths)
    model = sunmao.compile(module_of(call, size, batch, True, lengths), weights=weights)
    check(model(*data), sunmao.evaluate(module_of(call, size, batch, False, lengths), *data, *weights.values()))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(
    ("call", "size", "lengths"),
    [("lstm", 18, True), ("couples", 40, False), ("gru", 50, True), ("resets", 97, False), ("rnn", 65, True)],
)
def test_symbolic_batches_and_steps(call: str, size: int, lengths: bool, known: bool, threads: int) -> None:
    module = module_of(call, size, "b", known, lengths)
    data, weights = arrays_of(call, size, 1, 1, lengths)
    model = sunmao.compile(module, weights=weights if known else {}, threads=threads)
    for batch, steps in [(1, 4), (2, 1), (3, 3), (4, 2), (5, 3), (6, 1), (7, 2), (8, 3), (13, 2), (3, 0)]:
        data, others = arrays_of(call, size, batch, steps, lengths)
        given = [] if known else list((weights | {"w": others["w"]}).values())
        values = list(weights.values()) if known else given
        want = sunmao.evaluate(module_of(call, size, "b", False, lengths), *data, *values)
        check(model(*data, *given), want)
