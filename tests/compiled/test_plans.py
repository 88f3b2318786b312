"""Each plan of a kernel computes what the evaluator computes, and a kernel says by an attribute which one it takes."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import numpy as np
import pytest
import sunmao
from sunmao import _sunmao
from sunmao_binary import ROOT, write_tensors
from sunmao_binary import sunmao as run

MODULE = """
@I.ir_module
class Module:
    @R.function
    def main({params}):
        with R.dataflow():
            y = {call}
            R.output(y)
        return y
"""
# Parameters, the call, and a plan of the first kernel that is expected for the target x86-64-v3.
KERNELS = {
    "product": (
        'x: R.Tensor((40, 300), "float32"), w: R.Tensor((300, 200), "float32"), b: R.Tensor((200,), "float32")',
        "R.nn.relu(R.add(R.matmul(x, w), b))",
        "tile 3x3 columns copied",
    ),
    "long_product": (
        'x: R.Tensor((96, 1024), "float32"), w: R.Tensor((1024, 160), "float32")',
        "R.matmul(x, w)",
        "tile 6x2 rows outside",
    ),
    "rows_of_a_run": (
        'x: R.Tensor(("n", 60), "float32"), w: R.Tensor((60, 40), "float32")',
        "R.matmul(x, w)",
        "tile 13x1 rows outside tiles 4",
    ),
    "convolution": (
        'x: R.Tensor((1, 16, 12, 12), "float32"), w: R.Tensor((32, 16, 3, 3), "float32")',
        "R.nn.relu(R.nn.conv2d(x, w))",
        "tile 2x4",
    ),
    "groups": (
        'x: R.Tensor((1, 12, 12, 16), "float32"), w: R.Tensor((3, 3, 4, 16), "float32")',
        'R.nn.conv2d(x, w, groups=4, data_layout="NHWC", kernel_layout="HWIO")',
        "tile 4x2",
    ),
    "window": (
        'x: R.Tensor((1, 12, 12, 16), "float32"), w: R.Tensor((3, 3, 1, 16), "float32")',
        'R.nn.conv2d(x, w, groups=16, data_layout="NHWC", kernel_layout="HWIO")',
        "lines 5x2",
    ),
    "bytes": (
        'x: R.Tensor((40, 256), "uint8"), w: R.Tensor((256, 96), "int8")',
        'R.matmul(x, w, out_dtype="int32")',
        "tile 2x3 columns copied",
    ),
    "few_rows": (
        'x: R.Tensor((2, 300), "float32"), w: R.Tensor((50, 300), "float32")',
        'R.einsum((x, w), "ij,kj->ik")',
        "dots 2x3",
    ),
    "batches": (
        'x: R.Tensor((3, 40, 100), "float32"), w: R.Tensor((3, 100, 90), "float32")',
        "R.matmul(x, w)",
        "tile 3x3 columns copied",
    ),
    "short_rows": ('x: R.Tensor((64, 60), "float32")', "R.nn.softmax(x)", "rows in passes 1"),
    "long_rows": (
        'x: R.Tensor((64, 400), "float32"), g: R.Tensor((400,), "float32")',
        "R.nn.layer_norm(x, g, g, axes=[-1])",
        "rows in passes 1",
    ),
    "attention": (
        'q: R.Tensor((1, 64, 2, 16), "float32"), k: R.Tensor((1, 300, 2, 16), "float32"), '
        'v: R.Tensor((1, 300, 2, 16), "float32")',
        "R.nn.attention(q, k, v)",
        "keys 40 queries 16",
    ),
    "transpose": ('x: R.Tensor((100, 200), "float32")', "R.permute_dims(x)", "lines"),
}
N = 37  # rows that a run has


def with_kernels(name: str, folder: Path) -> _sunmao.Module:
    """Returns the module as it is before its kernels are scheduled."""
    params, call, _ = KERNELS[name]
    (folder / "model.py").write_text(MODULE.format(params=params, call=call))
    stage = folder / "stage.py"
    done = run("compile", folder / "model.py", "--no-bind-weights", "--stop-after", "lift-temporaries", "-o", stage)
    assert done.returncode == 0, done.stderr
    return sunmao.parse_module(stage.read_text())


def kernels_of(module: _sunmao.Module) -> list[tuple[str, _sunmao.PrimFunc]]:
    pairs = [(entry.var.name, entry.func) for entry in module.functions]
    return [(name, func) for name, func in pairs if isinstance(func, _sunmao.PrimFunc)]


def inputs_of(name: str) -> list[np.ndarray]:
    random = np.random.default_rng(0)
    out: list[np.ndarray] = []
    for shape, dtype in re.findall(r'R.Tensor\(\(([^)]*)\), "(\w+)"\)', KERNELS[name][0]):
        sizes = [N if size.strip() == '"n"' else int(size) for size in shape.split(",") if size.strip()]
        values = random.integers(0, 100, sizes) if "int8" in dtype else random.standard_normal(sizes)
        out.append(values.astype(dtype))
    return out


def with_plans(module: _sunmao.Module, kernel: str, plans: list[str]) -> _sunmao.Module:
    func = module.find(kernel)
    assert func is not None
    return module.with_function(kernel, func.with_attr("sunmao.plans", plans))


@pytest.mark.parametrize("name", KERNELS)
def test_each_plan_computes_the_same(tmp_path: Path, name: str) -> None:
    module, inputs = with_kernels(name, tmp_path), inputs_of(name)
    want = np.asarray(sunmao.compile(module)(*inputs))
    np.testing.assert_allclose(want, np.asarray(sunmao.evaluate(module, *inputs)), rtol=1e-4, atol=1e-4)
    for kernel, func in kernels_of(module):
        for group in _sunmao.find_plans(func, "host")[:1]:
            for plan in group:
                for threads in (1, 2):
                    model = sunmao.compile(with_plans(module, kernel, [plan]), threads=threads)
                    np.testing.assert_allclose(model(*inputs), want, rtol=1e-4, atol=1e-4, err_msg=plan)


# Products with a weight in panels: the type of the data, that of the weight, and the options of matmul.
WEIGHTS = {"floats": ("float32", "float32", ""), "bytes": ("uint8", "int8", ', out_dtype="int32"')}


@pytest.mark.parametrize("rows", [1, 3, 70])
@pytest.mark.parametrize("name", WEIGHTS)
def test_each_plan_with_a_weight_in_panels_computes_the_same(tmp_path: Path, name: str, rows: int) -> None:
    data, weight, options = WEIGHTS[name]
    params = f'x: R.Tensor(({rows}, 260), "{data}"), w: R.Tensor((260, 100), "{weight}")'
    text = MODULE.format(params=params, call=f"R.matmul(x, w{options})")
    inputs = '        R.func_attr({"num_input": 1})\n'
    (tmp_path / "model.py").write_text(text.replace("        with R.data", inputs + "        with R.data"))
    random = np.random.default_rng(0)
    x, w = (
        (random.standard_normal(shape) if name == "floats" else random.integers(-100, 100, shape)).astype(dtype)
        for shape, dtype in (((rows, 260), data), ((260, 100), weight))
    )
    words = ("--weights", write_tensors(tmp_path / "w.safetensors", {"w": w}), "--stop-after", "inline-elementwise")
    done = run("compile", tmp_path / "model.py", *words)
    assert done.returncode == 0, done.stderr
    module = sunmao.parse_module(done.stdout)
    want = np.asarray(sunmao.compile(module, weights={"w": w})(x))
    np.testing.assert_allclose(want, x.astype("f8") @ w.astype("f8"), rtol=1e-4, atol=1e-3)
    forms = {n: _sunmao.find_plans(f, "host") for n, f in kernels_of(module) if "form_of" in dict(f.attrs.items())}
    ((form, (plans, *_)),) = ((n, groups) for n, groups in forms.items() if groups and groups[0][0].startswith("tile"))
    for plan in plans:
        got = sunmao.compile(with_plans(module, form, [plan]), weights={"w": w})(x)
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-3, err_msg=plan)


@pytest.mark.parametrize("name", ["rows_of_a_run", "short_rows"])
def test_each_plan_of_another_machine_evaluates_to_the_same(tmp_path: Path, name: str) -> None:
    module, inputs = with_kernels(name, tmp_path), inputs_of(name)
    want = np.asarray(sunmao.evaluate(module, *inputs))
    for kernel, func in kernels_of(module):
        for plan in _sunmao.find_plans(func, "x86-64-v4")[0]:
            scheduled = _sunmao.run_pass(with_plans(module, kernel, [plan]), "schedule", target="x86-64-v4")
            got = np.asarray(sunmao.evaluate(scheduled, *inputs))
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4, err_msg=plan)


@pytest.mark.parametrize("name", KERNELS)
def test_the_first_plan_is_what_is_taken_without_a_choice(tmp_path: Path, name: str) -> None:
    module = with_kernels(name, tmp_path)
    for kernel, func in kernels_of(module):
        groups = _sunmao.find_plans(func, "x86-64-v3")
        assert all(len(set(group)) == len(group) for group in groups)
        first = with_plans(module, kernel, [group[0] for group in groups])
        own = _sunmao.run_pass(module, "schedule", target="x86-64-v3")
        assert _sunmao.structural_equal(_sunmao.run_pass(first, "schedule", target="x86-64-v3"), own)


@pytest.mark.parametrize("name", KERNELS)
def test_plans_are_other_loops(tmp_path: Path, name: str) -> None:
    module = with_kernels(name, tmp_path)
    kernel, func = next((k, f) for k, f in kernels_of(module) if _sunmao.find_plans(f, "x86-64-v3"))
    plans = _sunmao.find_plans(func, "x86-64-v3")[0]
    assert KERNELS[name][2] in plans
    written = [
        _sunmao.run_pass(with_plans(module, kernel, [plan]), "schedule", target="x86-64-v3").script() for plan in plans
    ]
    assert len(set(written)) == len(written)
    assert not any("sunmao.plans" in text for text in written)


def test_a_chosen_plan_is_printed_and_read_back(tmp_path: Path) -> None:
    module = with_plans(with_kernels("product", tmp_path), "fused_matmul_add_nn_relu", ["tile 3x3 columns copied"])
    assert '"sunmao.plans": ["tile 3x3 columns copied"]' in module.script()
    again = sunmao.parse_module(module.script())
    assert _sunmao.structural_equal(module, again)
    target = "x86-64-v3"
    both = [_sunmao.compile(m, {}, [target], {}).artifact for m in (module, again)]
    assert both[0] == both[1]
    assert both[0] != _sunmao.compile(with_kernels("product", tmp_path), {}, [target], {}).artifact


def test_the_kernel_of_the_page_has_its_plan() -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs/tuning.md").read_text(), re.DOTALL | re.MULTILINE)
    module = sunmao.parse_module("@I.ir_module\nclass Page:\n" + textwrap.indent(program, "    "))
    scheduled = _sunmao.run_pass(module, "schedule", target="x86-64-v3").script()
    assert "alloc_local((T.int64(3), T.int64(24)))" in scheduled and "sunmao.plans" not in scheduled


@pytest.mark.parametrize(
    ("plans", "words"),
    [
        (["tile 7x9"], "has no plan `tile 7x9`"),
        (["tile 5x2 columns copied", "tile 1x1"], "2 plans are given for a kernel with 1 groups"),
        ("tile 5x2", "a list of texts is expected"),
        ([3], "a list of texts is expected"),
    ],
)
def test_a_plan_that_a_kernel_does_not_have_is_an_error(tmp_path: Path, plans: object, words: str) -> None:
    module = with_kernels("product", tmp_path)
    func = module.find("fused_matmul_add_nn_relu")
    assert func is not None
    changed = module.with_function("fused_matmul_add_nn_relu", func.with_attr("sunmao.plans", plans))
    with pytest.raises(sunmao.Error, match="E0547") as error:
        _sunmao.run_pass(changed, "schedule", target="x86-64-v3")
    assert words in str(error.value)
