"""Tensors of PyTorch as NumPy arrays, and results of modules as flat lists."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import torch
from comparing import Array
from torch.utils import _pytree as pytree

# Types that NumPy lacks, with an integer of the same width to view them as.
_EXTENDED: dict[torch.dtype, tuple[torch.dtype, Any]] = {
    torch.bfloat16: (torch.int16, ml_dtypes.bfloat16),
    torch.float8_e4m3fn: (torch.uint8, ml_dtypes.float8_e4m3fn),
    torch.float8_e5m2: (torch.uint8, ml_dtypes.float8_e5m2),
}


def to_array(tensor: torch.Tensor) -> Array:
    """Returns a copy in row-major order, in the dtype of the same name; complex numbers with their parts in a further,
    last dimension."""
    plain = tensor.detach().resolve_conj().resolve_neg().contiguous().clone()
    if plain.is_complex():
        plain = torch.view_as_real(plain)
    if plain.dtype in _EXTENDED:
        view, dtype = _EXTENDED[plain.dtype]
        return np.array(plain.view(view).numpy().view(dtype))
    return np.array(plain.numpy())


def tensors_of(value: Any) -> list[torch.Tensor]:
    """Returns the tensors in nested outputs, in order. Numbers and None are left out."""
    return [leaf for leaf in pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def arrays_of(value: Any) -> list[Array]:
    return [to_array(tensor) for tensor in tensors_of(value)]
