"""`sunmao view`: what its pages hold. tests/view opens them in a browser."""

import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from onnx_bytes import linear
from sunmao_binary import BINARY, LIMIT, MODELS, compile_model, sunmao
from view_page import check_folds, edges_of, function_of, module, page_data, pairs_of, script, view


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


def fake_dot(folder: Path, *lines: str) -> dict[str, str]:
    """An environment in which `dot` is a script."""
    folder.mkdir()
    dot = folder / "dot"
    dot.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    dot.chmod(0o755)
    return os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"}


def test_a_layout_that_takes_long_is_told(tmp_path: Path) -> None:
    environment = fake_dot(tmp_path / "bin", "sleep 4", "exit 1")
    page = tmp_path / "m.html"
    command = [BINARY, "view", MODELS / "mlp.onnx", "-o", page]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 0 and "note: Graphviz's `dot` is laying out" in done.stderr
    assert page_data(page)["layout"] == "layers"
    quick = fake_dot(tmp_path / "quick", "exit 1")
    done = subprocess.run(command, env=quick, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_dot_ends_with_a_command_that_is_killed(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    environment = fake_dot(tmp_path / "bin", f"echo $$ > {pid}.new", f"mv {pid}.new {pid}", "exec sleep 300")
    command = [BINARY, "view", MODELS / "mlp.onnx", "-o", tmp_path / "m.html"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        wait_until(pid.exists)
        running.kill()
    wait_until(lambda: not is_running(int(pid.read_text())))


def wait_until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + LIMIT
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)


def is_running(process: int) -> bool:
    """Whether a process is there and is no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


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


def renamed(folder: Path, size: str, name: str) -> Path:
    """A script whose first size has this name."""
    text = (
        "@I.ir_module\nclass Module:\n    @R.function\n"
        '    def main(x: R.Tensor(("batch", 4), "float32"), y: R.Tensor(("seq", 4), "float32")):\n'
        "        batch, seq = T.int64(), T.int64()\n        with R.dataflow():\n"
        "            a = R.exp(x)\n            b = R.reshape(a, R.shape([batch * 4]))\n"
        "            c = R.tile(y, [2, 1])\n            R.output(b, c)\n        return (b, c)\n"
    )
    (folder / name).write_text(text.replace("batch", size))
    return folder / name


def test_sizes_with_other_names_are_no_change(tmp_path: Path) -> None:
    models = [renamed(tmp_path, "batch", "a.py"), renamed(tmp_path, "s77", "b.py"), renamed(tmp_path, "seq", "c.py")]
    page = tmp_path / "m.html"
    assert sunmao("view", models[0], models[1], "-o", page).returncode == 0
    assert {pair["mark"] for pair in function_of(page_data(page)["sides"][0])["pairs"]} == {"same"}
    # One size that is two in the other model.
    assert sunmao("view", models[0], models[2], "-o", page).returncode == 0
    marks = [pair["mark"] for pair in function_of(page_data(page)["sides"][0])["pairs"]]
    assert {"same", "changed"} == set(marks)


def test_sizes_of_an_artifact_with_other_names_are_no_change(tmp_path: Path) -> None:
    page, artifacts = tmp_path / "m.html", []
    for size in ("batch", "s77"):
        artifacts.append(tmp_path / f"{size}.sunmao")
        assert sunmao("compile", renamed(tmp_path, size, f"{size}.py"), "-o", artifacts[-1]).returncode == 0
    assert sunmao("view", *artifacts, "-o", page).returncode == 0
    assert {pair["mark"] for pair in function_of(page_data(page)["sides"][0])["pairs"]} == {"same"}


COUNTER = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 4), "float32"), count: R.Tensor((1,), "float32")):
        R.func_attr({"state_names": ["count"], "num_input": 2})
        with R.dataflow():
            next = R.add(count, R.const(1, "float32"))
            shown = R.multiply(next, x)
            R.output(shown, next)
        return (shown, next)
"""


def test_states_are_told_of_models_and_artifacts(tmp_path: Path) -> None:
    model, artifact, page = tmp_path / "m.py", tmp_path / "m.sunmao", tmp_path / "m.html"
    model.write_text(COUNTER)
    assert sunmao("compile", model, "--keep-state", "-o", artifact).returncode == 0
    assert sunmao("view", model, artifact, "-o", page).returncode == 0
    for side in page_data(page)["sides"]:
        main = function_of(side)
        states = [n for n in main["nodes"] if ["state", "count"] in n.get("a", [])]
        assert [n["k"] for n in states] == ["input", "output"]
        assert [p["mark"] for n, p in zip(main["nodes"], main["pairs"], strict=True) if n in states] == ["same"] * 2


def test_a_pair_of_unlike_shapes_has_no_difference(tmp_path: Path) -> None:
    def reshaped(name: str, shape: str) -> Path:
        lines = ("e = R.exp(x)", f"y = R.reshape(e, {shape})", "return y")
        return script(tmp_path / name, module('x: R.Tensor((4, 4), "float32")', *lines))

    sides = view(tmp_path / "m.html", reshaped("a.py", "(2, 8)"), reshaped("b.py", "(8, 2)"), "--numbers")
    pairs = pairs_of(sides[0])
    assert pairs["e"]["difference"] == 0
    assert pairs["y"]["mark"] == "changed" and "difference" not in pairs["y"]


@pytest.mark.parametrize("inner", ["s[0]", "R.exp(s[0])"])
def test_values_go_to_no_op_of_a_branch_with_the_same_name(inner: str, tmp_path: Path) -> None:
    then = (f"    t = {inner}", "    y = R.negative(t)")
    lines = (
        "s = R.split(x, 2, axis=0)",
        "if c:",
        *then,
        "else:",
        "    y = R.sin(s[1])",
        "t = R.abs(x)",
        "return (y, t)",
    )
    params = 'x: R.Tensor((4, 4), "float32"), c: R.Tensor((), "bool")'
    model = script(tmp_path / "m.py", module(params, *lines))
    (side, _) = view(tmp_path / "m.html", model, model, "--numbers")
    main = function_of(side)
    compared = {n["o"] for n, p in zip(main["nodes"], main["pairs"], strict=True) if "difference" in p}
    assert {"if", "abs"} <= compared and not compared & {"negative", "sin", "exp"}


def test_models_without_a_pair_of_values_are_told(tmp_path: Path) -> None:
    models = [
        script(tmp_path / f"{name}.py", module(f'x: R.Tensor(({size},), "float32")', "y = R.exp(x)", "return y"))
        for name, size in (("a", 4), ("b", 4))
    ]
    models[1].write_text(models[1].read_text().replace("R.exp(x)", 'R.astype(x, "int32")'))
    result = sunmao("view", *models, "--numbers", "-o", tmp_path / "m.html")
    assert result.returncode == 0 and "note: no values were compared" in result.stderr


@pytest.mark.parametrize("command", [["view", "--numbers", "-o", "m.html"], ["diff"]])
def test_numbers_need_a_function_main(command: list[str], tmp_path: Path) -> None:
    body = module('x: R.Tensor((4,), "float32")', "y = R.exp(x)", "return y").replace("def main", "def other")
    model = script(tmp_path / "m.py", body)
    result = subprocess.run(
        [BINARY, command[0], model, model, *command[1:]], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert result.returncode == 2 and "error[E0003]" in result.stderr and "`main`" in result.stderr
    assert not (tmp_path / "m.html").exists()


def test_loop_level_functions_alone_are_a_box_each(tmp_path: Path) -> None:
    function = (
        '    @T.prim_func\n    def {}(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32")):\n'
        "        for i in range(4):\n            b[i] = a[i] * T.float32(2)\n\n"
    )
    body = "@I.ir_module\nclass Module:\n" + function.format("double") + function.format("twice")
    (side,) = view(tmp_path / "m.html", script(tmp_path / "m.py", body))
    (drawn,) = side["functions"]
    check_folds(drawn)
    assert [n["o"] for n in drawn["nodes"]] == ["double", "twice"]
    assert all("def " + n["o"] in side["texts"][n["x"]]["text"] for n in drawn["nodes"])


def test_a_module_without_functions_is_refused(tmp_path: Path) -> None:
    model = script(tmp_path / "m.py", "@I.ir_module\nclass Module:\n    pass\n")
    for models in ([model], [MODELS / "mlp.onnx", model]):
        result = sunmao("view", *models, "-o", tmp_path / "m.html")
        assert result.returncode == 2 and "error[E0003]" in result.stderr and "`m.py`" in result.stderr
    assert not (tmp_path / "m.html").exists()


def test_a_page_goes_to_standard_output(tmp_path: Path) -> None:
    view(tmp_path / "m.html", MODELS / "mlp.onnx")
    command = [BINARY, "view", MODELS / "mlp.onnx", "-o", "-"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 0 and done.stdout == (tmp_path / "m.html").read_text()
    assert not (tmp_path / "-").exists()


def test_a_stage_of_a_model_beside_an_artifact_in_any_order(tmp_path: Path) -> None:
    artifact = compile_model("mlp.onnx", tmp_path / "mlp.sunmao")
    for files in ([artifact, MODELS / "mlp.onnx"], [MODELS / "mlp.onnx", artifact]):
        stages = {s["stage"] for s in view(tmp_path / "m.html", *files, "--stop-after", "fuse-ops")}
        assert stages == {"artifact", "after fuse-ops"}


@pytest.mark.parametrize("arguments", [["--stop-after", "fuse-ops"], ["--around", "fuse-ops"], ["--target", "host"]])
def test_options_of_the_pipeline_are_no_part_of_an_artifact(arguments: list[str], tmp_path: Path) -> None:
    artifact = compile_model("mlp.onnx", tmp_path / "mlp.sunmao")
    result = sunmao("view", artifact, *arguments, "-o", tmp_path / "m.html")
    assert result.returncode == 2 and "E0004" in result.stderr and f"{arguments[0]} is about models" in result.stderr
    result = sunmao("view", artifact, "--ops", MODELS / "mlp.py", "-o", tmp_path / "m.html")
    assert result.returncode == 2 and "E0004" in result.stderr and "--ops is about models" in result.stderr


@pytest.mark.parametrize("command", ["view", "size"])
def test_a_shared_object_is_no_artifact(command: str, tmp_path: Path) -> None:
    compiled = compile_model("mlp.onnx", tmp_path / "mlp.so", "--emit=so")
    result = sunmao(command, compiled)
    assert result.returncode == 1 and "error[E0014]" in result.stderr
    assert "shared object" in result.stderr and "--emit=so" in result.stderr


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
        ([MODELS / "mlp.onnx", "--around", "bogus"], 1, "E0511", "--around: there is no pass `bogus`"),
        ([MODELS / "mlp.onnx", "--stop-after", "plan-memory"], 1, "E0511", "not a pass of the pipeline"),
        ([MODELS / "mlp.onnx", "--stop-after", "fuse-ops", "--disable", "fuse-ops"], 2, "E0004", "--disable"),
        ([MODELS / "mlp.onnx", "--around", "fuse-ops", "--disable", "cse,fuse-ops"], 2, "E0004", "--around and"),
        ([MODELS / "mlp.onnx", "--disable", "fuse-ops"], 2, "E0004", "--disable goes with"),
        ([MODELS / "mlp.onnx", "--target", "host"], 2, "E0004", "--target goes with"),
        ([MODELS / "mlp.onnx", "--target", "nonsense"], 1, "E1001", "nonsense"),
        ([MODELS / "mlp.onnx", MODELS / "mlp.onnx", "--numbers", "--target", "host"], 2, "E0004", "this machine"),
        ([MODELS / "mlp.onnx", MODELS / "mlp.onnx", "--numbers", "--disable", "cse"], 2, "E0004", "--disable"),
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
    assert result.returncode == 1 and "error[E0013]" in result.stderr and "another model" in result.stderr
    beside = sunmao("view", MODELS / "mlp.onnx", other, "--profile", profile, "-o", page)
    assert beside.returncode == 0 and "note: m.py: 0 %" in beside.stderr
    page.unlink()
    profile.write_text('{"kernels": [{"name": "exp", "places": []}]}')
    result = sunmao("view", other, "--profile", profile, "-o", page)
    assert result.returncode == 1 and "error[E0013]" in result.stderr and not page.exists()
