"""Weights that several layers use, as embeddings that are the last layer's weight too: one weight in the artifact."""

from pathlib import Path

import numpy as np
import pytest
import sunmao

MODEL = """
@I.ir_module
class Module:
    @R.function
    def main(ids: R.Tensor(({tokens},), "{ids}"), table: R.Tensor(({words}, 24), "float32")):
        R.func_attr({{"num_input": 1}})
        with R.dataflow():
            rows = R.take(table, ids, axis=0)
            hidden = R.nn.relu(rows)
            scores = R.matmul(hidden, R.permute_dims(table))
            R.output(scores)
        return scores
"""


def build(words: int, tokens: int, ids: str, table: np.ndarray) -> sunmao.Model:
    module = sunmao.parse_module(MODEL.format(words=words, tokens=tokens, ids=ids))
    return sunmao.compile(module, weights={"table": table})


@pytest.mark.parametrize(("words", "tokens", "ids"), [(96, 5, "int64"), (1001, 1, "int32"), (1001, 33, "int64")])
def test_is_stored_once_and_looked_up(tmp_path: Path, words: int, tokens: int, ids: str) -> None:
    rng = np.random.default_rng(1)
    table = rng.standard_normal((words, 24)).astype("float32")
    model = build(words, tokens, ids, table)
    model.save(tmp_path / "tied.sunmao")
    assert (tmp_path / "tied.sunmao").stat().st_size < table.nbytes + 40_000
    asked = rng.integers(-words, words, tokens).astype(ids)
    asked[-1] = words - 1
    expected = np.maximum(table[asked], 0) @ table.T
    np.testing.assert_allclose(model(asked), expected, rtol=1e-5, atol=1e-5)


def test_number_out_of_range_is_refused() -> None:
    table = np.ones((40, 24), "float32")
    model = build(40, 3, "int64", table)
    with pytest.raises(sunmao.Error, match="E0919"):
        model(np.array([0, 40, 1], "int64"))


SYMBOLIC = """
@I.ir_module
class Module:
    @R.function
    def main(ids: R.Tensor(("b", "s"), "int64"), table: R.Tensor((96, 24), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            rows = R.take(table, R.flatten(ids), axis=0)
            scores = R.matmul(rows, R.permute_dims(table))
            R.output(scores)
        return scores
"""


def test_sizes_that_a_run_says() -> None:
    table = np.random.default_rng(2).standard_normal((96, 24)).astype("float32")
    model = sunmao.compile(sunmao.parse_module(SYMBOLIC), weights={"table": table})
    ids = np.arange(6, dtype="int64").reshape(2, 3)
    np.testing.assert_allclose(model(ids), table[ids.ravel()] @ table.T, rtol=1e-5, atol=1e-5)


STEPS = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 256), "float32"), w: R.Tensor((256, 256), "float32"), b: R.Tensor((256,), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            h1 = R.tanh(R.add(R.matmul(x, w), b))
            h2 = R.tanh(R.add(R.matmul(h1, w), b))
            h3 = R.nn.relu(R.matmul(h2, w))
            h4 = R.add(R.matmul(h3, w), h1)
            R.output(h4)
        return h4
"""

BRANCHES = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 256), "float32"), c: R.Tensor((), "bool"), w: R.Tensor((256, 256), "float32")):
        R.func_attr({"num_input": 2})
        h = R.nn.relu(R.matmul(x, R.permute_dims(w)))
        if c:
            y = R.tanh(R.matmul(h, R.permute_dims(w)))
        else:
            y = R.add(R.matmul(h, R.permute_dims(w)), x)
        return y
"""

IMAGES = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 64, 8, 8), "float32"), w: R.Tensor((64, 64, 3, 3), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            a = R.nn.relu(R.nn.conv2d(x, w, padding=[1, 1]))
            b = R.tanh(R.nn.conv2d(a, w, padding=[1, 1]))
            c = R.add(R.nn.conv2d(b, w, padding=[1, 1]), a)
            R.output(c)
        return c
"""


@pytest.mark.parametrize(("text", "more"), [(STEPS, []), (BRANCHES, [np.bool_(True)]), (IMAGES, [])])
def test_layers_that_share_a_weight_share_its_layout(tmp_path: Path, text: str, more: list[np.bool_]) -> None:
    module = sunmao.parse_module(text)
    rng = np.random.default_rng(3)
    names = [name for name in ("w", "b") if f"{name}: R.Tensor(" in text]
    shapes = {"w": (64, 64, 3, 3) if text is IMAGES else (256, 256), "b": (256,)}
    weights = {name: rng.standard_normal(shapes[name]).astype("float32") / 32 for name in names}
    model = sunmao.compile(module, weights=weights)
    model.save(tmp_path / "shared.sunmao")
    x = rng.standard_normal((1, 64, 8, 8) if text is IMAGES else (4, 256)).astype("float32")
    total = sum(weight.nbytes for weight in weights.values())
    assert (tmp_path / "shared.sunmao").stat().st_size < total + 60_000
    np.testing.assert_allclose(
        model(x, *more), sunmao.evaluate(module, x, *more, *weights.values()), rtol=1e-5, atol=1e-5
    )
