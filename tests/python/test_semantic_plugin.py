"""The plugin of pytest that compares modules by what they compute, in upstream's manner of tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import sunmao

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(sunmao.__file__).parent.parent)}
HEAD = """
import tvm
from tvm.script import ir as I
from tvm.script import relax as R


def module(text):
    return tvm.script.from_source(text)


DOUBLED = '''
@I.ir_module
class Doubled:
    @R.function
    def main(x: R.Tensor(("n", 3), "float32")):
        gv = R.add(x, x)
        return gv
'''
TIMES_TWO = DOUBLED.replace("R.add(x, x)", "R.multiply(x, R.const(2, 'float32'))")
"""


def _passed(tmp_path: Path, test: str) -> tuple[int, str]:
    (tmp_path / "test_modules.py").write_text(f"{HEAD}\n\ndef test_modules():\n    {test}\n")
    command = [sys.executable, "-m", "sunmao.as_tvm", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    run = subprocess.run([*command, "-p", "sunmao.pytest_semantic", "test_modules.py"], cwd=tmp_path, text=True,
                         stdout=subprocess.PIPE, env=ENVIRONMENT, check=False)  # fmt: skip
    return run.returncode, run.stdout


def _compared(other: str) -> str:
    return f"tvm.ir.assert_structural_equal(module(DOUBLED), module({other}))"


def test_equal_structure_passes_exactly(tmp_path: Path) -> None:
    status, said = _passed(tmp_path, _compared("DOUBLED"))
    assert status == 0 and "sunmao: 1 passed exactly, 0 passed by results of evaluation" in said


@pytest.mark.parametrize(
    "other",
    [
        "TIMES_TWO",
        "TIMES_TWO.replace('\"n\", 3', '\"m\", 3')",  # another name of the symbol
        "TIMES_TWO.replace('(x', '(y')",  # another name of the parameter
    ],
)
def test_equal_results_are_counted_apart(tmp_path: Path, other: str) -> None:
    status, said = _passed(tmp_path, _compared(other))
    assert status == 0 and "sunmao: 0 passed exactly, 1 passed by results of evaluation" in said


def test_functions_are_compared_as_modules_are(tmp_path: Path) -> None:
    test = "tvm.ir.assert_structural_equal(module(DOUBLED)['main'], module(TIMES_TWO)['main'])"
    status, said = _passed(tmp_path, test)
    assert status == 0 and "1 passed by results" in said


@pytest.mark.parametrize(
    "other",
    [
        "DOUBLED.replace('R.add', 'R.multiply')",  # other numbers
        "TIMES_TWO.replace('return gv', 'return (gv,)')",  # another form of the result
        "TIMES_TWO.replace(', 3', ', 4')",  # other sizes
        "TIMES_TWO.replace('float32', 'float64')",  # another dtype
        "TIMES_TWO.replace('def main(', 'def other(')",  # another function
        'TIMES_TWO.replace(\'"float32")):\', \'"float32"), y: R.Tensor((), "int64")):\')',  # one parameter more
    ],
)
def test_what_differs_in_results_or_interface_fails(tmp_path: Path, other: str) -> None:
    status, said = _passed(tmp_path, _compared(other))
    assert status == 1 and "StructuralEqual check failed" in said
    assert "sunmao: 0 passed exactly, 0 passed by results of evaluation" in said


CONCATENATED = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3), "float32"), y: R.Tensor(("SIZE", 3), "float32")):
        n = T.int64()
        gv = R.concat((x, y), axis=0)
        return gv
"""


def test_sizes_may_be_written_in_another_way(tmp_path: Path) -> None:
    for size, status in [("1 + n", 0), ("n + 1", 0), ("n + 2", 1), ("n - 100", 1)]:
        one, other = (repr(CONCATENATED.replace("SIZE", text)) for text in ("n + 1", size))
        got, said = _passed(tmp_path, f"tvm.ir.assert_structural_equal(module({one}), module({other}))")
        assert got == status, said


CALLED = """
@I.ir_module
class Module:
    @R.function
    def PART(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        gv = CALL
        return gv
    @R.function
    def main(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        cls = Module
        gv = cls.PART(x)
        return gv
"""


def test_functions_that_others_call_are_no_interface(tmp_path: Path) -> None:
    one = repr(CALLED.replace("PART", "part").replace("CALL", "R.add(x, x)"))
    for call, status in [("R.multiply(x, R.const(2, 'float32'))", 0), ("R.multiply(x, x)", 1)]:
        other = repr(CALLED.replace("PART", "another").replace("CALL", call))
        got, said = _passed(tmp_path, f"tvm.ir.assert_structural_equal(module({one}), module({other}))")
        assert got == status, said


SIZES = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3), "float32")):
        n = T.int64()
        gv = SIZE
        return gv
"""


def test_a_shape_is_equal_to_the_vector_of_its_sizes(tmp_path: Path) -> None:
    shape = repr(SIZES.replace("SIZE", "R.shape([n, 3])"))
    for size, status in [("R.shape_to_tensor(R.shape([n, 3]))", 0), ("R.shape_to_tensor(R.shape([3, n]))", 1)]:
        for modules in (
            f"{shape}), module({SIZES.replace('SIZE', size)!r}",
            f"{SIZES.replace('SIZE', size)!r}), module({shape}",
        ):
            got, said = _passed(tmp_path, f"tvm.ir.assert_structural_equal(module({modules}))")
            assert got == status, said


def test_values_that_are_no_programs_are_compared_by_structure(tmp_path: Path) -> None:
    status, said = _passed(
        tmp_path, "tvm.ir.assert_structural_equal(tvm.ir.PrimType('int32'), tvm.ir.PrimType('int64'))"
    )
    assert status == 1 and "0 passed by results" in said
