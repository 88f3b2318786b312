"""Programs that use `import tvm`, run unmodified by `python -m sunmao.as_tvm`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import sunmao
import sunmao.compat as tvm
from sunmao.compat.ir.compare import OWN_ATTRIBUTES, leaving_out

ROOT = Path(__file__).parent.parent.parent

HEAD = """
import numpy as np
import tvm
from tvm import relax
from tvm.script import ir as I, relax as R, tirx as T
"""

MODULE = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((3, 4), "float32")) -> R.Tensor(("n", 3), "float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            y = R.matmul(x, R.permute_dims(w))
            R.output(y)
        return y
"""


def run(program: Path | str, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    package = Path(sunmao.__file__).parent.parent  # the package of the extension under test
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(package), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-m", "sunmao.as_tvm", str(program), *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=env, timeout=120, check=False)


def run_text(tmp_path: Path, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = tmp_path / "prog.py"
    program.write_text(text)
    return run(program, *arguments)


def test_the_example_prepares_weights_and_compares() -> None:
    done = run(ROOT / "examples" / "lift_params_tvm.py")
    assert done.returncode == 0, done.stderr
    assert "main_transform_params" in done.stdout
    assert "batch 1: (1, 8), largest difference" in done.stdout
    assert "batch 5: (5, 8), largest difference" in done.stdout


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (
            "save_prepared_weights",
            ["2 prepared ones from a file: same results", "error[E0917]"],
        ),
        ("lift_params_twice", ["twice is once", "error[E0503]: `main_transform_params` is there already"]),
        ("realize_vdevice", ["directly, in a Sequential, twice: the same", "the input is as it was"]),
    ],
)
def test_an_example_shows_what_it_says(name: str, says: list[str]) -> None:
    done = run(ROOT / "examples" / f"{name}_tvm.py")
    assert done.returncode == 0, done.stderr
    for line in says:
        assert line in done.stdout


def test_every_example_is_run() -> None:
    """Here, or by a test that has PyTorch."""
    programs = {path.name for path in (ROOT / "examples").glob("*.py")}
    text = "".join(path.read_text() for path in (Path(__file__), ROOT / "tests/differential/test_nn_llama.py"))
    assert [name for name in programs if name.removesuffix("_tvm.py") not in text] == []


def test_a_module_that_is_not_lifted_takes_its_raw_weights(tmp_path: Path) -> None:
    text = (
        HEAD
        + MODULE
        + """
vm = relax.VirtualMachine(relax.build(Module, target="llvm"), tvm.cpu())
x, w = np.ones((2, 4), "float32"), np.full((3, 4), 2, "float32")
tvm.testing.assert_allclose(vm["main"](tvm.runtime.tensor(x), tvm.runtime.tensor(w)), np.full((2, 3), 8, "float32"))
print("same")
"""
    )
    done = run_text(tmp_path, text)
    assert (done.returncode, done.stdout) == (0, "same\n"), done.stderr


def test_annotations_may_be_postponed(tmp_path: Path) -> None:
    text = (
        "from __future__ import annotations\n"
        + HEAD
        + """
def build(rows, dtype):
    @I.ir_module
    class Module:
        @R.function
        def main(x: R.Tensor((rows, 4), dtype)) -> R.Tensor((rows, 4), dtype):
            return R.nn.relu(x)
    return Module

print(build(7, "float16")["main"].params[0].type)
"""
    )
    done = run_text(tmp_path, text)
    assert (done.returncode, done.stdout) == (0, 'R.Tensor((7, 4), dtype="float16")\n'), done.stderr


def test_older_spellings_are_served(tmp_path: Path) -> None:
    text = """
import numpy as np
import tvm
from tvm import relax, tir
from tvm.script import tir as T
from tvm.script.parser import ir as I, relax as R, tir as T2
import tvm.script
assert T is T2 and tvm.tir is tvm.tirx and tvm.transform is tvm.ir.transform
assert tvm.script.ir_module is I.ir_module
a = tvm.nd.array(np.arange(3))
assert a.asnumpy().tolist() == [0, 1, 2] and a.shape == (3,) and a.dtype == "int64"
print("served")
"""
    done = run_text(tmp_path, text)
    assert (done.returncode, done.stdout) == (0, "served\n"), done.stderr


def test_both_names_are_one_module(tmp_path: Path) -> None:
    text = """
import tvm.relax.transform
import sunmao.compat.relax.transform
import sys
assert tvm is sunmao.compat and tvm.relax.transform is sunmao.compat.relax.transform
assert sys.modules["tvm.relax"] is sys.modules["sunmao.compat.relax"]
print(tvm.relax.__spec__.name, tvm.__name__)
"""
    done = run_text(tmp_path, text)
    assert (done.returncode, done.stdout) == (0, "sunmao.compat.relax sunmao.compat\n"), done.stderr


def test_arguments_and_the_program_itself_are_as_python_gives_them(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("value = 3\n")
    text = "import sys, beside\nprint(__name__, sys.argv[1:], beside.value)\nsys.exit(5)\n"
    done = run_text(tmp_path, text, "a", "--b")
    assert (done.returncode, done.stdout) == (5, "__main__ ['a', '--b'] 3\n"), done.stderr


def test_pytest_runs_as_a_module(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        HEAD
        + MODULE
        + """
def test_it():
    width = 5
    @R.function
    def f(x: R.Tensor((width,), "float32")):
        return R.nn.relu(x)
    assert f.params[0].type.shape.values[0].value == 5
    assert "main" in Module
"""
    )
    done = run("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("relax.NoSuchThing", "error[E0030]: `tvm.relax` has no `NoSuchThing` here"),
        ("relax.transform.NoSuchPass()", "error[E0030]: `tvm.relax.transform` has no `NoSuchPass` here"),
        ("from tvm.relax import no_such_name", "error[E0030]: `tvm.relax` has no `no_such_name` here"),
        ("from tvm import no_such_name", "error[E0030]: `tvm` has no `no_such_name` here"),
        ("R.no_such_op", "error[E0030]: `tvm.script.relax` has no `no_such_op` here"),
        ("tvm.IRModule().no_such_method()", "error[E0030]: `tvm.ir.module.IRModule` has no `no_such_method` here"),
        ("import tvm.contrib.nothing", "error[E0031]: there is no module `tvm.contrib"),
    ],
)
def test_an_api_that_is_not_there_is_named(tmp_path: Path, line: str, message: str) -> None:
    done = run_text(tmp_path, HEAD + line + "\n")
    assert done.returncode == 1
    assert done.stderr.startswith(message), done.stderr
    assert "prog.py:6: " + line in done.stderr
    assert "Traceback" not in done.stderr


def test_a_program_can_probe_for_an_api(tmp_path: Path) -> None:
    text = (
        HEAD
        + """
assert not hasattr(tvm, "no_such_name")
try:
    import tvm.contrib.nothing
except ImportError:
    print("not there")
"""
    )
    done = run_text(tmp_path, text)
    assert (done.returncode, done.stdout) == (0, "not there\n"), done.stderr


def test_other_errors_keep_their_traceback(tmp_path: Path) -> None:
    done = run_text(tmp_path, "import tvm\nraise KeyError('mine')\n")
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "KeyError: 'mine'" in done.stderr


@pytest.mark.parametrize("arguments", [(), ("no_such_file.py",), ("--help-me",)])
def test_without_a_program_the_form_is_shown(arguments: tuple[str, ...]) -> None:
    done = run(*arguments) if arguments else run("")
    assert done.returncode == 1
    assert done.stderr.startswith("error[E0035]: ")
    assert "python -m sunmao.as_tvm" in done.stderr


COMPARE = (
    HEAD
    + MODULE
    + """
plain = Module["main"]
noted = plain.with_attr("sunmao.param_transform", "main_transform_params")
print(tvm.ir.structural_equal(noted, plain), tvm.ir.structural_hash(noted) == tvm.ir.structural_hash(plain))
print(tvm.ir.structural_equal(noted.with_attr("note", 1), plain))
"""
)


def test_attributes_of_our_own_do_not_tell_functions_apart(tmp_path: Path) -> None:
    assert run_text(tmp_path, COMPARE).stdout.split() == ["True", "True", "False"]


def test_attributes_of_our_own_count_on_request(tmp_path: Path) -> None:
    program = tmp_path / "prog.py"
    program.write_text(COMPARE)
    assert run("--own-attributes", str(program)).stdout.split() == ["False", "False", "False"]


def test_attributes_of_our_own_count_without_as_tvm() -> None:
    from sunmao.compat.script import relax as R

    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        return x

    noted = main.with_attr("sunmao.param_transform", "main_transform_params")
    assert not tvm.ir.structural_equal(noted, main)
    assert tvm.ir.structural_hash(noted) != tvm.ir.structural_hash(main)
    with pytest.raises(sunmao.Error, match="E0038|StructuralEqual check failed"):
        tvm.ir.assert_structural_equal(noted, main)
    with leaving_out(OWN_ATTRIBUTES):
        tvm.ir.assert_structural_equal(noted, main)
    assert not tvm.ir.structural_equal(noted, main)


def test_programs_may_import_what_they_do_not_use(tmp_path: Path) -> None:
    done = run_text(
        tmp_path,
        "from tvm import relax, rpc\n"
        "from tvm.s_tir import dlight, meta_schedule\n"
        "from tvm.support import cc, popen_pool, utils\n"
        "print('imported')\n"
        "rpc.connect('localhost', 9090)\n",
    )
    assert done.stdout == "imported\n"
    assert done.returncode == 1
    assert "E0030" in done.stderr
    assert "`tvm.rpc` has no `connect` here" in done.stderr
