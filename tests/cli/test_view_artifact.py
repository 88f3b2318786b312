"""`sunmao view` of artifacts: functions and their calls, types, states, names."""

from pathlib import Path

import numpy as np
from onnx_bytes import model, node, tensor, value
from sunmao_binary import MODELS, compile_model, sunmao
from view_page import check_folds, edges_of, function_of, module, pairs_of, script, view

BRANCHES = module(
    'x: R.Tensor((4, 4), "float32"), c: R.Tensor((), "bool")',
    "if c:",
    "    y = R.exp(x)",
    "else:",
    "    y = R.negative(x)",
    "return R.sin(y)",
)
FOLLOWING = module('x: R.Tensor(("n", 4), "float32")', "a = R.exp(x)", "i = R.nonzero(a)", "return (i, R.sin(a))")


def artifact_of(path: Path, body: str) -> Path:
    artifact = path / "m.sunmao"
    assert sunmao("compile", script(path / "m.py", body), "-o", artifact).returncode == 0
    return artifact


def test_both_functions_of_a_choice_are_drawn(tmp_path: Path) -> None:
    (side,) = view(tmp_path / "m.html", artifact_of(tmp_path, BRANCHES))
    main = function_of(side)
    calls = [n for n in main["nodes"] if n["k"] == "call"]
    assert {n["o"] for n in calls} < {f["name"] for f in side["functions"]} and len(calls) == 2
    for n in calls:
        assert [main["nodes"][i]["n"] for i in n["i"]] == ["x", "c"]
        assert (n["t"], n["s"], n["b"]) == ('Tensor((4, 4), "float32")', "4×4 f32", 64)
        assert (n["o"], "sin") in edges_of(main)


def test_what_a_last_call_delivers_are_the_results(tmp_path: Path) -> None:
    (side,) = view(tmp_path / "m.html", artifact_of(tmp_path, FOLLOWING))
    main = function_of(side)
    (call,) = [n for n in main["nodes"] if n["k"] == "call"]
    outputs = [n for n in main["nodes"] if n["k"] == "output"]
    assert len(outputs) == 2 and all((call["n"], n["n"]) in edges_of(main) for n in outputs)
    assert call["t"] == f"Tuple({outputs[0]['t']}, {outputs[1]['t']})"
    rest = function_of(side, call["o"])
    assert next(n for n in rest["nodes"] if n["n"] == "sizes")["t"].startswith("Shape((")


CHAIN = module('x: R.Tensor((4, 4), "float32")', "i = Module.found(x)", "return R.sum(i, axis=1)") + (
    '\n    @R.function\n    def found(x: R.Tensor((4, 4), "float32")) -> R.Tensor("int64", ndim=2):\n'
    "        return R.nonzero(x)\n"
)


def test_a_chain_is_two_calls(tmp_path: Path) -> None:
    (side,) = view(tmp_path / "m.html", artifact_of(tmp_path, CHAIN))
    main = function_of(side)
    first, then = [n["n"] for n in main["nodes"] if n["k"] == "call"]
    (output,) = [n["n"] for n in main["nodes"] if n["k"] == "output"]
    assert {("x", first), (first, then), (then, output)} == edges_of(main)


def test_a_state_is_named(tmp_path: Path) -> None:
    body = module(
        'x: R.Tensor((3,), "float32"), total: R.Tensor((3,), "float32")',
        'R.func_attr({"state_names": {"total": "sum.total"}, "num_input": 2})',
        "s = R.add(total, x)",
        "return (R.exp(s), s)",
    )
    artifact = tmp_path / "m.sunmao"
    assert sunmao("compile", script(tmp_path / "m.py", body), "--keep-state", "-o", artifact).returncode == 0
    (side,) = view(tmp_path / "m.html", artifact)
    states = [(n["k"], n["a"]) for n in function_of(side)["nodes"] if n["n"] == "sum.total"]
    assert states == [("input", [["state", "sum.total"]]), ("output", [["state", "sum.total"]])]


ODD = [
    "</script><b>",
    "a\"b'c",
    "line\nbreak\ttab",
    "重み😀",
    "x" * 10_000,
    "x" * 10_000 + "y",
    "back`tick`",
    ", t3 [t0](d1)",
]


def test_names_of_a_file_change_nothing(tmp_path: Path) -> None:
    names = ["x", *ODD]
    nodes = [node("Add", [a, b + " w"], [b]) for a, b in zip(names, names[1:], strict=False)]
    weights = [tensor(name + " w", np.full(4, i, "float32")) for i, name in enumerate(ODD)]
    path = tmp_path / "m.onnx"
    path.write_bytes(model(nodes, [value("x", [2, 4])], [ODD[-1]], weights))
    (side,) = view(tmp_path / "m.html", path)
    assert {p for n in function_of(side)["nodes"] if (p := n.get("p"))} >= {
        f"Add_of_{name}" for name in (ODD[0], ODD[1], ODD[3])
    }
    artifact = tmp_path / "m.sunmao"
    assert sunmao("compile", path, "-o", artifact).returncode == 0
    (side,) = view(tmp_path / "m.html", artifact)
    check_folds(function_of(side))
    assert all(n["i"] or n["k"] == "input" for n in function_of(side)["nodes"])
    assert all(w["h"]["numbers"] > 0 for w in side["weights"])
    assert "</script><b>" not in (tmp_path / "m.html").read_text()


def test_types_of_a_model_and_of_its_artifact_are_spelled_alike(tmp_path: Path) -> None:
    artifact = compile_model("mlp.onnx", tmp_path / "mlp.sunmao")
    sides = view(tmp_path / "m.html", MODELS / "mlp.onnx", artifact)
    assert pairs_of(sides[0])["x"]["mark"] == "same"
    types = [{w["n"]: w["t"] for w in side["weights"]} for side in sides]
    assert types[0] and all(t.startswith("Tensor((") and t.endswith(', "float32")') for t in types[1].values())


def test_an_artifact_is_connected_as_its_kernels_are(tmp_path: Path) -> None:
    artifact = compile_model("mlp.onnx", tmp_path / "mlp.sunmao")
    (side,) = view(tmp_path / "m.html", artifact)
    main = function_of(side)
    check_folds(main)
    ops = [n["o"] for n in main["nodes"]]
    assert ops[0] == "input" and ops[-1] == "output" and "fused_matmul_add_nn_relu1_prepacked" in ops
    assert all(n["i"] or n["k"] == "input" for n in main["nodes"])
    assert any(n["w"] for n in main["nodes"]) and all(w["h"]["numbers"] > 0 for w in side["weights"])
    assert sum(part[3] for part in side["parts"]) == artifact.stat().st_size
