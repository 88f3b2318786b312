"""`make bench-trained`: which models there are, and the figures against ONNX Runtime."""

from typing import Any

import chart
import compare_engines
import pytest
import report
import trained_report
from model_names import PACKAGES
from model_run import with_shares
from rounds import summary


def test_packages_are_compared_with_onnx_runtime() -> None:
    arguments = compare_engines.parse(["--trained"])
    assert (arguments.models, arguments.results) == (PACKAGES, "trained")
    assert arguments.engines == ["sunmao", "onnxruntime"]
    assert "ddddocr" in PACKAGES and all("=" not in name and " " not in name for name in PACKAGES)
    assert compare_engines.parse(["--trained", "--models", "ddddocr,nudenet"]).models == ["ddddocr", "nudenet"]
    with pytest.raises(SystemExit, match="no model is called `bert`"):
        compare_engines.parse(["--trained", "--models", "bert"])


def test_a_model_of_a_package_has_files_of_its_own() -> None:
    cases = [{"case": "common", "files": "ddddocr-1/model"}, {"case": "old", "error": "refused"}]
    assert compare_engines.cases_of({"name": "copies", "cases": []}) == []
    first, second = compare_engines.cases_of({"name": "ddddocr", "cases": cases})
    assert (first["name"], first["files"]) == ("ddddocr common", "ddddocr-1/model")
    assert (second["name"], second["error"]) == ("ddddocr old", "refused")


def result(**seconds: float) -> dict[str, Any]:
    """A run in which ONNX Runtime takes so long where Sunmao takes 1 s; 0 is a model that it does not run."""

    def turn(time: float) -> dict[str, Any]:
        return {"per_call": time, "calls": 1, "spent": time, "cores": 1.0}

    models = []
    for name, other in seconds.items():
        played = [{"sunmao": turn(1.0)} | ({"onnxruntime": turn(other)} if other else {})] * 6
        timings = [{"threads": 1, "engines": summary(played, "sunmao"), "rounds": played}]
        models.append({"name": name, "engines": {"sunmao": {}, "onnxruntime": {}}, "timings": timings})
    return {
        "commit": "c",
        "changed": False,
        "date": "d",
        "machine": {"cpu": "c", "cores": 2, "memory_gib": 1, "system": "s", "load_average": 0.1},
        "versions": {},
        "limits": [{"threads": 1, "fma_gflops": 100, "read_gb_s": 10.0, "triad_gb_s": 9.0}],
        "settings": {"threads": [1], "engines": ["sunmao", "onnxruntime"], "results": "trained"},
        "models": models,
    }


def test_mean_and_worst_are_against_their_bounds() -> None:
    text = trained_report.terminal(result(a=1.5, b=0.96))
    assert "geometric mean 1.200 [1.200, 1.200]; at least 1.05: yes" in text
    assert "worst 0.960 [0.960, 0.960] (b); none below 0.97: no" in text
    page = trained_report.markdown(result(a=1.5, b=1.5, c=0.0))
    assert "- 1 thread, ONNX Runtime / Sunmao (2 rows, 1 not measured):" in page
    assert "none below 0.97: undecided" in page
    assert trained_report.by_threads(result(a=0.0)) == {"1": {}}


def test_shares_need_the_arithmetic_of_a_model() -> None:
    run = result(a=1.5)
    (model,) = run["models"]
    with_shares(model["timings"], model, run["limits"])
    assert "peak_share" not in model["timings"][0]["engines"]["sunmao"]
    assert not any("share of FMA peak" in title for title, _, _ in report.sections(run))


def test_a_chart_has_room_for_long_names() -> None:
    name = "package " + 70 * "x"
    wide, narrow = (chart.draw(result(**{n: 1.5})) for n in (name, "a"))
    assert name in wide
    assert int(wide.split('width="')[1].split('"')[0]) == 24 + 7 * len(name) + chart.PANEL + chart.GAP
    assert int(narrow.split('width="')[1].split('"')[0]) == chart.LEAST_WIDTH
