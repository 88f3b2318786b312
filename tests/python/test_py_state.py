"""State that sessions keep: scripts compiled with `keep_state`, their sessions, files and errors."""

import threading
from pathlib import Path

import numpy as np
import pytest
import sunmao
import sunmao_binary

ONE = np.ones(3, "float32")

TOTAL = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32"), total: R.Tensor((3,), "float32"), w: R.Tensor((3,), "float32")):
        R.func_attr({"state_names": {"total": "sum.total"}, "num_input": 2})
        with R.dataflow():
            s = R.add(total, R.multiply(x, w))
            y = R.multiply(s, s)
            R.output(y, s)
        return (y, s)
"""

CACHE = """
@I.ir_module
class Module:
    @R.function
    def prefill(x: R.Tensor(("m", 2), "float32"), cache: R.Tensor(("n", 2), "float32")):
        R.func_attr({"state_names": ["cache"], "num_input": 2, "global_symbol": "prefill"})
        with R.dataflow():
            y = R.sum(x)
            R.output(y)
        return (y, x)

    @R.function
    def decode(x: R.Tensor((1, 2), "float32"), cache: R.Tensor(("n", 2), "float32")):
        R.func_attr({"state_names": ["cache"], "num_input": 2, "global_symbol": "decode"})
        with R.dataflow():
            grown = R.concat((cache, x), axis=0)
            y = R.sum(grown)
            R.output(y, grown)
        return (y, grown)
"""


def compiled(text: str = TOTAL, **options: object) -> sunmao.Model:
    weights = {"w": ONE} if "w:" in text else None
    return sunmao.compile(sunmao.parse_module(text), weights=weights, keep_state=True, **options)


@pytest.fixture(scope="module")
def total() -> sunmao.Model:
    return compiled()


def error_of(call: object, *args: object, **kwargs: object) -> sunmao.Error:
    with pytest.raises(sunmao.Error) as caught:
        call(*args, **kwargs)  # type: ignore[operator]
    return caught.value


def test_state_lives_from_call_to_call(total: sunmao.Model) -> None:
    model = total.session()
    assert [str(info) for info in model.kept_states] == ['sum.total: Tensor((3,), "float32")']
    assert [info.name for info in model.inputs] == ["x"]
    assert len(model.outputs) == 1
    np.testing.assert_array_equal(model(ONE), ONE)
    np.testing.assert_array_equal(model(x=ONE), 4 * ONE)
    assert model.profile(ONE, repeat=5)["runs"] == 5
    np.testing.assert_array_equal(model.state()["sum.total"], 2 * ONE)  # a profile changes nothing
    model.reset_state()
    np.testing.assert_array_equal(model.flat(ONE), ONE)


def test_sessions_and_copies_are_separate(total: sunmao.Model) -> None:
    first, second = total.session(), total.session()
    first(ONE)
    fork = first.copy()
    fork(ONE)
    states = [m.state()["sum.total"][0] for m in (first, second, fork)]
    assert states == [1, 0, 2]


def test_eight_threads_with_sessions(total: sunmao.Model) -> None:
    sums = [0.0] * 8

    def work(i: int) -> None:
        session = total.session()
        for _ in range(20):
            session(i * ONE)
        sums[i] = float(session.state()["sum.total"][0])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sums == [20.0 * i for i in range(8)]


def test_first_values_are_given_by_either_name() -> None:
    for name in ("total", "sum.total"):
        model = compiled(states={name: 2 * ONE})
        np.testing.assert_array_equal(model(ONE), 9 * ONE)
        model.reset_state()
        np.testing.assert_array_equal(model.state()["sum.total"], 2 * ONE)


def test_states_are_set_saved_and_loaded(total: sunmao.Model, tmp_path: Path) -> None:
    model, other = total.session(), total.session()
    model.set_state({"sum.total": 5 * ONE})
    model.save_state(tmp_path / "state")
    other.load_state(tmp_path / "state")
    np.testing.assert_array_equal(other(ONE), 36 * ONE)
    data = bytearray((tmp_path / "state").read_bytes())
    data[-1] ^= 1
    (tmp_path / "state").write_bytes(data)
    assert error_of(other.load_state, tmp_path / "state").code == "E0926"
    np.testing.assert_array_equal(other.state()["sum.total"], 6 * ONE)
    assert error_of(other.load_state, tmp_path / "none").code.startswith("E08")
    assert error_of(other.load_state, 3).code == "E0034"


def test_functions_share_a_state_that_grows() -> None:
    model = compiled(CACHE, states={"cache": np.zeros((0, 2), "float32")})
    assert str(model.kept_states[0].shape[0]) == "n"
    prefill, decode = model["prefill"], model["decode"]
    assert prefill(np.ones((3, 2), "float32")) == 6
    fork = decode.copy()
    for step in range(1, 4):
        assert decode(np.ones((1, 2), "float32")) == 6 + 2 * step
    assert model.state()["cache"].shape == (6, 2)
    assert fork.state()["cache"].shape == (3, 2)


def test_artifacts_and_the_command_line(total: sunmao.Model, tmp_path: Path) -> None:
    total.save(tmp_path / "m.sunmao")
    np.testing.assert_array_equal(sunmao.load(tmp_path / "m.sunmao")(ONE), ONE)
    np.save(tmp_path / "x.npy", ONE)
    run = ["run", tmp_path / "m.sunmao", "--input", f"x={tmp_path}/x.npy", "--state", tmp_path / "s"]
    for _ in range(2):
        assert sunmao_binary.sunmao(*run).returncode == 0
    model = total.session()
    model.load_state(tmp_path / "s")
    np.testing.assert_array_equal(model.state()["sum.total"], 2 * ONE)
    shown = sunmao_binary.sunmao("inspect", tmp_path / "m.sunmao").stdout
    assert "sum.total" in shown and "12  float32 (3,)" in shown


def test_without_the_option_callers_pass_state() -> None:
    model = sunmao.compile(sunmao.parse_module(TOTAL), weights={"w": ONE})
    y, s = model(ONE, 2 * ONE)
    np.testing.assert_array_equal(y, 9 * ONE)
    np.testing.assert_array_equal(s, 3 * ONE)
    assert model.kept_states == ()
    for call in (model.state, model.session, model.copy, model.reset_state):
        assert error_of(call).code == "E0034"


def test_errors(total: sunmao.Model) -> None:
    model = total.session()
    assert error_of(model, ONE, ONE).code == "E0902"
    assert error_of(model.set_state, {"total": ONE}).code == "E0901"
    assert error_of(model.set_state, {"sum.total": np.ones(4, "float32")}).code == "E0905"
    assert error_of(model.set_state, {"sum.total": np.ones(3)}).code == "E0903"
    assert error_of(model.set_state, 3).code == "E0034"
    module = sunmao.parse_module(TOTAL)
    assert error_of(sunmao.compile, module, weights={"w": ONE}, states={"total": ONE}).code == "E0034"
    assert error_of(compiled, states={"none": ONE}).code == "E0546"
    assert error_of(compiled, states={"total": np.ones(3)}).code == "E0546"
    assert error_of(compiled, states={"total": np.ones(4, "float32")}).code == "E0546"
    assert error_of(compiled, CACHE).code == "E0546"  # nothing says how large it is
    assert error_of(compiled, CACHE, states={"cache": np.ones(6, "float32")}).code == "E0546"
    assert error_of(compiled, states=5).code == "E0034"
    for name in ("", "__metadata__", "a\\0"):
        assert error_of(compiled, TOTAL.replace("sum.total", name)).code == "E0546"


@pytest.mark.parametrize(
    ("stated", "words"),
    [('["none"]', "names `none`"), ("[1]", "holds what is no text"), ('["total", "total"]', "twice")],
)
def test_E0546_for_attributes(stated: str, words: str) -> None:
    error = error_of(compiled, TOTAL.replace('{"total": "sum.total"}', stated))
    assert error.code == "E0546"
    assert words in error.message


def test_E0546_for_a_next_value_of_another_dtype() -> None:
    text = TOTAL.replace("R.output(y, s)", "z = R.astype(s, 'float64')\n            R.output(y, z)")
    error = error_of(compiled, text.replace("return (y, s)", "return (y, z)"))
    assert error.code == "E0546"
    assert "the next value of the state `sum.total` is" in error.message
