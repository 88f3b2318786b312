"""What tests of the package share: an installed tree, artifacts, and a recorded input with its output."""

from pathlib import Path

import pytest
from installed_tree import Recording, install
from sunmao_binary import MODELS, compile_model, read_tensors, sunmao

COUNTER = """
@I.ir_module
class Module:
    @R.function
    def main(count: R.Tensor((1,), "float32")):
        R.func_attr({"state_names": ["count"], "num_input": 1})
        with R.dataflow():
            next = R.add(count, R.const(1, "float32"))
            shown = R.multiply(next, R.const(1, "float32"))
            R.output(shown, next)
        return (shown, next)
"""


@pytest.fixture(scope="session")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("install") / "usr")


@pytest.fixture(scope="session")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_model("mlp.onnx", tmp_path_factory.mktemp("artifact") / "mlp.sunmao", "--dim", "batch=1..64")


@pytest.fixture(scope="session")
def counter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("counter")
    (folder / "counter.py").write_text(COUNTER)
    result = sunmao("compile", folder / "counter.py", "--keep-state", "-o", folder / "counter.sunmao")
    assert result.returncode == 0, result.stderr
    return folder / "counter.sunmao"


@pytest.fixture(scope="session")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    tensors = read_tensors(MODELS / "mlp.onnx.safetensors")
    (name, *_) = sorted(name for name in tensors if name.endswith("input.0"))
    x, y = tensors[name], tensors[name.replace("input", "output")]
    folder = tmp_path_factory.mktemp("recording")
    for array, file in ((x, "x.raw"), (y, "y.raw")):
        array.tofile(folder / file)
    return Recording(x, y, folder / "x.raw", folder / "y.raw")
