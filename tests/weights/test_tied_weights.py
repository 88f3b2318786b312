"""Embeddings that are the last layer's weight too: one weight in the artifact."""

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
