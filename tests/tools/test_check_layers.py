"""tools/check_layers.py: includes point downwards, and external headers appear only where they may."""

from pathlib import Path

import check_layers
import pytest

PASS_HEADERS = ("src/passes/analysis/uses.h", "src/passes/fuse/groups.h", "src/passes/table.h")


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.parametrize(
    ("path", "include"),
    [
        ("src/passes/a.cpp", '"ir/node.h"'),
        ("src/ir/a.cpp", '"ir/node.h"'),
        ("src/ir/b/a.cpp", '"ir/node.h"'),
        ("src/passes/fuse/a.cpp", '"passes/analysis/uses.h"'),
        ("src/passes/table.cpp", '"passes/fuse/groups.h"'),
        ("src/passes/analysis/a.cpp", '"passes/table.h"'),
        ("src/ir/a.cpp", '"abi/tensor.h"'),
        ("src/cli/a.cpp", "<sunmao/runtime.h>"),
        ("src/compiler/a.cpp", '"sunmao/runtime.h"'),
        ("src/codegen/llvm/a.cpp", '"llvm/IR/Module.h"'),
        ("tests/unit/codegen/llvm/a.cpp", '"llvm/IR/Module.h"'),
        ("src/ir/a.cpp", "<vector>"),
        ("runtime/a.cpp", '"io/zip.h"'),
        ("runtime/a.cpp", '"sunmao/runtime.h"'),
        ("python/bindings/a.cpp", "<nanobind/nanobind.h>"),
        ("python/bindings/a.cpp", '"ir/node.h"'),
        ("tests/unit/ir/a.cpp", "<gtest/gtest.h>"),
    ],
)
def test_allowed(tmp_path: Path, path: str, include: str) -> None:
    headers = ("src/ir/node.h", "abi/tensor.h", "io/zip.h", "include/sunmao/runtime.h", *PASS_HEADERS)
    write(tmp_path, dict.fromkeys(headers, "") | {path: f"#include {include}\n"})
    assert check_layers.check(tmp_path) == []


@pytest.mark.parametrize(
    ("path", "include", "reason"),
    [
        ("src/ir/a.cpp", '"passes/run.h"', "`passes` stands above `ir`"),
        ("src/ir/a.cpp", "<passes/run.h>", "`passes` stands above `ir`"),
        ("src/passes/a.cpp", '"../compiler/pipeline.h"', "`compiler` stands above `passes`"),
        ("src/passes/analysis/a.cpp", '"passes/fuse/groups.h"', "`fuse` stands above `analysis`"),
        ("src/passes/graph/a.cpp", '"passes/analysis/uses.h"', "`passes/graph` is not a room"),
        ("src/extra/a.cpp", '"passes/run.h"', "not a folder of the design"),
        ("src/passes/a.cpp", "<sunmao/runtime.h>", "only cli and compiler use the runtime"),
        ("src/compiler/a.cpp", '"runtime/vm.h"', "only cli and compiler use the runtime, through"),
        ("src/passes/a.cpp", '"llvm/IR/Module.h"', "under src/codegen/llvm alone"),
        ("src/codegen/a.cpp", '"lld/Common/Driver.h"', "under src/codegen/llvm alone"),
        ("src/cli/a.cpp", "<nanobind/nanobind.h>", "under python/ alone"),
        ("src/passes/a.cpp", '"passes/gone.h"', "no such file"),
        ("runtime/a.cpp", '"passes/run.h"', "`runtime` includes"),
        ("runtime/a.cpp", "<iostream>", "without streams"),
        ("io/a.cpp", '"runtime/vm.h"', "`io` includes"),
        ("cpu/a.c", '"runtime/vm.h"', "`cpu` includes"),
        ("include/sunmao/a.h", '"runtime/vm.h"', "`include` includes"),
        ("python/bindings/a.cpp", '"runtime/vm.h"', "through <sunmao/runtime.h>"),
    ],
)
def test_forbidden(tmp_path: Path, path: str, include: str, reason: str) -> None:
    headers = ("src/passes/run.h", "src/compiler/pipeline.h", "runtime/vm.h", "include/sunmao/runtime.h", *PASS_HEADERS)
    write(tmp_path, dict.fromkeys(headers, "") | {path: f"// first\n#include {include}\n"})
    (finding,) = check_layers.check(tmp_path)
    assert (finding.path, finding.line) == (path, 2)
    assert reason in finding.message


def test_exit_status(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_layers.main(["--root", str(tmp_path)]) == 0
    write(tmp_path, {"src/ir/a.cpp": '#include "llvm/IR/Module.h"\n'})
    assert check_layers.main(["--root", str(tmp_path)]) == 1
    assert "src/ir/a.cpp:1: llvm/IR/Module.h: LLVM headers" in capsys.readouterr().out
