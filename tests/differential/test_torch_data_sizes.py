"""Programs in which data decides sizes and numbers: evaluated and compiled, against PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
import torch
from comparing import differences, outputs_of
from onnx_case import evaluator
from sunmao.errors import Error, ModelError
from torch._higher_order_ops import map as map_rows
from torch_arrays import to_array
from vision_ops import torchvision

TOLERANCE = 1e-5
AUTO = torch.export.Dim.AUTO
Inputs = Sequence[tuple[torch.Tensor, ...]]


def seeded(seed: int, *shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def ints(*values: int) -> torch.Tensor:
    return torch.tensor(values)


def program_of(module: torch.nn.Module, args: tuple[torch.Tensor, ...], is_core: bool, shapes: Any = None) -> Any:
    program = torch.export.export(module.eval(), args, dynamic_shapes=shapes)
    return program.run_decompositions() if is_core else program


def check(path: Path, module: torch.nn.Module, inputs: Inputs, shapes: Any = None, *, is_compiled: bool = True) -> None:
    """Compares on all inputs, of which the first is the example of the export; before and after decomposition."""
    for is_core in (False, True):
        torch.export.save(program_of(module, inputs[0], is_core, shapes), path)
        runs = {"core" if is_core else "raw": evaluator(path)}
        if is_core and is_compiled:
            runs["artifact"] = sunmao.compile(path, threads=1).flat
        for i, args in enumerate(inputs):
            with torch.no_grad():
                leaves = torch.utils._pytree.tree_leaves(module(*args))
            want = [np.asarray(x) if isinstance(x, float) else to_array(torch.as_tensor(x)) for x in leaves]
            for form, run in runs.items():
                found = differences(outputs_of(run(*[to_array(a) for a in args])), want, TOLERANCE)
                assert not found, f"inputs {i}, {form}: " + "; ".join(found)


class Function(torch.nn.Module):
    def __init__(self, run: Callable[..., Any]) -> None:
        super().__init__()
        self.run = run

    def forward(self, *args: torch.Tensor) -> Any:
        return self.run(*args)


class Detections(torch.nn.Module):
    """Boxes above a threshold, the greatest scores first, clipped to the image."""

    def forward(self, boxes: torch.Tensor, scores: torch.Tensor) -> Any:
        keep = scores > 0.5
        boxes, scores = boxes[keep], scores[keep]
        order = scores.argsort(descending=True)
        boxes = boxes[order].clamp(0, 1)
        area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
        return boxes, scores[order], area, keep.nonzero().squeeze(1)


def test_detections_above_a_threshold(tmp_path: Path) -> None:
    boxes = seeded(1, 9, 4)
    inputs = [(boxes, torch.linspace(low, low + 0.9, 9)) for low in (0.1, 0.6, -0.9)]
    inputs.append((seeded(2, 4, 4), torch.linspace(0, 1, 4)))
    check(tmp_path / "m.pt2", Detections(), inputs, ({0: AUTO}, {0: AUTO}))


class Detector(torch.nn.Module):
    """Non-maximum suppression, then the best three boxes and their sizes."""

    def __init__(self) -> None:
        super().__init__()
        self.heads = torch.nn.Linear(6, 5)

    def forward(self, x: torch.Tensor) -> Any:
        corners, sizes, scores = self.heads(x).split([2, 2, 1], dim=1)
        boxes = torch.cat([corners, corners + sizes.exp()], 1)
        scores = scores.squeeze(1).sigmoid()
        kept = torch.ops.torchvision.nms(boxes, scores, 0.4)
        best = kept[:3]
        return boxes[kept], scores[best], kept.shape[0], sizes[best].exp().prod(1)


def test_boxes_that_overlap_no_better_one(tmp_path: Path) -> None:
    torchvision()
    torch.manual_seed(0)
    check(
        tmp_path / "m.pt2", Detector(), [(seeded(1, 12, 6),), (seeded(2, 12, 6) * 4,), (seeded(1, 1, 6).repeat(12, 1),)]
    )


class Experts(torch.nn.Module):
    """Each expert works on the tokens that are routed to it; their results are added at their places."""

    def __init__(self, count: int = 3) -> None:
        super().__init__()
        self.router = torch.nn.Linear(6, count)
        self.experts = torch.nn.ModuleList(
            torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.GELU(), torch.nn.Linear(8, 6)) for _ in range(count)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weights, chosen = self.router(x).softmax(-1).topk(2, dim=-1)
        out = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            token, slot = torch.where(chosen == i)
            out = out.index_add(0, token, expert(x[token]) * weights[token, slot, None])
        return out


def test_tokens_routed_to_experts(tmp_path: Path) -> None:
    torch.manual_seed(0)
    module = Experts()
    far = torch.zeros(7, 6)
    far[:] = module.router.weight[0].detach() * 50  # all go to the same experts: another one has none
    check(tmp_path / "m.pt2", module, [(seeded(1, 7, 6),), (far,), (seeded(2, 7, 6) * 3,)])


class Ragged(torch.nn.Module):
    """Means over what a mask leaves, and what is left written back."""

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> Any:
        left = torch.masked_select(x, mask)
        y = x.clone()
        y[mask] = left.tanh() * 2
        y[~mask] = -1
        return left.sum() / mask.sum(), left.cumsum(0), y


def test_means_over_masked_elements(tmp_path: Path) -> None:
    x = seeded(1, 4, 5)
    check(tmp_path / "m.pt2", Ragged(), [(x, x > 0.3), (x, x < 100), (x, (x > 0) & (x < 0.1))])


class Trimmed(torch.nn.Module):
    """Tokens up to the longest sequence of the batch, and a mask for the others."""

    def forward(self, tokens: torch.Tensor, lengths: torch.Tensor) -> Any:
        n = lengths.max().item()
        torch._check(n >= 1)
        torch._check(n <= tokens.shape[1])
        kept = tokens[:, :n]
        mask = torch.arange(n) < lengths[:, None]
        scores = kept.masked_fill(~mask, -1e9).softmax(-1)
        return scores, (kept * mask).sum(1) / lengths, kept.reshape(-1), n + 1, tokens[:, n:], torch.zeros(2, n // 2)


def test_tokens_trimmed_to_the_longest(tmp_path: Path) -> None:
    lengths = [ints(3, 5), ints(8, 1), ints(1, 1)]
    check(tmp_path / "m.pt2", Trimmed(), [(seeded(i, 2, 8), n) for i, n in enumerate(lengths)])


def padded(x: torch.Tensor, lengths: torch.Tensor) -> Any:
    """Rows cut to a length that is computed, then padded to the old one."""
    n = lengths.sum().item()
    torch._check(n >= 0)
    torch._check(n <= x.shape[0])
    return torch.nn.functional.pad(x[:n], (0, 1, 0, x.shape[0] - n), value=-1), torch.nn.functional.pad(x, (n, 0))


def test_widths_of_padding(tmp_path: Path) -> None:
    lengths = [ints(1, 2), ints(0, 0), ints(3, 2)]
    check(tmp_path / "m.pt2", Function(padded), [(seeded(1, 5, 3), n) for n in lengths])


def written(x: torch.Tensor, n: torch.Tensor) -> Any:
    k = n.item()
    torch._check(k >= 0)
    torch._check(k <= x.shape[0])
    y, z = x.clone(), x.clone()
    y[:k] = 0
    z[k:] += 1
    return y, z, torch.eye(k), x.unsqueeze(0).expand(k, -1, -1)


def test_slices_that_are_written(tmp_path: Path) -> None:
    check(tmp_path / "m.pt2", Function(written), [(seeded(1, 5, 3), torch.tensor(k)) for k in (2, 0, 5)])


class Frames(torch.nn.Module):
    """A convolution over as many frames as a mask leaves, with a check of their number."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv1d(4, 3, 3, padding=1)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        kept = x[mask]
        torch._check(kept.shape[0] >= 1)
        return self.conv(kept.t()[None]).relu()


def test_convolution_over_what_a_mask_leaves(tmp_path: Path) -> None:
    torch.manual_seed(0)
    masks = [ints(1, 0, 1, 1, 0, 1) > 0, ints(0, 1, 0, 0, 0, 0) > 0, ints(1, 1, 1, 1, 1, 1) > 0]
    check(tmp_path / "m.pt2", Frames(), [(seeded(1, 6, 4), m) for m in masks])


class Segments(torch.nn.Module):
    """Sums over what has the same key."""

    def forward(self, x: torch.Tensor, keys: torch.Tensor) -> Any:
        names, place, count = torch.unique(keys, return_inverse=True, return_counts=True)
        sums = torch.zeros(names.shape[0], x.shape[1]).index_add(0, place, x)
        return names, sums / count[:, None], sums[place] - x, torch.bincount(keys, minlength=4)


def test_sums_over_segments(tmp_path: Path) -> None:
    keys = [ints(3, 1, 3, 3, 7, 1), ints(0, 0, 0, 0, 0, 0), ints(5, 4, 3, 2, 1, 0)]
    check(tmp_path / "m.pt2", Segments(), [(seeded(i, 6, 3), k) for i, k in enumerate(keys)])


def regulated(x: torch.Tensor, durations: torch.Tensor) -> Any:
    """The length regulator of a speech model: each phoneme as often as its duration says."""
    frames = x.repeat_interleave(durations, dim=0)
    return frames.mean(1), torch.nn.functional.pad(frames, (0, 1)), torch.repeat_interleave(durations)


def test_frames_of_phonemes(tmp_path: Path) -> None:
    durations = [ints(2, 0, 3, 1), ints(0, 0, 0, 0), ints(0, 9, 0, 0)]
    check(tmp_path / "m.pt2", Function(regulated), [(seeded(i, 4, 5), d) for i, d in enumerate(durations)])


def run_lengths(x: torch.Tensor, rows: torch.Tensor) -> Any:
    values, place, counts = torch.unique_consecutive(x, return_inverse=True, return_counts=True)
    return values, values[place] - x, counts, *torch.unique_consecutive(rows, dim=1, return_counts=True)


def test_equal_neighbours(tmp_path: Path) -> None:
    rows = seeded(1, 2, 6).round()
    inputs = [(ints(1, 1, 2, 2, 2, 1), rows), (ints(5, 5, 5, 5, 5, 5), rows * 0), (ints(1, 2, 3, 4, 5, 6), rows)]
    check(tmp_path / "m.pt2", Function(run_lengths), inputs)


def test_equal_neighbours_of_nothing(tmp_path: Path) -> None:
    module = Function(lambda x, m: torch.unique_consecutive(x[m], return_inverse=True, return_counts=True))
    masks = [x > 0 for x in (ints(1, 1, 0, 1), ints(0, 0, 0, 0))]
    check(tmp_path / "m.pt2", module, [(ints(4, 4, 4, 5), m) for m in masks])


def indexed(x: torch.Tensor, mask: torch.Tensor) -> Any:
    y, z, w = x.clone(), x.clone(), x.clone()
    y[mask] = torch.arange(4.0)
    z[:, mask[:4]] = 0.5
    w[mask, 2] = x[mask, 1] * 2
    return x[mask] + x[mask] * 2, x[:, mask[:4]], x[mask][:, mask[:4]], y, z, w


def test_masks_that_select_and_write(tmp_path: Path) -> None:
    masks = [ints(1, 0, 1, 1, 0) > 0, ints(0, 0, 0, 0, 0) > 0, ints(1, 1, 1, 1, 1) > 0]
    check(tmp_path / "m.pt2", Function(indexed), [(seeded(1, 5, 4), m) for m in masks])


def places(x: torch.Tensor) -> Any:
    return x.nonzero() * 2, torch.argwhere(x > 0), x.nonzero(as_tuple=True), torch.nonzero_static(x, size=4)


def test_places_of_elements(tmp_path: Path) -> None:
    x = seeded(1, 3, 4).round()
    check(tmp_path / "m.pt2", Function(places), [(x,), (x * 0,), (x * 0 + 1,)])
    number = Function(lambda x: (x.nonzero(), x.reshape(()).nonzero()))
    check(tmp_path / "m.pt2", number, [(ints(3),), (ints(0),)])


def by_numbers(x: torch.Tensor, n: torch.Tensor) -> Any:
    """Nothing says that the number is not negative."""
    k = n.item()
    return x[:k], x[-k:], x[k], x * k, x[1:, 0] + k


def test_numbers_that_may_be_negative(tmp_path: Path) -> None:
    inputs = [(seeded(1, 5, 4), torch.tensor(k)) for k in (3, 1, 4, -2, -5)]
    check(tmp_path / "m.pt2", Function(by_numbers), inputs)


def by_floats(x: torch.Tensor, t: torch.Tensor) -> Any:
    v = t.item()
    return x * v + t.sqrt(), torch.full((3,), v), x.clamp(max=v), x.masked_fill(x > 0, v * 0.5), x / v, v * 2 + 1


def test_numbers_that_are_floats(tmp_path: Path) -> None:
    check(tmp_path / "m.pt2", Function(by_floats), [(seeded(1, 5, 4), torch.tensor(v)) for v in (3.0, 0.25)])


def by_bools(x: torch.Tensor) -> Any:
    is_positive = (x.sum() > 0).item()
    return x * is_positive, torch.cond(is_positive, lambda y: y + 1, lambda y: y * 2, (x,))


def test_numbers_that_are_bools(tmp_path: Path) -> None:
    x = seeded(1, 3, 4)
    check(tmp_path / "m.pt2", Function(by_bools), [(x,), (x.abs(),), (-x.abs(),)])


def halves(x: torch.Tensor, sizes: torch.Tensor) -> Any:
    a, b = sizes.tolist()
    torch._check(a >= 0)
    torch._check(b >= 0)
    torch._check(a + b == x.shape[0])
    first, second = x.split([a, b])
    return first.sum(0), second * 2


def test_parts_of_computed_sizes(tmp_path: Path) -> None:
    inputs = [(seeded(1, 5, 4), s) for s in (ints(3, 2), ints(0, 5), ints(5, 0))]
    check(tmp_path / "m.pt2", Function(halves), inputs)


def test_sizes_that_are_negative_are_refused_by_a_run(tmp_path: Path) -> None:
    def run(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
        k = n.item()
        torch._check(k >= 0)
        torch._check(k <= x.shape[0])
        return x[k:] + 1

    torch.export.save(program_of(Function(run), (seeded(1, 5), torch.tensor(3)), True), tmp_path / "m.pt2")
    model = sunmao.compile(tmp_path / "m.pt2")
    for number in (-1, -5, 6):
        for call in (evaluator(tmp_path / "m.pt2"), model.flat):
            with pytest.raises(Error) as caught:
                call(seeded(1, 5).numpy(), np.array(number))
            assert caught.value.code in ("E0905", "E0906", "E0911"), caught.value


@pytest.mark.parametrize("sizes", [ints(3, 3), ints(-1, 6), ints(6, -1)], ids=str)
def test_what_a_program_checks_of_numbers(tmp_path: Path, sizes: torch.Tensor) -> None:
    torch.export.save(program_of(Function(halves), (seeded(1, 5, 4), ints(3, 2)), True), tmp_path / "m.pt2")
    with pytest.raises(RuntimeError):
        Function(halves)(seeded(1, 5, 4), sizes)
    with pytest.raises(Error) as caught:
        evaluator(tmp_path / "m.pt2")(seeded(1, 5, 4).numpy(), sizes.numpy())
    assert caught.value.code in ("E0905", "E0906", "E0911"), caught.value


class Chosen(torch.nn.Module):
    """Branches that give different sizes."""

    def forward(self, x: torch.Tensor) -> Any:
        kept = torch.cond(x.sum() > 0, lambda y: y[y > 0] + 1, lambda y: y[y < -1] * 2, (x,))
        return kept.tanh(), kept.sum() + x


def test_branches_that_give_different_sizes(tmp_path: Path) -> None:
    x = seeded(1, 8)
    check(tmp_path / "m.pt2", Chosen(), [(x,), (x.abs(),), (-x.abs(),), (x * 0,)])


def test_rows_with_sizes_of_their_own(tmp_path: Path) -> None:
    module = Function(lambda x: map_rows(lambda row: row[row > 0].sum(), x))
    check(tmp_path / "m.pt2", module, [(seeded(1, 4, 3),), (seeded(2, 4, 3),), (-torch.ones(4, 3),)])


def test_sizes_that_may_be_negative_are_refused(tmp_path: Path) -> None:
    def run(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
        return torch.zeros(n.item() + x.shape[0])

    program = torch.export.export(Function(run), (torch.ones(3), torch.tensor(2)))
    torch.export.save(program, tmp_path / "m.pt2")
    with pytest.raises(ModelError, match=r"with a size that may be negative: state `torch._check\(n >= 0\)`") as caught:
        sunmao.read_model(tmp_path / "m.pt2")
    assert caught.value.code == "E0707"


def test_symbols_are_named_as_the_program_names_them(tmp_path: Path) -> None:
    torch.export.save(program_of(Ragged(), (seeded(1, 4, 5), seeded(2, 4, 5) > 0), True), tmp_path / "m.pt2")
    module, _ = sunmao.read_model(tmp_path / "m.pt2")
    assert 'R.match_cast(places, R.Tensor((1, u0), dtype="int64"))' in module.script()


@pytest.mark.parametrize(
    "sliced",
    [
        lambda x: x[x > 0][1:],
        lambda x: torch.unique(x)[2:],
        lambda x: x[x > 0].view(-1, 1)[2:],
        lambda x: (x[x > 0][3:], x[x > 0]),
    ],
)
def test_slices_of_what_data_sizes_are_results(sliced: Any, tmp_path: Path) -> None:
    inputs = [(torch.tensor([1.0, 2, 3, -1]),), (torch.tensor([1.0, -2, -3, -1]),), (torch.tensor([-1.0, -2, -3, -1]),)]
    check(tmp_path / "m.pt2", Function(sliced), inputs)
