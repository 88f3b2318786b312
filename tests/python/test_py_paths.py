"""Paths and texts that cannot be read, copies of models, and how models are shown."""

import copy
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
from sunmao.compat import relax, runtime
from sunmao.compat.script import from_source

TWO = """
@I.ir_module
class Module:
    @R.function
    def twice(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        y = R.add(x, x)
        return y
    @R.function
    def square(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        y = R.multiply(x, x)
        return y
"""
COUNTER = """
@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((2,), "float32"), total: R.Tensor((2,), "float32")
    ) -> R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32")):
        R.func_attr({"state_names": ["total"], "num_input": 2})
        s = R.add(total, x)
        return (s, s)
"""


@pytest.mark.parametrize("name", ["a\0b", "a\udc80b"])
def test_names_that_no_file_can_have(tmp_path: Path, name: str) -> None:
    model = sunmao.compile(sunmao.parse_module(TWO))
    path = str(tmp_path / name)
    calls: list[Callable[[], Any]] = [
        lambda: model.save(path),
        lambda: model.save_weights(path),
        lambda: sunmao.load(path),
    ]
    for call in calls:
        with pytest.raises(sunmao.Error, match="E0034.*is no path"):
            call()
    assert os.listdir(tmp_path) == []
    for read in (sunmao.read_model, sunmao.compile):
        with pytest.raises(sunmao.Error, match="E0034.*NUL"):
            read("a\0b")


def test_scripts_that_are_no_text() -> None:
    for parse in (sunmao.parse_module, sunmao.parse_function):
        with pytest.raises(sunmao.Error, match=r"E0101.*half of a surrogate pair"):
            parse("# \ud800")
        with pytest.raises(sunmao.Error, match=r"E0034.*expected a script, got a bytes"):
            parse(b"x")  # type: ignore[arg-type]


def test_a_model_without_main_says_its_functions() -> None:
    assert repr(sunmao.compile(sunmao.parse_module(TWO))) == "<sunmao.Model of twice, square>"


def test_copies_have_states_of_their_own() -> None:
    model = sunmao.compile(sunmao.parse_module(COUNTER), keep_state=True)
    one = np.ones(2, "float32")
    model(one)
    for other in (copy.copy(model), copy.deepcopy(model)):
        np.testing.assert_array_equal(other(one), [2, 2])
    np.testing.assert_array_equal(model(one), [2, 2])
    plain = sunmao.compile(sunmao.parse_module(TWO))
    np.testing.assert_array_equal(copy.deepcopy(plain)["twice"](one), [2, 2])


def test_an_instrument_can_be_taken_away() -> None:
    vm = relax.VirtualMachine(
        relax.build(from_source("from tvm.script import ir as I, relax as R\n" + TWO)), runtime.cpu()
    )
    seen: list[str] = []
    vm.set_instrument(lambda _function, name, *_rest: seen.append(name))
    x = runtime.tensor(np.ones(2, "float32"))
    vm["twice"](x)
    count = len(seen)
    vm.set_instrument(None)
    vm["twice"](x)
    assert (count > 0, len(seen)) == (True, count)
