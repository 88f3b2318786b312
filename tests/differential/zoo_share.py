"""Runs a part of the zoo and prints, as JSON in the last line, the share of models that pass in each form.

    python tests/differential/zoo_share.py named|visible [--jobs N] [--export]

`named` are the architectures that are to work first, `visible` the families that the project lists as its aim. With
`--export` it only makes the models that have not been exported, and prints the names of all.
"""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ThreadPoolExecutor

from export import export
from export_files import FORMS
from models import entries
from outcome import Outcome, outcome_of
from zoo_table import note

_FAMILIES = """
resnet18 resnest14d mobilenetv2_050 efficientnet_b0 densenet repvgg_a0 hrnet_w18_small convnext_atto vit_tiny eva02
swinv2 poolformer mobilevit xcit volo tv_squeezenet1_1 tv_googlenet tv_r3d_18 tv_fasterrcnn_mobilenet_v3_large_320_fpn
llama llama_eager qwen3 gemma gemma3 gpt2 opt falcon qwen3_moe bert albert electra modernbert bart dinov2 detr clip
whisper encodec llama_static_cache mlp lstm rnn_tanh char_cnn_embedding_bag while_loop detection_post tv_nms indexing
stft_mel convs grid_sample pools sdpa moe_topk diffusion_unet nn_transformer reductions int_bit_ops pads ctc_loss
creation data_dependent buffer_mutation fp16_conv int8_weight_only pt2e_int8 vq_codebook yolo_head gan_generator
conv_dynamic_hw nested_io
"""
VISIBLE = _FAMILIES.split()


def names_of(part: str) -> list[str]:
    """Returns the models of a part. A family of timm is that model of it which the zoo has first."""
    known = entries()
    if part == "named":
        return [name for name, entry in known.items() if entry.family == "named"]
    found = [next(n for n in known if n == name or n.startswith(f"timm_{name}")) for name in VISIBLE]
    assert len(set(found)) == len(VISIBLE)
    return found


def percent(outcomes: list[Outcome]) -> float:
    counted = [o for o in outcomes if o.kind != "skipped"]
    return round(100 * sum(o.kind == "pass" for o in counted) / max(len(counted), 1), 1)


def main() -> None:
    parser = argparse.ArgumentParser(description="Prints the share of models that pass in each form.")
    parser.add_argument("part", choices=("named", "visible"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--export", action="store_true", help="make what is missing and print the names")
    options = parser.parse_args()
    cases = [(entries()[name], form) for name in names_of(options.part) for form in FORMS]
    folders = [export(entry, form) for entry, form in cases]
    if options.export:
        print(*names_of(options.part))
        return
    with ThreadPoolExecutor(options.jobs) as pool:
        outcomes = list(pool.map(outcome_of, folders))
    by_form: dict[str, list[Outcome]] = {form: [] for form in FORMS}
    for (entry, form), outcome in zip(cases, outcomes, strict=True):
        note(entry.name, form, outcome)
        by_form[form].append(outcome)
        if outcome.kind != "pass":
            print(f"{entry.name}.{form}: {outcome.kind}: {outcome.detail.splitlines()[0] if outcome.detail else ''}")
    result: dict[str, float] = {form: percent(found) for form, found in by_form.items()}
    result["least"] = min(result.values())
    result["all"] = percent(outcomes)
    result["models"] = len(cases) // len(FORMS)
    result["skipped"] = sum(o.kind == "skipped" for o in outcomes)
    result["faults"] = sum(o.kind not in ("pass", "refused", "skipped") for o in outcomes)
    # Models that are read and that no artifact can hold.
    result["without_artifact"] = sum(o.kind == "refused" and "E1020" in o.detail for o in outcomes)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
