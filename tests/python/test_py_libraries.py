"""Libraries of compiled functions: calls of kernels, executables, saving and loading, timing, instruments."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
import sunmao.compat.relax.testing.vm  # registers test.vm.…
from sunmao import compat
from sunmao.compat import relax, runtime
from sunmao.compat.contrib import tvmjs
from sunmao.compat.relax.testing import nn
from sunmao.compat.relax.testing.lib_comparator import LibCompareVMInstrument
from sunmao.compat.script import from_source

HEAD = "from tvm.script import ir as I, relax as R, tirx as T\n"
KERNELS = """
@I.ir_module
class Module:
    @T.prim_func
    def add(a: T.handle, b: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        C = T.match_buffer(c, (n,), "float32")
        for i in range(n):
            C[i] = A[i] + B[i]

    @T.prim_func
    def scale(a: T.handle, by: T.int64):
        A = T.match_buffer(a, (3,), "int64")
        for i in range(3):
            A[i] = A[i] * by
"""
PROGRAM = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 4), "float32")):
        y = R.matmul(x, w)
        z = R.nn.relu(y)
        return z

    @R.function
    def calls(x: R.Tensor(("n",), "float32"), s: R.Shape(["n"])):
        n = T.int64()
        y = R.add(x, R.const(1.5, "float32"))
        z = R.call_pure_packed("test.vm.add", y, y, ty_args=(R.Tensor((n,), "float32")))
        return (z, R.shape([n + 1]))
"""


def kernels() -> runtime.Module:
    return compat.tirx.build(from_source(HEAD + KERNELS), "llvm")


def program() -> relax.VMExecutable:
    return relax.build(from_source(HEAD + PROGRAM))


def tensor(*values: float, dtype: str = "float32") -> runtime.Tensor:
    return runtime.tensor(np.array(values, dtype))


def test_kernels_fill_the_tensors_they_are_given() -> None:
    library = kernels()
    for size in (2, 5):
        c = runtime.empty((size,))
        library["add"](tensor(*range(size)), tensor(*range(size)), c)
        assert c.numpy().tolist() == [2 * i for i in range(size)]
    x = tensor(1, 2, 3, dtype="int64")
    library["scale"](x, 5)
    assert x.numpy().tolist() == [5, 10, 15]
    assert library.implements_function("add")
    assert not library.implements_function("nothing")
    with pytest.raises(AttributeError, match=r"E0030.*no function `nothing`"):
        library["nothing"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (lambda: (tensor(1), tensor(2)), r"E0037.*takes 3 arguments, got 2"),
        (lambda: (tensor(1), tensor(2, 3), tensor(4)), r"E0506.*dimension 0 must be"),
        (lambda: (tensor(1), tensor(2), tensor(4, dtype="int32")), r"E0506"),
        (lambda: (tensor(1), tensor(2), 3), r"E0037.*argument 2 must be a tensor"),
        (lambda: (tensor(1), tensor(2), runtime.from_dlpack(fixed())), r"E0037.*may not be written"),
    ],
)
def test_calls_of_kernels_that_do_not_fit_are_refused(args: Any, message: str) -> None:
    with pytest.raises(sunmao.Error, match=message):
        kernels()["add"](*args())


def fixed() -> Any:
    array = np.zeros(1, "float32")
    array.setflags(write=False)
    return array


def test_compile_gives_a_library_for_kernels_and_a_program_for_graphs() -> None:
    ex = compat.compile(from_source(HEAD + KERNELS), "c")  # source of C is not shown: it would be compiled for the host
    assert type(ex) is runtime.Executable
    assert ex.jit() is ex.jit()
    assert ex.jit(force_recompile=True) is not ex.mod
    assert isinstance(compat.compile(from_source(HEAD + PROGRAM)), relax.VMExecutable)
    with pytest.raises(sunmao.Error, match=r"E0037.*has no program"):
        relax.VirtualMachine(ex)
    with pytest.raises(sunmao.Error, match=r"E0032.*not of the loop level"):
        compat.tirx.build(from_source(HEAD + PROGRAM))


def test_libraries_of_kernels_are_saved_and_loaded(tmp_path: Path) -> None:
    path = str(tmp_path / "lib.so")
    (tmp_path / "work").mkdir()
    runtime.Executable(kernels()).export_library(path, workspace_dir=str(tmp_path / "work"))
    assert (tmp_path / "work" / "lib.so").read_bytes() == Path(path).read_bytes()
    loaded = runtime.load_module(path)
    assert (loaded.kind, loaded.is_compilation_exportable()) == ("library", False)
    c = runtime.empty((2,))
    loaded["add"](tensor(1, 2), tensor(3, 4), c)
    assert c.numpy().tolist() == [4, 6]


def test_programs_are_saved_and_loaded(tmp_path: Path) -> None:
    ex = program()
    path = str(tmp_path / "program.so")
    ex.export_library(path)
    loaded = runtime.load_module(path)
    assert loaded["as_text"]() == ex.as_text()
    vm = relax.VirtualMachine(loaded, runtime.cpu())
    x, w = np.random.rand(3, 4).astype("float32"), np.random.rand(4, 4).astype("float32")
    np.testing.assert_allclose(vm["main"](x, w).numpy(), np.maximum(x @ w, 0), rtol=1e-5)
    z, shape = vm["calls"](tensor(1, 2), (2,))
    assert z.numpy().tolist() == [5, 7]
    assert shape == (3,)
    with pytest.raises(sunmao.Error, match=r"E0032.*loaded program"):
        vm.set_instrument(lambda *args: 0)
        vm["main"](x, w)


WEIGHTS = np.random.default_rng(5).standard_normal((256, 128)).astype("float32")
LINEAR = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 128), "float32"), w: R.Tensor((256, 128), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            y = R.matmul(x, R.permute_dims(w))
            z = R.add(R.matmul(y, w), x)
            R.output(z)
        return z
"""


def linear(kind: str) -> Any:
    module = from_source(HEAD + LINEAR)
    if kind == "bound":
        return relax.transform.BindParams("main", {"w": WEIGHTS})(module)
    return relax.transform.LiftTransformParams()(module) if kind == "lifted" else module


def in_registers(module: Any) -> Any:
    builder = relax.ExecBuilder()
    steps = ("LegalizeOps", "ToNonDataflow", "RemovePurityChecking", "CallTIRRewrite", "LowerAllocTensor",
             "LowerRuntimeBuiltin", "VMShapeLower")  # fmt: skip
    lowered = compat.ir.transform.Sequential([getattr(relax.transform, name)() for name in steps])(module)
    return relax.vm_build._vmlink(builder, "llvm", relax.vm_build._vmcodegen(builder, lowered))


@pytest.mark.parametrize("mode", ["bytecode", "compiled", "registers"])
@pytest.mark.parametrize("kind", ["bound", "parameters", "lifted"])
def test_a_library_holds_each_weight_once(kind: str, mode: str, tmp_path: Path) -> None:
    module = linear(kind)
    ex = in_registers(module) if mode == "registers" else relax.build(module, exec_mode=mode)
    path = tmp_path / "linear.so"
    ex.export_library(str(path))
    held = WEIGHTS.nbytes if kind == "bound" else 0
    # What else is in it takes less than three quarters of a weight; the transpose of a constant may be one of its own.
    assert path.stat().st_size < (2 if kind == "bound" else 1) * held + 3 * WEIGHTS.nbytes // 4
    x = np.random.default_rng(6).standard_normal((2, 128)).astype("float32")
    loaded = runtime.load_module(str(path))
    again = tmp_path / "again.so"
    loaded.export_library(str(again))
    assert again.stat().st_size < path.stat().st_size + 1000
    for library in (loaded, runtime.load_module(str(again))):
        vm = relax.VirtualMachine(library, runtime.cpu())
        given: list[Any] = [] if kind == "bound" else [WEIGHTS]
        if kind == "lifted":
            given = list(vm["main_transform_params"](given))
        np.testing.assert_allclose(vm["main"](x, *given).numpy(), x @ WEIGHTS.T @ WEIGHTS + x, rtol=1e-4, atol=1e-3)


def test_the_library_of_a_program_is_an_artifact(tmp_path: Path) -> None:
    path = tmp_path / "linear.so"
    relax.build(linear("bound")).export_library(str(path))
    x = np.ones((2, 128), "float32")
    np.testing.assert_allclose(sunmao.load(path)(x), x @ WEIGHTS.T @ WEIGHTS + x, rtol=1e-4, atol=1e-3)


def test_a_library_that_lacks_a_constant_is_refused(tmp_path: Path) -> None:
    path, damaged = tmp_path / "linear.so", tmp_path / "damaged.so"
    relax.build(linear("bound")).export_library(str(path))
    with zipfile.ZipFile(path) as file, zipfile.ZipFile(damaged, "w") as out:
        for name in file.namelist():
            if name != "weights.safetensors":
                out.writestr(name, file.read(name))
    with pytest.raises(sunmao.Error, match=r"E0864.*the library has no tensor `weights.safetensors:"):
        runtime.load_module(str(damaged))
    plain = tmp_path / "plain.sunmao"
    sunmao.compile(from_source(HEAD + PROGRAM), bind_weights=False)["main"].save(plain)
    with pytest.raises(sunmao.Error, match=r"E0864.*it has no `library.json`"):
        runtime.load_module(str(plain))


def test_instructions_are_saved_with_their_module_or_not_at_all(tmp_path: Path) -> None:
    builder = relax.ExecBuilder()
    lowered = from_source(
        HEAD
        + """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32")):
        y = R.call_packed("test.vm.add", x, x, ty_args=(R.Tensor((2,), "float32")))
        return y
"""
    )
    ex = relax.vm_build._vmlink(builder, "llvm", relax.vm_build._vmcodegen(builder, lowered))
    path = str(tmp_path / "steps.so")
    ex.save_to_file(path)
    loaded = runtime.load_module(path)
    assert loaded["as_text"]() == ex.as_text()
    assert relax.VirtualMachine(loaded)["main"](tensor(1, 2)).numpy().tolist() == [2, 4]
    by_hand = relax.ExecBuilder()
    with by_hand.function("main", num_inputs=1):
        by_hand.emit_ret(by_hand.r(0))
    with pytest.raises(sunmao.Error, match=r"E0032.*emitted one by one"):
        by_hand.get().export_library(path)


def test_what_is_no_library_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.so"
    path.write_bytes(b"\x7fELF")
    with pytest.raises(sunmao.Error, match=r"E0864.*no library"):
        runtime.load_module(str(path))
    with pytest.raises(sunmao.Error, match=r"E0032.*writing a library as `o`"):
        kernels().write_to_file(str(tmp_path / "x.o"))
    with pytest.raises(sunmao.Error, match=r"E0032.*fcompile"):
        runtime.Executable(kernels()).export_library(str(path), fcompile=print)


def test_an_allocator_says_whether_memory_is_kept_between_calls() -> None:
    x, w = np.ones((1, 4), "float32"), np.ones((4, 4), "float32")
    ex = relax.build(from_source(HEAD + PROGRAM))
    kept = {"naive": 0, "pooled": 1}
    for memory, name in [(None, "pooled"), ("naive", "naive"), ("pooled", "pooled"), ({}, "pooled")]:
        vm = relax.VirtualMachine(ex, runtime.cpu(), memory_cfg=memory)
        results = [vm["main"](x, w) for _ in range(3)]
        assert vm._program._loaded.kept_sessions == kept[name]
        assert [r.numpy().tolist() for r in results] == [[[4] * 4]] * 3
    vm = relax.VirtualMachine(ex, runtime.cpu(), memory_cfg={runtime.cpu(): "naive"})
    vm.set_input("main", x, w)
    vm.invoke_stateful("main")
    assert vm._program._loaded.kept_sessions == 0
    assert vm.get_outputs("main").numpy().tolist() == [[4] * 4]
    with pytest.raises(sunmao.Error, match="E0032.*cuda"):
        relax.VirtualMachine(ex, runtime.cpu(), memory_cfg={runtime.cuda(): "naive"})


def test_both_modes_and_allocators_compute_the_same() -> None:
    x, w = np.ones((1, 4), "float32"), np.ones((4, 4), "float32")
    for mode in ("bytecode", "compiled"):
        ex = relax.build(from_source(HEAD + PROGRAM), exec_mode=mode)
        for allocator in ("naive", "pooled", {runtime.cpu(): "naive"}):
            vm = relax.VirtualMachine(ex, runtime.cpu(), memory_cfg=allocator)
            assert vm["main"](x, w).numpy().tolist() == [[4] * 4]
    with pytest.raises(sunmao.Error, match=r"E0032.*exec_mode='other'"):
        relax.build(from_source(HEAD + PROGRAM), exec_mode="other")
    with pytest.raises(sunmao.Error, match=r"E0032.*allocator `other`"):
        relax.VirtualMachine(ex, runtime.cpu(), memory_cfg="other")


def test_pipelines_run_before_the_module_is_compiled() -> None:
    seen = []

    def note(module: Any) -> Any:
        seen.append(module)
        return module

    relax.build(from_source(HEAD + PROGRAM), relax_pipeline=note, tir_pipeline=note)
    assert len(seen) == 2


def test_calls_are_timed() -> None:
    vm = relax.VirtualMachine(program())
    x, w = tensor(1).numpy().reshape(1, 1).repeat(4, 1), np.ones((4, 4), "float32")
    times = vm.time_evaluator("main", runtime.cpu(), number=2, repeat=3)(x, w)
    assert len(times.results) == 3
    assert times.min <= times.median <= times.max
    vm.set_input("main", x, w)
    assert vm.time_evaluator("invoke_stateful", runtime.cpu(), number=1)("main").results


def network() -> relax.VMExecutable:
    builder = relax.BlockBuilder()
    with builder.function("main"):
        model = nn.Sequential(nn.Linear(4, 4, bias=False), nn.ReLU(), nn.Linear(4, 2))
        data = nn.Placeholder((1, 4), name="data")
        output = model(data)
        assert [p.name for p in model.parameters()] == ["linear_weight", "linear_weight1", "linear_bias"]
        builder.emit_func_output(output, params=[data, *model.parameters()])
    return relax.build(builder.get())


def test_an_instrument_sees_each_kernel_and_may_leave_it_out() -> None:
    vm = relax.VirtualMachine(network())
    x = np.arange(4, dtype="float32").reshape(1, 4)
    weights = [np.ones((4, 4), "float32"), np.ones((4, 2), "float32"), np.ones(2, "float32")]
    assert vm["main"](x, *weights).numpy().tolist() == [[25, 25]]
    seen: list[tuple[str, bool]] = []

    def watch(function: Any, name: str, before: bool, result: Any, *args: Any) -> Any:
        assert callable(function)
        if not name.startswith("vm.builtin"):
            seen.append((name, before))
        return relax.VMInstrumentReturnKind.SKIP_RUN if name == "relu" else relax.VMInstrumentReturnKind.NO_OP

    vm.set_instrument(watch)
    assert vm["main"](x, *weights).numpy().tolist() == [[1, 1]]  # the memory that relu leaves is zero
    assert seen.count(("matmul", True)) == seen.count(("matmul", False)) == 1
    assert ("relu", True) in seen
    assert ("relu", False) not in seen


def test_kernels_are_compared_with_those_of_a_library() -> None:
    text = """
@I.ir_module
class Module:
    @T.prim_func
    def twice(x: T.Buffer((3,), "float32"), y: T.Buffer((3,), "float32")):
        for i in range(3):
            y[i] = x[i] * T.float32({by})

    @R.function
    def main(x: R.Tensor((3,), "float32")):
        y = R.call_tir(Module.twice, (x,), R.Tensor((3,), "float32"))
        return y
"""
    good, bad = (relax.build(from_source(HEAD + text.format(by=by))) for by in (2, 3))
    for other, agrees in ((good, True), (bad, False)):
        vm = relax.VirtualMachine(good)
        compare = LibCompareVMInstrument(other.mod.imports[0], runtime.cpu(), verbose=False)
        vm.set_instrument(compare)
        if agrees:
            vm["main"](tensor(1, 2, 3))
            assert compare.counter == 1
        else:
            with pytest.raises(AssertionError):
                vm["main"](tensor(1, 2, 3))


def test_absent_tools_are_named_when_they_are_used() -> None:
    for module, name in ((compat.support, "cc"), (tvmjs, "export_runtime")):
        with pytest.raises(sunmao.Error, match=rf"E0030.*no `{name}`"):
            getattr(module, name)


def test_temporary_directories_go_with_their_content() -> None:
    with compat.support.utils.tempdir() as folder:
        path = Path(folder.relpath("a"))
        path.write_text("x")
        assert folder.listdir() == ["a"]
    assert not path.exists()


def test_a_layer_without_forward_and_a_library_without_functions_say_so() -> None:
    class Empty(nn.Module):
        pass

    with pytest.raises(sunmao.Error, match="the layer Empty has no `forward`") as caught:
        Empty()(relax.Var("x", relax.TensorType((2,), "float32")))
    assert caught.value.code == "E0034"
    assert runtime.Module().own_functions() == {}
    with pytest.raises(sunmao.errors.MissingApiError, match="the library has no function `f`"):
        runtime.Module()["f"]
