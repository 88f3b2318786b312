"""Ops on tensors of `nn`: each binds what it computes to a variable of the function under construction."""

import sys

from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.frontend.nn.op.activations import (
    gelu,
    prelu,
    relu,
    relu6,
    sigmoid,
    silu,
    softmax,
    softplus,
    tanh,
)
from sunmao.compat.relax.frontend.nn.op.attention import scaled_dot_product_attention
from sunmao.compat.relax.frontend.nn.op.calls import extern, tensor_expr_op, tensor_ir_inplace_op, tensor_ir_op
from sunmao.compat.relax.frontend.nn.op.collectives import (
    ccl_allgather,
    ccl_allreduce,
    ccl_broadcast_from_worker0,
)
from sunmao.compat.relax.frontend.nn.op.convolutions import conv1d, conv1d_transpose, conv2d, conv3d
from sunmao.compat.relax.frontend.nn.op.creation import arange, empty, full, get_timestep_embedding, ones, triu, zeros
from sunmao.compat.relax.frontend.nn.op.debugging import debug_func, print_
from sunmao.compat.relax.frontend.nn.op.elementwise import (
    add,
    astype,
    divide,
    equal,
    exp,
    floor,
    greater,
    greater_equal,
    less,
    less_equal,
    log,
    maximum,
    minimum,
    multiply,
    negative,
    not_equal,
    sqrt,
    square,
    subtract,
    where,
)
from sunmao.compat.relax.frontend.nn.op.images import interpolate, pad
from sunmao.compat.relax.frontend.nn.op.manipulation import (
    broadcast_to,
    chunk,
    concat,
    permute,
    permute_dims,
    repeat,
    reshape,
    split,
    squeeze,
    take,
    unsqueeze,
)
from sunmao.compat.relax.frontend.nn.op.norms import group_norm, layer_norm, rms_norm
from sunmao.compat.relax.frontend.nn.op.reductions import cumsum, matmul, max, min, sum
from sunmao.compat.relax.frontend.nn.op.sampling import (
    multinomial_from_uniform,
    renormalize_top_p_top_k_prob,
    sample_top_p_top_k_from_sorted_prob,
)
from sunmao.compat.relax.frontend.nn.op.sorting import argsort, sort, topk
from sunmao.compat.relax.frontend.nn.tensor import wrap_nested
from sunmao.compat.relax.frontend.nn.tensor_operators import give_ops

__all__ = [
    "add", "arange", "argsort", "astype", "broadcast_to", "ccl_allgather", "ccl_allreduce",
    "ccl_broadcast_from_worker0", "chunk", "concat", "conv1d", "conv1d_transpose", "conv2d", "conv3d", "cumsum",
    "debug_func", "divide", "empty", "equal", "exp", "extern", "floor", "full", "gelu", "get_timestep_embedding",
    "greater", "greater_equal", "group_norm", "interpolate", "layer_norm", "less", "less_equal", "log", "matmul", "max",
    "maximum", "min", "minimum", "multinomial_from_uniform", "multiply", "negative", "not_equal", "ones", "pad",
    "permute", "permute_dims", "prelu", "print_", "relu", "relu6", "renormalize_top_p_top_k_prob", "repeat", "reshape",
    "rms_norm", "sample_top_p_top_k_from_sorted_prob", "scaled_dot_product_attention", "sigmoid", "silu", "softmax",
    "softplus", "sort", "split", "sqrt", "square", "squeeze", "subtract", "sum", "take", "tanh", "tensor_expr_op",
    "tensor_ir_inplace_op", "tensor_ir_op", "topk", "triu", "unsqueeze", "where", "wrap_nested", "zeros",
]  # fmt: skip

give_ops(sys.modules[__name__])

__getattr__ = attribute_of(__name__)
