"""`sunmao.validate` and `--validate=each` name the pass that changes results."""

from pathlib import Path

import numpy as np
import pytest
import sunmao
from sunmao import relax
from sunmao.script import ir as I
from sunmao.script import relax as R
from sunmao_binary import sunmao as run_sunmao

MODELS = Path(__file__).parent.parent / "models"


@I.ir_module
class Linear:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((3, 4), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            y = R.matmul(x, R.permute_dims(w))
            z = R.exp(y)
            R.output(z)
        return z


def break_it(module: sunmao.Module) -> sunmao.Module:
    return sunmao.parse_module(module.script().replace("R.exp(", "R.sin("))


def test_the_pipeline_of_a_file_is_right() -> None:
    seen = sunmao.validate(MODELS / "mlp.onnx")
    assert seen.not_validated == {}
    assert [p.name for p in seen.passes][0] == "normalize"
    assert any(p.name.startswith("legalize-ops") and p.is_changed and p.same == ["main"] for p in seen.passes)
    assert str(seen).startswith("validated: ")


def test_passes_are_texts_passes_and_functions() -> None:
    passes = ["normalize, simplify", relax.transform.LiftTransformParams(), relax.transform.LegalizeOps(), lambda m: m]
    seen = sunmao.validate(Linear, passes)
    assert [p.is_changed for p in seen.passes] == [False, False, True, True, False]
    assert [p.same for p in seen.passes][2:4] == [["main"], ["main"]]


def test_a_wrong_pass_is_named() -> None:
    with pytest.raises(sunmao.Error, match=r"pass break_it changes what `main` gives: result, element \[0, 0\]: ") as e:
        sunmao.validate(Linear, ["lift-transform-params", break_it, "legalize-ops"])
    assert e.value.code == "E0541"


def test_numbers_that_change_on_purpose_are_told() -> None:
    seen = sunmao.validate(Linear, [relax.transform.ToMixedPrecision()], seed=3)
    far = seen.passes[0].on_purpose[0].split(": ")
    assert far[0] == "main"
    assert 0 < float(far[1]) < 0.1


def test_passes_that_bind_are_asked_for_what_they_bind() -> None:
    n = Linear["main"].params[0].ty.shape[0]
    weight = np.ones((3, 4), "float32")
    for binds in (
        relax.transform.BindSymbolicVars({"n": 6}),
        relax.transform.BindSymbolicVars({n: 6}),
        relax.transform.BindParams("main", {"w": weight}),
    ):
        seen = sunmao.validate(Linear, [binds, "legalize-ops"])
        assert [p.same for p in seen.passes] == [["main"], ["main"]]


def test_weights_are_those_that_are_given() -> None:
    weights = {"w": np.full((3, 4), 2.0, "float32")}
    assert sunmao.validate(Linear, ["lift-transform-params"], weights=weights).passes[0].same == ["main"]


def test_what_cannot_be_compared_is_told() -> None:
    module = sunmao.parse_module("""
@R.function
def main(f: R.Callable((R.Tensor((2,), "float32"),), R.Tensor((2,), "float32")), x: R.Tensor((2,), "float32")):
    y = f(x)
    return y
""")
    with pytest.warns(UserWarning, match="`main` is not validated: .*E0542"):
        seen = sunmao.validate(module, ["normalize"])
    assert list(seen.not_validated) == ["main"]


@pytest.mark.parametrize("passes", ["normalize", [3]])
def test_passes_that_are_none(passes: object) -> None:
    with pytest.raises(sunmao.Error, match="E0034"):
        sunmao.validate(Linear, passes)


def test_the_commands_say_what_they_compared(tmp_path: Path) -> None:
    for arguments in (
        ["opt", MODELS / "mlp.onnx", "--pipeline", "--validate=each", "--verify=each", "-o", tmp_path / "out.py"],
        ["compile", MODELS / "mlp.onnx", "--validate=each", "-o", tmp_path / "out.sunmao"],
        ["opt", MODELS / "mlp.py", "--passes", "normalize,fold-constants", "--validate=each", "--validate-seed", "7"],
    ):
        done = run_sunmao(*arguments)
        assert done.returncode == 0, done.stderr
        assert "note: validated: " in done.stderr
        assert "on `main`" in done.stderr


def test_a_command_names_what_it_cannot_compare(tmp_path: Path) -> None:
    script = tmp_path / "private.py"
    script.write_text(
        "@I.ir_module\nclass M:\n    @R.function(private=True)\n    def f(x: R.Tensor((2,))):\n        return x\n"
    )
    assert (
        "not validated: no function has a global symbol"
        in run_sunmao("opt", script, "--passes", "normalize", "--validate=each").stderr
    )
    assert "E0541" in run_sunmao("explain", "E0541").stdout
