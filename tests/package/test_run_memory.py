"""The formula of `sunmao inspect` for the memory of a run, and what a run takes from the system."""

import json
import struct
import subprocess
from pathlib import Path

import pytest
from sunmao_binary import BUILD, ROOT, compile_model, sunmao

SIZES = (1, 7, 64, 250, 1000)
PAGE = 1 << 12
GRANULE = 1 << 16  # bytes; a session takes multiples of it
KERNEL_TABLE = struct.pack("<II", 0x544B4D53, 4)  # magic and version (abi/kernel.h)

HEADER = """
@I.ir_module
class Module:
    @R.function
    def main({params}):
        R.func_attr({{"global_symbol": "main", "tir_var_upper_bound": {{"n": 4096}}}})
        with R.dataflow():
{body}
            R.output(y)
        return y
"""

MODULES = {
    "attention": (
        'x: R.Tensor((1, "n", 32), "float32"), w: R.Tensor((32, 32), "float32")',
        """q = R.matmul(x, w)
k = R.permute_dims(R.matmul(q, w), axes=[0, 2, 1])
a = R.nn.softmax(R.matmul(q, k))
y = R.add(R.matmul(a, x), x)""",
    ),
    "images": (
        'x: R.Tensor(("n", 3, 16, 16), "float32"), w: R.Tensor((8, 3, 3, 3), "float32"), '
        'v: R.Tensor((8, 8, 3, 3), "float32")',
        """a = R.nn.relu(R.nn.conv2d(x, w, padding=1))
b = R.nn.max_pool2d(a, pool_size=[2, 2], strides=[2, 2])
c = R.nn.relu(R.nn.conv2d(b, v, padding=1))
y = R.mean(R.add(c, b), axis=[2, 3])""",
    ),
    "steps": (
        'x: R.Tensor(("n", 40), "float32")',
        """a = R.nn.softmax(R.cumsum(x, axis=1))
b = R.concat((a, x), axis=1)
c = R.cumsum(b, axis=0)
y = R.sum(R.nn.softmax(c), axis=0)""",
    ),
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("run_memory") / "run_memory"
    flags = [
        "-std=c99",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-rdynamic",
        f"-I{ROOT / 'include'}",
    ]  # its mmap is the runtime's
    library = BUILD / "lib"
    source = ROOT / "tests" / "package" / "run_memory.c"
    command = ["gcc", *flags, source, f"-L{library}", "-lsunmao_runtime", f"-Wl,-rpath,{library}", "-o", built]
    subprocess.run([str(word) for word in command], check=True)
    return built


def compiled(name: str, folder: Path) -> Path:
    if name == "mlp":
        return compile_model("mlp.onnx", folder / "mlp.sunmao", "--dim", "batch=1..4096")
    params, body = MODULES[name]
    indented = "\n".join(" " * 12 + line for line in body.splitlines())
    (folder / f"{name}.py").write_text(HEADER.format(params=params, body=indented))
    result = sunmao("compile", folder / f"{name}.py", "-o", folder / f"{name}.sunmao")
    assert result.returncode == 0, result.stderr
    return folder / f"{name}.sunmao"


def rounded(size: int, step: int) -> int:
    return -(-size // step) * step


def scratch_bytes(artifact: Path) -> int:
    """Returns the memory that kernels need on each thread, which the table of the only code image has at its end."""
    data = artifact.read_bytes()
    at = data.index(KERNEL_TABLE)
    (count,) = struct.unpack_from("<I", data, at + len(KERNEL_TABLE))
    (size,) = struct.unpack_from("<I", data, at + len(KERNEL_TABLE) + 4 * (1 + count))
    return int(size)


@pytest.mark.parametrize(("name", "symbol"), [("mlp", "batch"), ("attention", "n"), ("images", "n"), ("steps", "n")])
def test_a_run_takes_what_the_formula_says(name: str, symbol: str, program: Path, tmp_path: Path) -> None:
    artifact = compiled(name, tmp_path)
    inspected = json.loads(sunmao("inspect", artifact, "--json").stdout)["functions"][0]
    ran = subprocess.run([program, artifact, symbol, *map(str, SIZES)], capture_output=True, text=True, check=True)
    lines = ran.stdout.splitlines()
    assert len(lines) == len(SIZES)
    names = {"align": lambda x: rounded(x, 64), "max": max, "min": min}
    of_thread = rounded(scratch_bytes(artifact), PAGE)
    for size, line in zip(SIZES, lines, strict=True):
        live, arena, taken, threads = (int(word) for word in line.split())
        assert eval(inspected["memory_formula"], {**names, symbol: size}) == live
        assert taken == rounded(arena, GRANULE) + rounded(threads * of_thread, GRANULE)
        assert live <= arena <= live * 1.05
