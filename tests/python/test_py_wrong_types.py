"""Arguments of wrong types to all of the mirrored API give errors with a code and never a crash."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import sunmao
import sunmao.compat as tvm
from sunmao.compat import relax
from sunmao.errors import Error, UsageError

X = relax.Var("x", relax.TensorType([2], "float32"))


def module() -> tvm.IRModule:
    builder = relax.BlockBuilder()
    with builder.function("main", [X]):
        builder.emit_func_output(builder.emit(relax.op.add(X, X)))
    return builder.get()


def test_every_public_function_answers_wrong_types_with_an_error(tmp_path: Path) -> None:
    program = Path(__file__).with_name("wrong_types.py")
    env = {**os.environ, "PYTHONPATH": str(Path(sunmao.__file__).parent.parent)}
    run = subprocess.run([sys.executable, program], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, f"ended with {run.returncode} at {run.stderr[-2000:]}"
    *complaints, count = run.stdout.splitlines()
    assert not complaints, "\n".join(complaints)
    assert int(count) > 2500


@pytest.mark.parametrize(
    "call",
    [
        lambda: module().script(indent_spaces=-1),
        lambda: module().script(indent_spaces="x"),
        lambda: module().script(indent_spaces=10**30),
        lambda: module().script(module_alias=3),
        lambda: tvm.transform.PassContext(opt_level="x"),
        lambda: tvm.transform.PassContext(instruments=[3]),
        lambda: tvm.transform.PassContext(disabled_pass=[3]),
        lambda: tvm.transform.PassContext(config=3),
        lambda: tvm.transform.Sequential([3]),
        lambda: tvm.IRModule({1: 2}),
        lambda: tvm.IRModule({"f": 2}),
        lambda: tvm.IRModule(global_infos={"vdevice": [3]}),
        lambda: relax.transform.FoldConstant()(3),
        lambda: relax.transform.BindParams("main", {"x": object()})(module()),
        lambda: relax.Var("x", 5),
        lambda: relax.Var(3),
        lambda: relax.Var("\ud800"),
        lambda: relax.const(object()),
        lambda: relax.const("x", "float32"),
        lambda: relax.const(1, "nope"),
        lambda: relax.const([1, [2]]),
        lambda: relax.Tuple(3),
        lambda: relax.TupleGetItem(relax.Tuple([X]), 10**20),
        lambda: relax.TensorType([2.5], "float32"),
        lambda: relax.TensorType(ndim=-5),
        lambda: relax.Call(3, [X]),
        lambda: relax.Function([3], X),
        lambda: relax.BindingBlock([3]),
        lambda: relax.SeqExpr([3], X),
        lambda: relax.BlockBuilder().emit(3),
        lambda: relax.BlockBuilder().emit(object()),
        lambda: relax.op.add(X, "y"),
        lambda: relax.build(3),
        lambda: relax.VirtualMachine(3),
        lambda: tvm.script.from_source(3),
        lambda: module()["main"].bind_params({3: 4}),
        lambda: module()["main"].with_attr("a", object()),
    ],
)
def test_wrong_configurations_are_coded(call: Callable[[], object]) -> None:
    with pytest.raises(Error) as caught:
        call()
    assert caught.value.code.startswith("E")


def test_the_message_names_the_argument() -> None:
    with pytest.raises(UsageError, match="E0034.*Tuple: `fields` takes Sequence, got int"):
        relax.Tuple(3)
    with pytest.raises(UsageError, match="PassContext: `opt_level` takes int, got str"):
        tvm.transform.PassContext(opt_level="x")
    with pytest.raises(UsageError, match=r"IRModule.__setitem__: `key` takes .*GlobalVar, got int \(1\)"):
        tvm.IRModule({1: 2})
