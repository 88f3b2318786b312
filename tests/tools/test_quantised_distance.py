"""tools/quantised_distance.py: distances in steps, and what is said of all models."""

from typing import Any

import numpy as np
import pytest
import quantised_distance
from quantised_distance import LEAST, Distance, distance, nearer_other, table, worst


def test_distances_are_counted_in_steps() -> None:
    wanted = np.array([0.0, 0.5, -1.0, 2.0])
    found = distance(np.array([0.0, 0.75, -1.0, 1.0], np.float32), wanted, 0.25)
    assert found == Distance(largest=4, mean=1.25, equal=0.5)


def row(name: str, largest: float, mean: float) -> dict[str, Any]:
    engines = {"sunmao": vars(Distance(1, 0, 1)), "openvino": vars(Distance(largest, mean, 0.5))}
    return {"name": name, "step": 0.5, "of_scale": name == "a", "exact": engines}


def test_a_table_has_the_largest_and_the_mean_distance() -> None:
    assert table([row("a", 12, 0.5), row("b", 3, 2)], "exact") == [
        ["model", "step", "Sunmao", "OpenVINO"],
        ["a", "0.5000", "1.0 (0.00)", "12.0 (0.50)"],
        ["b", "~0.5000", "1.0 (0.00)", "3.0 (2.00)"],
    ]


def test_the_worst_is_the_largest_of_all_models() -> None:
    assert worst([row("a", 12, 0.5), row("b", 3, 2)], "exact")["openvino"] == {"largest": 12, "mean": pytest.approx(1)}


def test_the_nearer_of_the_others_is_compared() -> None:
    near = row("a", 12, 0.5)
    near["exact"]["onnxruntime"] = vars(Distance(1, 0.125, 1))
    near["exact"]["sunmao"]["mean"] = 0.0625
    assert nearer_other([near], "exact") == 2
    near["exact"]["sunmao"]["mean"] = 0
    assert nearer_other([near], "exact") == pytest.approx(0.125 / LEAST)


def test_an_unknown_model_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        quantised_distance.main(["resnet50"])
    assert "invalid choice: 'resnet50'" in capsys.readouterr().err
