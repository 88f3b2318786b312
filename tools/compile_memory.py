"""Compiles a decoder of 1.24 billion parameters (4.9 GB) and tells how long that takes and how much memory.

build/differential-env/bin/python tools/compile_memory.py [--json]

The model is exported once, into build/large. Memory is anonymous memory: the mapped file of the model is no part of it.
"""

import argparse
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

from programs import ROOT, SUNMAO

sys.path.insert(0, str(ROOT / "tests" / "differential"))
MODEL = ROOT / "build" / "large" / "decoder.pt2"
ARTIFACT = MODEL.with_suffix(".sunmao")
MEGABYTE = 1e6
SPARE = 300  # megabytes beside the two largest weights


def export(path: Path) -> None:
    import torch
    from vision_ops import torchvision

    torchvision()
    import transformers

    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=128256,
        hidden_size=2048,
        intermediate_size=8192,
        num_hidden_layers=16,
        num_attention_heads=32,
        num_key_value_heads=8,
        head_dim=64,
        max_position_embeddings=2048,
        tie_word_embeddings=True,
    )

    class Logits(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.model = transformers.LlamaForCausalLM(config).eval().float()

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            return self.model(input_ids=ids, use_cache=False).logits

    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part.pt2")
    torch.export.save(torch.export.export(Logits(), (torch.randint(0, 1000, (1, 64)),)), part)
    part.rename(path)


def largest_weights(artifact: Path) -> float:
    """Returns the megabytes of the two largest weights of an artifact."""
    text = subprocess.run([SUNMAO, "inspect", artifact, "--json"], capture_output=True, text=True, check=True).stdout
    sizes = sorted(row["bytes"] for row in json.loads(text)["weights"])
    return float(sum(sizes[-2:])) / MEGABYTE


def compile_watched(model: Path, artifact: Path) -> dict[str, float]:
    """Compiles a model; returns the seconds, and the most megabytes of anonymous memory."""
    begin = time.perf_counter()
    running = subprocess.Popen([SUNMAO, "compile", model, "-o", artifact], stdout=subprocess.DEVNULL)
    most = 0

    def watch() -> None:
        nonlocal most
        while running.poll() is None:
            try:
                status = Path(f"/proc/{running.pid}/status").read_text()
            except OSError:
                return
            most = max([most, *(int(row.split()[1]) for row in status.splitlines() if row.startswith("RssAnon"))])
            time.sleep(0.005)

    watcher = threading.Thread(target=watch)
    watcher.start()
    status = running.wait()
    seconds = time.perf_counter() - begin
    watcher.join()
    if status != 0:
        raise SystemExit(f"sunmao compile: exit status {status}")
    return {"seconds": round(seconds, 2), "megabytes": round(most * 1024 / MEGABYTE, 1)}


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="compile_memory", description=__doc__)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args(argv)
    if not MODEL.exists():
        export(MODEL)
    figures = compile_watched(MODEL, ARTIFACT)
    figures["allowed_megabytes"] = round(largest_weights(ARTIFACT) + SPARE, 1)
    figures["beyond_megabytes"] = round(max(0.0, figures["megabytes"] - figures["allowed_megabytes"]), 1)
    ARTIFACT.unlink()
    print(json.dumps(figures) if arguments.json else "\n".join(f"{k}: {v}" for k, v in figures.items()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
