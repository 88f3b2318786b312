"""bench/rounds.py and bench/report.py: who plays in which round, paired ratios and their intervals, tables, chart."""

import itertools
import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import chart
import compare_engines
import machine
import pytest
import report
import rounds


def turn(seconds: float) -> dict[str, Any]:
    return {"per_call": seconds, "calls": 1, "spent": seconds, "cores": 1.0}


def constant(**seconds: float) -> dict[str, Callable[[], dict[str, Any]]]:
    return {name: lambda s=s: turn(s) for name, s in seconds.items()}


def play(seconds: float, **turns: float) -> list[rounds.Round]:
    return rounds.play(constant(**turns), turns, seconds, seed=0)


def test_every_engine_has_one_turn_a_round_in_changing_order() -> None:
    played = play(10, a=0.25, b=0.25, c=0.5)
    assert len(played) == 10
    assert all(set(r) == {"a", "b", "c"} for r in played)
    assert len({tuple(r) for r in played}) > 1


def test_the_first_round_is_played_to_its_end() -> None:
    assert [set(r) for r in play(1, a=50, b=0.1)] == [{"a", "b"}]


def test_a_slow_engine_is_in_the_first_rounds_only() -> None:
    played = play(10, slow=2, fast=0.5)
    assert [("slow" in r) for r in played[:3]] == [True, True, False]
    assert all("fast" in r for r in played)
    assert sum(t["spent"] for r in played for t in r.values()) >= 10


def test_an_engine_that_fails_is_in_no_further_round() -> None:
    answers: list[Any] = [turn(1), None]
    played = rounds.play(
        {"good": lambda: turn(1), "bad": lambda: answers.pop(0)}, {"good": 1, "bad": 1}, seconds=6, seed=0
    )
    assert [("bad" in r) for r in played] == [True, *[False] * (len(played) - 1)] and not answers


def test_no_engine_no_round() -> None:
    assert rounds.play({}, {}, 1, seed=0) == []


@pytest.mark.parametrize("n", range(6))
def test_too_few_values_have_no_interval(n: int) -> None:
    assert rounds.median_interval([1.0] * n) is None


@pytest.mark.parametrize(("n", "low", "high"), [(6, 1, 6), (9, 2, 8), (20, 6, 15), (100, 40, 61)])
def test_interval_is_that_of_the_tables_of_the_sign_test(n: int, low: int, high: int) -> None:
    values = [float(i) for i in range(n, 0, -1)]
    assert rounds.median_interval(values) == (low, high)


def test_interval_holds_the_median_as_often_as_it_says() -> None:
    """Of all orders of 8 values to both sides of the median, 95 % or more have it inside."""
    inside = 0
    for signs in itertools.product([-1.0, 1.0], repeat=8):
        interval = rounds.median_interval(signs)
        assert interval is not None
        inside += interval[0] <= 0 <= interval[1]
    assert 0.95 <= inside / 2**8 < 1


def test_ratios_are_of_the_same_round() -> None:
    """The machine's speed changes from round to round; the ratio does not."""
    played = [{"sunmao": turn(2 * speed), "torch": turn(speed)} for speed in (1, 10, 3, 7, 1, 5)]
    row = rounds.summary(played, "sunmao")["torch"]
    assert (row["ratio"], row["ratio_interval"], row["ratio_rounds"]) == (0.5, (0.5, 0.5), 6)


def test_rounds_without_the_baseline_have_times_but_no_ratio() -> None:
    rows = rounds.summary([{"sunmao": turn(4), "torch": turn(1)}, {"torch": turn(3)}], "sunmao")
    assert (rows["torch"]["seconds"], rows["torch"]["rounds"], rows["torch"]["ratio_rounds"]) == (2, 2, 1)
    assert "ratio" not in rows["sunmao"]
    assert "ratio" not in rounds.summary([{"torch": turn(3)}], "sunmao")["torch"]


def result() -> dict[str, Any]:
    """A run of two models: one that all but OpenVINO run, and one that Sunmao refuses."""
    one = [{"sunmao": turn(0.4), "torch": turn(0.1)}]
    many = [{"sunmao": turn(0.4 + i / 100), "torch": turn(0.1)} for i in range(8)]
    facts = {"flops": 2e9, "bytes_read": 1e8}
    once = {"load_seconds": 0.5, "first_call_seconds": 0.25, "artifact_bytes": 5e6, "peak_bytes": 2e8}
    models = [
        {
            "name": "good",
            **facts,
            "engines": {"sunmao": {**once, "compile_seconds": 2.0}, "torch": once, "openvino": {"reason": "no | op"}},
            "timings": [
                {"threads": n, "rounds": r, "engines": rounds.summary(r, "sunmao")} for n, r in ((1, one), (2, many))
            ],
        },
        {"name": "refused", **facts, "engines": {"sunmao": {"reason": "E0604: no `Foo`"}}, "timings": []},
        {"name": "unmade", "reason": "ImportError: no timm", "engines": {}, "timings": []},
    ]
    limits = [{"threads": n, "isa": "x", "fma_gflops": 100.0, "read_gb_s": 10.0, "triad_gb_s": 20.0} for n in (1, 2)]
    for model in models:
        compare_engines.with_shares(model["timings"], model, limits)
    return {
        "format": 1,
        "date": "2026-01-01T00:00:00+00:00",
        "commit": "abc",
        "changed": False,
        "machine": {**machine.describe(), "load_average": 0.1},
        "versions": {"torch": "1.2.3"},
        "settings": {"engines": ["sunmao", "torch", "openvino"], "threads": [1, 2], "seconds": 3.0},
        "limits": limits,
        "models": models,
    }


def test_a_reason_stands_below_the_table() -> None:
    text = report.terminal(result())
    assert "good, OpenVINO: no | op" in text
    assert "refused, Sunmao: E0604: no `Foo`" in text
    assert text.count("unmade: ImportError: no timm") == 2  # once for each thread count


def test_few_rounds_are_said_and_many_give_an_interval() -> None:
    one, two = (report.times(result(), n, report.Notes())[1] for n in (1, 2))
    assert one[:4] == ["good", "400", "100", "0.25 (1 round)"]
    assert two[3] == "0.23 [0.21, 0.25]"


def test_best_others_are_the_least_ratios() -> None:
    lines = report.best_others(result())
    assert lines[0] == ("1 thread, best other engine / Sunmao: least 0.250 (good), geometric mean 0.250 (1 model)")
    assert lines[1].startswith("2 threads, best other engine / Sunmao: least 0.2")


def test_shares_of_the_machine() -> None:
    """2 GFLOP in 0.4 s at a peak of 100 GFLOP/s; 100 MB in 0.4 s at 20 GB/s."""
    assert report.shares(result(), 1)[1] == ["good", "2.00", "100", "5% / 1%", "20% / 5%", "—"]


def test_what_is_measured_once() -> None:
    text = report.terminal(result())
    assert all(title in text for title, _ in report.ONCE)
    assert report.once(result(), report.ready)[1] == ["good", "0.75", "0.75", "—"]


def test_markdown_tables_are_whole() -> None:
    lines = [line for line in report.markdown(result()).splitlines() if line.startswith("|")]
    assert lines and all(line.endswith("|") for line in lines)
    widths = [line.replace("\\|", "").count("|") for line in lines if line.startswith(("| model", "| good"))]
    assert widths[::2] == widths[1::2]


def test_history_is_one_line_without_names_of_the_host() -> None:
    line = report.history_line(result())
    assert line.count("\n") == 1 and line.endswith("\n")
    read = json.loads(line)
    assert read["models"]["good"]["1"]["torch"] == {"ms": 100.0, "rounds": 1, "ratio": 0.25, "interval": None}
    assert read["models"]["refused"] == {"reasons": {"sunmao": "E0604: no `Foo`"}}
    assert read["models"]["unmade"] == {"reasons": {"all": "ImportError: no timm"}}
    assert read["commit"] == "abc" and "/" not in json.dumps(read["machine"])
    assert set(read["machine"]) == {"cpu", "cores", "memory_gib", "system", "python", "load_average"}


def test_chart_has_a_mark_for_each_ratio() -> None:
    picture = ET.fromstring(chart.draw(result()))
    circles = [e.attrib for e in picture.iter("{http://www.w3.org/2000/svg}circle") if "stroke" in e.attrib]
    assert [c["fill"] == "white" for c in circles] == [True, False]
    texts = [e.text for e in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert {"good", "refused", "not timed", "2 threads"} <= set(texts)


def test_chart_of_one_thread_count_has_room_for_its_title() -> None:
    one = result()
    one["settings"]["threads"] = [1]
    assert int(ET.fromstring(chart.draw(one)).attrib["width"]) == chart.LEAST_WIDTH


def test_chart_without_any_time() -> None:
    empty = result()
    empty["models"] = empty["models"][1:]
    ET.fromstring(chart.draw(empty))
    assert "Nothing ran." in report.terminal(empty)
