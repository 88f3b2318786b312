"""Writes docs/life-of-a-model.md: one model from its file to machine code, by the dumps that the compiler prints.

Usage: life_of_a_model.py [--check] [--page FILE]: with --check nothing is written, and the exit status is 1 when the
page is out of date. The machine code, which depends on the release of LLVM, is not compared.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "life-of-a-model.md"
MODEL = ROOT / "tests" / "models" / "classifier.py"
SUNMAO = os.environ.get("SUNMAO_BIN", str(ROOT / "build" / "release" / "bin" / "sunmao"))
TARGET = "x86-64-v3"
KERNEL, FORM = "fused_matmul_add_nn_relu1_prepacked", "fused_matmul_add_nn_relu1_prepacked_x86_64_v3"
CODE = "## 8. Machine code"
SHOWN = 21  # instructions of the inner loop

HEAD = f"""# The life of a model

Written by `tools/life_of_a_model.py` (`make docs`) from what the compiler prints; every dump is that of
`sunmao opt {MODEL.relative_to(ROOT)} --target {TARGET} --stop-after PASS`, cut to the functions that are talked about.
A dump is a program: it can be read back, and compiling goes on from it to the same bytes. `sunmao explain PASS` says
more about a pass, [passes.md](passes.md) lists them all.

The model is a classifier as PyTorch's `nn.Linear` states it: two layers, whose weights lie with their outputs first, a
ReLU and a softmax, for any number of rows.
"""

LIFTED = """\
Both transposes depend on weights alone. `lift-transform-params` moves them into `main_transform_params`, which runs
once, and `main` takes their results in place of the weights. Nothing on the path of a call transposes any more.
"""

LEGAL = """\
`legalize-ops` replaces each op by a call of a loop program, its kernel. A kernel says what is computed for each
element and nothing about how: blocks with iterators that are spatial (`S`) or reduced (`R`).
"""

FUSED = """\
`fuse-kernels` joins a kernel with the elementwise ones that alone read its result. The sums, the bias and the ReLU
are statements of one kernel now; what was a tensor between them is a temporary. The softmax is a kernel of its own.
"""

LAYOUTS = """\
`choose-weight-layouts` asks the kernel how its weight is to lie: in panels of 16 columns, each with its steps behind
each other, so that a tile reads memory from front to back. `split-layout-rewrite` makes the storing a kernel of its
own, and a second run of `lift-transform-params` moves that out as well: the artifact has the weight in panels.
"""

SCHEDULED = f"""\
`add-target-forms` puts a copy of the kernel beside it for each target, and `schedule` gives it the loops that suit
the machine. The family *contraction* has found rows (`n`), columns (96) and steps (64) by what the loops do. A tile
of rows and columns is held in registers (`sums`) while the steps pass, the bias and the ReLU are applied before it is
stored, and threads take blocks of columns where there is work enough. This is the form for {TARGET}.
"""

ROWS = """\
The softmax is of the family *row*: its three passes over a row follow each other while the row is in the cache, and
what the first ones find is kept for that row alone. The exponentials wait in the result itself.
"""

MACHINE = """\
LLVM turns the lowered loops into code. The inner loop of the tile, as `objdump -d` shows it: a vector of weights is
read once for several rows, an element of a row is spread over a vector, and all sums stay in registers.
"""

ARTIFACT = """\
The artifact is a zip: bytecode for `main`, an image of machine code for each target, and the weights as the kernels
read them. `sunmao inspect --bytecode` shows the program that the runtime runs: nothing else runs a model, and what
bytecode cannot express is refused ([decision 42](adr/0042-one-engine.md)).
"""


def run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def functions(text: str) -> dict[str, str]:
    """Returns the functions of a printed module by name, each with its decorator."""
    lines = text[text.index("class Module:") :].splitlines()[1:]
    starts = [i for i, line in enumerate(lines) if re.match(r"    @[TR]\.", line)] + [len(lines)]
    found = {}
    for begin, end in zip(starts, starts[1:], strict=False):
        body = "\n".join(line[4:] for line in lines[begin:end]).rstrip()
        named = re.search(r"def (\w+)\(", body)
        assert named, body
        found[named[1]] = body
    return found


def dump(stage: str, *names: str) -> str:
    """Returns functions of the module after a pass, as a block of a page."""
    known = functions(run(SUNMAO, "opt", str(MODEL), "--target", TARGET, "--stop-after", stage))
    return "```python\n" + "\n\n".join(known[name] for name in names) + "\n```\n"


def inner_loop(code: str) -> str:
    """Returns the loop with the most multiplications of disassembled code."""
    lines = [m.groups() for m in re.finditer(r"^\s*([0-9a-f]+):\s+(.*?)\s*$", code, re.MULTILINE)]
    places = {address: i for i, (address, _) in enumerate(lines)}
    best: list[str] = []
    for i, (_, text) in enumerate(lines):
        jump = re.match(r"j\w+\s+([0-9a-f]+)", text)
        begin = places.get(jump[1], i) if jump else i
        loop = [t for _, t in lines[begin : i + 1]]
        is_inner = not any(t.startswith("j") for t in loop[:-1])
        if is_inner and sum("vfmadd" in t for t in loop) > sum("vfmadd" in t for t in best):
            best = loop
    shown = [re.sub(r"\s+<.*>$", "", t) for t in best]
    if len(shown) > SHOWN:
        shown[SHOWN:-1] = [f"…  {len(shown) - SHOWN - 1} more, for the next steps"]
    return "```asm\n" + "\n".join(shown) + "\n```\n"


def artifact(folder: Path) -> tuple[str, str]:
    """Returns the inner loop of the code and the printed program of the compiled model."""
    weights = {"w1": (96, 64), "b1": (96,), "w2": (10, 96), "b2": (10,)}
    sys.path.insert(0, str(ROOT / "python"))
    import numpy as np
    import sunmao

    random = np.random.default_rng(0)
    file = folder / "classifier.sunmao"
    values = {name: random.standard_normal(shape).astype("float32") for name, shape in weights.items()}
    sunmao.compile(MODEL, weights=values, target=TARGET).save(file)
    with zipfile.ZipFile(file) as z:
        z.extract(f"code/{TARGET}", folder)
    code = run("objdump", "-d", "--no-show-raw-insn", str(folder / "code" / TARGET))
    program = run(SUNMAO, "inspect", "--bytecode", str(file))
    return inner_loop(code), program[program.index("function `main`") :]


def page() -> str:
    with tempfile.TemporaryDirectory() as folder:
        loop, program = artifact(Path(folder))
    sections = [
        HEAD,
        "## 1. The file\n",
        "```python\n" + MODEL.read_text().split("\n", 1)[1].strip() + "\n```\n",
        "## 2. Work on weights is lifted\n",
        LIFTED,
        dump("lift-transform-params", "main_transform_params", "main"),
        "## 3. Ops become loops\n",
        LEGAL,
        dump("legalize-ops", "matmul", "add", "nn_relu", "main"),
        "## 4. Kernels are fused\n",
        FUSED,
        dump("fuse-kernels", "fused_matmul_add_nn_relu", "main"),
        "## 5. Weights lie as kernels read them\n",
        LAYOUTS,
        dump("simplify-loops", "main_transform_params", "main", KERNEL),
        "## 6. A schedule for the machine\n",
        SCHEDULED,
        dump("schedule", FORM),
        "## 7. Rows\n",
        ROWS,
        dump("schedule", "nn_softmax_x86_64_v3"),
        f"{CODE}\n",
        MACHINE,
        loop,
        "## 9. The artifact\n",
        ARTIFACT,
        f"```\n{program.strip()}\n```\n",
    ]
    return "\n".join(sections)


def without_code(text: str) -> str:
    return re.sub(rf"{re.escape(CODE)}.*?(?=\n## )", CODE, text, flags=re.DOTALL)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page")
    args = parser.parse_args()
    text = page()
    if not args.check:
        args.page.write_text(text)
        return 0
    if args.page.exists() and without_code(args.page.read_text()) == without_code(text):
        return 0
    print(f"{args.page} is out of date: run `make docs`")
    return 1


if __name__ == "__main__":
    sys.exit(main())
