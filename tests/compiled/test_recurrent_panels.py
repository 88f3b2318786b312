"""Recurrent layers whose weight is known while compiling, and lies in panels of rows: sizes around those of panels."""

import numpy as np
import pytest
import sunmao
from test_recurrent_threads import reference

MODULE = """
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main({params}):
        R.func_attr({{"num_input": {inputs}}})
        with R.dataflow():
            y = {call}
            R.output(y)
        return y
"""
GATES = {"lstm": 4, "gru": 3, "rnn": 1}


def layer(op: str, size: int, batch: int, steps: int = 3) -> tuple[dict[str, np.ndarray], str]:
    """Returns the tensors of a layer, the weight last, and its text but for its call."""
    random = np.random.default_rng(size)
    gates = GATES[op]
    shapes = {"g": (steps, batch, gates * size), "h": (batch, size), "w": (gates * size, size)}
    return {name: random.normal(size=s).astype("float32") * 0.2 for name, s in shapes.items()}, ", ".join(
        f'{name}: R.Tensor({s}, "float32")' for name, s in shapes.items()
    )


def call_of(op: str, resets_product: bool) -> str:
    last = {"lstm": "h, h", "gru": f"h, resets_product={resets_product}", "rnn": "h"}[op]
    return f"R.nn.{op}(g, w, {last})"


@pytest.mark.parametrize("target", ["x86-64-v3", "host"])
@pytest.mark.parametrize("batch", [1, 2, 3, 4, 5, 7, 8])
@pytest.mark.parametrize(
    ("op", "size", "resets_product"),
    [("lstm", 15, True), ("lstm", 16, True), ("lstm", 17, True), ("lstm", 24, True), ("lstm", 64, True)]
    + [("gru", 32, True), ("gru", 47, False), ("gru", 48, False), ("gru", 65, False), ("gru", 33, True)]
    + [("rnn", 63, True), ("rnn", 96, True), ("rnn", 97, True)],
)
def test_panels(op: str, size: int, resets_product: bool, batch: int, target: str) -> None:
    arrays, params = layer(op, size, batch)
    module = sunmao.parse_module(MODULE.format(params=params, inputs=2, call=call_of(op, resets_product)))
    model = sunmao.compile(module, weights={"w": arrays["w"]}, target=target)
    wide = {name: a.astype("float64") for name, a in arrays.items()}
    expected = reference(op, wide["g"], wide["w"], wide["h"], resets_product=resets_product)
    np.testing.assert_allclose(np.asarray(model(arrays["g"], arrays["h"])[0]), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("op", "size"), [("lstm", 260), ("gru", 301), ("rnn", 530)])
def test_panels_on_threads(op: str, size: int, threads: int) -> None:
    arrays, params = layer(op, size, 1)
    module = sunmao.parse_module(MODULE.format(params=params, inputs=2, call=call_of(op, False)))
    model = sunmao.compile(module, weights={"w": arrays["w"]}, threads=threads)
    wide = {name: a.astype("float64") for name, a in arrays.items()}
    expected = reference(op, wide["g"], wide["w"], wide["h"], resets_product=False)
    np.testing.assert_allclose(np.asarray(model(arrays["g"], arrays["h"])[0]), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("inputs", "kernels"), [(2, ["nn_lstm_prepacked"]), (3, ["nn_lstm"])])
def test_only_known_weights_lie_in_panels(inputs: int, kernels: list[str]) -> None:
    arrays, params = layer("lstm", 40, 1)
    module = sunmao.parse_module(MODULE.format(params=params, inputs=inputs, call=call_of("lstm", True)))
    model = sunmao.compile(module, weights={"w": arrays["w"]} if inputs == 2 else {})
    profile = model.profile(*list(arrays.values())[:inputs], repeat=1)
    assert [k["name"] for k in profile.kernels] == kernels


def test_an_artifact_has_each_weight_once(tmp_path) -> None:
    arrays, params = layer("lstm", 250, 1)
    module = sunmao.parse_module(MODULE.format(params=params, inputs=2, call=call_of("lstm", True)))
    file = tmp_path / "layer.sunmao"
    sunmao.compile(module, weights={"w": arrays["w"]}).save(file)
    assert arrays["w"].nbytes <= file.stat().st_size < 1.2 * arrays["w"].nbytes
