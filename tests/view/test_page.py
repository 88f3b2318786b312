"""Pages of `sunmao view` in a headless Chromium: what is drawn, clicks, search, folds, two panels. No test may leave a
message on the browser's console."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from chromium import Browser, make_page
from onnx_bytes import linear
from selenium.webdriver.common.keys import Keys
from sunmao_binary import MODELS, compile_model, sunmao

IMPORTS = "from tvm.script import ir as I\nfrom tvm.script import relax as R\n\n"
PATHS = "return [...document.querySelectorAll(arguments[0])].map((e) => e.getAttribute('d'))"
HEAD = IMPORTS + "@I.ir_module\nclass Module:\n    @R.function\n"


def chain(path: Path, count: int) -> Path:
    """A script with `count` ops, one after the other."""
    lines = [f"        v{i} = R.{'exp' if i % 3 else 'negative'}({f'v{i - 1}' if i else 'x'})\n" for i in range(count)]
    path.write_text(f'{HEAD}    def main(x: R.Tensor((4,), "float32")):\n{"".join(lines)}        return v{count - 1}\n')
    return path


def branching(path: Path) -> Path:
    path.write_text(
        HEAD + '    def main(x: R.Tensor((4, 4), "float32"), c: R.Tensor((), "bool")):\n'
        "        if c:\n            t = R.exp(x)\n            y = R.add(t, x)\n"
        "        else:\n            u = R.negative(x)\n            y = R.multiply(u, x)\n        return y\n"
    )
    return path


def choose(browser: Browser, menu: str, value: str) -> None:
    browser.run(
        "const s = document.getElementById(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('change'))",
        menu,
        value,
    )


def test_ops_with_shapes_are_drawn(browser: Browser, tmp_path: Path) -> None:
    browser.open(make_page(tmp_path / "m.html", MODELS / "mlp.onnx"))
    assert {"x", "matmul", "add", "nn.relu"} <= set(browser.boxes())
    assert any("×32 f32" in text for text in browser.texts(".box text.sub"))
    assert len(browser.all(".edge")) >= len(browser.boxes()) - 1
    assert "11 of 11 drawn" in browser.find("#status").text


def test_a_click_on_an_op_shows_its_weight_with_a_histogram(browser: Browser, tmp_path: Path) -> None:
    browser.open(make_page(tmp_path / "m.html", MODELS / "mlp.onnx"))
    browser.click_drawn(".box[data-n] .move")
    assert "permute_dims" in browser.details() and "mean, deviation" in browser.details()
    assert len(browser.all("#details .bars rect")) == 32
    assert len(browser.all(".box.chosen")) == 1 and len(browser.all(".edge.near")) >= 1


def test_search_finds_and_goes_to_a_node(browser: Browser, tmp_path: Path) -> None:
    browser.open(make_page(tmp_path / "m.html", chain(tmp_path / "m.py", 300)))
    drawn = len(browser.boxes())
    browser.find("body").send_keys("/")
    browser.find("#search").send_keys("v217")
    assert "1 found" in browser.details()
    browser.click("#details a")
    assert len(browser.all(".box.chosen")) == 1 and len(browser.boxes()) > drawn
    assert "v217" in browser.find("#details h2").text
    box = browser.find(".box.chosen rect").rect
    assert 0 < box["x"] < 1500 and 0 < box["y"] < 950
    browser.find("#search").send_keys(Keys.ESCAPE)
    assert browser.find("#search").get_attribute("value") == ""


def test_groups_open_and_fold_where_they_are(browser: Browser, tmp_path: Path) -> None:
    browser.open(make_page(tmp_path / "m.html", chain(tmp_path / "m.py", 300)))
    folded = browser.boxes()
    left, _, right, _ = browser.rects(".box[data-g] rect")[0]
    browser.click(".box[data-g] rect")
    assert len(browser.boxes()) > len(folded) and len(browser.all(".frame")) == 1
    frame_left, _, frame_right, _ = browser.rects(".frame rect")[0]
    assert abs(left + right - frame_left - frame_right) < 4
    browser.click_drawn(".frame")
    assert browser.boxes() == folded


def test_open_groups_do_not_overlap(browser: Browser, tmp_path: Path) -> None:
    browser.open(make_page(tmp_path / "m.html", branching(tmp_path / "m.py")))
    browser.click("#unfold")
    boxes = browser.rects(".box > rect")
    for i, (left, top, right, bottom) in enumerate(boxes):
        for a, b, c, d in boxes[:i]:
            assert left >= c - 1 or a >= right - 1 or top >= d - 1 or b >= bottom - 1
    titles = browser.boxes()
    assert {"exp", "negative", "add", "multiply", "if"} <= set(titles)
    left, top, right, bottom = boxes[titles.index("exp")]
    frames = browser.rects(".frame > rect")
    assert any(a <= left and b <= top and right <= c and bottom <= d for a, b, c, d in frames)


def test_ten_thousand_nodes_open_folded_and_what_is_drawn_is_bounded(browser: Browser, tmp_path: Path) -> None:
    browser.open(make_page(tmp_path / "m.html", chain(tmp_path / "m.py", 10_000)))
    assert len(browser.boxes()) <= 60 and "of 10002 drawn" in browser.find("#status").text
    browser.click("#unfold")
    assert 1500 < len(browser.boxes()) <= 2000 and "2000" in browser.find("#status").text
    browser.click("#fold")
    assert len(browser.boxes()) <= 60


def test_two_panels_mark_changes_and_move_together(browser: Browser, tmp_path: Path) -> None:
    browser.open(make_page(tmp_path / "m.html", MODELS / "mlp.onnx", "--around", "fuse-ops"))
    assert len(browser.all(".panel")) == 2
    assert browser.all(".box .only-a") and browser.all(".box .only-b, .box .changed")
    assert "only in the first" in browser.details()
    moved = "return [...document.querySelectorAll('.panel svg > g')].map((g) => g.getAttribute('transform'))"
    before = browser.run(moved)
    browser.run(
        "document.querySelector('.panel svg').dispatchEvent(new WheelEvent('wheel', "
        "{deltaY: -200, clientX: 200, clientY: 200, bubbles: true, cancelable: true}))"
    )
    after = browser.run(moved)
    assert all(a != b for a, b in zip(before, after, strict=True))
    browser.click_drawn(".box .same")
    assert len(browser.all(".box.chosen")) == 2


def test_numbers_are_shown_layer_by_layer(browser: Browser, tmp_path: Path) -> None:
    weight = np.arange(12, dtype="float32").reshape(4, 3)
    a = linear(tmp_path / "a.onnx", weight, np.zeros(3, "float32"))
    b = linear(tmp_path / "b.onnx", weight, np.full(3, 100, "float32"))
    browser.open(make_page(tmp_path / "m.html", a, b, "--numbers"))
    assert len(browser.all("#details .layers rect")) == 3
    browser.click_drawn("#details .layers rect", last=True)
    assert "largest difference" in browser.details()
    choose(browser, "colour", "difference")
    assert any("color-mix" in (e.get_attribute("style") or "") for e in browser.all(".box rect"))


def test_pairs_of_unlike_shapes_and_numbers_that_are_not_finite_open(browser: Browser, tmp_path: Path) -> None:
    models = []
    for name, shape, constant in (("a", "(2, 2)", "0.0"), ("b", "(4, 1)", "1.0")):
        lines = f"        e = R.divide(x, R.const({constant}))\n        y = R.reshape(e, {shape})\n        return y\n"
        models.append(tmp_path / f"{name}.py")
        models[-1].write_text(f'{HEAD}    def main(x: R.Tensor((4,), "float32")):\n{lines}')
    browser.open(make_page(tmp_path / "m.html", *models, "--numbers"))
    assert len(browser.all("#details .layers rect")) == 1
    browser.click_drawn("#details .layers rect")
    assert "not finite on one side" in browser.details()
    choose(browser, "colour", "difference")
    assert browser.boxes()


def test_times_bytes_and_kernels_of_an_artifact(browser: Browser, tmp_path: Path) -> None:
    artifact, times = compile_model("mlp.onnx", tmp_path / "m.sunmao"), tmp_path / "times.json"
    assert sunmao("profile", artifact, "--repeat", "3", "--json", times).returncode == 0
    browser.open(make_page(tmp_path / "m.html", artifact, "--profile", times))
    assert browser.find("#colour").get_attribute("value") == "time" and "slowest" in browser.details()
    browser.click("#bytes")
    areas = [(right - left) * (bottom - top) for left, top, right, bottom in browser.rects(".area rect")]
    assert len(areas) > 10 and max(areas) == areas[0]
    assert f"{artifact.stat().st_size} bytes" in browser.details()
    browser.click("#bytes")
    assert browser.boxes()


def functions(path: Path, *names: str) -> Path:
    lines = "".join(
        f'    @R.function\n    def {name}(x: R.Tensor((4,), "float32")):\n        y = R.exp(x)\n        return y\n\n'
        for name in names
    )
    path.write_text(IMPORTS + "@I.ir_module\nclass Module:\n" + lines)
    return path


def test_functions_of_both_sides_are_in_the_menu(browser: Browser, tmp_path: Path) -> None:
    a, b = functions(tmp_path / "a.py", "main", "left"), functions(tmp_path / "b.py", "right", "main")
    browser.open(make_page(tmp_path / "m.html", a, b))
    assert browser.texts("#function option") == ["main (3 | 3)", "left (3 | none)", "right (none | 3)"]
    assert "Both have the same ops." in browser.details()
    for name, here, there in (("left", 0, 1), ("right", 1, 0)):
        choose(browser, "function", name)
        assert sorted(browser.boxes(here)) == ["exp", "result", "x"] and browser.boxes(there) == []
        assert f"there is no function {name} here" in browser.texts(".panel h2")[there]
        assert "Not compared" in browser.details() and "Both have" not in browser.details()
    browser.click_drawn(".box[data-n] .activation")
    assert len(browser.all(".box.chosen")) == 1 and "side by side" not in browser.details()
    choose(browser, "function", "main")
    assert sorted(browser.boxes(1)) == ["exp", "result", "x"] and "Both have the same ops." in browser.details()


def test_sides_without_a_common_function_both_show_one(browser: Browser, tmp_path: Path) -> None:
    a, b = functions(tmp_path / "a.py", "left"), functions(tmp_path / "b.py", "right")
    browser.open(make_page(tmp_path / "m.html", a, b))
    assert browser.boxes(0) and browser.boxes(1) and "Not compared" in browser.details()
    browser.click_drawn(".box[data-n] .activation")
    assert len(browser.all(".box.chosen")) == 1 and "side by side" not in browser.details()


@pytest.mark.parametrize("with_graphviz", [True, False])
def test_lines_meet_at_the_borders_of_groups(
    with_graphviz: bool, browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not with_graphviz:
        monkeypatch.setenv("PATH", "")
    browser.open(make_page(tmp_path / "m.html", branching(tmp_path / "m.py")))
    browser.click("#unfold")
    curves = [re.findall(r"-?[\d.]+", d) for d in browser.run(PATHS, ".edge") if "C" in d]
    lines = [re.findall(r"-?[\d.]+", d) for d in browser.run(PATHS, ".edge") if "L" in d]
    frames = browser.run(
        "return [...document.querySelectorAll('.frame > rect')]"
        ".map((r) => ['y', 'height'].map((a) => +r.getAttribute(a)))"
    )
    uppers, lowers = [y for y, _ in frames], [y + height for y, height in frames]
    beginnings = [tuple(map(float, c[:2])) for c in curves] + [tuple(map(float, line[:2])) for line in lines]
    ends = [tuple(map(float, c[-2:])) for c in curves] + [tuple(map(float, line[2:])) for line in lines]
    near = 0.25  # pixels
    assert len(lines) >= 7
    for x1, y1, x2, y2 in (map(float, line) for line in lines):
        if min(abs(y1 - y) for y in uppers) < 0.2:
            assert any(abs(x - x2) < near and abs(y - y2) < near for x, y in beginnings)
        else:
            assert min(abs(y2 - y) for y in lowers) < 0.2
            assert any(abs(x - x1) < near and abs(y - y1) < near for x, y in ends)


def test_curves_stay_between_their_ends(browser: Browser, tmp_path: Path) -> None:
    browser.open(make_page(tmp_path / "m.html", branching(tmp_path / "m.py")))
    browser.click("#unfold")
    for path in browser.run(PATHS, ".edge"):
        heights = [float(y) for y in re.findall(r"-?[\d.]+", path)[1::2]]
        assert all(heights[0] <= y <= heights[-1] for y in heights), path


def test_ops_may_have_any_name(browser: Browser, tmp_path: Path) -> None:
    model = functions(tmp_path / "m.py", "main", "constructor", "__proto__")
    model.write_text(model.read_text().replace("R.exp(x)", "Module.constructor(x)", 1))
    browser.open(make_page(tmp_path / "m.html", model))
    assert "constructor 1" in browser.details() and "NaN" not in browser.details()
    browser.click_drawn(".box[data-n] .control")
    browser.click("#details a[data-function]")
    assert browser.find("#function").get_attribute("value") == "constructor"
    assert "exp" in browser.boxes()


def test_the_bytes_of_one_side_leave_the_graph_of_the_other_alive(browser: Browser, tmp_path: Path) -> None:
    artifact = compile_model("mlp.onnx", tmp_path / "m.sunmao")
    browser.open(make_page(tmp_path / "m.html", MODELS / "mlp.onnx", artifact))
    browser.click("#bytes")
    assert browser.all(".area") and "parts" in browser.find("#status").text
    browser.click_drawn(".panel:first-child .box[data-n] rect")
    assert len(browser.all(".box.chosen")) == 1 and browser.find("#unfold").is_enabled()


def test_buttons_without_effect_on_bytes_are_off_and_search_leads_back(browser: Browser, tmp_path: Path) -> None:
    browser.open(make_page(tmp_path / "m.html", compile_model("mlp.onnx", tmp_path / "m.sunmao")))
    browser.click("#bytes")
    for name in ("function", "colour", "unfold", "fold", "fit", "in", "out"):
        assert not browser.find("#" + name).is_enabled()
    browser.find("body").send_keys("e")
    assert browser.all(".area")
    browser.find("#search").send_keys("relu")
    browser.click("#details a")
    assert len(browser.all(".box.chosen")) == 1 and not browser.all(".area")
    assert browser.find("#unfold").is_enabled() and browser.find("#bytes").text == "bytes"
    browser.find("#search").send_keys(Keys.ESCAPE)
    browser.click("#bytes")
    assert "by kind" in browser.details()


def test_a_stage_shows_the_text_of_kernels(browser: Browser, tmp_path: Path) -> None:
    browser.open(make_page(tmp_path / "m.html", MODELS / "mlp.onnx", "--stop-after", "fuse-kernels"))
    browser.click_drawn(".box .kernel")
    assert "T.grid" in browser.details() or "for " in browser.details()


def test_pages_without_graphviz_look_alike(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_graphviz = make_page(tmp_path / "a.html", branching(tmp_path / "m.py"))
    monkeypatch.setenv("PATH", "")
    without = make_page(tmp_path / "b.html", tmp_path / "m.py")
    drawn = []
    for page in (with_graphviz, without):
        browser.open(page)
        browser.click("#unfold")
        drawn.append((sorted(browser.boxes()), browser.run("return page.layout")))
    assert drawn[0][0] == drawn[1][0] and [layout for _, layout in drawn] == ["Graphviz", "layers"]


def test_the_page_data_is_what_is_drawn(browser: Browser, tmp_path: Path) -> None:
    browser.open(make_page(tmp_path / "m.html", MODELS / "mlp.pt2"))
    counts = json.loads(browser.run("return JSON.stringify([page.sides.length, page.sides[0].functions.length])"))
    assert counts == [1, 1]


CACHES = """
@I.ir_module
class Module:
    @R.function
    def _initialize_effect() -> R.Tuple(R.Any):
        with R.dataflow():
            start = R.zeros(R.shape([8, 3]), "float32")
            cache = R.call_pure_packed(
                "vm.builtin.attention_kv_cache_create", start, R.shape([8, 3]), 0, ty_args=(R.Any,)
            )
            effects = (cache,)
            R.output(effects)
        return effects

    @R.function
    def forward(x: R.Tensor(("n", 3), "float32"), total: R.Shape(["m"]), cache: R.Any):
        R.func_attr({"num_input": 3})
        m = T.int64()
        with R.dataflow():
            longer = R.call_inplace_packed(
                "vm.builtin.attention_kv_cache_append", cache, x, inplace_indices=[0], ty_args=(R.Any,)
            )
            rows = R.call_pure_packed(
                "vm.builtin.attention_kv_cache_view", longer, R.shape([m, 3]), ty_args=(R.Tensor((m, 3), "float32"),)
            )
            y = R.sum(rows, axis=[0])
            R.output(y, longer)
        return (y, (longer,))
"""


def test_kept_states_of_modules_are_calls(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(CACHES)
    browser.open(make_page(tmp_path / "m.html", tmp_path / "m.py"))
    assert browser.run("return document.getElementById('function').value") == "forward"
    titles = browser.boxes()
    assert {"attention_kv_cache_append", "attention_kv_cache_view", "cache", "sum"} <= set(titles), titles
    legend = browser.texts(".legend span")
    assert "branch, call" in legend and "product, convolution" not in legend
    choose(browser, "function", "_initialize_effect")
    assert "attention_kv_cache_create" in browser.boxes()
    browser.find("#search").send_keys("vm.builtin.attention")
    assert "found" in browser.details()


def test_an_int4_weight_has_a_bar_for_each_number(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(
        HEAD + '    def main(x: R.Tensor((2, 4), "float32")):\n'
        '        w = R.dequantize(R.const([[-8, 7, 0, 1], [-1, 7, 7, 2], [3, 4, 5, 6], [-2, 0, 0, 1]], "int4"),\n'
        '                         R.const(0.5, "float32"), R.const(0, "int4"))\n'
        "        y = R.matmul(x, w)\n        return y\n"
    )
    browser.open(make_page(tmp_path / "m.html", tmp_path / "m.py"))
    browser.click_drawn(".box[data-n] .plain-op")
    details = browser.details()
    assert "(4, 4) int4" in details and "-8, 7" in details and "8 (8 B)" in details, details
    assert "3 of 16" in details  # zeros
    heights = browser.rects("#details .bars rect")  # numbers alone, such as the scale, have none
    assert len(heights) == 16 and sum(bottom - top > 0 for _, top, _, bottom in heights) == 11
