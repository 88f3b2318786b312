"""`sunmao view`: what its pages hold. tests/view opens them in a browser."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from onnx_bytes import linear
from sunmao_binary import BINARY, LIMIT, MODELS, compile_model, sunmao
from view_page import check_folds, edges_of, function_of, page_data

HEAD = "from tvm.script import ir as I\nfrom tvm.script import relax as R\nfrom tvm.script import tirx as T\n\n"


def view(page: Path, *arguments: object) -> list:
    result = sunmao("view", *arguments, "-o", page)
    assert result.returncode == 0, result.stderr
    return page_data(page)["sides"]


def script(path: Path, body: str) -> Path:
    path.write_text(HEAD + body)
    return path


def module(params: str, *lines: str) -> str:
    body = "".join(f"        {line}\n" for line in lines)
    return f"@I.ir_module\nclass Module:\n    @R.function\n    def main({params}):\n{body}"


@pytest.mark.parametrize("with_graphviz", [True, False])
def test_a_model_with_its_weights(tmp_path: Path, with_graphviz: bool) -> None:
    page = tmp_path / "mlp.html"
    environment = os.environ | ({} if with_graphviz else {"PATH": ""})
    command = [BINARY, "view", MODELS / "mlp.onnx", "-o", page]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stderr
    data = page_data(page)
    if not with_graphviz:
        assert data["layout"] == "layers"
    main = function_of(data["sides"][0])
    check_folds(main)
    weight = next(w for w in data["sides"][0]["weights"] if w["n"] == "fc1.weight" or "fc1" in w["n"])
    assert sum(weight["h"]["bins"]) == weight["h"]["numbers"] and weight["b"] > 0


def test_a_page_is_self_contained_and_always_the_same(tmp_path: Path) -> None:
    pages = [tmp_path / "a.html", tmp_path / "b.html"]
    for page in pages:
        view(page, MODELS / "mlp.pt2")
    text = pages[0].read_text()
    assert text == pages[1].read_text()
    for outside in ("http://", "https://", " src=", "@import", "url(http", "<link"):
        assert outside not in text


def test_names_of_a_model_cannot_break_the_page(tmp_path: Path) -> None:
    folder = tmp_path / "<b onclick=1>&\"'"
    folder.mkdir()
    model = linear(folder / "<script>.onnx", np.ones((2, 2), "float32"), np.ones(2, "float32"))
    page = tmp_path / "m.html"
    view(page, model)
    assert page.read_text().count("<script>") == 1 and "<title>&lt;script>.onnx</title>" in page.read_text()


def test_modules_are_groups(tmp_path: Path) -> None:
    (side,) = view(tmp_path / "m.html", MODELS / "mlp.pt2")
    main = function_of(side)
    check_folds(main)
    assert any(n.get("m") for n in main["nodes"])


def test_branches_tuples_and_constants(tmp_path: Path) -> None:
    body = module(
        'x: R.Tensor((4, 4), "float32"), c: R.Tensor((), "bool")',
        "s = R.split(x, 2, axis=0)",
        "a = s[1]",
        "if c:",
        "    t = R.exp(a)",
        "    y = R.add(t, R.const(1.0))",
        "else:",
        "    u = R.negative(a)",
        "    y = u",
        "return (y, x)",
    )
    (side,) = view(tmp_path / "m.html", script(tmp_path / "m.py", body))
    main = function_of(side)
    check_folds(main)
    edges = edges_of(main)
    assert {("x", "s"), ("s", "t"), ("s", "u")} <= edges and ("x", "result 1") in edges
    paths = {n["o"]: n.get("m", "") for n in main["nodes"]}
    assert paths["exp"].endswith("then") and paths["negative"].endswith("else")
    assert "a" not in {n["n"] for n in main["nodes"]}


def test_a_stage_has_kernels_with_their_text(tmp_path: Path) -> None:
    (side,) = view(tmp_path / "m.html", MODELS / "mlp.onnx", "--stop-after", "fuse-kernels")
    kernels = [n for f in side["functions"] for n in f["nodes"] if n["k"] == "kernel"]
    assert kernels and all("def " + n["o"] in side["texts"][n["x"]]["text"] for n in kernels)
    assert side["stage"] == "after fuse-kernels"


def test_before_and_after_a_pass(tmp_path: Path) -> None:
    before, after = view(tmp_path / "m.html", MODELS / "mlp.onnx", "--around", "fuse-ops")
    assert (before["stage"], after["stage"]) == ("before fuse-ops", "after fuse-ops")
    marks = {p["mark"] for side in (before, after) for p in function_of(side)["pairs"]}
    assert "same" in marks and marks - {"same"}
    for a, pair in enumerate(function_of(before)["pairs"]):
        if pair["node"] is not None:
            assert function_of(after)["pairs"][pair["node"]]["node"] == a


def test_two_models_are_compared_by_their_numbers(tmp_path: Path) -> None:
    weight = np.arange(12, dtype="float32").reshape(4, 3)
    a = linear(tmp_path / "a.onnx", weight, np.zeros(3, "float32"))
    b = linear(tmp_path / "b.onnx", weight, np.full(3, 100, "float32"))
    sides = view(tmp_path / "m.html", a, b, "--numbers")
    pairs = {n["o"]: p for n, p in zip(function_of(sides[0])["nodes"], function_of(sides[0])["pairs"], strict=True)}
    assert pairs["matmul"]["difference"] == 0 and pairs["matmul"]["mark"] == "same"
    assert pairs["add"]["difference"] > 1


def test_an_artifact_is_connected_as_its_kernels_are(tmp_path: Path) -> None:
    artifact = compile_model("mlp.onnx", tmp_path / "mlp.sunmao")
    (side,) = view(tmp_path / "m.html", artifact)
    main = function_of(side)
    check_folds(main)
    ops = [n["o"] for n in main["nodes"]]
    assert ops[0] == "input" and ops[-1] == "output" and "fused_matmul_add_nn_relu" in ops
    assert all(n["i"] or n["k"] == "input" for n in main["nodes"])
    assert any(n["w"] for n in main["nodes"]) and all(w["h"]["numbers"] > 0 for w in side["weights"])
    assert sum(part[3] for part in side["parts"]) == artifact.stat().st_size


@pytest.mark.parametrize("of_artifact", [True, False])
def test_times_of_a_profile(of_artifact: bool, tmp_path: Path) -> None:
    artifact = compile_model("mlp.onnx", tmp_path / "mlp.sunmao")
    times = tmp_path / "times.json"
    assert sunmao("profile", artifact, "--repeat", "3", "--json", times).returncode == 0
    model = artifact if of_artifact else MODELS / "mlp.onnx"
    (side,) = view(tmp_path / "m.html", model, "--profile", times)
    profile = json.loads(times.read_text())
    drawn = sum(n.get("c", 0) for f in side["functions"] for n in f["nodes"])
    assert drawn == pytest.approx(profile["seconds_in_kernels"] / profile["runs"], rel=1e-6)


def test_ten_thousand_ops_are_folded(tmp_path: Path) -> None:
    lines = [f"v{i} = R.{'exp' if i % 3 else 'negative'}({f'v{i - 1}' if i else 'x'})" for i in range(10_000)]
    path = script(tmp_path / "m.py", module('x: R.Tensor((4,), "float32")', *lines, "return v9999"))
    page = tmp_path / "m.html"
    (side,) = view(page, path)
    main = function_of(side)
    check_folds(main)
    assert len(main["nodes"]) == 10_002 and max(len(fold["m"]) for fold in main["folds"]) <= 48
    assert page.stat().st_size < 2_000_000


@pytest.mark.parametrize(
    ("arguments", "status", "code", "words"),
    [
        (["gone.onnx"], 1, "E0801", "gone.onnx"),
        ([], 2, "E0001", "MODEL"),
        ([MODELS / "mlp.onnx", "--numbers"], 2, "E0004", "two models"),
        ([MODELS / "mlp.onnx", "--around", "no-such-pass"], 1, "E0511", "no-such-pass"),
        ([MODELS / "mlp.onnx", "--around", "plan-memory"], 1, "E0511", "not a pass of the pipeline"),
        ([MODELS / "mlp.onnx", "--around", "fuse-ops", "--stop-after", "fuse-ops"], 2, "E0004", "--around"),
        ([MODELS / "mlp.onnx", "--profile", MODELS / "mlp.py"], 1, "E08", "mlp.py"),
        ([MODELS / "mlp.onnx", "--input", "x=zeros"], 2, "E0004", "--numbers"),
        ([MODELS / "mlp.onnx", "--dim", "batch=1..4"], 2, "E0004", "--stop-after"),
        ([MODELS / "mlp.onnx", "-o", "/no/such/folder/m.html"], 1, "E08", "m.html"),
    ],
)
def test_what_is_wrong_is_said(arguments: list, status: int, code: str, words: str, tmp_path: Path) -> None:
    given = arguments if "-o" in arguments else [*arguments, "-o", tmp_path / "m.html"]
    result = sunmao("view", *given)
    assert (result.returncode, result.stdout) == (status, ""), result.stderr
    assert code in result.stderr and words in result.stderr
    assert not (tmp_path / "m.html").exists()


def test_a_page_is_not_written_over_the_model(tmp_path: Path) -> None:
    model = tmp_path / "m.html"
    model.write_bytes((MODELS / "mlp.onnx").read_bytes())
    result = sunmao("view", model)
    assert result.returncode == 1 and "E0807" in result.stderr
    assert model.read_bytes() == (MODELS / "mlp.onnx").read_bytes()


def test_a_profile_has_to_be_one(tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text("{}")
    result = sunmao("view", MODELS / "mlp.onnx", "--profile", other, "-o", tmp_path / "m.html")
    assert result.returncode == 1 and "error[E0013]" in result.stderr


def test_a_profile_of_another_model_is_refused(tmp_path: Path) -> None:
    profile, page = tmp_path / "times.json", tmp_path / "m.html"
    assert sunmao("profile", MODELS / "mlp.onnx", "--repeat", "1", "--json", profile).returncode == 0
    assert sunmao("view", MODELS / "mlp.onnx", "--profile", profile, "-o", page).returncode == 0
    page.unlink()
    other = script(tmp_path / "m.py", module('x: R.Tensor((4,), "float32")', "y = R.exp(x)", "return y"))
    result = sunmao("view", other, "--profile", profile, "-o", page)
    assert result.returncode == 1 and "error[E0013]" in result.stderr and "`m.py`" in result.stderr
    profile.write_text('{"kernels": [{"name": "exp", "places": []}]}')
    result = sunmao("view", other, "--profile", profile, "-o", page)
    assert result.returncode == 1 and "error[E0013]" in result.stderr and not page.exists()
