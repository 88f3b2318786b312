"""Recurrent layers whose steps are divided among threads, of sizes that fill neither vectors nor tasks."""

import numpy as np
import pytest
import sunmao
from one_function import module_of


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def reference(op: str, gates: np.ndarray, weight: np.ndarray, h: np.ndarray, *, resets_product: bool) -> np.ndarray:
    size, c, out = h.shape[1], h, []
    for g in gates:
        p = h @ weight.T
        if op == "rnn":
            h = np.tanh(g + p)
        elif op == "lstm":
            i, f, new, o = (g[:, k * size : (k + 1) * size] + p[:, k * size : (k + 1) * size] for k in range(4))
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(new)
            h = sigmoid(o) * np.tanh(c)
        else:
            r, z = (sigmoid(g[:, k * size : (k + 1) * size] + p[:, k * size : (k + 1) * size]) for k in range(2))
            part = r * p[:, 2 * size :] if resets_product else (r * h) @ weight[2 * size :].T
            h = (1 - z) * np.tanh(g[:, 2 * size :] + part) + z * h
        out.append(h)
    return np.stack(out)


@pytest.mark.parametrize(("threads", "batch"), [(1, 1), (3, 2), (3, 3), (1, 8), (3, 4)])
@pytest.mark.parametrize(
    ("op", "gates", "size", "resets_product"),
    [("lstm", 4, 264, True), ("gru", 3, 300, True), ("gru", 3, 510, False), ("rnn", 1, 530, True)],
)
def test_steps_on_threads(op: str, gates: int, size: int, resets_product: bool, threads: int, batch: int) -> None:
    steps = 4
    random = np.random.default_rng(size)
    shapes = {"g": (steps, batch, gates * size), "w": (gates * size, size), "h": (batch, size)}
    arrays = {name: random.normal(size=shape).astype("float32") * 0.1 for name, shape in shapes.items()}
    params = [f'{name}: R.Tensor({shape}, "float32")' for name, shape in shapes.items()]
    call = {
        "lstm": "R.nn.lstm(g, w, h, h)",
        "gru": f"R.nn.gru(g, w, h, resets_product={resets_product})",
        "rnn": "R.nn.rnn(g, w, h)",
    }[op]
    got = sunmao.compile(module_of(params, [f"y = {call}"]), threads=threads)(*arrays.values())
    expected = reference(
        op, *(arrays[name].astype("float64") for name in ("g", "w", "h")), resets_product=resets_product
    )
    np.testing.assert_allclose(np.asarray(got[0]), expected, rtol=1e-5, atol=1e-5)
