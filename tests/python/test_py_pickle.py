"""Models are pickled with all that they have; warnings tell what the compiler says."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
import sunmao

COUNTER = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32"), total: R.Tensor((2,), "float32")):
        R.func_attr({"num_input": 2, "state_names": ["total"]})
        new = R.add(total, x)
        return (new, new)

    @R.function
    def twice(x: R.Tensor((2,), "float32")):
        return R.add(x, x)
"""
CALLS = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        y = R.call_pure_packed("change", x, sinfo_args=R.Tensor((2,), "float32"))
        return y
"""
X = np.ones(2, np.float32)


def halved(x: np.ndarray) -> np.ndarray:
    return x / 2


def again(model: sunmao.Model) -> sunmao.Model:
    return pickle.loads(pickle.dumps(model))


@pytest.mark.parametrize("is_loaded", [False, True])
def test_a_pickled_model_runs_alone(is_loaded: bool, tmp_path: Path) -> None:
    model = sunmao.compile(sunmao.parse_module(COUNTER), keep_state=True, threads=1)
    if is_loaded:
        model.save(tmp_path / "m.sunmao")
        model = sunmao.load(tmp_path / "m.sunmao", threads=1)
    model(X)
    data = pickle.dumps(model)
    if is_loaded:
        (tmp_path / "m.sunmao").unlink()
    model(X)
    other = pickle.loads(data)
    np.testing.assert_array_equal(other(X), X * 2)
    np.testing.assert_array_equal(other(X), X * 3)
    np.testing.assert_array_equal(model(X), X * 3)
    np.testing.assert_array_equal(again(other["twice"])(X), X * 2)
    assert other.profile(X, repeat=1)["threads"] == 1
    assert repr(other) == repr(model)
    other.save(tmp_path / "again.sunmao")
    np.testing.assert_array_equal(sunmao.load(tmp_path / "again.sunmao")(X), X)


def test_functions_of_the_host_go_along() -> None:
    model = sunmao.compile(sunmao.parse_module(CALLS))
    model.register_function("change", halved)
    np.testing.assert_array_equal(again(model)(X), X / 2)


def test_a_profile_says_how_many_threads_the_model_uses(tmp_path: Path) -> None:
    sunmao.compile(sunmao.parse_module(COUNTER)).save(tmp_path / "m.sunmao")
    alone, both = (sunmao.load(tmp_path / "m.sunmao", threads=n)["twice"].profile(X, repeat=1) for n in (1, 2))
    assert alone["threads"] == 1 and "1 thread;" in repr(alone) and "1 run of" in repr(alone)
    assert both["threads"] == min(2, sunmao.get_threads())


GROWS = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 1})
        wide = R.broadcast_to(w, (64, 4))
        return R.matmul(x, R.permute_dims(wide, axes=[1, 0]))
"""


def test_weights_that_grow_are_a_warning() -> None:
    module = sunmao.parse_module(GROWS)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        sunmao.compile(module, weights={"w": np.ones(4, np.float32)})
    (warning,) = [w for w in said if issubclass(w.category, sunmao.CompileWarning)]
    assert "the weights grow by" in str(warning.message) and "1024 bytes instead of 16" in str(warning.message)
    assert warning.filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error", sunmao.CompileWarning)
        with pytest.raises(sunmao.CompileWarning):
            sunmao.compile(module, weights={"w": np.ones(4, np.float32)})
