"""`sunmao compile --emit=so`: one shared object with model and runtime inside, and a header that declares it."""

import ctypes
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from installed_tree import Recording
from sunmao_binary import MODELS, ROOT, TOLERANCE, Result, run_program, sunmao

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
C_LIBRARY = r"(libc|libm|libpthread|libdl|librt)\.so\.\d+|ld-linux[\w-]*\.so\.\d+"

SECOND = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        R.func_attr({"global_symbol": "main"})
        with R.dataflow():
            a = R.add(x, R.const(1, "float32"))
            b = R.multiply(x, R.const(2, "float32"))
            R.output(a, b)
        return (a, b)

    @R.function
    def count(calls: R.Tensor((), "float64")):
        R.func_attr({"state_names": ["calls"], "num_input": 1, "global_symbol": "count"})
        with R.dataflow():
            next = R.add(calls, R.const(1, "float64"))
            shown = R.multiply(next, R.const(1, "float64"))
            R.output(shown, next)
        return (shown, next)
"""

POSITIVE = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32")):
        R.func_attr({"global_symbol": "main"})
        with R.dataflow():
            y = R.nonzero(R.greater(x, R.const(0, "float32")))
            R.output(y)
        return y
"""

HOST = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32")):
        R.func_attr({"global_symbol": "main"})
        y = R.call_packed("scale", x, sinfo_args=R.Tensor((2,), "float32"))
        return y
"""


def emit(model: Path, output: Path, *options: object) -> Result:
    return sunmao("compile", model, "--emit=so", "-o", output, *options)


def emit_script(text: str, output: Path, *options: object) -> Path:
    script = output.with_suffix(".py")
    script.write_text(text)
    result = emit(script, output, *options)
    assert result.returncode == 0, result.stderr
    return output


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("objects")
    for name in ("libmlp.so", "libfirst.so"):
        result = emit(MODELS / "mlp.onnx", out / name, "--dim", "batch=1..64")
        assert result.returncode == 0, result.stderr
    emit_script(SECOND, out / "libsecond.so", "--keep-state")
    return out


def build(source: Path, folder: Path, *libraries: str) -> Path:
    program = folder / source.stem
    flags = [f"-I{folder}", f"-L{folder}", *(f"-l{name}" for name in libraries), f"-Wl,-rpath,{folder}"]
    built = run_program("gcc", *STRICT, source, *flags, "-o", program)
    assert built.returncode == 0, built.stderr
    return program


def test_c_program_runs_the_model(folder: Path, recording: Recording, tmp_path: Path) -> None:
    program = build(ROOT / "examples" / "project" / "object.c", folder, "mlp")
    result = run_program(program, recording.x_file, tmp_path / "y.raw")
    assert result.returncode == 0, result.stderr
    got = np.fromfile(tmp_path / "y.raw", np.float32).reshape(recording.y.shape)
    np.testing.assert_allclose(got, recording.y, **TOLERANCE["float32"])


def test_two_objects_in_one_process(folder: Path, recording: Recording, tmp_path: Path) -> None:
    program = build(Path(__file__).parent / "use_objects.c", folder, "first", "second")
    result = run_program(program, recording.x_file, tmp_path / "state.safetensors")
    assert result.returncode == 0, result.stderr


def test_missing_memory_is_a_failure_that_is_told(folder: Path) -> None:
    source = Path(__file__).parent / "missing_memory.c"
    flags = [f"-I{folder}", f"-L{folder}", "-lfirst", f"-Wl,-rpath,{folder}"]
    built = run_program("gcc", "-D_GNU_SOURCE", *STRICT, source, *flags, "-o", folder / "missing_memory")
    assert built.returncode == 0, built.stderr
    result = run_program(folder / "missing_memory")
    assert result.returncode == 0, result.stdout + result.stderr


def test_header_is_one_of_cpp_too(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "both.cpp").write_text('#include "libfirst.h"\n#include "libsecond.h"\n#include "libfirst.h"\n')
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{folder}", "-c", "-o", tmp_path / "both.o"]
    built = run_program("g++", *flags, tmp_path / "both.cpp")
    assert built.returncode == 0, built.stderr


def test_object_needs_the_c_library_alone_and_exports_its_functions_alone(folder: Path) -> None:
    dynamic = run_program("readelf", "-dW", folder / "libsecond.so").stdout
    needed = re.findall(r"\(NEEDED\).*\[([^\]]+)\]", dynamic)
    assert needed and [name for name in needed if not re.fullmatch(C_LIBRARY, name)] == []
    assert "Library soname: [libsecond.so]" in dynamic and "TEXTREL" not in dynamic
    exported = run_program("nm", "-D", "--defined-only", "--format=posix", folder / "libsecond.so").stdout
    names = {line.split()[0] for line in exported.splitlines()}
    declared = set(re.findall(r"^(?:int|void) (second_\w+)\(", (folder / "libsecond.h").read_text(), re.MULTILINE))
    assert names == declared and {"second_load", "second_run", "second_call_count"} < names


def test_the_same_model_gives_the_same_object(folder: Path, tmp_path: Path) -> None:
    assert emit(MODELS / "mlp.onnx", tmp_path / "libfirst.so", "--dim", "batch=1..64").returncode == 0
    for name in ("libfirst.so", "libfirst.h"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


def test_object_can_be_loaded_and_unloaded_again_and_again(folder: Path, recording: Recording) -> None:
    program = f"""
import _ctypes, ctypes
x = (ctypes.c_float * 16)(*{recording.x[0].tolist()})
for _ in range(5):
    lib = ctypes.CDLL({str(folder / "libfirst.so")!r})
    session, y = ctypes.c_void_p(), (ctypes.c_float * 3)()
    assert lib.first_load(ctypes.byref(session), None) == 0
    assert lib.first_run(session, ctypes.c_int64(1), x, y, None) == 0
    print(*y)
    lib.first_session_free(session)
    _ctypes.dlclose(lib._handle)
"""
    out = subprocess.run(["python3", "-c", program], capture_output=True, text=True, check=True).stdout
    rows = [[float(word) for word in line.split()] for line in out.splitlines()]
    assert len(rows) == 5
    for row in rows:
        np.testing.assert_allclose(row, recording.y[0], **TOLERANCE["float32"])


def test_size_that_data_decides_has_the_general_form_alone(tmp_path: Path) -> None:
    path = emit_script(POSITIVE, tmp_path / "libpositive.so")
    header = path.with_suffix(".h").read_text()
    assert "int positive_call(" in header and "int positive_run(" not in header
    assert "There is no positive_run: the size" in header

    class Tensor(ctypes.Structure):
        _fields_ = (("data", ctypes.c_void_p), ("shape", ctypes.POINTER(ctypes.c_int64)))

    lib, session = ctypes.CDLL(str(path)), ctypes.c_void_p()
    assert lib.positive_load(ctypes.byref(session), None) == 0
    x, shape, y = (ctypes.c_float * 4)(1, -1, 0, 5), (ctypes.c_int64 * 1)(4), Tensor()
    given = Tensor(ctypes.cast(x, ctypes.c_void_p), ctypes.cast(shape, ctypes.POINTER(ctypes.c_int64)))
    assert lib.positive_call(session, ctypes.byref(given), ctypes.byref(y), None) == 0
    assert (y.shape[0], y.shape[1]) == (1, 2)
    assert list((ctypes.c_int64 * 2).from_address(y.data)) == [0, 3]
    lib.positive_session_free(session)


def test_names_that_are_none_in_c(tmp_path: Path) -> None:
    script = """
@I.ir_module
class Module:
    @R.function
    def main(int: R.Tensor(("default", 2), "float16"), error: R.Tensor((3,), "bool"), session: R.Tensor((), "int8")):
        R.func_attr({"global_symbol": "main"})
        return (int, error, session)
"""
    path = emit_script(script, tmp_path / "my model-2.so")
    header = path.with_suffix(".h").read_text()
    assert "int my_model_2_run(my_model_2_session* session, int64_t size_default, const uint16_t* in_int, " in header
    assert "const uint8_t* in_error, const int8_t* in_session, uint16_t* out_" in header
    (tmp_path / "use.c").write_text(f'#include "{path.with_suffix(".h")}"\n')
    assert run_program("gcc", *STRICT, "-c", tmp_path / "use.c", "-o", tmp_path / "use.o").returncode == 0


def test_names_that_c_cannot_spell_are_numbers(tmp_path: Path) -> None:
    script = """
@I.ir_module
class Module:
    @R.function
    def main(a: R.Tensor((2,), "float32"), b: R.Tensor((3,), "float32"), x: R.Tensor((4,), "float32"),
             X: R.Tensor((5,), "float32")):
        R.func_attr({"global_symbol": "main", "sunmao.source_inputs": {"a": "输入", "b": "掩码"}})
        return (a, b, x, X)
"""
    path = emit_script(script, tmp_path / "libm.so")
    header = path.with_suffix(".h").read_text()
    assert "#define M_IN_0 0 /* 输入: float32 (2,) */\n" in header
    assert "#define M_IN_1 1 /* 掩码: float32 (3,) */\n" in header
    assert "const float* in_0, const float* in_1, const float* in_x, const float* in_X_2, " in header
    macros = re.findall(r"^#define (\w+)", header, re.MULTILINE)
    assert len(macros) == len(set(macros)) and all(re.search("[A-Z0-9]", m.removeprefix("M_IN_")) for m in macros)
    (tmp_path / "use.c").write_text(f'#include "{path.with_suffix(".h")}"\n')
    assert run_program("gcc", *STRICT, "-c", tmp_path / "use.c", "-o", tmp_path / "use.o").returncode == 0


def test_report(tmp_path: Path) -> None:
    result = emit(MODELS / "mlp.onnx", tmp_path / "libmlp.so", "--json")
    report = json.loads(result.stdout)
    assert report["object"] == str(tmp_path / "libmlp.so") and report["header"] == str(tmp_path / "libmlp.h")
    assert report["bytes"] == (tmp_path / "libmlp.so").stat().st_size
    assert "link shared object" in [phase["name"] for phase in report["phases"]]
    assert {entry["name"] for entry in report["entries"]} > {"program.bin", "weights.safetensors"}


def test_python_package_carries_the_runtime_too(folder: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sunmao", "compile", MODELS / "mlp.onnx", "--emit=so", "--dim", "batch=1..64"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    words = [str(word) for word in (*command, "-o", tmp_path / "libmlp.so")]
    result = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "libmlp.h").read_text() == (folder / "libmlp.h").read_text()
    assert (tmp_path / "libmlp.so").read_bytes() == (folder / "libmlp.so").read_bytes()


def test_object_lies_beside_the_model_by_default(tmp_path: Path) -> None:
    (tmp_path / "positive.py").write_text(POSITIVE)
    assert sunmao("compile", tmp_path / "positive.py", "--emit", "so").returncode == 0
    assert {path.name for path in tmp_path.iterdir()} == {"positive.py", "libpositive.so", "libpositive.h"}


@pytest.mark.parametrize("name", ["libsunmao.so", "模.so", "lib3d.so"])
def test_file_that_gives_no_names(name: str, tmp_path: Path) -> None:
    result = emit(MODELS / "mlp.onnx", tmp_path / name)
    assert result.returncode == 1 and "error[E1009]" in result.stderr and name in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_model_that_needs_its_host(tmp_path: Path) -> None:
    (tmp_path / "host.py").write_text(HOST)
    result = emit(tmp_path / "host.py", tmp_path / "libhost.so")
    assert result.returncode == 1 and "error[E1009]" in result.stderr and "`scale`" in result.stderr


def test_options_that_do_not_go_together(tmp_path: Path) -> None:
    result = emit(MODELS / "mlp.onnx", tmp_path / "libmlp.so", "--stop-after", "normalize")
    assert result.returncode == 2 and "error[E0004]" in result.stderr
    result = emit(MODELS / "mlp.onnx", tmp_path / "mlp.h")
    assert result.returncode == 1 and "error[E0807]" in result.stderr
