"""Linear: a product with a weight, and a bias."""

from __future__ import annotations

from sunmao import _sunmao
from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.frontend.nn import op
from sunmao.compat.relax.frontend.nn.module import Module
from sunmao.compat.relax.frontend.nn.parameter import Parameter
from sunmao.compat.relax.frontend.nn.tensor import Tensor


class Linear(Module):
    """x W^T + b. With `out_dtype` the product is of this dtype, and so is the bias."""

    @checked
    def __init__(
        self,
        in_features: int | str | _sunmao.Scalar,
        out_features: int | str | _sunmao.Scalar,
        bias: bool = True,
        dtype: str | None = None,
        out_dtype: str | None = None,
    ) -> None:
        self.in_features = in_features
        self.out_features = out_features
        self.out_dtype = out_dtype
        self.weight = Parameter((out_features, in_features), dtype)
        self.bias = Parameter((out_features,), out_dtype or dtype) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        product = op.matmul(x, op.permute_dims(self.weight), out_dtype=self.out_dtype)
        return product if self.bias is None else product + self.bias

    @checked
    def to(self, dtype: str | None = None) -> None:
        """Changes the dtype of the weight, and of the bias unless `out_dtype` states its dtype."""
        self.weight.to(dtype)
        if self.bias is not None and self.out_dtype is None:
            self.bias.to(dtype)
        if dtype is not None and isinstance(getattr(self, "dtype", None), str):
            self.dtype = dtype


__getattr__ = attribute_of(__name__)
