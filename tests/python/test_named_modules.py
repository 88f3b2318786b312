"""Modules of the mirrored API under their names below `sunmao`: `sunmao.relax`, `sunmao.script` and others."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
import sunmao
from sunmao import finder

PACKAGE = Path(sunmao.__file__).parent

# Each case: the first lines of a program, and a condition that must hold after them.
BEGINNINGS = [
    ("import sunmao.relax", "sunmao.relax is compat.relax"),
    ("import sunmao.ir", "sunmao.ir is compat.ir"),
    ("import sunmao.tirx", "sunmao.tirx is compat.tirx"),
    ("import sunmao.script", "sunmao.script is compat.script"),
    ("import sunmao.transform", "sunmao.transform is compat.transform is compat.ir.transform"),
    ("import sunmao.testing", "sunmao.testing is compat.testing"),
    ("import sunmao.runtime", "sunmao.runtime is compat.runtime"),
    ("from sunmao import relax, transform", "relax is compat.relax and transform is compat.transform"),
    ("from sunmao.relax import op", "op is compat.relax.op"),
    ("from sunmao.relax import Call, VirtualMachine", "Call is compat.relax.Call"),
    ("from sunmao.relax.transform import LiftTransformParams", "LiftTransformParams().info.name"),
    ("from sunmao.transform import PassContext, Sequential, module_pass", "Sequential is compat.transform.Sequential"),
    (
        "from sunmao.script import ir as I, relax as R, tirx as T",
        "R is compat.script.relax and T is compat.script.tirx",
    ),
    ("import sunmao.relax.backend", "sunmao.relax.backend is importlib.import_module('sunmao.compat.relax.backend')"),
    (
        "import sunmao.script.ir_builder.relax as b",
        "b is importlib.import_module('sunmao.compat.script.ir_builder.relax')",
    ),
    (
        "from sunmao.tirx.stmt_functor import post_order_visit",
        "post_order_visit.__module__ == 'sunmao.compat.tirx.stmt_functor'",
    ),
    ("import sunmao.relax.struct_info as s", "s is compat.relax.type"),
]

# The submodules of each package; they must be attributes of the package once `tvm` is imported.
SUBMODULES = {
    "tvm": (
        "checked contrib convert error facade ir missing paths print_options relax runtime script spans "
        "target te testing tirx topi"
    ),
    "tvm.ir": (
        "attrs base compare container expr global_info instrument json_compact module op pass_options serial "
        "supply transform type"
    ),
    "tvm.relax": (
        "analysis binding_rewrite block_builder call_te conversions dpl expr expr_functor expr_members "
        "expr_rebuild expr_visitor function_values op pipeline testing transform type vm vm_arguments"
    ),
    "tvm.relax.dpl": "context pattern rewrite rules shorthand",
    "tvm.relax.op": "builder calls operators",
    "tvm.relax.testing": "ast_printer",
    "tvm.relax.transform": "combine legalize partition",
    "tvm.runtime": "registry",
    "tvm.script": "annotation decorators entry ir macro meta_var relax show source text tirx types well_formed",
    "tvm.testing": "env",
    "tvm.tirx": "buffer index_map intrinsic iter_var op operators pointer prim_func range reducer scalar_classes stmt",
    "tvm.topi": "nn",
}

PROGRAM = """
import numpy as np
import sunmao
from sunmao import relax
from sunmao.relax.transform import LiftTransformParams
from sunmao.script import ir as I, relax as R, tirx as T
from sunmao.transform import Sequential

@I.ir_module
class Module:
    @T.prim_func
    def twice(A: T.Buffer((4, 3), "float32"), B: T.Buffer((4, 3), "float32")):
        for i, j in T.grid(4, 3):
            with T.sblock("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)

    @R.function
    def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        R.func_attr({"num_input": 1})
        cls = Module
        with R.dataflow():
            v = R.call_tir(cls.twice, (w,), out_sinfo=R.Tensor((4, 3), "float32"))
            y = R.matmul(x, v)
            R.output(y)
        return y

lifted = Sequential([LiftTransformParams()])(Module)
vm = relax.VirtualMachine(relax.build(lifted, "llvm"), sunmao.runtime.cpu())
x, w = np.ones((2, 4), "float32"), np.ones((4, 3), "float32")
prepared = vm["main_transform_params"]([sunmao.runtime.tensor(w)])
sunmao.testing.assert_allclose(vm["main"](sunmao.runtime.tensor(x), *prepared).numpy(), x @ w * 2)
print(isinstance(lifted["main"], relax.Function), "main_transform_params" in lifted.script())
"""


def run(text: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Runs a program in a new process, in a folder outside of the source tree."""
    env = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    (cwd / "program.py").write_text(text)
    command = [sys.executable, "program.py"]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=env, timeout=120, check=False)


def test_each_name_is_the_module_that_it_mirrors(tmp_path: Path) -> None:
    # Runs each case in a new process, since an import leaves submodules loaded.
    text = "import importlib\n{}\nimport sunmao.compat as compat\nassert {}"
    for first, holds in BEGINNINGS:
        done = run(text.format(first, holds), tmp_path)
        assert done.returncode == 0, f"{first}: {done.stderr}"


def test_a_program_says_sunmao_throughout(tmp_path: Path) -> None:
    done = run(PROGRAM, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["True", "True"]


FIRSTS = """
import os, sys
import importlib, traceback  # and what else each of them needs
import numpy

for line in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        try:
            exec(line)
        except BaseException:
            print(line)
            traceback.print_exc(limit=-3)
            os._exit(1)
        os._exit(0)
    os.waitpid(child, 0)
"""


def failed_firsts(lines: list[str], cwd: Path) -> str:
    """Returns which of the lines fail, each being the first of its process to use the package."""
    (cwd / "firsts.py").write_text(FIRSTS)
    env = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    command = [sys.executable, "firsts.py", *lines]
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=env, timeout=300, check=True)
    return done.stdout + done.stderr


def test_each_module_may_be_the_first(tmp_path: Path) -> None:
    # Modules are loaded when a name of theirs is first used, in whatever order a program uses them.
    paths = [path.relative_to(PACKAGE.parent).with_suffix("") for path in sorted(PACKAGE.rglob("*.py"))]
    names = [".".join(path.parts).removesuffix(".__init__") for path in paths]
    outside = [name for name in names if not name.startswith("sunmao.compat.") and name != "sunmao.__main__"]
    assert len(outside) > 30
    assert failed_firsts([f"import {name}" for name in outside], tmp_path) == ""


def test_each_public_name_may_be_the_first(tmp_path: Path) -> None:
    assert failed_firsts([f"import sunmao; sunmao.{name}" for name in sunmao.__all__], tmp_path) == ""


def test_values_of_the_ir_have_all_their_methods_at_once(tmp_path: Path) -> None:
    text = '@R.function\\ndef main(x: R.Tensor((2,), "float32")):\\n    y = R.exp(x)\\n    return y'
    lines = [
        f"import sunmao; sunmao.parse_function('{text}').script()",
        f"from sunmao import parse_function; parse_function('{text}').same_as(1)",
        "import sunmao; sunmao.Function.script, sunmao.Type.same_as, sunmao.Expr.__add__",
        "from sunmao import Function; Function.script",
    ]
    assert failed_firsts(lines, tmp_path) == ""


def test_no_module_is_loaded_twice(tmp_path: Path) -> None:
    text = """
import sys
import sunmao.relax.vm, sunmao.relax.transform.legalize, sunmao.script.ir_builder, sunmao.tirx.stmt_functor
modules = {id(m): m for name, m in sys.modules.items() if name.startswith("sunmao")}.values()
files = [m.__file__ for m in modules if hasattr(m, "__file__")]
assert len(files) == len(set(files)), files
"""
    done = run(text, tmp_path)
    assert done.returncode == 0, done.stderr


def test_submodules_are_attributes_of_their_packages(tmp_path: Path) -> None:
    names = [f"{package}.{name}" for package, below in SUBMODULES.items() for name in below.split()]
    text = f"""
import types
from sunmao import finder
finder.install()
import tvm
lost = []
for name in {names}:
    try:
        found = eval(name)
    except AttributeError:
        found = None
    if not isinstance(found, types.ModuleType):
        lost.append(name)
assert not lost, lost
"""
    done = run(text, tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "name",
    [
        "ir.attrs.Attrs", "ir.attrs.DictAttrs", "ir.attrs.make_node", "ir.base.SourceName", "ir.base.Span",
        "ir.op.Op", "ir.op.register_op_attr", "relax.dpl.pattern.DFPattern", "relax.dpl.pattern.PatternContext",
        "relax.dpl.pattern.WildcardPattern", "relax.dpl.pattern.is_op", "relax.dpl.pattern.wildcard",
    ],
)  # fmt: skip
def test_a_module_has_the_names_that_its_package_passes_on(name: str) -> None:
    module, _, own = name.rpartition(".")
    found = getattr(importlib.import_module(f"sunmao.compat.{module}"), own)
    packages = [importlib.import_module(f"sunmao.compat.{name}") for name in ("ir", "relax.dpl")]
    assert any(getattr(package, own, None) is found for package in packages if own in vars(package))


def test_a_module_that_is_not_there_is_named() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"E0031.*no module `sunmao.relax.nowhere`"):
        importlib.import_module("sunmao.relax.nowhere")
    with pytest.raises(ModuleNotFoundError, match="No module named 'sunmao.nowhere'"):
        importlib.import_module("sunmao.nowhere")


def test_the_stubs_name_the_modules_behind() -> None:
    stubs = [
        path for name in finder.NAMED for path in [*PACKAGE.glob(f"{name}.pyi"), *PACKAGE.glob(f"{name}/**/*.pyi")]
    ]
    assert {path.relative_to(PACKAGE).parts[0].removesuffix(".pyi") for path in stubs} == set(finder.NAMED)
    for path in stubs:
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        own = finder.own_name_of_named(".".join(parts).removesuffix(".__init__"))
        assert path.read_text().splitlines()[0] == f"from {own} import *"
        importlib.import_module(str(own))


def test_importing_the_package_loads_nothing_that_takes_time(tmp_path: Path) -> None:
    """`import sunmao` takes milliseconds: modules are loaded when one of their names is used."""
    text = """
import sys
import sunmao
heavy = {"numpy", "sunmao._sunmao", "sunmao.compat", "ctypes", "json", "inspect"} & set(sys.modules)
assert not heavy, heavy
for name in sunmao.__all__:
    assert getattr(sunmao, name) is not None and name in dir(sunmao)
assert sunmao.compile.__module__ == "sunmao.compiling" and callable(sunmao.passes)
try:
    sunmao.comple
except AttributeError as error:
    assert "comple" in str(error)
else:
    raise AssertionError("a name that is not there")
"""
    done = run(text, tmp_path)
    assert done.returncode == 0, done.stderr
