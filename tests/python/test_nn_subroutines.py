"""relax.frontend.nn: modules whose `forward` is a function of its own."""

from typing import Any

import numpy as np
import pytest
import sunmao
import sunmao.compat as tvm
from sunmao.compat.relax.frontend import nn
from sunmao.compat.relax.frontend.nn import op, spec


class Scale(nn.Module):
    define_subroutine = True

    def __init__(self, factor: float) -> None:
        self.factor = factor
        self.weight = nn.Parameter((4,))

    def forward(self, x: nn.Tensor, power: int = 1) -> nn.Tensor:
        for _ in range(power):
            x = x * self.weight * self.factor
        return x


class Model(nn.Module):
    def __init__(self, *factors: float) -> None:
        self.scales = nn.ModuleList([Scale(factor) for factor in factors])

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        for scale in self.scales:
            x = scale(x)
        return x


X = spec.Tensor(["n", 4], "float32")


def functions(module: Any) -> list[str]:
    return sorted(v.name_hint for v in module.get_global_vars())


def test_equal_subroutines_are_one_function() -> None:
    module, _ = Model(2.0, 3.0, 2.0).export_tvm({"forward": {"x": X}})
    assert functions(module) == ["forward", "scale", "scale1"]
    assert tvm.relax.analysis.well_formed(module)
    weights = {f"scales.{i}.weight": np.full(4, i + 1.0, "float32") for i in range(3)}
    got = sunmao.compile(module, weights=weights)(np.ones((2, 4), "float32"))
    np.testing.assert_allclose(got, np.full((2, 4), 2 * 3 * 2 * 1 * 2 * 3), rtol=1e-6)


def test_parameters_of_subroutines_are_those_of_their_modules() -> None:
    given = {"forward": {"x": X, "$": {"param_mode": "packed"}}}
    module, _ = Model(2.0, 3.0).export_tvm(given)
    assert [p.name for p in module["scale"].params] == ["x", "weight"]
    assert not any(p.is_dataflow for p in module["scale"].params)
    ones = np.ones((2, 4), "float32")
    got = sunmao.evaluate(module, ones, (ones[0], ones[0] * 2), function="forward")
    np.testing.assert_array_equal(got, ones * 12)


def test_tensors_by_name_in_dictionaries() -> None:
    class Sum(nn.Module):
        define_subroutine = True

        def forward(self, **parts: nn.Tensor) -> nn.Tensor:
            return parts["a"] - parts["b"]

    class Outer(nn.Module):
        def __init__(self) -> None:
            self.sum = Sum()

        def forward(self, x: nn.Tensor) -> nn.Tensor:
            return self.sum(b=x, a=x * 3)

    module, _ = Outer().export_tvm({"forward": {"x": X}})
    ones = np.ones((1, 4), "float32")
    np.testing.assert_array_equal(sunmao.evaluate(module, ones, function="forward"), ones * 2)


def test_each_export_has_its_own_subroutines() -> None:
    model = Model(2.0)
    first, second = (model.export_tvm({"forward": {"x": X}})[0] for _ in range(2))
    tvm.ir.assert_structural_equal(first, second)
    assert "scale" in functions(second)


def test_what_is_no_tensor_is_fixed_in_the_function() -> None:
    class Powers(nn.Module):
        def __init__(self) -> None:
            self.scale = Scale(2.0)

        def forward(self, x: nn.Tensor) -> nn.Tensor:
            return self.scale(self.scale(x), power=2)

    module, _ = Powers().export_tvm({"forward": {"x": X}})
    assert functions(module) == ["forward", "scale", "scale1"]
    got = sunmao.compile(module, weights={"scale.weight": np.ones(4, "float32")})(np.ones((1, 4), "float32"))
    np.testing.assert_array_equal(got, np.full((1, 4), 8))


def test_several_tensors_go_in_and_come_out() -> None:
    class Swap(nn.Module):
        define_subroutine = True

        def forward(self, pair: Any) -> Any:
            return pair[1], (pair[0] + 1,)

    class Outer(nn.Module):
        def __init__(self) -> None:
            self.swap = Swap()

        def forward(self, x: nn.Tensor, y: nn.Tensor) -> nn.Tensor:
            first, (second,) = self.swap([x, y])
            return first - second

    module, _ = Outer().export_tvm({"forward": {"x": X, "y": X}})
    x, y = np.full((2, 4), 3, "float32"), np.full((2, 4), 10, "float32")
    np.testing.assert_array_equal(sunmao.compile(module)(x, y), y - (x + 1))


def test_effects_do_not_go_into_subroutines() -> None:
    class Cached(nn.Module):
        define_subroutine = True

        def __init__(self) -> None:
            self.cache = nn.KVCache(2, [4])

        def forward(self, x: nn.Tensor) -> nn.Tensor:
            self.cache.append(x)
            return op.relu(x)

    with pytest.raises(sunmao.Error, match=r"E0034\]: the subroutine `cached` uses `cache`"):
        Cached().export_tvm({"forward": {"x": X}})


def test_names_of_functions() -> None:
    class RMSNorm2D(Scale):
        pass

    class Outer(nn.Module):
        def __init__(self) -> None:
            self.norm = RMSNorm2D(1.0)

        def forward(self, x: nn.Tensor) -> nn.Tensor:
            return self.norm(x)

    module, _ = Outer().export_tvm({"forward": {"x": X}})
    assert functions(module) == ["forward", "rms_norm2_d"]
