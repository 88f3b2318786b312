"""Profiles of models from Python. Times are not asserted."""

from pathlib import Path

import numpy as np
import pytest
import sunmao

MODELS = Path(__file__).parent.parent / "models"
KERNELS = {"fused_matmul_add_nn_relu1_prepacked", "sum", "fused_matmul1_add1"}


@pytest.fixture(scope="module")
def model() -> sunmao.Model:
    return sunmao.compile(MODELS / "mlp.pt2")


def rows(count: int) -> np.ndarray:
    return np.ones((count, 16), "float32")


def test_a_profile_lists_kernels(model: sunmao.Model) -> None:
    profile = model.profile(rows(4), repeat=5)
    assert profile["runs"] == 5 and {k["name"] for k in profile.kernels} == KERNELS
    assert all(k["calls"] == 5 for k in profile.kernels)
    inside = sum(k["seconds"] for k in profile.kernels)
    assert inside + profile["seconds_outside"] == pytest.approx(profile["seconds"])
    (product,) = (k for k in profile.kernels if k["family"] == "contraction" and k["flops"] > 5 * 4 * 32 * 16)
    assert product["flops"] == 5 * 4 * 32 * (2 * 16 + 2)


def test_a_profile_is_printed_as_a_table(model: sunmao.Model) -> None:
    lines = repr(model.profile(x=rows(2), repeat=3)).splitlines()
    assert len(lines) == 1 + 3 + 2 and lines[0].split()[0] == "share"
    assert any("fc2" in line for line in lines) and "outside of kernels" in lines[-2] and "3 runs of" in lines[-1]


def test_inputs_go_as_in_a_call(model: sunmao.Model) -> None:
    assert model.profile({"x": rows(1)}, repeat=1)["runs"] == 1
    with pytest.raises(sunmao.Error, match="expected 16"):
        model.profile(np.ones((1, 3), "float32"), repeat=1)
    with pytest.raises(sunmao.Error, match="there is no value|takes|inputs"):
        model.profile(repeat=1)


@pytest.mark.parametrize("repeat", [0, -1, 1.5, "2"])
def test_repeat_is_a_positive_integer(model: sunmao.Model, repeat: object) -> None:
    with pytest.raises(sunmao.Error) as raised:
        model.profile(rows(1), repeat=repeat)  # type: ignore[arg-type]
    assert raised.value.code == "E0034" and "`repeat`" in raised.value.message


def test_a_loaded_model_has_a_profile_too(model: sunmao.Model, tmp_path: Path) -> None:
    model.save(tmp_path / "m.sunmao")
    loaded = sunmao.load(tmp_path / "m.sunmao")
    assert {k["name"] for k in loaded.profile(rows(1), repeat=2).kernels} == KERNELS
    np.testing.assert_array_equal(loaded(rows(3)), model(rows(3)))


def test_a_failed_profile_leaves_the_model_usable(model: sunmao.Model) -> None:
    with pytest.raises(sunmao.Error):
        model.profile(rows(1).astype("float64"), repeat=1)
    assert model(rows(2)).shape == (2, 3)
    assert model.profile(rows(2), repeat=1)["runs"] == 1
