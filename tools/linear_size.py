"""Compiles Linear(128, 512) with bias for one instruction set and prints the artifact's size, as JSON."""

import json
import tempfile
from pathlib import Path

from programs import MODELS, compile_model

WEIGHT_BYTES = (128 * 512 + 512) * 4


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        report = compile_model(MODELS / "linear_128_512.onnx", Path(folder) / "linear.sunmao")
    figures = {"artifact_bytes": report["bytes"], "beyond_weights_bytes": report["bytes"] - WEIGHT_BYTES}
    print(json.dumps({**figures, **{entry["name"]: entry["bytes"] for entry in report["entries"]}}))


if __name__ == "__main__":
    main()
