"""Figures of bench/ and tools/ that compare times: medians over paired rounds, each with an interval that holds it."""

import json
from pathlib import Path
from typing import Any

import bench_threads
import best_others
import compare_builds
import load_time
import pytest
import rounds


def test_the_least_median_has_its_interval() -> None:
    values = {"fast": [9.0, 8, 7, 9, 8, 7], "slow": [1.0, 5, 4, 3, 2, 6]}
    assert rounds.least(values) == {"of": "slow", "median": 3.5, "interval": (1, 6)}
    assert rounds.least({"few": [2.0, 1]})["interval"] is None


def row(ratio: float, *interval: float) -> dict[str, Any]:
    return {"seconds": 1.0, "ratio": ratio, "ratio_interval": list(interval) or None}


def result(**models: list[dict[str, Any]]) -> dict[str, Any]:
    """A run by one thread, in which each model has these rows of other engines."""
    found = [
        {"name": name, "timings": [{"threads": 1, "engines": {str(i): r for i, r in enumerate(rows)}}]}
        for name, rows in models.items()
    ]
    return {"settings": {"threads": [1]}, "models": found}


def test_best_others_are_of_all_models_and_of_groups() -> None:
    run = result(a=[row(2, 1.9, 2.1), row(8, 7, 9)], b=[row(8, 4, 16)], c=[row(1.5, 1.2, 1.6)])
    found = best_others.by_group(run, {"two": ["a", "b"]})
    assert (found["all"]["1"]["models"], found["all"]["1"]["least_model"], found["all"]["1"]["least"]) == (3, "c", 1.5)
    two = found["two"]["1"]
    assert (two["models"], two["least"], two["least_interval"]) == (2, 2, [1.9, 2.1])
    assert two["mean"] == pytest.approx(4)


def test_torch_compile_is_compared_with_what_is_not_ours() -> None:
    def turn(seconds: float) -> dict[str, float]:
        return {"per_call": seconds, "calls": 1, "spent": seconds, "cores": 1}

    rounds_of = [{"sunmao": turn(1), "backend": turn(2 * k), "compile": turn(6 * k), "torch": turn(8)} for k in (1, 2)]
    starts = {"sunmao": 1.0, "backend": 2.0, "compile": 9.0, "torch": 5.0}
    model = {
        "name": "a",
        "engines": {name: {"load_seconds": s, "first_call_seconds": 1.0} for name, s in starts.items()},
        "timings": [{"threads": 1, "engines": {}, "rounds": rounds_of}],
    }
    found = best_others.by_group({"settings": {"threads": [1]}, "models": [model]}, {}, "backend")["all"]
    assert found["1"]["least"] == pytest.approx(3)  # of inductor, in each round; eager mode is at 4 and 2
    assert found["start"] == found["start_mean"] == pytest.approx(6 / 3)
    del model["engines"]["backend"]
    with pytest.raises(SystemExit, match="a has no times to start"):
        best_others.by_group({"settings": {"threads": [1]}, "models": [model]}, {}, "backend")


def test_errors_of_a_mean_add_up_as_squares() -> None:
    same = [row(2, 1, 4)] * 4
    assert best_others.mean_interval(same) == pytest.approx([2 / 2**0.5, 2 * 2**0.5])
    assert best_others.mean_interval([*same, row(2)]) is None


def test_runs_of_quantised_models_are_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(best_others, "QUANTISED", tmp_path / "quantised.json")
    with pytest.raises(SystemExit, match="`make bench-quantised` makes one"):
        best_others.main(["--quantised"])
    (tmp_path / "quantised.json").write_text(json.dumps(result(a=[row(2)])))
    best_others.main(["--quantised"])
    assert json.loads(capsys.readouterr().out)["all"]["1"]["least"] == 2


def test_a_model_without_a_ratio_is_no_part_of_a_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(best_others, "LATEST", tmp_path / "latest.json")
    (tmp_path / "latest.json").write_text(json.dumps(result(a=[row(2)], refused=[{"seconds": 1.0}])))
    with pytest.raises(SystemExit, match="refused has no ratio"):
        best_others.main([])
    with pytest.raises(SystemExit, match="the latest run has no bert"):
        best_others.by_group(result(a=[row(2)]), {"named": ["a", "bert"]})


def test_gains_of_threads_are_of_the_same_round() -> None:
    """The machine's speed changes from round to round; gain and share do not."""
    large, small = bench_threads.Gains("large"), bench_threads.Gains("small")
    for speed in (1, 10, 3, 7, 1, 5):
        large.add(speed * 1e-3, speed * 1e-3, speed * 8e-4)
        small.add(speed * 1e-6, speed * 1e-6, speed * 1e-6)
    found = bench_threads.summary([large, small])
    assert found["least_share"] == {"of": "large", "median": 0.625, "interval": pytest.approx((0.625, 0.625))}
    assert found["least_gain"]["median"] == found["least_gain"]["interval"][0] == 1
    assert found["layers"][0]["processes"] == 2
    assert "least_gain" not in bench_threads.summary([large])


def test_the_most_of_two_builds_has_its_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pair:
        def __init__(self, *_: object) -> None:
            pass

        def ratio(self, name: str, turn: int) -> float:
            return 1.5 + turn / 100 if name == "cache" else 1

        def close(self) -> None:
            pass

    monkeypatch.setattr(compare_builds, "Pair", Pair)
    found = compare_builds.measure(Path(), rounds=7, threads=1)
    assert (found["most"], found["most_script"], found["most_interval"]) == (1.53, "cache", [1.5, 1.56])
    assert found["mlp"] == 1


def test_times_of_loading_have_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    said = iter(range(1, 8))
    line = '{{"load_to_first_result_ms": {0}, "first_run_ms": 1, "run_us": 500}}'
    monkeypatch.setattr(load_time, "run", lambda *_: line.format(next(said)))
    found = load_time.measure(Path("a.sunmao"), 7)
    assert (found["load_to_first_result_ms"], found["first_run_times"]) == (4, 2)
    assert found["intervals"]["load_to_first_result_ms"] == (1, 7)
    assert found["slowest_load_to_first_result_ms"] == 7
