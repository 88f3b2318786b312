"""Ops as Python functions. Written by `tools/op_stubs.py` from the records in `src/ops/`."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from sunmao._sunmao import Call, DType, Expr, PrimType, Scalar
from sunmao.compat.relax.op.builder import OpFamily as OpFamily
from sunmao.compat.relax.op.builder import OpFunction as OpFunction
from sunmao.compat.relax.op.calls import call_builtin_with_ctx as call_builtin_with_ctx
from sunmao.compat.relax.op.calls import call_dps_packed as call_dps_packed
from sunmao.compat.relax.op.calls import call_inplace_packed as call_inplace_packed
from sunmao.compat.relax.op.calls import call_packed as call_packed
from sunmao.compat.relax.op.calls import call_pure_packed as call_pure_packed
from sunmao.compat.relax.op.calls import call_tir as call_tir
from sunmao.compat.relax.op.calls import call_tir_inplace as call_tir_inplace
from sunmao.compat.relax.op.calls import call_tir_with_grad as call_tir_with_grad
from sunmao.compat.relax.op.calls import invoke_closure as invoke_closure
from sunmao.compat.relax.op.calls import invoke_pure_closure as invoke_pure_closure
from sunmao.compat.relax.op.calls import make_closure as make_closure
from sunmao.compat.relax.op.calls import print as print

_Number: TypeAlias = int | float | np.number[Any]
_Operand: TypeAlias = Expr | Scalar
_Value: TypeAlias = Expr | Scalar | _Number | str | DType
_Fields: TypeAlias = Expr | Sequence[_Value]
_Shape: TypeAlias = Expr | Sequence[int | np.integer[Any] | Scalar | Expr]
_Func: TypeAlias = Expr | str
_Int: TypeAlias = int | np.integer[Any]
_Ints: TypeAlias = _Int | Sequence[_Int]
_DType: TypeAlias = str | DType | PrimType | np.dtype[Any] | type[Any]

def acos(x: _Operand) -> Call:
    """the angle in [0, pi] whose cosine is x

    x: tensor
    Checked: C1: the dtype is a float.
    """

def acosh(x: _Operand) -> Call:
    """the inverse of cosh, for x >= 1

    x: tensor
    Checked: C1: the dtype is a float.
    """

def asin(x: _Operand) -> Call:
    """the angle in [-pi / 2, pi / 2] whose sine is x

    x: tensor
    Checked: C1: the dtype is a float.
    """

def asinh(x: _Operand) -> Call:
    """the inverse of sinh

    x: tensor
    Checked: C1: the dtype is a float.
    """

def atan(x: _Operand) -> Call:
    """the angle in (-pi / 2, pi / 2) whose tangent is x

    x: tensor
    Checked: C1: the dtype is a float.
    """

def atanh(x: _Operand) -> Call:
    """the inverse of tanh, for x in (-1, 1)

    x: tensor
    Checked: C1: the dtype is a float.
    """

def cos(x: _Operand) -> Call:
    """the cosine of x

    x: tensor
    Checked: C1: the dtype is a float.
    """

def cosh(x: _Operand) -> Call:
    """the hyperbolic cosine of x

    x: tensor
    Checked: C1: the dtype is a float.
    """

def digamma(x: _Operand) -> Call:
    """the derivative of lgamma; NaN at negative integers

    x: tensor
    Checked: C1: the dtype is a float.
    """

def erf(x: _Operand) -> Call:
    """the error function of x

    x: tensor
    Checked: C1: the dtype is a float.
    """

def erfc(x: _Operand) -> Call:
    """1 less the error function of x, exact where that is near to 1

    x: tensor
    Checked: C1: the dtype is a float.
    """

def erfinv(x: _Operand) -> Call:
    """what the error function of is x, for x in [-1, 1]

    x: tensor
    Checked: C1: the dtype is a float.
    """

def erfcx(x: _Operand) -> Call:
    """exp(x^2) erfc(x)

    x: tensor
    Checked: C1: the dtype is a float.
    """

def exp(x: _Operand) -> Call:
    """e to the power of x

    x: tensor
    Checked: C1: the dtype is a float.
    """

def exp2(x: _Operand) -> Call:
    """2 to the power of x

    x: tensor
    Checked: C1: the dtype is a float.
    """

def expm1(x: _Operand) -> Call:
    """exp(x) - 1, exact near 0

    x: tensor
    Checked: C1: the dtype is a float.
    """

def exponent(x: _Operand) -> Call:
    """e of x = m * 2**e, where m is in [0.5, 1) but for its sign; 0 of 0, infinities and NaN

    x: tensor
    Checked: C1: the dtype is a float.
    """

def i0(x: _Operand) -> Call:
    """the modified Bessel function of order 0

    x: tensor
    Checked: C1: the dtype is a float.
    """

def i0e(x: _Operand) -> Call:
    """exp(-|x|) i0(x)

    x: tensor
    Checked: C1: the dtype is a float.
    """

def i1(x: _Operand) -> Call:
    """the modified Bessel function of order 1

    x: tensor
    Checked: C1: the dtype is a float.
    """

def i1e(x: _Operand) -> Call:
    """exp(-|x|) i1(x)

    x: tensor
    Checked: C1: the dtype is a float.
    """

def lgamma(x: _Operand) -> Call:
    """the logarithm of the magnitude of the gamma function of x

    x: tensor
    Checked: C1: the dtype is a float.
    """

def log(x: _Operand) -> Call:
    """the natural logarithm of x

    x: tensor
    Checked: C1: the dtype is a float.
    """

def log10(x: _Operand) -> Call:
    """the logarithm of x to base 10

    x: tensor
    Checked: C1: the dtype is a float.
    """

def log1p(x: _Operand) -> Call:
    """log(1 + x), exact near 0

    x: tensor
    Checked: C1: the dtype is a float.
    """

def log2(x: _Operand) -> Call:
    """the logarithm of x to base 2

    x: tensor
    Checked: C1: the dtype is a float.
    """

def log_ndtr(x: _Operand) -> Call:
    """the logarithm of the probability that a normal variable is below x

    x: tensor
    Checked: C1: the dtype is a float.
    """

def ndtri(x: _Operand) -> Call:
    """what a normal variable is below with probability x, for x in [0, 1]

    x: tensor
    Checked: C1: the dtype is a float.
    """

def rsqrt(x: _Operand) -> Call:
    """1 / sqrt(x)

    x: tensor
    Checked: C1: the dtype is a float.
    """

def sigmoid(x: _Operand) -> Call:
    """1 / (1 + exp(-x))

    x: tensor
    Checked: C1: the dtype is a float.
    """

def significand(x: _Operand) -> Call:
    """m of x = m * 2**e, where m is in [0.5, 1) but for its sign; x of 0, infinities and NaN

    x: tensor
    Checked: C1: the dtype is a float.
    """

def sin(x: _Operand) -> Call:
    """the sine of x

    x: tensor
    Checked: C1: the dtype is a float.
    """

def sinh(x: _Operand) -> Call:
    """the hyperbolic sine of x

    x: tensor
    Checked: C1: the dtype is a float.
    """

def sqrt(x: _Operand) -> Call:
    """the square root of x

    x: tensor
    Checked: C1: the dtype is a float.
    """

def tan(x: _Operand) -> Call:
    """the tangent of x

    x: tensor
    Checked: C1: the dtype is a float.
    """

def tanh(x: _Operand) -> Call:
    """the hyperbolic tangent of x

    x: tensor
    Checked: C1: the dtype is a float.
    """

def abs(x: _Operand) -> Call:
    """the magnitude of x

    x: tensor
    """

def bitwise_not(x: _Operand) -> Call:
    """x with every bit turned

    x: tensor
    Checked: C1: the dtype is an integer or bool.
    """

def ceil(x: _Operand) -> Call:
    """x rounded up

    x: tensor
    """

def floor(x: _Operand) -> Call:
    """x rounded down

    x: tensor
    """

def logical_not(x: _Operand) -> Call:
    """whether x is false

    x: tensor
    """

def negative(x: _Operand) -> Call:
    """-x

    x: tensor
    """

def nonzero_divisor(x: _Operand) -> Call:
    """x; a run refuses integers that are 0 (E0919)

    x: tensor
    Checked: C1: the dtype is an integer.
    """

def round(x: _Operand) -> Call:
    """x rounded to the nearest integer, halves to the even one

    x: tensor
    """

def sign(x: _Operand) -> Call:
    """-1, 0 or 1, as x is; NaN stays

    x: tensor
    """

def square(x: _Operand) -> Call:
    """x * x

    x: tensor
    """

def trunc(x: _Operand) -> Call:
    """x rounded towards zero

    x: tensor
    """

def isfinite(x: _Operand) -> Call:
    """whether x is neither infinite nor NaN

    x: tensor
    """

def isinf(x: _Operand) -> Call:
    """whether x is infinite

    x: tensor
    """

def isnan(x: _Operand) -> Call:
    """whether x is NaN

    x: tensor
    """

def clip(x: _Operand, min: _Value, max: _Value) -> Call:
    """x, not below `min` and not above `max`

    x: tensor
    min: scalar (C1)
    max: scalar (C1)
    Checked: C1: both bounds are scalars.
    """

def add(x1: _Operand, x2: _Operand) -> Call:
    """x1 + x2

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: both dtypes are the same; C2: the shapes broadcast.
    """

def subtract(x1: _Operand, x2: _Operand) -> Call:
    """x1 - x2

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: both dtypes are the same; C2: the shapes broadcast.
    """

def multiply(x1: _Operand, x2: _Operand) -> Call:
    """x1 * x2

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: both dtypes are the same; C2: the shapes broadcast.
    """

def divide(x1: _Operand, x2: _Operand) -> Call:
    """x1 / x2; integers are divided towards zero

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: both dtypes are the same; C2: the shapes broadcast.
    """

def floor_divide(x1: _Operand, x2: _Operand) -> Call:
    """x1 / x2, rounded down

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: both dtypes are the same; C2: the shapes broadcast.
    """

def mod(x1: _Operand, x2: _Operand) -> Call:
    """what x1 / x2, rounded towards zero, leaves: the sign is that of x1

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: both dtypes are the same; C2: the shapes broadcast.
    """

def floor_mod(x1: _Operand, x2: _Operand) -> Call:
    """what floor_divide leaves: the sign is that of x2

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: both dtypes are the same; C2: the shapes broadcast.
    """

def power(x1: _Operand, x2: _Operand) -> Call:
    """x1 to the power of x2

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: both dtypes are the same; C2: the shapes broadcast.
    """

def atan2(x1: _Operand, x2: _Operand) -> Call:
    """the angle of the point (x2, x1), in (-pi, pi]

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: both dtypes are the same; C2: the shapes broadcast.
    """

def copysign(x1: _Operand, x2: _Operand) -> Call:
    """the magnitude of x1 with the sign of x2, which 0 and NaN have too

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: both dtypes are the same; C2: the shapes broadcast; C3: they are floats.
    """

def hypot(x1: _Operand, x2: _Operand) -> Call:
    """the length of the vector (x1, x2)

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: both dtypes are the same; C2: the shapes broadcast; C3: they are floats.
    """

def log_add_exp(x1: _Operand, x2: _Operand) -> Call:
    """log(exp(x1) + exp(x2))

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: both dtypes are the same; C2: the shapes broadcast; C3: they are floats.
    """

def xlogy(x1: _Operand, x2: _Operand) -> Call:
    """x1 * log(x2); 0 where x1 is 0

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: both dtypes are the same; C2: the shapes broadcast; C3: they are floats.
    """

def nextafter(x1: _Operand, x2: _Operand) -> Call:
    """the float next to x1 in the direction of x2; x2 where both are equal

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: both dtypes are the same; C2: the shapes broadcast; C3: they are floats of 8 bits or more.
    """

def maximum(x1: _Operand, x2: _Operand) -> Call:
    """the larger of x1 and x2

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: both dtypes are the same; C2: the shapes broadcast.
    """

def minimum(x1: _Operand, x2: _Operand) -> Call:
    """the smaller of x1 and x2

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: both dtypes are the same; C2: the shapes broadcast.
    """

def logical_and(x1: _Operand, x2: _Operand) -> Call:
    """whether both are true

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: both dtypes are the same; C2: the shapes broadcast.
    """

def logical_or(x1: _Operand, x2: _Operand) -> Call:
    """whether one is true

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: both dtypes are the same; C2: the shapes broadcast.
    """

def logical_xor(x1: _Operand, x2: _Operand) -> Call:
    """whether exactly one is true

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: both dtypes are the same; C2: the shapes broadcast.
    """

def bitwise_and(x1: _Operand, x2: _Operand) -> Call:
    """the bits that both have

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: both dtypes are the same; C2: the shapes broadcast; C3: they are integers or bool.
    """

def bitwise_or(x1: _Operand, x2: _Operand) -> Call:
    """the bits that one has

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: both dtypes are the same; C2: the shapes broadcast; C3: they are integers or bool.
    """

def bitwise_xor(x1: _Operand, x2: _Operand) -> Call:
    """the bits that exactly one has

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: both dtypes are the same; C2: the shapes broadcast; C3: they are integers or bool.
    """

def left_shift(x1: _Operand, x2: _Operand) -> Call:
    """x1 with its bits moved up by x2

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: both dtypes are the same; C2: the shapes broadcast; C3: they are integers.
    """

def right_shift(x1: _Operand, x2: _Operand) -> Call:
    """x1 with its bits moved down by x2; the sign stays

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: both dtypes are the same; C2: the shapes broadcast; C3: they are integers.
    """

def equal(x1: _Operand, x2: _Operand) -> Call:
    """x1 == x2

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: the shapes broadcast.
    """

def not_equal(x1: _Operand, x2: _Operand) -> Call:
    """x1 != x2

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: the shapes broadcast.
    """

def less(x1: _Operand, x2: _Operand) -> Call:
    """x1 < x2

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: the shapes broadcast.
    """

def less_equal(x1: _Operand, x2: _Operand) -> Call:
    """x1 <= x2

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: the shapes broadcast.
    """

def greater(x1: _Operand, x2: _Operand) -> Call:
    """x1 > x2

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: the shapes broadcast.
    """

def greater_equal(x1: _Operand, x2: _Operand) -> Call:
    """x1 >= x2

    x1: tensor or scalar
    x2: tensor or scalar; broadcast against x1
    Checked: C1: the shapes broadcast.
    """

def zeta(x1: _Operand, x2: _Operand) -> Call:
    """the sum of (x2 + k)^-x1 over all k >= 0; infinite for x1 = 1, NaN below

    x1: float tensor (C1)
    x2: float tensor; broadcast against x1 (C1, C2)
    Checked: C1: both have one float dtype; C2: the shapes broadcast.
    """

def igamma(x1: _Operand, x2: _Operand) -> Call:
    """the share of the gamma function of x1 that the integral up to x2 has

    x1: float tensor (C1)
    x2: float tensor; broadcast against x1 (C1, C2)
    Checked: C1: both have one float dtype; C2: the shapes broadcast.
    """

def igammac(x1: _Operand, x2: _Operand) -> Call:
    """1 - igamma(x1, x2), exact where that is near to 0

    x1: float tensor (C1)
    x2: float tensor; broadcast against x1 (C1, C2)
    Checked: C1: both have one float dtype; C2: the shapes broadcast.
    """

def ewise_fma(x1: _Operand, x2: _Operand, x3: _Operand) -> Call:
    """x1 * x2 + x3, without broadcasting.

    x1: tensor
    x2: tensor of x1's shape
    x3: tensor of x1's shape
    Checked: C1: all dtypes are the same; C2: all ranks are the same; C3: all shapes are the same.
    """

def where(condition: _Operand, x1: _Operand, x2: _Operand) -> Call:
    """x1 where the condition holds, else x2; all three are broadcast.

    condition: bool tensor (C1)
    x1: tensor or scalar
    x2: tensor or scalar
    Checked: C1: the condition is bool; C2: x1 and x2 have one dtype; C3: the shapes broadcast.
    """

def masked_fill(x: _Operand, mask: _Operand, value: _Value) -> Call:
    """x, with `value` where the mask holds.

    x: tensor
    mask: bool tensor (C1)
    value: scalar (C2, C4)
    Checked: C1: the mask is bool; C2: value is a scalar; C3: the shapes broadcast; C4: value is a number, or has the dtype of x.
    """

def full(shape: _Shape, fill_value: _Value, dtype: _DType | None = None) -> Call:
    """A tensor of this shape, filled with one value.

    shape: shape
    fill_value: scalar, or tensor of rank 0 (C1)
    dtype: the dtype; None: that of the value
    Checked: C1: the value is a scalar.
    """

def full_like(x: _Operand, fill_value: _Value, dtype: _DType | None = None) -> Call:
    """A tensor shaped as x, filled with one value.

    x: tensor
    fill_value: scalar, or tensor of rank 0 (C1)
    dtype: the dtype of the result; None: that of x
    Checked: C1: the value is a scalar.
    """

def ones(shape: _Shape, dtype: _DType) -> Call:
    """A tensor of ones.

    shape: shape
    dtype: the dtype (C1)
    Checked: C1: dtype names a dtype.
    """

def ones_like(x: _Operand, dtype: _DType | None = None) -> Call:
    """A tensor of ones, shaped as x.

    x: tensor
    dtype: the dtype of the result; None: that of x
    """

def zeros(shape: _Shape, dtype: _DType) -> Call:
    """A tensor of zeros.

    shape: shape
    dtype: the dtype (C1)
    Checked: C1: dtype names a dtype.
    """

def zeros_like(x: _Operand, dtype: _DType | None = None) -> Call:
    """A tensor of zeros, shaped as x.

    x: tensor
    dtype: the dtype of the result; None: that of x
    """

def eye(n: _Value, m: _Value | None = None, k: _Value = 0, dtype: _DType = "float32") -> Call:
    """Ones on a diagonal, zeros elsewhere.

    n: rows (C1, C2)
    m: columns; None: as many as rows (C1, C2)
    k: the diagonal: 0 the main one, above it positive (C1)
    dtype: the dtype
    Checked: C1: all are scalars; C2: rows and columns are at least 0.
    """

def eye_like(x: _Operand, k: _Value = 0, dtype: _DType | None = None) -> Call:
    """Ones on a diagonal, zeros elsewhere, shaped as x.

    x: matrix (C2)
    k: the diagonal
    dtype: the dtype of the result; None: that of x
    Checked: C1: k is a scalar; C2: x has rank 2.
    """

def arange(start: _Value, end: _Value | None = None, step: _Value = 1, dtype: _DType | None = None) -> Call:
    """start, start + step, … below end. With one argument it is the end.

    start: the first value (C1)
    end: no value reaches it
    step: from one value to the next (C2)
    dtype: None: int64 when all are integers, else float32
    Checked: C1: all are scalars; C2: step is not 0.
    """

def hamming_window(window_size: _Value, periodic: _Value, alpha: _Value, beta: _Value, dtype: _DType) -> Call:
    """alpha - beta * cos(2 pi i / n); a window of one value is 1.

    window_size: the number of values (C1, C3)
    periodic: n is the size, not one less (C1)
    alpha: scalar (C1)
    beta: scalar (C1)
    dtype: a float dtype (C2)
    Checked: C1: all are scalars; C2: the dtype is a float; C3: window_size is at least 0.
    """

def tril(x: _Operand, k: _Value = 0) -> Call:
    """x with zeros above a diagonal.

    x: tensor of rank >= 2 (C1)
    k: the diagonal (C2)
    Checked: C1: the rank is at least 2; C2: k is a scalar.
    """

def triu(x: _Operand, k: _Value = 0) -> Call:
    """x with zeros below a diagonal.

    x: tensor of rank >= 2 (C1)
    k: the diagonal (C2)
    Checked: C1: the rank is at least 2; C2: k is a scalar.
    """

def astype(x: _Operand, dtype: _DType) -> Call:
    """x with its elements converted to `dtype`

    x: tensor
    dtype: the dtype to convert to (C1)
    Checked: C1: dtype names a dtype.
    """

def wrap_param(data: _Operand, dtype: _DType = "float32") -> Call:
    """A parameter of the model, converted to `dtype`

    data: tensor
    dtype: the dtype to convert to (C1)
    Checked: C1: dtype names a dtype.
    """

def permute_dims(x: _Operand, axes: _Ints | None = None) -> Call:
    """x with its axes in the order of `axes`.

    x: tensor
    axes: a permutation; None reverses (C1, C2, C3)
    Checked: C1: as many axes as the rank; C2: each in [-rank, rank - 1]; C3: none twice.
    """

def reshape(x: _Operand, shape: _Shape) -> Call:
    """The elements of x, in their order, as another shape.

    x: tensor
    shape: shape; one dimension may be -1: what is left (C1, C2, C3)
    Checked: C1: the second argument is a shape; C2: dimensions are at least -1, and one alone is -1; C3: as many elements as before.
    """

def concat(tensors: _Fields, axis: _Int = 0) -> Call:
    """The tensors one after the other along an axis.

    tensors: tuple of tensors (C1, C2, C3)
    axis: the axis; None for tensors of rank 1 (C4, C5)
    Checked: C1: one tensor at least; C2: one dtype; C3: one rank; C4: without an axis the rank is 1; C5: axis is in [-rank, rank - 1]; C6: all other dimensions agree.
    """

def stack(tensors: _Fields, axis: _Int = 0) -> Call:
    """The tensors side by side along a new axis.

    tensors: tuple of tensors (C1, C2, C3, C5)
    axis: where the new axis stands in the result (C4)
    Checked: C1: one tensor at least; C2: one dtype; C3: one rank; C4: axis is in [-rank - 1, rank]; C5: all dimensions agree.
    """

def split(x: _Operand, indices_or_sections: Any, axis: _Int = 0) -> Call:
    """x cut along an axis: a tuple of its parts, or x itself where there is one.

    x: tensor
    indices_or_sections: where to cut, or into how many parts; the last one may be smaller (C1, C2, C4, C5)
    axis: the axis (C3)
    Checked: C1: an integer or a list of them; C2: one part at least; C3: axis is in [-rank, rank - 1]; C4: at most 65536 parts; C5: of n equal parts, n - 1 fit into the axis.
    """

def meshgrid(tensors: _Fields, indexing: str = "ij") -> Call:
    """Each vector spread over the grid of all: a tuple of as many tensors.

    tensors: tuple of tensors of rank 1 (C1, C2, C4)
    indexing: "ij", or "xy": the first two axes swapped (C3)
    Checked: C1: one tensor at least; C2: one dtype; C3: indexing is "ij" or "xy"; C4: all ranks are 1.
    """

def repeat(data: _Operand, repeats: _Int, axis: _Int | None = None) -> Call:
    """Each element several times in a row along an axis.

    data: tensor
    repeats: how often (C1)
    axis: the axis; None: over all elements in their order (C2)
    Checked: C1: repeats is at least 0; C2: axis is in [-rank, rank - 1].
    """

def tile(data: _Operand, repeats: _Ints) -> Call:
    """data laid out several times along each of its last axes.

    data: tensor
    repeats: how often along each axis (C1, C2)
    Checked: C1: repeats is a list of integers; C2: each is at least 0.
    """

def flip(data: _Operand, axis: _Int) -> Call:
    """data turned round along an axis.

    data: tensor
    axis: the axis (C1)
    Checked: C1: axis is in [-rank, rank - 1].
    """

def reverse_sequence(data: _Operand, seq_lengths: _Operand, seq_axis: _Int = 1, batch_axis: _Int = 0) -> Call:
    """The first elements of each sequence turned round, as many as its length says.

    data: tensor
    seq_lengths: one length for each of the batch (C1, C2, C4)
    seq_axis: the axis of the sequence (C3)
    batch_axis: the axis of the batch (C3)
    Checked: C1: seq_lengths has rank 1; C2: its dtype is int32 or int64; C3: both axes are in [-rank, rank - 1]; C4: one length for each of the batch.
    """

def one_hot(
    indices: _Operand, on_value: _Value, off_value: _Value, depth: _Int, axis: _Int = -1, checked: bool = False
) -> Call:
    """For each index a row that holds `on_value` there and `off_value` elsewhere.

    indices: integer tensor (C1)
    on_value: scalar (C2, C3)
    off_value: scalar (C2, C3)
    depth: the length of the rows (C4)
    axis: where the rows lie in the result (C5)
    checked: whether an index out of [0, depth) is an error
    Checked: C1: the indices are integers; C2: both values are scalars; C3: of one dtype; C4: depth is at least 1; C5: axis is in [-rank - 1, rank].
    """

def take(x: _Operand, indices: _Operand, axis: _Int | None = None, mode: str = "fast", from_end: bool = True) -> Call:
    """The slices of x along an axis that the indices name. An index below 0 counts from the end.

    x: tensor
    indices: integer tensor or scalar (C1)
    axis: the axis; None for x of rank 1 (C3, C4)
    mode: beyond the ends: "fast" trusts, "wrap", "clip", "nan" (C2)
    from_end: of mode "fast": whether an index below 0 counts from the end
    Checked: C1: the indices are integers; C2: mode is one of the four; C3: without an axis the rank is 1; C4: axis is in [-rank, rank - 1].
    """

def gather_elements(data: _Operand, indices: _Operand, axis: _Int = 0, from_end: bool = True) -> Call:
    """The elements of data at indices along one axis, the other axes staying.

    data: tensor
    indices: integer tensor of data's rank (C1, C2, C4)
    axis: the axis (C3)
    from_end: whether an index below 0 counts from the end; else it is out of range
    Checked: C1: the indices are integers; C2: both ranks are the same; C3: axis is in [-rank, rank - 1]; C4: beside the axis indices is as large as data at most.
    """

def gather_nd(data: _Operand, indices: _Operand, batch_dims: _Int = 0) -> Call:
    """The slices of data at the index vectors that the last axis of `indices` holds.

    data: tensor
    indices: integer tensor of rank >= 1 (C1, C3, C4, C5)
    batch_dims: leading axes that both share (C2, C5)
    Checked: C1: the indices are integers; C2: batch_dims is in [0, rank of indices - 1]; C3: indices has rank 1 or more; C4: the index vectors are not longer than data has axes behind the batch; C5: the batch dimensions agree.
    """

def index_tensor(data: _Operand, indices: _Fields) -> Call:
    """data[indices[0], indices[1], …], the index tensors broadcast against each other.

    data: tensor
    indices: tuple of integer tensors (C1, C2, C3, C4)
    Checked: C1: one index tensor at least; C2: they are integers; C3: they broadcast; C4: not more than data has axes.
    """

def scatter_elements(
    data: _Operand,
    indices: _Operand,
    updates: _Operand,
    axis: _Int = 0,
    reduction: str = "update",
    from_end: bool = True,
) -> Call:
    """data with updates put at indices along one axis.

    data: tensor
    indices: integer tensor (C1, C3)
    updates: tensor of the indices' shape (C2, C3, C5)
    axis: the axis (C4)
    reduction: "update" ("updates"), or what to make of old and new: "add", "mul", "mean", "min", "max" (C6)
    from_end: whether an index below 0 counts from the end; else it is out of range
    Checked: C1: the indices are integers; C2: data and updates have one dtype; C3: all ranks are the same; C4: axis is in [-rank, rank - 1]; C5: updates and indices have one shape; C6: reduction is a known one.
    """

def scatter_nd(data: _Operand, indices: _Operand, updates: _Operand, reduction: str = "update") -> Call:
    """data with slices put at the index vectors that the last axis of `indices` holds.

    data: tensor
    indices: integer tensor of rank >= 1 (C1, C3, C6)
    updates: tensor (C2, C4, C5)
    reduction: "update" ("updates"), or what to make of old and new: "add", "mul", "mean", "min", "max" (C7)
    Checked: C1: the indices are integers; C2: data and updates have one dtype; C3: the index vectors are not longer than data has axes; C4: updates has the rank of what is indexed; C5: and its shape; C6: indices has rank 1 or more; C7: reduction is a known one.
    """

def index_put(data: _Operand, indices: _Fields, values: _Operand, accumulate: bool = False) -> Call:
    """data with values put at (indices[0], indices[1], …).

    data: tensor
    indices: tuple of integer tensors (C1, C2, C4, C5)
    values: tensor that broadcasts to what is indexed (C3, C6)
    accumulate: add to what is there
    Checked: C1: one index tensor at least; C2: they are integers; C3: data and values have one dtype; C4: not more index tensors than axes; C5: the index tensors broadcast; C6: values broadcasts to what is indexed.
    """

def slice_scatter(
    input_tensor: _Operand, src: _Operand, start: _Value, end: _Value, step: _Value, axis: _Int = 0
) -> Call:
    """input_tensor with src put at start, start + step, … along an axis.

    input_tensor: tensor
    src: tensor (C1, C3, C6, C7)
    start: scalar (C2)
    end: scalar (C2)
    step: scalar (C2, C4)
    axis: the axis (C5)
    Checked: C1: both have one dtype; C2: start, end and step are scalars; C3: both have one rank; C4: step is at least 1; C5: axis is in [-rank, rank - 1]; C6: all other dimensions agree; C7: src fills the slice.
    """

def layout_transform(
    x: _Operand, index_map: Any, pad_value: Any = None, axis_separators: Any = ..., input_axis_separators: Any = ...
) -> Call:
    """The element at i… of x goes to index_map(i…); what nothing goes to is `pad_value`.

    x: tensor
    index_map: a lambda over the indices of x (C1, C2)
    pad_value: number; None: 0, on which nothing may depend
    axis_separators: list, default none; kept for other tools
    input_axis_separators: list, default none; kept for other tools
    Checked: C1: index_map is a map of indices; C2: it takes as many indices as x has dimensions.
    """

def strided_slice(
    x: _Operand,
    axes: _Fields,
    begin: _Fields,
    end: _Fields,
    strides: _Fields | None = None,
    assume_inbound: bool = False,
) -> Call:
    """x from begin to end by stride, along some axes. What is negative counts from the end.

    x: tensor
    axes: tuple of integers (C1, C2, C4)
    begin: tuple of integers (C1, C2, C3)
    end: tuple of integers, each beyond the last element (C1, C2, C3)
    strides: tuple of integers; None: all 1 (C3, C5)
    assume_inbound: begin and end lie in the tensor: nothing is clamped
    Checked: C1: axes, begin, end and strides are tuples; C2: of integers; C3: all of one length; C4: each axis is in [-rank, rank - 1], and none twice; C5: no stride is 0.
    """

def dynamic_strided_slice(x: _Operand, begin: _Operand, end: _Operand, strides: _Operand) -> Call:
    """x from begin to end by stride along all axes, which only a run knows.

    x: tensor
    begin: int64 vector (C1, C2, C3)
    end: int64 vector (C1, C2, C3)
    strides: int64 vector (C1, C2, C3)
    Checked: C1: the dtype is int64; C2: the rank is 1; C3: one value for each axis of x.
    """

def dynamic_strided_slice_sizes(shape: _Shape, begin: _Operand, end: _Operand, strides: _Operand) -> Call:
    """The sizes of a dynamic_strided_slice of a tensor of this shape.

    shape: shape of the tensor
    begin: int64 vector (C1, C2, C3)
    end: int64 vector (C1, C2, C3)
    strides: int64 vector (C1, C2, C3)
    Checked: C1: the dtype is int64; C2: the rank is 1; C3: one value for each size.
    """

def dynamic_strided_slice_sized(x: _Operand, begin: _Operand, strides: _Operand, shape: _Shape) -> Call:
    """As many elements of x as `shape` says, from begin on by stride, along all axes.

    x: tensor
    begin: int64 vector (C1, C2, C3)
    strides: int64 vector (C1, C2, C3)
    shape: shape of the result (C4)
    Checked: C1: the dtype is int64; C2: the rank is 1; C3: one value for each axis of x; C4: shape has a size for each axis of x.
    """

def argmax(x: _Operand, axis: _Int | None = None, keepdims: bool = False) -> Call:
    """The first place of the largest element along an axis.

    x: tensor
    axis: the axis; None: over all elements (C1)
    keepdims: keep the axis with size 1
    Checked: C1: axis is in [-rank, rank - 1].
    """

def argmin(x: _Operand, axis: _Int | None = None, keepdims: bool = False) -> Call:
    """The first place of the smallest element along an axis.

    x: tensor
    axis: the axis; None: over all elements (C1)
    keepdims: keep the axis with size 1
    Checked: C1: axis is in [-rank, rank - 1].
    """

def bucketize(input_tensor: _Operand, boundaries: _Operand, out_int32: bool = False, right: bool = False) -> Call:
    """For each element the place among ordered boundaries.

    input_tensor: tensor
    boundaries: ordered tensor of rank 1 (C1)
    out_int32: int32 instead of int64
    right: a boundary belongs to what is above it
    Checked: C1: boundaries has rank 1.
    """

def sum(x: _Operand, axis: _Ints | None = None, keepdims: bool = False) -> Call:
    """The sum over `axis`; 0 over nothing.

    x: tensor
    axis: axis or axes; None reduces all (C1, C2)
    keepdims: keep reduced axes with size 1
    Checked: C1: each axis is in [-rank, rank - 1]; C2: none twice.
    """

def prod(x: _Operand, axis: _Ints | None = None, keepdims: bool = False) -> Call:
    """The product over `axis`; 1 over nothing.

    x: tensor
    axis: axis or axes; None reduces all (C1, C2)
    keepdims: keep reduced axes with size 1
    Checked: C1: each axis is in [-rank, rank - 1]; C2: none twice.
    """

def mean(x: _Operand, axis: _Ints | None = None, keepdims: bool = False) -> Call:
    """The mean over `axis`.

    x: tensor
    axis: axis or axes; None reduces all (C1, C2)
    keepdims: keep reduced axes with size 1
    Checked: C1: each axis is in [-rank, rank - 1]; C2: none twice; C3: the dtype is a float.
    """

def max(x: _Operand, axis: _Ints | None = None, keepdims: bool = False) -> Call:
    """The largest element over `axis`.

    x: tensor
    axis: axis or axes; None reduces all (C1, C2)
    keepdims: keep reduced axes with size 1
    Checked: C1: each axis is in [-rank, rank - 1]; C2: none twice.
    """

def min(x: _Operand, axis: _Ints | None = None, keepdims: bool = False) -> Call:
    """The smallest element over `axis`.

    x: tensor
    axis: axis or axes; None reduces all (C1, C2)
    keepdims: keep reduced axes with size 1
    Checked: C1: each axis is in [-rank, rank - 1]; C2: none twice.
    """

def variance(x: _Operand, axis: _Ints | None = None, keepdims: bool = False) -> Call:
    """The mean square distance from the mean over `axis`.

    x: tensor
    axis: axis or axes; None reduces all (C1, C2)
    keepdims: keep reduced axes with size 1
    Checked: C1: each axis is in [-rank, rank - 1]; C2: none twice; C3: the dtype is a float.
    """

def std(x: _Operand, axis: _Ints | None = None, keepdims: bool = False) -> Call:
    """The square root of the variance over `axis`.

    x: tensor
    axis: axis or axes; None reduces all (C1, C2)
    keepdims: keep reduced axes with size 1
    Checked: C1: each axis is in [-rank, rank - 1]; C2: none twice; C3: the dtype is a float.
    """

def median(x: _Operand, axis: _Ints | None = None, keepdims: bool = False) -> Call:
    """The middle element over `axis`; over one axis with its place, as a tuple.

    x: tensor
    axis: axis or axes; None reduces all (C1, C2)
    keepdims: keep reduced axes with size 1
    Checked: C1: each axis is in [-rank, rank - 1]; C2: none twice.
    """

def cumprod(data: _Operand, axis: _Int | None = None, dtype: _DType | None = None, exclusive: bool = False) -> Call:
    """The product of all elements up to each, along an axis.

    data: tensor
    axis: the axis; None: over all elements in their order (C1)
    dtype: the dtype to compute in; None: that of data
    exclusive: the element itself is not part
    Checked: C1: axis is in [-rank, rank - 1].
    """

def cumsum(data: _Operand, axis: _Int | None = None, dtype: _DType | None = None, exclusive: bool = False) -> Call:
    """The sum of all elements up to each, along an axis.

    data: tensor
    axis: the axis; None: over all elements in their order (C1)
    dtype: the dtype to compute in; None: that of data
    exclusive: the element itself is not part
    Checked: C1: axis is in [-rank, rank - 1].
    """

def logcumsumexp(
    data: _Operand, axis: _Int | None = None, dtype: _DType | None = None, exclusive: bool = False
) -> Call:
    """log(sum(exp(x))) of all elements up to each, along an axis.

    data: tensor
    axis: the axis; None: over all elements in their order (C1)
    dtype: the dtype to compute in; None: that of data
    exclusive: the element itself is not part
    Checked: C1: axis is in [-rank, rank - 1]; C2: data is a float tensor.
    """

def sort(x: _Operand, axis: _Int = -1, descending: bool = False) -> Call:
    """The elements in order along an axis.

    x: tensor
    axis: the axis (C1)
    descending: the largest first
    Checked: C1: axis is in [-rank, rank - 1].
    """

def argsort(data: _Operand, axis: _Int = -1, descending: bool = False, dtype: _DType = "int32") -> Call:
    """The places of the elements in order along an axis.

    data: tensor
    axis: the axis (C1)
    descending: the largest first
    dtype: the dtype of the places
    Checked: C1: axis is in [-rank, rank - 1].
    """

def topk(
    data: _Operand, k: _Int = 1, axis: _Int = -1, ret_type: str = "both", largest: bool = True, dtype: _DType = "int32"
) -> Call:
    """The first k elements in order along an axis, and their places.

    data: tensor
    k: how many; below 1: all
    axis: the axis (C1)
    ret_type: "both", "values" or "indices" (C2)
    largest: the largest first
    dtype: the dtype of the places
    Checked: C1: axis is in [-rank, rank - 1]; C2: ret_type is one of the three.
    """

def unique(
    x: _Operand,
    sorted: bool = True,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: _Int | None = None,
) -> Call:
    """Each different element once; on request with places, the way back, and counts.

    x: tensor
    sorted: in order; else as they first occur
    return_index: where each first occurs
    return_inverse: which one stands at each place of x
    return_counts: how often each occurs
    axis: slices along this axis instead of elements (C1)
    Checked: C1: axis is in [-rank, rank - 1].
    """

def unique_groups(x: _Operand, sorted: bool = True) -> Call:
    """How many groups of equal rows there are; by group where each first occurs; by row its group; by group how many rows it has. Behind the last group stands 0.

    x: vector, whose elements are the rows, or matrix (C1)
    sorted: groups in order; else as they first occur
    Checked: C1: the rank is 1 or 2.
    """

def nonzero(x: _Operand) -> Call:
    """The places of the elements that are not 0: (rank, count).

    x: tensor
    """

def nonzero_sized(x: _Operand, shape: _Shape) -> Call:
    """The first places of elements that are not 0, as many as `shape` says: (rank, count). Where there are fewer, -1 stands behind them.

    x: tensor
    shape: shape of one size: the count (C1)
    Checked: C1: shape has rank 1.
    """

def matmul(x1: _Operand, x2: _Operand, out_dtype: _DType | None = None) -> Call:
    """The matrix product over the last axis of x1 and the last but one of x2; leading axes broadcast.

    x1: tensor of rank >= 1 (C1)
    x2: tensor of rank >= 1 (C1)
    out_dtype: the dtype to accumulate and give; default: the operands'
    Checked: C1: both ranks are at least 1; C2: both dtypes are the same, unless out_dtype is given; C3: the inner dimensions agree; C4: the leading axes broadcast.
    """

def einsum(operands: _Fields, subscripts: str) -> Call:
    """The sum of products over the index letters that the output leaves out, as "ij,jk->ik" says.

    operands: tuple of tensors (C1, C3, C5, C6)
    subscripts: a letter for each axis; "..." for the rest (C2, C4, C6, C7)
    Checked: C1: one operand at least; C2: as many groups of letters as operands; C3: a letter stands for one size; C4: the output's letters are those of operands, none twice; C5: all have one dtype; C6: as many letters as an operand has axes; C7: subscripts holds letters, commas, "..." and "->".
    """

def outer(x1: _Operand, x2: _Operand) -> Call:
    """Every element of x1 times every element of x2.

    x1: vector (C1, C2)
    x2: vector (C1, C2)
    Checked: C1: both ranks are 1; C2: both dtypes are the same.
    """

def linear(data: _Operand, weight: _Operand, bias: _Operand | None = None, out_dtype: _DType | None = None) -> Call:
    """data times the transposed weight, plus bias.

    data: tensor of rank >= 1 (C1, C2, C3)
    weight: matrix or vector (C1, C2, C3)
    bias: tensor of the dtype of data or of out_dtype; None: nothing is added (C4, C5)
    out_dtype: as of matmul
    Checked: C1: data has rank 1 or more, the weight 1 or 2; C2: both dtypes are the same, unless out_dtype is given; C3: the inner dimensions agree; C4: bias has the dtype of data or of the product; C5: it broadcasts against the product.
    """

def quantize(
    data: _Operand,
    scale: _Operand,
    zero_point: _Operand,
    axis: _Int = -1,
    out_dtype: _DType = "int8",
    block_size: _Int = 0,
) -> Call:
    """round(data / scale) + zero_point, within the range of the dtype.

    data: float tensor (C2)
    scale: one for all, or one for each index of the axis, or for each block (C4, C5, C6)
    zero_point: one for all, or one for each index of the axis, or for each block (C4, C5, C6)
    axis: the axis of scales (C3)
    out_dtype: the dtype of the result (C1)
    block_size: the elements along the axis that share a scale; 0 without blocks (C6)
    Checked: C1: out_dtype is an integer or a float of at most 8 bits; C2: data is a float tensor; C3: axis is in [-rank, rank - 1]; C4: without blocks, scale and zero point have rank 0 or 1; C5: with one value, or one for each index of the axis; C6: block_size is 0 or more; with blocks, scale and zero point have one value, or the shape of data with one for each block along the axis, of which the last may have fewer elements.
    """

def dequantize(
    data: _Operand,
    scale: _Operand,
    zero_point: _Operand,
    axis: _Int = -1,
    out_dtype: _DType = "float32",
    block_size: _Int = 0,
) -> Call:
    """(data - zero_point) * scale.

    data: quantised tensor (C2)
    scale: one for all, or one for each index of the axis, or for each block (C4, C5, C6)
    zero_point: one for all, or one for each index of the axis, or for each block (C4, C5, C6)
    axis: the axis of scales (C3)
    out_dtype: the dtype of the result (C1)
    block_size: the elements along the axis that share a scale; 0 without blocks (C6)
    Checked: C1: out_dtype is a float; C2: data is of integers or floats of at most 8 bits; C3: axis is in [-rank, rank - 1]; C4: without blocks, scale and zero point have rank 0 or 1; C5: with one value, or one for each index of the axis; C6: block_size is 0 or more; with blocks, scale and zero point have one value, or the shape of data with one for each block along the axis, of which the last may have fewer elements.
    """

def sliding_window(data: _Operand, axis: _Int, size: _Int, step: _Int = 1) -> Call:
    """The windows of `size` elements along an axis, each `step` behind the one before, as a new last axis.

    data: tensor
    axis: the axis (C1)
    size: elements of a window (C2, C3)
    step: from one window to the next (C2)
    Checked: C1: axis is in [-rank, rank - 1]; C2: size and step are at least 1; C3: one window fits into the axis.
    """

def histogram(x: _Operand, bins: _Int = 100, min: _Number = 0.0, max: _Number = 1.0) -> Call:
    """How many elements lie in each of `bins` equal parts of [min, max].

    x: float tensor (C1)
    bins: how many parts (C2)
    min: the lower end (C3)
    max: the upper end, which is part of the last bin (C3)
    Checked: C1: the dtype is a float; C2: bins is at least 1; C3: min is less than max.
    """

def multinomial_from_uniform(
    prob: _Operand, uniform_sample: _Operand, sample_indices: _Operand, dtype: _DType = "int64"
) -> Call:
    """For each uniform sample the class that it falls into, by the probabilities of its row.

    prob: float matrix: a row of probabilities for each distribution (C1, C3)
    uniform_sample: float matrix (n, 1), in [0, 1) (C1, C3, C4, C5)
    sample_indices: integer matrix (n, 1): the row that each sample draws from (C2, C3, C4, C5)
    dtype: the dtype of the classes
    Checked: C1: probabilities and samples are floats; C2: the rows are integers; C3: all ranks are 2; C4: one row for each sample; C5: in one column.
    """

def call_py_func(func_name: str, args: _Fields) -> Call:
    """Calls a Python function of the module's host.

    func_name: the function's name
    args: tuple of tensors
    Checked: C1: the result type is given.
    """

def null_value() -> Call:
    """No value."""

def shape_of(expr: _Operand) -> Call:
    """The shape of a tensor.

    expr: tensor
    """

def shape_to_tensor(expr: _Shape) -> Call:
    """The sizes of a shape as a vector of int64.

    expr: shape
    """

def tensor_to_shape(expr: _Operand) -> Call:
    """The elements of a vector as a shape.

    expr: integer vector (C1, C2)
    Checked: C1: the rank is 1; C2: the dtype is an integer.
    """

def size(expr: _Operand) -> Call:
    """How many elements a tensor has, as an int64 tensor of rank 0.

    expr: tensor
    """

def assert_op(condition: _Value, format_args: _Value | Sequence[_Value] | None = None, format: str = "") -> Call:
    """Stops the run with a message when a condition does not hold.

    condition: bool scalar, or bool tensor of rank 0 (C1)
    format_args: values of the message
    format: text with {} for each value
    Checked: C1: the condition is a bool.
    """

def to_vdevice(data: _Operand, dst_vdevice: Any) -> Call:
    """data copied to a virtual device.

    data: tensor
    dst_vdevice: the virtual device (C1)
    Checked: C1: dst_vdevice is a virtual device.
    """

def hint_on_device(data: _Operand, dst_vdevice: Any, memory_scope: str = "global") -> Call:
    """data, which is to be computed on a device: a request that RealizeVDevice spreads.

    data: tensor
    dst_vdevice: the device (C1)
    memory_scope: the kind of memory on it
    Checked: C1: dst_vdevice is a device.
    """

def expand_dims(x: _Operand, axis: _Ints) -> Call:
    """x with axes of size 1 put in; `axis` counts in the result.

    x: tensor
    axis: where the new axes stand (C1, C2)
    Checked: C1: each axis is in [-rank, rank - 1] of the result; C2: none twice.
    """

def squeeze(x: _Operand, axis: _Ints | None = None) -> Call:
    """x without axes of size 1.

    x: tensor
    axis: which ones; None: all of size 1 (C1, C2)
    Checked: C1: each axis is in [-rank, rank - 1]; C2: none twice.
    """

def flatten(x: _Operand) -> Call:
    """The elements of x as one dimension.

    x: tensor
    """

def broadcast_to(x: _Operand, shape: _Shape) -> Call:
    """x repeated along axes of size 1, up to a shape.

    x: tensor
    shape: shape (C1, C2, C3)
    Checked: C1: the second argument is a shape; C2: it has as many dimensions as x or more; C3: the sizes are equal, or x's is 1.
    """

def collapse_sum_to(data: _Operand, shape: _Shape) -> Call:
    """data summed over what broadcasting from a shape had repeated.

    data: tensor
    shape: shape (C1, C2)
    Checked: C1: the second argument is a shape; C2: it broadcasts to the shape of data.
    """

def collapse_sum_like(data: _Operand, collapse_target: _Operand) -> Call:
    """data summed over what broadcasting from the target's shape had repeated.

    data: tensor
    collapse_target: tensor whose shape is taken (C1)
    Checked: C1: its shape broadcasts to that of data.
    """

class _Nn:
    def relu(self, data: _Operand) -> Call:
        """max(data, 0)

        data: tensor
        """

    def relu6(self, data: _Operand) -> Call:
        """data, not below 0 and not above 6

        data: tensor
        """

    def leakyrelu(self, data: _Operand, alpha: _Number = 0.01) -> Call:
        """data where it is positive, else alpha * data

        data: float tensor (C1)
        alpha: the slope below 0
        Checked: C1: the dtype is a float.
        """

    def gelu(self, data: _Operand) -> Call:
        """data * Phi(data), Phi being the normal distribution

        data: float tensor (C1)
        Checked: C1: the dtype is a float.
        """

    def gelu_tanh(self, data: _Operand) -> Call:
        """gelu by its approximation with tanh

        data: float tensor (C1)
        Checked: C1: the dtype is a float.
        """

    def silu(self, data: _Operand) -> Call:
        """data * sigmoid(data)

        data: float tensor (C1)
        Checked: C1: the dtype is a float.
        """

    def selu(self, data: _Operand) -> Call:
        """the scaled exponential linear unit

        data: float tensor (C1)
        Checked: C1: the dtype is a float.
        """

    def softplus(self, data: _Operand, beta: _Number = 1.0, threshold: _Number = 20.0) -> Call:
        """log(1 + exp(beta * data)) / beta

        data: float tensor (C1)
        beta: how sharp the bend is
        threshold: beta * data above this is left alone
        Checked: C1: the dtype is a float.
        """

    def prelu(self, data: _Operand, alpha: _Operand, axis: _Int = 1) -> Call:
        """data where it is positive, else data times the slope of its channel

        data: float tensor (C1)
        alpha: slopes along `axis`, or one for all (C3, C4, C5)
        axis: the axis of channels (C2)
        Checked: C1: the dtype is a float; C2: axis is in [-rank, rank - 1]; C3: alpha has rank 1; C4: both dtypes are the same; C5: one slope, or one for each channel.
        """

    def softmax(self, data: _Operand, axis: _Int = -1) -> Call:
        """exp(data), normalised to sum to 1 along `axis`.

        data: float tensor (C1)
        axis: the axis to normalise over (C2)
        Checked: C1: the dtype is a float; C2: axis is in [-rank, rank - 1].
        """

    def log_softmax(self, data: _Operand, axis: _Int = -1) -> Call:
        """The logarithm of the softmax along `axis`.

        data: float tensor (C1)
        axis: the axis to normalise over (C2)
        Checked: C1: the dtype is a float; C2: axis is in [-rank, rank - 1].
        """

    def conv1d(
        self,
        data: _Operand,
        weight: _Operand,
        strides: _Ints = 1,
        padding: _Ints = 0,
        dilation: _Ints = 1,
        groups: _Int = 1,
        data_layout: str = "NCW",
        kernel_layout: str = "OIW",
        out_layout: str | None = None,
        out_dtype: _DType | None = None,
    ) -> Call:
        """The convolution (cross-correlation) of data with a kernel.

        data: tensor in data_layout (C1, C2, C6, C8)
        weight: tensor in kernel_layout (C1, C2, C6, C8)
        strides: the step from one window to the next (C4)
        padding: zeros before and behind: one value, one for each axis, or all (C4)
        dilation: the step within a window (C4)
        groups: channels are split into so many independent groups (C5, C7)
        data_layout: the order of data's axes (C3)
        kernel_layout: the order of the kernel's axes (C3)
        out_layout: the order of the result's axes; None: data_layout (C3)
        out_dtype: the dtype to accumulate and give; None: the operands'
        Checked: C1: ranks are those of the layouts; C2: both dtypes are the same, unless out_dtype is given; C3: layouts have the letters of the default ones; C4: strides and dilation at least 1, padding at least 0, as many as axes; C5: groups is at least 1; C6: data has the channels that the kernel takes; C7: channels divide into the groups; C8: no dimension of the result is below 0.
        """

    def conv2d(
        self,
        data: _Operand,
        weight: _Operand,
        strides: _Ints = 1,
        padding: _Ints = 0,
        dilation: _Ints = 1,
        groups: _Int = 1,
        data_layout: str = "NCHW",
        kernel_layout: str = "OIHW",
        out_layout: str | None = None,
        out_dtype: _DType | None = None,
    ) -> Call:
        """The convolution (cross-correlation) of data with a kernel.

        data: tensor in data_layout (C1, C2, C6, C8)
        weight: tensor in kernel_layout (C1, C2, C6, C8)
        strides: the step from one window to the next (C4)
        padding: zeros before and behind: one value, one for each axis, or all (C4)
        dilation: the step within a window (C4)
        groups: channels are split into so many independent groups (C5, C7)
        data_layout: the order of data's axes (C3)
        kernel_layout: the order of the kernel's axes (C3)
        out_layout: the order of the result's axes; None: data_layout (C3)
        out_dtype: the dtype to accumulate and give; None: the operands'
        Checked: C1: ranks are those of the layouts; C2: both dtypes are the same, unless out_dtype is given; C3: layouts have the letters of the default ones; C4: strides and dilation at least 1, padding at least 0, as many as axes; C5: groups is at least 1; C6: data has the channels that the kernel takes; C7: channels divide into the groups; C8: no dimension of the result is below 0.
        """

    def conv3d(
        self,
        data: _Operand,
        weight: _Operand,
        strides: _Ints = 1,
        padding: _Ints = 0,
        dilation: _Ints = 1,
        groups: _Int = 1,
        data_layout: str = "NCDHW",
        kernel_layout: str = "OIDHW",
        out_layout: str | None = None,
        out_dtype: _DType | None = None,
    ) -> Call:
        """The convolution (cross-correlation) of data with a kernel.

        data: tensor in data_layout (C1, C2, C6, C8)
        weight: tensor in kernel_layout (C1, C2, C6, C8)
        strides: the step from one window to the next (C4)
        padding: zeros before and behind: one value, one for each axis, or all (C4)
        dilation: the step within a window (C4)
        groups: channels are split into so many independent groups (C5, C7)
        data_layout: the order of data's axes (C3)
        kernel_layout: the order of the kernel's axes (C3)
        out_layout: the order of the result's axes; None: data_layout (C3)
        out_dtype: the dtype to accumulate and give; None: the operands'
        Checked: C1: ranks are those of the layouts; C2: both dtypes are the same, unless out_dtype is given; C3: layouts have the letters of the default ones; C4: strides and dilation at least 1, padding at least 0, as many as axes; C5: groups is at least 1; C6: data has the channels that the kernel takes; C7: channels divide into the groups; C8: no dimension of the result is below 0.
        """

    def conv1d_transpose(
        self,
        data: _Operand,
        weight: _Operand,
        strides: _Ints = 1,
        padding: _Ints = 0,
        output_padding: _Ints = 0,
        dilation: _Ints = 1,
        groups: _Int = 1,
        data_layout: str = "NCW",
        kernel_layout: str = "IOW",
        out_layout: str | None = None,
        out_dtype: _DType | None = None,
    ) -> Call:
        """The transposed convolution: each input spreads the kernel over its neighbourhood.

        data: tensor in data_layout (C1, C2, C6, C8)
        weight: tensor in kernel_layout (C1, C2, C6, C8)
        strides: the step from one window to the next (C4)
        padding: zeros before and behind: one value, one for each axis, or all (C4)
        output_padding: what is added to the size behind (C9)
        dilation: the step within a window (C4)
        groups: channels are split into so many independent groups (C5, C7)
        data_layout: the order of data's axes (C3)
        kernel_layout: the order of the kernel's axes (C3)
        out_layout: the order of the result's axes; None: data_layout (C3)
        out_dtype: the dtype to accumulate and give; None: the operands'
        Checked: C1: ranks are those of the layouts; C2: both dtypes are the same, unless out_dtype is given; C3: layouts have the letters of the default ones; C4: strides and dilation at least 1, padding at least 0, as many as axes; C5: groups is at least 1; C6: data has the channels that the kernel takes; C7: channels divide into the groups; C8: no dimension of the result is below 0; C9: output_padding is below the stride.
        """

    def conv2d_transpose(
        self,
        data: _Operand,
        weight: _Operand,
        strides: _Ints = 1,
        padding: _Ints = 0,
        output_padding: _Ints = 0,
        dilation: _Ints = 1,
        groups: _Int = 1,
        data_layout: str = "NCHW",
        kernel_layout: str = "IOHW",
        out_layout: str | None = None,
        out_dtype: _DType | None = None,
    ) -> Call:
        """The transposed convolution: each input spreads the kernel over its neighbourhood.

        data: tensor in data_layout (C1, C2, C6, C8)
        weight: tensor in kernel_layout (C1, C2, C6, C8)
        strides: the step from one window to the next (C4)
        padding: zeros before and behind: one value, one for each axis, or all (C4)
        output_padding: what is added to the size behind (C9)
        dilation: the step within a window (C4)
        groups: channels are split into so many independent groups (C5, C7)
        data_layout: the order of data's axes (C3)
        kernel_layout: the order of the kernel's axes (C3)
        out_layout: the order of the result's axes; None: data_layout (C3)
        out_dtype: the dtype to accumulate and give; None: the operands'
        Checked: C1: ranks are those of the layouts; C2: both dtypes are the same, unless out_dtype is given; C3: layouts have the letters of the default ones; C4: strides and dilation at least 1, padding at least 0, as many as axes; C5: groups is at least 1; C6: data has the channels that the kernel takes; C7: channels divide into the groups; C8: no dimension of the result is below 0; C9: output_padding is below the stride.
        """

    def conv3d_transpose(
        self,
        data: _Operand,
        weight: _Operand,
        strides: _Ints = 1,
        padding: _Ints = 0,
        output_padding: _Ints = 0,
        dilation: _Ints = 1,
        groups: _Int = 1,
        data_layout: str = "NCDHW",
        kernel_layout: str = "IODHW",
        out_layout: str | None = None,
        out_dtype: _DType | None = None,
    ) -> Call:
        """The transposed convolution: each input spreads the kernel over its neighbourhood.

        data: tensor in data_layout (C1, C2, C6, C8)
        weight: tensor in kernel_layout (C1, C2, C6, C8)
        strides: the step from one window to the next (C4)
        padding: zeros before and behind: one value, one for each axis, or all (C4)
        output_padding: what is added to the size behind (C9)
        dilation: the step within a window (C4)
        groups: channels are split into so many independent groups (C5, C7)
        data_layout: the order of data's axes (C3)
        kernel_layout: the order of the kernel's axes (C3)
        out_layout: the order of the result's axes; None: data_layout (C3)
        out_dtype: the dtype to accumulate and give; None: the operands'
        Checked: C1: ranks are those of the layouts; C2: both dtypes are the same, unless out_dtype is given; C3: layouts have the letters of the default ones; C4: strides and dilation at least 1, padding at least 0, as many as axes; C5: groups is at least 1; C6: data has the channels that the kernel takes; C7: channels divide into the groups; C8: no dimension of the result is below 0; C9: output_padding is below the stride.
        """

    def deform_conv2d(
        self,
        data: _Operand,
        offset: _Operand,
        weight: _Operand,
        mask: _Operand | None = None,
        strides: _Ints = 1,
        padding: _Ints = 0,
        dilation: _Ints = 1,
        groups: _Int = 1,
        offset_groups: _Int = 1,
    ) -> Call:
        """A convolution whose taps are moved by offsets, and weighted by a mask.

        data: float tensor (n, channels, height, width) (C1, C2)
        offset: float tensor (n, 2 * offset_groups * taps, height, width of the result): how far each tap is moved down, then right (C1, C2, C4)
        weight: float tensor (filters, channels / groups, rows, columns) (C1, C2, C4)
        mask: float tensor (n, offset_groups * taps, height, width of the result); None: 1 (C1, C2, C4)
        strides: the step from one window to the next (C3)
        padding: zeros before and behind: one value, one for each axis, or all (C3)
        dilation: the step within a window (C3)
        groups: channels that filters see apart from each other (C3)
        offset_groups: channels that move apart from each other (C3)
        Checked: C1: all have one float dtype; C2: all ranks are 4; C3: strides, dilation and groups at least 1, padding at least 0, as many as axes; C4: the sizes fit each other, and channels and filters divide into groups.
        """

    def max_pool1d(
        self,
        data: _Operand,
        pool_size: _Ints = 1,
        strides: _Ints = 1,
        padding: _Ints = 0,
        dilation: _Ints = 1,
        ceil_mode: bool = False,
        count_include_pad: bool = False,
        layout: str = "NCW",
        out_layout: str | None = None,
    ) -> Call:
        """The largest element of each window.

        data: tensor in `layout` (C1, C4)
        pool_size: the size of the windows (C3, C4)
        strides: the step from one window to the next (C3)
        padding: before and behind: one value, one for each axis, or all (C3)
        dilation: the step within a window (C3)
        ceil_mode: a window that begins in the tensor counts, though it ends outside
        count_include_pad: padding counts in a mean
        layout: the order of data's axes (C2)
        out_layout: the order of the result's axes; None: layout (C2)
        Checked: C1: the rank is that of the layout; C2: layouts have the letters of the default one; C3: sizes, strides and dilation at least 1, padding at least 0, as many as axes; C4: no dimension of the result is below 0.
        """

    def avg_pool1d(
        self,
        data: _Operand,
        pool_size: _Ints = 1,
        strides: _Ints = 1,
        padding: _Ints = 0,
        dilation: _Ints = 1,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        layout: str = "NCW",
        out_layout: str | None = None,
    ) -> Call:
        """The mean of each window.

        data: tensor in `layout` (C1, C4)
        pool_size: the size of the windows (C3, C4)
        strides: the step from one window to the next (C3)
        padding: before and behind: one value, one for each axis, or all (C3)
        dilation: the step within a window (C3)
        ceil_mode: a window that begins in the tensor counts, though it ends outside
        count_include_pad: padding counts in a mean
        layout: the order of data's axes (C2)
        out_layout: the order of the result's axes; None: layout (C2)
        Checked: C1: the rank is that of the layout; C2: layouts have the letters of the default one; C3: sizes, strides and dilation at least 1, padding at least 0, as many as axes; C4: no dimension of the result is below 0.
        """

    def max_pool1d_indices(
        self,
        data: _Operand,
        pool_size: _Ints = 1,
        strides: _Ints = 1,
        padding: _Ints = 0,
        dilation: _Ints = 1,
        ceil_mode: bool = False,
        count_include_pad: bool = False,
        layout: str = "NCW",
        out_layout: str | None = None,
    ) -> Call:
        """Where the largest element of each window stands, counted within its channel.

        data: tensor in `layout` (C1, C4)
        pool_size: the size of the windows (C3, C4)
        strides: the step from one window to the next (C3)
        padding: before and behind: one value, one for each axis, or all (C3)
        dilation: the step within a window (C3)
        ceil_mode: a window that begins in the tensor counts, though it ends outside
        count_include_pad: padding counts in a mean
        layout: the order of data's axes (C2)
        out_layout: the order of the result's axes; None: layout (C2)
        Checked: C1: the rank is that of the layout; C2: layouts have the letters of the default one; C3: sizes, strides and dilation at least 1, padding at least 0, as many as axes; C4: no dimension of the result is below 0.
        """

    def adaptive_max_pool1d(
        self, data: _Operand, output_size: _Ints | None = None, layout: str = "NCW", out_layout: str | None = None
    ) -> Call:
        """The largest elements of windows that divide each axis into so many parts.

        data: tensor in `layout` (C1)
        output_size: how many parts; None: as many as elements (C3)
        layout: the order of data's axes (C2)
        out_layout: the order of the result's axes; None: layout (C2)
        Checked: C1: the rank is that of the layout; C2: layouts have the letters of the default one; C3: one part at least, for each axis.
        """

    def adaptive_avg_pool1d(
        self, data: _Operand, output_size: _Ints | None = None, layout: str = "NCW", out_layout: str | None = None
    ) -> Call:
        """The means of windows that divide each axis into so many parts.

        data: tensor in `layout` (C1)
        output_size: how many parts; None: as many as elements (C3)
        layout: the order of data's axes (C2)
        out_layout: the order of the result's axes; None: layout (C2)
        Checked: C1: the rank is that of the layout; C2: layouts have the letters of the default one; C3: one part at least, for each axis.
        """

    def adaptive_max_pool1d_indices(
        self, data: _Operand, output_size: _Ints | None = None, layout: str = "NCW", out_layout: str | None = None
    ) -> Call:
        """Where the largest elements of such windows stand, counted within their channel.

        data: tensor in `layout` (C1)
        output_size: how many parts; None: as many as elements (C3)
        layout: the order of data's axes (C2)
        out_layout: the order of the result's axes; None: layout (C2)
        Checked: C1: the rank is that of the layout; C2: layouts have the letters of the default one; C3: one part at least, for each axis.
        """

    def max_pool2d(
        self,
        data: _Operand,
        pool_size: _Ints = 1,
        strides: _Ints = 1,
        padding: _Ints = 0,
        dilation: _Ints = 1,
        ceil_mode: bool = False,
        count_include_pad: bool = False,
        layout: str = "NCHW",
        out_layout: str | None = None,
    ) -> Call:
        """The largest element of each window.

        data: tensor in `layout` (C1, C4)
        pool_size: the size of the windows (C3, C4)
        strides: the step from one window to the next (C3)
        padding: before and behind: one value, one for each axis, or all (C3)
        dilation: the step within a window (C3)
        ceil_mode: a window that begins in the tensor counts, though it ends outside
        count_include_pad: padding counts in a mean
        layout: the order of data's axes (C2)
        out_layout: the order of the result's axes; None: layout (C2)
        Checked: C1: the rank is that of the layout; C2: layouts have the letters of the default one; C3: sizes, strides and dilation at least 1, padding at least 0, as many as axes; C4: no dimension of the result is below 0.
        """

    def avg_pool2d(
        self,
        data: _Operand,
        pool_size: _Ints = 1,
        strides: _Ints = 1,
        padding: _Ints = 0,
        dilation: _Ints = 1,
        ceil_mode: bool = False,
        count_include_pad: bool = False,
        layout: str = "NCHW",
        out_layout: str | None = None,
    ) -> Call:
        """The mean of each window.

        data: tensor in `layout` (C1, C4)
        pool_size: the size of the windows (C3, C4)
        strides: the step from one window to the next (C3)
        padding: before and behind: one value, one for each axis, or all (C3)
        dilation: the step within a window (C3)
        ceil_mode: a window that begins in the tensor counts, though it ends outside
        count_include_pad: padding counts in a mean
        layout: the order of data's axes (C2)
        out_layout: the order of the result's axes; None: layout (C2)
        Checked: C1: the rank is that of the layout; C2: layouts have the letters of the default one; C3: sizes, strides and dilation at least 1, padding at least 0, as many as axes; C4: no dimension of the result is below 0.
        """

    def max_pool2d_indices(
        self,
        data: _Operand,
        pool_size: _Ints = 1,
        strides: _Ints = 1,
        padding: _Ints = 0,
        dilation: _Ints = 1,
        ceil_mode: bool = False,
        count_include_pad: bool = False,
        layout: str = "NCHW",
        out_layout: str | None = None,
    ) -> Call:
        """Where the largest element of each window stands, counted within its channel.

        data: tensor in `layout` (C1, C4)
        pool_size: the size of the windows (C3, C4)
        strides: the step from one window to the next (C3)
        padding: before and behind: one value, one for each axis, or all (C3)
        dilation: the step within a window (C3)
        ceil_mode: a window that begins in the tensor counts, though it ends outside
        count_include_pad: padding counts in a mean
        layout: the order of data's axes (C2)
        out_layout: the order of the result's axes; None: layout (C2)
        Checked: C1: the rank is that of the layout; C2: layouts have the letters of the default one; C3: sizes, strides and dilation at least 1, padding at least 0, as many as axes; C4: no dimension of the result is below 0.
        """

    def adaptive_max_pool2d(
        self, data: _Operand, output_size: _Ints | None = None, layout: str = "NCHW", out_layout: str | None = None
    ) -> Call:
        """The largest elements of windows that divide each axis into so many parts.

        data: tensor in `layout` (C1)
        output_size: how many parts; None: as many as elements (C3)
        layout: the order of data's axes (C2)
        out_layout: the order of the result's axes; None: layout (C2)
        Checked: C1: the rank is that of the layout; C2: layouts have the letters of the default one; C3: one part at least, for each axis.
        """

    def adaptive_avg_pool2d(
        self, data: _Operand, output_size: _Ints | None = None, layout: str = "NCHW", out_layout: str | None = None
    ) -> Call:
        """The means of windows that divide each axis into so many parts.

        data: tensor in `layout` (C1)
        output_size: how many parts; None: as many as elements (C3)
        layout: the order of data's axes (C2)
        out_layout: the order of the result's axes; None: layout (C2)
        Checked: C1: the rank is that of the layout; C2: layouts have the letters of the default one; C3: one part at least, for each axis.
        """

    def adaptive_max_pool2d_indices(
        self, data: _Operand, output_size: _Ints | None = None, layout: str = "NCHW", out_layout: str | None = None
    ) -> Call:
        """Where the largest elements of such windows stand, counted within their channel.

        data: tensor in `layout` (C1)
        output_size: how many parts; None: as many as elements (C3)
        layout: the order of data's axes (C2)
        out_layout: the order of the result's axes; None: layout (C2)
        Checked: C1: the rank is that of the layout; C2: layouts have the letters of the default one; C3: one part at least, for each axis.
        """

    def max_pool3d(
        self,
        data: _Operand,
        pool_size: _Ints = 1,
        strides: _Ints = 1,
        padding: _Ints = 0,
        dilation: _Ints = 1,
        ceil_mode: bool = False,
        count_include_pad: bool = False,
        layout: str = "NCDHW",
        out_layout: str | None = None,
    ) -> Call:
        """The largest element of each window.

        data: tensor in `layout` (C1, C4)
        pool_size: the size of the windows (C3, C4)
        strides: the step from one window to the next (C3)
        padding: before and behind: one value, one for each axis, or all (C3)
        dilation: the step within a window (C3)
        ceil_mode: a window that begins in the tensor counts, though it ends outside
        count_include_pad: padding counts in a mean
        layout: the order of data's axes (C2)
        out_layout: the order of the result's axes; None: layout (C2)
        Checked: C1: the rank is that of the layout; C2: layouts have the letters of the default one; C3: sizes, strides and dilation at least 1, padding at least 0, as many as axes; C4: no dimension of the result is below 0.
        """

    def avg_pool3d(
        self,
        data: _Operand,
        pool_size: _Ints = 1,
        strides: _Ints = 1,
        padding: _Ints = 0,
        dilation: _Ints = 1,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        layout: str = "NCDHW",
        out_layout: str | None = None,
    ) -> Call:
        """The mean of each window.

        data: tensor in `layout` (C1, C4)
        pool_size: the size of the windows (C3, C4)
        strides: the step from one window to the next (C3)
        padding: before and behind: one value, one for each axis, or all (C3)
        dilation: the step within a window (C3)
        ceil_mode: a window that begins in the tensor counts, though it ends outside
        count_include_pad: padding counts in a mean
        layout: the order of data's axes (C2)
        out_layout: the order of the result's axes; None: layout (C2)
        Checked: C1: the rank is that of the layout; C2: layouts have the letters of the default one; C3: sizes, strides and dilation at least 1, padding at least 0, as many as axes; C4: no dimension of the result is below 0.
        """

    def max_pool3d_indices(
        self,
        data: _Operand,
        pool_size: _Ints = 1,
        strides: _Ints = 1,
        padding: _Ints = 0,
        dilation: _Ints = 1,
        ceil_mode: bool = False,
        count_include_pad: bool = False,
        layout: str = "NCDHW",
        out_layout: str | None = None,
    ) -> Call:
        """Where the largest element of each window stands, counted within its channel.

        data: tensor in `layout` (C1, C4)
        pool_size: the size of the windows (C3, C4)
        strides: the step from one window to the next (C3)
        padding: before and behind: one value, one for each axis, or all (C3)
        dilation: the step within a window (C3)
        ceil_mode: a window that begins in the tensor counts, though it ends outside
        count_include_pad: padding counts in a mean
        layout: the order of data's axes (C2)
        out_layout: the order of the result's axes; None: layout (C2)
        Checked: C1: the rank is that of the layout; C2: layouts have the letters of the default one; C3: sizes, strides and dilation at least 1, padding at least 0, as many as axes; C4: no dimension of the result is below 0.
        """

    def adaptive_max_pool3d(
        self, data: _Operand, output_size: _Ints | None = None, layout: str = "NCDHW", out_layout: str | None = None
    ) -> Call:
        """The largest elements of windows that divide each axis into so many parts.

        data: tensor in `layout` (C1)
        output_size: how many parts; None: as many as elements (C3)
        layout: the order of data's axes (C2)
        out_layout: the order of the result's axes; None: layout (C2)
        Checked: C1: the rank is that of the layout; C2: layouts have the letters of the default one; C3: one part at least, for each axis.
        """

    def adaptive_avg_pool3d(
        self, data: _Operand, output_size: _Ints | None = None, layout: str = "NCDHW", out_layout: str | None = None
    ) -> Call:
        """The means of windows that divide each axis into so many parts.

        data: tensor in `layout` (C1)
        output_size: how many parts; None: as many as elements (C3)
        layout: the order of data's axes (C2)
        out_layout: the order of the result's axes; None: layout (C2)
        Checked: C1: the rank is that of the layout; C2: layouts have the letters of the default one; C3: one part at least, for each axis.
        """

    def adaptive_max_pool3d_indices(
        self, data: _Operand, output_size: _Ints | None = None, layout: str = "NCDHW", out_layout: str | None = None
    ) -> Call:
        """Where the largest elements of such windows stand, counted within their channel.

        data: tensor in `layout` (C1)
        output_size: how many parts; None: as many as elements (C3)
        layout: the order of data's axes (C2)
        out_layout: the order of the result's axes; None: layout (C2)
        Checked: C1: the rank is that of the layout; C2: layouts have the letters of the default one; C3: one part at least, for each axis.
        """

    def layer_norm(
        self,
        data: _Operand,
        gamma: _Operand,
        beta: _Operand,
        axes: _Ints,
        epsilon: _Number = 1e-05,
        center: bool = True,
        scale: bool = True,
    ) -> Call:
        """data normalised over `axes`.

        data: float tensor (C1)
        gamma: what to multiply by (C2, C4, C5)
        beta: what to add (C2, C4, C5)
        axes: what to normalise over (C3)
        epsilon: added to the variance
        center: beta is added
        scale: gamma is multiplied
        Checked: C1: data is a float tensor; C2: all have one dtype; C3: axes are in [-rank, rank - 1], and none twice; C4: parameters have as many dimensions as what they scale; C5: and its sizes.
        """

    def rms_norm(self, data: _Operand, weight: _Operand, axes: _Ints = -1, epsilon: _Number = 1e-05) -> Call:
        """data divided by its root mean square over `axes`.

        data: float tensor (C1)
        weight: what to multiply by (C2, C4, C5)
        axes: what to normalise over (C3)
        epsilon: added to the square
        Checked: C1: data is a float tensor; C2: all have one dtype; C3: axes are in [-rank, rank - 1], and none twice; C4: parameters have as many dimensions as what they scale; C5: and its sizes.
        """

    def group_norm(
        self,
        data: _Operand,
        gamma: _Operand,
        beta: _Operand,
        num_groups: _Int,
        channel_axis: _Int,
        axes: _Ints,
        epsilon: _Number = 1e-05,
        center: bool = True,
        scale: bool = True,
    ) -> Call:
        """data normalised over `axes` and groups of channels.

        data: float tensor (C1)
        gamma: what to multiply by (C2, C4, C5)
        beta: what to add (C2, C4, C5)
        num_groups: how many groups (C8)
        channel_axis: the axis of channels (C6)
        axes: what else to normalise over (C3, C7)
        epsilon: added to the variance
        center: beta is added
        scale: gamma is multiplied
        Checked: C1: data is a float tensor; C2: all have one dtype; C3: axes are in [-rank, rank - 1], and none twice; C4: parameters have as many dimensions as what they scale; C5: and its sizes; C6: channel_axis is in [-rank, rank - 1]; C7: axes do not hold the channel axis; C8: channels divide into the groups.
        """

    def instance_norm(
        self,
        data: _Operand,
        gamma: _Operand,
        beta: _Operand,
        channel_axis: _Int,
        axes: _Ints,
        epsilon: _Number = 1e-05,
        center: bool = True,
        scale: bool = True,
    ) -> Call:
        """data normalised over `axes`, each channel by itself.

        data: float tensor (C1)
        gamma: what to multiply by (C2, C4, C5)
        beta: what to add (C2, C4, C5)
        channel_axis: the axis of channels (C6)
        axes: what to normalise over (C3, C7)
        epsilon: added to the variance
        center: beta is added
        scale: gamma is multiplied
        Checked: C1: data is a float tensor; C2: all have one dtype; C3: axes are in [-rank, rank - 1], and none twice; C4: parameters have as many dimensions as what they scale; C5: and its sizes; C6: channel_axis is in [-rank, rank - 1]; C7: axes do not hold the channel axis.
        """

    def batch_norm(
        self,
        data: _Operand,
        gamma: _Operand,
        beta: _Operand,
        moving_mean: _Operand,
        moving_var: _Operand,
        axis: _Int,
        epsilon: _Number = 1e-05,
        center: bool = True,
        scale: bool = True,
        momentum: _Number = 0.1,
        training: bool = True,
    ) -> Call:
        """data normalised by channels; with the new moving averages, as a tuple.

        data: float tensor (C1)
        gamma: what to multiply by (C2, C4, C5)
        beta: what to add (C2, C4, C5)
        moving_mean: the mean so far (C2, C4, C5)
        moving_var: the variance so far (C2, C4, C5)
        axis: the axis of channels (C3)
        epsilon: added to the variance
        center: beta is added
        scale: gamma is multiplied
        momentum: how much of the batch goes into the moving averages
        training: normalise by the batch, not by the moving averages
        Checked: C1: data is a float tensor; C2: all have one dtype; C3: axis is in [-rank, rank - 1]; C4: parameters have as many dimensions as what they scale; C5: and its sizes.
        """

    def attention(
        self,
        query: _Operand,
        key: _Operand,
        value: _Operand,
        bias: _Operand | None = None,
        scale: _Number | None = None,
        causal_mask: str | None = None,
        window_size: _Int | None = None,
    ) -> Call:
        """softmax(query key^T * scale + bias) value, for each head; 0 where no key is left to see.

        query: tensor (batch, sequence, heads, width) (C2, C3, C4)
        key: tensor (batch, keys, heads, width) (C2, C3, C4)
        value: tensor (batch, keys, heads, width of values) (C2, C3, C4)
        bias: tensor that broadcasts to (batch, heads, sequence, keys) (C5)
        scale: what scores are multiplied by; None: 1 / sqrt(width)
        causal_mask: None, "TopLeft" or "BottomRight": where the diagonal begins (C1)
        window_size: how far back a query sees; None: all the way
        Checked: C1: causal_mask is one of the three; C2: all ranks are 4; C3: all have one float dtype; C4: batches, heads, sequences and widths agree; C5: bias broadcasts to the scores.
        """

    def attention_bias(
        self,
        query: _Operand,
        key: _Operand,
        value: _Operand,
        bias: _Operand | None = None,
        scale: _Number | None = None,
        causal_mask: str | None = None,
        window_size: _Int | None = None,
    ) -> Call:
        """softmax(query key^T * scale + bias) value, for each head; 0 where no key is left to see.

        query: tensor (batch, sequence, heads, width) (C2, C3, C4)
        key: tensor (batch, keys, heads, width) (C2, C3, C4)
        value: tensor (batch, keys, heads, width of values) (C2, C3, C4)
        bias: tensor that broadcasts to (batch, heads, sequence, keys) (C5)
        scale: what scores are multiplied by; None: 1 / sqrt(width)
        causal_mask: None, "TopLeft" or "BottomRight": where the diagonal begins (C1)
        window_size: how far back a query sees; None: all the way
        Checked: C1: causal_mask is one of the three; C2: all ranks are 4; C3: all have one float dtype; C4: batches, heads, sequences and widths agree; C5: bias broadcasts to the scores.
        """

    def attention_var_len(
        self,
        queries: _Operand,
        keys: _Operand,
        values: _Operand,
        seqstart_q: _Operand,
        max_seqlen_q: _Operand,
        seqstart_k: _Operand | None = None,
        max_seqlen_k: _Operand | None = None,
        scale: _Number | None = None,
        causal_mask: str | None = None,
        window_size: _Int | None = None,
    ) -> Call:
        """Attention within each of several sequences that stand one behind the other.

        queries: tensor (batch, sequence, heads, width) (C2, C3, C4)
        keys: tensor (batch, keys, heads, width) (C2, C3, C4)
        values: tensor (batch, keys, heads, width of values) (C2, C3, C4)
        seqstart_q: int32 vector: where each sequence of queries begins (C5, C6)
        max_seqlen_q: int32 tensor of one element: the longest sequence of queries (C5)
        seqstart_k: the same of keys; None: as of queries (C5, C6)
        max_seqlen_k: the same of keys; None: as of queries (C5)
        scale: what scores are multiplied by; None: 1 / sqrt(width)
        causal_mask: None, "TopLeft" or "BottomRight": where the diagonal begins (C1)
        window_size: how far back a query sees; None: all the way
        Checked: C1: causal_mask is one of the three; C2: all ranks are 4; C3: all have one float dtype; C4: batches, heads, sequences and widths agree; C5: starts and lengths are int32; C6: starts have rank 1.
        """

    def product_attention(
        self,
        query: _Operand,
        key: _Operand,
        value: _Operand,
        bias: _Operand | None = None,
        mask: _Operand | None = None,
        hidden: _Number | None = None,
        nan_as_zero: bool = False,
        out_dtype: _DType | None = None,
    ) -> Call:
        """matmul(softmax(matmul(query, key) + bias), value).

        query: tensor (…, queries, width) of rank 2 or more (C1, C3)
        key: tensor (…, width, keys) (C2, C3, C4)
        value: tensor (…, keys, width of values) (C2, C3, C4)
        bias: tensor that broadcasts to the scores (…, queries, keys) (C3, C5)
        mask: bool tensor that broadcasts to the scores: which stay (C5, C6)
        hidden: the score where the mask is False; None: -inf
        nan_as_zero: whether a row whose weights are NaN gives 0
        out_dtype: the dtype of the result, None: the operands'; bias may have it too (C3)
        Checked: C1: the rank of query is at least 2; C2: key and value have the rank of query; C3: all have one float dtype, or bias has out_dtype, which is a float dtype; C4: widths and numbers of keys agree; the leading axes broadcast to those of query; C5: bias and mask broadcast to the scores; C6: mask is bool.
        """

    def rnn(
        self,
        gates: _Operand,
        weight: _Operand,
        hidden: _Operand,
        lengths: _Operand | None = None,
        activations: Any = ...,
        alphas: Any = None,
        betas: Any = None,
        clip: _Number = 0.0,
        reverse: bool = False,
    ) -> Call:
        """A plain recurrent layer: h = f(gates + weight h); all outputs and the last.

        gates: float tensor (time, batch, gates * hidden): what the input adds to each gate (C1, C2)
        weight: float matrix (gates * hidden, hidden) for what was hidden before (C1, C2)
        hidden: float matrix (batch, hidden): the state at the start (C1, C2)
        lengths: integers (batch,): time steps of each sequence; what is behind them gives 0; None: all (C1, C2)
        activations: words: relu, tanh, sigmoid, affine, leaky_relu, thresholded_relu, scaled_tanh, hard_sigmoid, elu, softsign or softplus (C3)
        alphas: floats: the first constant of each activation; None: the usual ones
        betas: floats: the second constant of each activation; None: the usual ones
        clip: what goes into activations lies in [-clip, clip]; 0: anywhere (C4)
        reverse: each sequence from its end to its start
        Checked: C1: `lengths` are integers, all else has one float dtype; C2: the sizes fit each other; C3: each activation is one of the words; C4: clip is not negative.
        """

    def gru(
        self,
        gates: _Operand,
        weight: _Operand,
        hidden: _Operand,
        reset_bias: _Operand | None = None,
        lengths: _Operand | None = None,
        activations: Any = ...,
        alphas: Any = None,
        betas: Any = None,
        clip: _Number = 0.0,
        reverse: bool = False,
        resets_product: bool = True,
    ) -> Call:
        """A layer of gated recurrent units; all outputs and the last.

        gates: float tensor (time, batch, gates * hidden): what the input adds to each gate, in the order reset, update, new (C1, C2)
        weight: float matrix (gates * hidden, hidden) for what was hidden before (C1, C2)
        hidden: float matrix (batch, hidden): the state at the start (C1, C2)
        reset_bias: float vector (hidden,): added to the new gate's part of what was hidden before it is reset; None: 0 (C1, C2)
        lengths: integers (batch,): time steps of each sequence; what is behind them gives 0; None: all (C1, C2)
        activations: words: relu, tanh, sigmoid, affine, leaky_relu, thresholded_relu, scaled_tanh, hard_sigmoid, elu, softsign or softplus (C3)
        alphas: floats: the first constant of each activation; None: the usual ones
        betas: floats: the second constant of each activation; None: the usual ones
        clip: what goes into activations lies in [-clip, clip]; 0: anywhere (C4)
        reverse: each sequence from its end to its start
        resets_product: reset what the weight makes of the state, not the state itself
        Checked: C1: `lengths` are integers, all else has one float dtype; C2: the sizes fit each other; C3: each activation is one of the words; C4: clip is not negative.
        """

    def lstm(
        self,
        gates: _Operand,
        weight: _Operand,
        hidden: _Operand,
        cell: _Operand,
        peepholes: _Operand | None = None,
        lengths: _Operand | None = None,
        activations: Any = ...,
        alphas: Any = None,
        betas: Any = None,
        clip: _Number = 0.0,
        reverse: bool = False,
        couples_gates: bool = False,
    ) -> Call:
        """A layer of long short-term memory; all outputs, the last output and the last cell.

        gates: float tensor (time, batch, gates * hidden): what the input adds to each gate, in the order input, forget, cell, output (C1, C2)
        weight: float matrix (gates * hidden, hidden) for what was hidden before (C1, C2)
        hidden: float matrix (batch, hidden): the state at the start (C1, C2)
        cell: float matrix (batch, hidden): the cell at the start (C1, C2)
        peepholes: float vector (3 * hidden,): what the cell adds to the gates input, output and forget; None: nothing (C1, C2)
        lengths: integers (batch,): time steps of each sequence; what is behind them gives 0; None: all (C1, C2)
        activations: words: relu, tanh, sigmoid, affine, leaky_relu, thresholded_relu, scaled_tanh, hard_sigmoid, elu, softsign or softplus (C3)
        alphas: floats: the first constant of each activation; None: the usual ones
        betas: floats: the second constant of each activation; None: the usual ones
        clip: what goes into activations lies in [-clip, clip]; 0: anywhere (C4)
        reverse: each sequence from its end to its start
        couples_gates: the forget gate is 1 less the input gate
        Checked: C1: `lengths` are integers, all else has one float dtype; C2: the sizes fit each other; C3: each activation is one of the words; C4: clip is not negative.
        """

    def linear_attention(
        self,
        query: _Operand,
        key: _Operand,
        value: _Operand,
        state: _Operand | None = None,
        decay: _Operand | None = None,
        beta: _Operand | None = None,
        update_rule: str = "linear",
        scale: _Number | None = None,
    ) -> Call:
        """What queries read from a running sum of keys times values; and that sum at the end.

        query: float tensor (batch, time, heads, d) (C1, C2, C5)
        key: float tensor (batch, time, heads of keys, d) (C1, C2, C5)
        value: float tensor (batch, time, heads of keys, width) (C1, C2, C5)
        state: float tensor (batch, heads of keys, d, width): the sum at the start; None: 0 (C1, C2, C5)
        decay: float tensor (batch, time, heads of keys, 1 or d): logarithms of what stays of the sum, in gated rules (C1, C2, C4, C5)
        beta: float tensor (batch, time, heads of keys, 1): how much is corrected, in delta rules (C1, C2, C4, C5)
        update_rule: linear, gated, delta or gated_delta (C3, C4)
        scale: of the results; None: 1 / sqrt(d)
        Checked: C1: all have one float dtype; C2: all ranks are 4; C3: update_rule is one of the words; C4: gated rules have a decay, delta rules a beta, and no others; C5: the sizes fit each other.
        """

    def cross_entropy_with_logits(self, predictions: _Operand, labels: _Operand) -> Call:
        """minus the sum of predictions times labels, averaged over the batch.

        predictions: tensor of rank 1 or 2 (C1, C2, C3)
        labels: tensor of the same shape (C1, C2, C3)
        Checked: C1: both dtypes are the same; C2: both ranks are 1, or 2; C3: both shapes are the same.
        """

    def nll_loss(
        self,
        predictions: _Operand,
        targets: _Operand,
        weights: _Operand | None = None,
        reduction: str = "mean",
        ignore_index: _Int = -100,
    ) -> Call:
        """The negative log likelihood of targets: minus the predictions at them, weighted by class.

        predictions: tensor (N, C, …) or (C,) (C3, C4, C5)
        targets: integer tensor (N, …) or () (C2, C4, C5)
        weights: tensor (C,): one for each class; None: all 1 (C3, C4, C5)
        reduction: "none", "sum" or "mean" (C1)
        ignore_index: targets of this value do not count
        Checked: C1: reduction is one of the three; C2: targets are integers; C3: predictions and weights have one dtype; C4: the ranks fit; C5: the sizes fit.
        """

    def pad(self, data: _Operand, pad_width: _Ints, pad_mode: str = "constant", pad_value: _Number = 0.0) -> Call:
        """data with elements put before and behind along each axis.

        data: tensor
        pad_width: two numbers for each axis: before and behind; below 0 cuts off (C2, C3, C4)
        pad_mode: "constant", "reflect", "replicate" (or "edge"), "circular" (C1, C4)
        pad_value: what is put, in mode "constant"
        Checked: C1: pad_mode is one of the four; C2: two numbers for each axis; C3: no axis gets a size below 0; C4: the mode finds enough elements to repeat.
        """

    def pixel_shuffle(self, data: _Operand, upscale_factor: _Int) -> Call:
        """Channels turned into pixels: (…, C r r, H, W) becomes (…, C, H r, W r).

        data: tensor of rank >= 3 (C2, C3)
        upscale_factor: r (C1)
        Checked: C1: the factor is at least 1; C2: the rank is at least 3; C3: channels are a multiple of r * r.
        """

    def dropout(self, data: _Operand, rate: _Number = 0.5) -> Call:
        """data with elements dropped at random while training, and the mask of those kept, as a tuple.

        data: tensor
        rate: the share that is dropped (C1)
        Checked: C1: rate is in [0, 1].
        """

    def matmul_dequantize(
        self, x: _Operand, weight: _Operand, scale: _Operand, zero_point: _Operand, block_size: _Int = 1
    ) -> Call:
        """The product of x and (weight - zero_point) * scale, where blocks of rows of the weight share a scale and a zero point for each column.

        x: float tensor of rank >= 1 (C1)
        weight: integer matrix (C2)
        scale: matrix, one for each block and column (C4)
        zero_point: likewise, or one for all (C4)
        block_size: the rows of a block (C3)
        Checked: C1: x is a float tensor of rank 1 or more, whose last dimension is the rows of weight; C2: weight is a matrix of integers; C3: blocks of block_size fill the rows of weight; C4: scale is a matrix with one value for each block and column, and so is zero_point, or it has rank 0; C5: scale is of floats, zero_point of integers.
        """

    def embedding_bag(
        self,
        weight: _Operand,
        indices: _Operand,
        offsets: _Operand,
        per_sample_weights: _Operand | None = None,
        mode: str = "sum",
        padding_idx: _Int = -1,
        include_last_offset: bool = False,
    ) -> Call:
        """The sum, mean or maximum of the rows that each bag of indices names; of an empty bag 0.

        weight: float matrix (C1, C3)
        indices: integer vector: rows of all bags, one behind the other (C2, C3)
        offsets: integer vector: where each bag begins (C2, C3)
        per_sample_weights: float vector: what each row is multiplied by; None: 1 (C5)
        mode: sum, mean or max (C4, C5)
        padding_idx: an index that counts for nothing; -1: none
        include_last_offset: the last offset is the end of the last bag
        Checked: C1: the weight is a float; C2: indices and offsets are integers; C3: ranks 2, 1 and 1; C4: mode is one of the words; C5: per_sample_weights are as many as indices, and go with sum.
        """

    def col2im(
        self,
        data: _Operand,
        output_size: _Ints,
        kernel_size: _Ints,
        strides: _Ints = 1,
        padding: _Ints = 0,
        dilation: _Ints = 1,
    ) -> Call:
        """The image of which windows are the columns; where windows overlap, their sum.

        data: tensor (n, channels * taps, windows) (C1, C3)
        output_size: height and width of the image (C2, C3)
        kernel_size: rows and columns of a window (C2, C3)
        strides: the step from one window to the next (C2)
        padding: before and behind: one value, one for each axis, or all (C2)
        dilation: the step within a window (C2)
        Checked: C1: the rank is 3; C2: sizes, strides and dilation at least 1, padding at least 0, as many as axes; C3: data has the windows of the image, with all their taps.
        """

    def batch_flatten(self, data: _Operand) -> Call:
        """data with all but the first dimension made one.

        data: tensor of rank >= 2 (C1)
        Checked: C1: the rank is at least 2.
        """

nn: _Nn

class _Memory:
    def view(
        self,
        data: _Operand,
        shape: _Shape | None = None,
        dtype: _Value | None = None,
        relative_byte_offset: _Value | None = None,
    ) -> Call:
        """The memory of data seen as another shape or dtype; nothing moves.

        data: tensor
        shape: shape; None: that of data (C1, C4)
        dtype: dtype; None: that of data (C2, C4)
        relative_byte_offset: integer scalar; None: 0 (C3, C4)
        Checked: C1: the second argument is a shape; C2: the third is a dtype; C3: the fourth is an integer scalar; C4: the view lies within data.
        """

    def alloc_storage(self, size: _Shape, virtual_device_index: _Value, storage_scope: _Value, dtype: _Value) -> Call:
        """A piece of memory.

        size: shape: one number of bytes (C1)
        virtual_device_index: which device (C3)
        storage_scope: text: the kind of memory
        dtype: dtype (C2)
        Checked: C1: size is a shape; C2: dtype is a dtype; C3: the device is a scalar.
        """

    def alloc_tensor(
        self, storage: _Value, offset: _Value, shape: _Shape, dtype: _Value, runtime_device_ind: _Value = 0
    ) -> Call:
        """A tensor in a piece of memory.

        storage: storage
        offset: where the tensor begins, in bytes (C3)
        shape: shape (C1)
        dtype: dtype (C2)
        runtime_device_ind: which device (C3)
        Checked: C1: shape is a shape; C2: dtype is a dtype; C3: device and offset are scalars.
        """

    def kill_storage(self, storage: _Value) -> Call:
        """Gives a piece of memory back.

        storage: what is not used any more
        """

    def kill_tensor(self, tensor: _Value) -> Call:
        """Gives a tensor back.

        tensor: what is not used any more
        """

    def ensure_zero_offset(self, data: _Operand) -> Call:
        """data at the beginning of its memory: copied when it is not.

        data: tensor
        """

memory: _Memory

class _Linalg:
    def det(self, a: _Operand) -> Call:
        """The determinant of each matrix.

        a: float tensor of square matrices (..., n, n) (C1, C2)
        Checked: C1: the dtype is a float; C2: the matrices are square.
        """

    def slogdet(self, a: _Operand) -> Call:
        """The sign of the determinant of each matrix, and the logarithm of its absolute value.

        a: float tensor of square matrices (..., n, n) (C1, C2)
        Checked: C1: the dtype is a float; C2: the matrices are square.
        """

    def inverse(self, a: _Operand) -> Call:
        """The inverse of each matrix; of a singular one infinities or NaN.

        a: float tensor of square matrices (..., n, n) (C1, C2)
        Checked: C1: the dtype is a float; C2: the matrices are square.
        """

    def solve(self, a: _Operand, b: _Operand) -> Call:
        """The x of a x = b for each matrix; of a singular one infinities or NaN.

        a: float tensor of square matrices (..., n, n) (C1, C2)
        b: float tensor (..., n, columns) (C1, C3)
        Checked: C1: both have one float dtype; C2: the matrices are square; C3: b has the batch and the rows of a.
        """

    def triangular_solve(
        self, a: _Operand, b: _Operand, upper: bool = True, transposed: bool = False, unit_diagonal: bool = False
    ) -> Call:
        """The x of a x = b for triangles a, of which the other half is not read.

        a: float tensor of square matrices (..., n, n) (C1, C2)
        b: float tensor (..., n, columns) (C1, C3)
        upper: the upper triangle, else the lower one
        transposed: solve with the transposed triangle
        unit_diagonal: the diagonal is 1 and not read
        Checked: C1: both have one float dtype; C2: the matrices are square; C3: b has the batch and the rows of a.
        """

    def cholesky(self, a: _Operand) -> Call:
        """The lower triangle L with L L^T = a, of which the lower half is read; NaN where there is none.

        a: float tensor of square matrices (..., n, n) (C1, C2)
        Checked: C1: the dtype is a float; C2: the matrices are square.
        """

    def qr(self, a: _Operand, complete: bool = False) -> Call:
        """Matrices with orthonormal columns and upper triangles whose products are the matrices; the signs are those of LAPACK.

        a: float tensor of matrices (..., m, n) (C1, C2)
        complete: m columns and rows in place of min(m, n)
        Checked: C1: the dtype is a float; C2: the rank is at least 2.
        """

    def lu_factor(self, a: _Operand) -> Call:
        """A lower triangle with ones on its diagonal, which are left out, and an upper one; and for each column the row, counted from 1, that changed places with it.

        a: float tensor of matrices (..., m, n) (C1, C2)
        Checked: C1: the dtype is a float; C2: the rank is at least 2.
        """

    def lu_row_order(self, a: _Operand, pivots: _Operand) -> Call:
        """Which row of the matrix stands at each row of the product of its factors.

        a: float tensor of matrices (..., m, n), as linalg.lu_factor gives them (C1)
        pivots: integer tensor (..., min(m, n)), as linalg.lu_factor gives it (C2, C3)
        Checked: C1: a is of floats and has rank 2 or more; C2: pivots are integers; C3: there are as many pivots as rows, or columns where these are fewer.
        """

    def matrix_exp(self, a: _Operand) -> Call:
        """The exponential of each matrix: the sum of a^k / k!.

        a: float tensor of square matrices (..., n, n) (C1, C2)
        Checked: C1: the dtype is a float; C2: the matrices are square.
        """

    def qr_factor(self, a: _Operand) -> Call:
        """Matrices with R in their upper triangles, and below them the vectors v of the reflections 1 - scale * v * v^T whose product is Q; and the scales. The first element of v is 1 and left out; the signs are those of LAPACK.

        a: float tensor of matrices (..., m, n) (C1, C2)
        Checked: C1: the dtype is a float; C2: the rank is at least 2.
        """

    def reflect(self, a: _Operand, scales: _Operand, x: _Operand, transposed: bool = False) -> Call:
        """The product of reflections times matrices: Q * x, or Q^T * x.

        a: float tensor of matrices (..., m, n), as linalg.qr_factor gives them (C1, C2)
        scales: tensor (..., k), as linalg.qr_factor gives it (C2 to C5)
        x: float tensor of matrices (..., m, p) (C1 to C4)
        transposed: whether Q is transposed
        Checked: C1: the dtypes are floats; C2: x has the rank of a, at least 2, scales have one less; C3: all dtypes are the same; C4: batches are the same, and x has the rows of a; C5: there are no more scales than rows or columns of a.
        """

    def svd(self, a: _Operand, full_matrices: bool = True) -> Call:
        """Matrices U and Vh with orthonormal columns and rows, and singular values S, greatest first, with U diag(S) Vh = a. The greatest element of each column of U is positive.

        a: float tensor of matrices (..., m, n) (C1, C2)
        full_matrices: m columns of U and n rows of Vh in place of min(m, n)
        Checked: C1: the dtype is a float; C2: the rank is at least 2.
        """

    def eigh(self, a: _Operand, upper: bool = False) -> Call:
        """The eigenvalues of symmetric matrices, least first, and their vectors as columns, of which the greatest element is positive.

        a: float tensor of square matrices (..., n, n), of which one half is read (C1, C2)
        upper: the upper half is read, else the lower one
        Checked: C1: the dtype is a float; C2: the matrices are square.
        """

linalg: _Linalg

class _Image:
    def resize2d(
        self,
        data: _Operand,
        size: _Shape | _Int,
        roi: Any = 0.0,
        layout: str = "NCHW",
        method: str = "linear",
        coordinate_transformation_mode: str = "half_pixel",
        rounding_method: str = "round",
        cubic_alpha: _Number = -0.75,
        cubic_exclude: _Int = 0,
        extrapolation_value: _Number = 0.0,
        out_dtype: _DType | None = None,
    ) -> Call:
        """Images brought to another size.

        data: tensor in `layout` (C4, C8)
        size: shape: the new size; one number stands for all axes (C1, C2)
        roi: region of interest, for "tf_crop_and_resize"
        layout: the order of data's axes (C3)
        method: "nearest_neighbor", "linear" or "cubic" (C5)
        coordinate_transformation_mode: where an output pixel lies in the input (C6)
        rounding_method: which pixel is nearest (C7)
        cubic_alpha: the parameter of the cubic kernel
        cubic_exclude: 1: what lies outside has no weight
        extrapolation_value: what lies outside the region of interest
        out_dtype: None: that of data
        Checked: C1: size is a shape; C2: with one value for each spatial axis; C3: the layout has the letters of the default one; C4: the rank is that of the layout; C5: method is one of the three; C6: the mode is one of the six; C7: rounding_method is one of the five, or ""; C8: the images have elements.
        """

    def resize3d(
        self,
        data: _Operand,
        size: _Shape | _Int,
        roi: Any = 0.0,
        layout: str = "NCDHW",
        method: str = "linear",
        coordinate_transformation_mode: str = "half_pixel",
        rounding_method: str = "",
        cubic_alpha: _Number = -0.75,
        cubic_exclude: _Int = 0,
        extrapolation_value: _Number = 0.0,
        out_dtype: _DType | None = None,
    ) -> Call:
        """Images brought to another size.

        data: tensor in `layout` (C4, C8)
        size: shape: the new size; one number stands for all axes (C1, C2)
        roi: region of interest, for "tf_crop_and_resize"
        layout: the order of data's axes (C3)
        method: "nearest_neighbor", "linear" or "cubic" (C5)
        coordinate_transformation_mode: where an output pixel lies in the input (C6)
        rounding_method: which pixel is nearest (C7)
        cubic_alpha: the parameter of the cubic kernel
        cubic_exclude: 1: what lies outside has no weight
        extrapolation_value: what lies outside the region of interest
        out_dtype: None: that of data
        Checked: C1: size is a shape; C2: with one value for each spatial axis; C3: the layout has the letters of the default one; C4: the rank is that of the layout; C5: method is one of the three; C6: the mode is one of the six; C7: rounding_method is one of the five, or ""; C8: the images have elements.
        """

    def affine_grid(self, data: _Operand, size: _Shape | _Int, align_corners: bool = True) -> Call:
        """For each pixel of a target the place that a matrix sends it to.

        data: tensor (n, 2, 3), for volumes (n, 3, 4): matrices (C2, C4)
        size: shape: the target's height and width, of volumes its depth before (C1, C3)
        align_corners: -1 and 1 are the middles of the outermost pixels, not their edges
        Checked: C1: size is a shape; C2: the rank is 3; C3: size has two or three values; C4: the matrices are 2 by 3, or 3 by 4; C5: data is a float tensor.
        """

    def grid_sample(
        self,
        data: _Operand,
        grid: _Operand,
        method: str = "bilinear",
        layout: str = "NCHW",
        padding_mode: str = "zeros",
        align_corners: bool = False,
    ) -> Call:
        """data sampled at the places that a grid holds.

        data: tensor in `layout` (C2)
        grid: tensor (n, 2, height, width) of places in [-1, 1]; (n, 3, …) in volumes (C2, C5, C6)
        method: "bilinear", "nearest" or "bicubic" (C3)
        layout: the order of data's axes (C1)
        padding_mode: what lies outside: "zeros", "border" or "reflection" (C4)
        align_corners: -1 and 1 are the middles of the outermost pixels
        Checked: C1: the layout has the letters of the default one; C2: both ranks are those of the layout; C3: method is one of the three; C4: padding_mode is one of the three; C5: a place has one number for each spatial axis; C6: the batches agree.
        """

image: _Image

class _Vision:
    def roi_align(
        self,
        data: _Operand,
        rois: _Operand,
        pooled_size: _Ints,
        spatial_scale: _Number,
        sample_ratio: _Int = -1,
        aligned: bool = False,
        layout: str = "NCHW",
        mode: str = "avg",
    ) -> Call:
        """Each region brought to one size, by interpolation.

        data: tensor of rank 4 (C1, C2)
        rois: matrix of rows (batch, x1, y1, x2, y2) (C1, C4)
        pooled_size: the size of the result; one number stands for both (C5)
        spatial_scale: from the coordinates of regions to those of data
        sample_ratio: samples for each bin; below 1: as many as fit
        aligned: a region may be smaller than one element of data; else it is made that large
        layout: "NCHW" or "NHWC" (C3)
        mode: "avg" or "max" (C6)
        Checked: C1: ranks are 4 and 2; C2: data is a float tensor; C3: the layout is a known one; C4: a row has 5 numbers; C5: two sizes of 1 at least; C6: mode is "avg" or "max".
        """

    def roi_pool(
        self, data: _Operand, rois: _Operand, pooled_size: _Ints, spatial_scale: _Number, layout: str = "NCHW"
    ) -> Call:
        """Each region brought to one size: the largest element of each bin.

        data: tensor of rank 4 (C1, C2)
        rois: matrix of rows (batch, x1, y1, x2, y2) (C1, C4)
        pooled_size: the size of the result; one number stands for both (C5)
        spatial_scale: from the coordinates of regions to those of data
        layout: "NCHW" (C3)
        Checked: C1: ranks are 4 and 2; C2: data is a float tensor; C3: the layout is a known one; C4: a row has 5 numbers; C5: two sizes of 1 at least.
        """

    def get_valid_counts(
        self, data: _Operand, score_threshold: _Number = 0, id_index: _Int = 0, score_index: _Int = 1
    ) -> Call:
        """The boxes above a score moved to the front: how many, the boxes, and where they were.

        data: tensor (batch, boxes, numbers) (C1)
        score_threshold: scores above it count
        id_index: where the class stands; -1: nowhere (C2)
        score_index: where the score stands (C2)
        Checked: C1: the rank is 3; C2: indices lie within a box's numbers; C3: data is a float tensor.
        """

    def non_max_suppression(
        self,
        data: _Operand,
        valid_count: _Operand,
        indices: _Operand,
        max_output_size: _Int = -1,
        iou_threshold: _Number = 0.5,
        force_suppress: bool = False,
        top_k: _Int = -1,
        coord_start: _Int = 2,
        score_index: _Int = 1,
        id_index: _Int = 0,
        return_indices: bool = True,
        invalid_to_bottom: bool = False,
        soft_nms_sigma: _Number = 0.0,
        score_threshold: _Number = 0.0,
    ) -> Call:
        """The boxes without those that overlap a better one.

        data: tensor (batch, boxes, numbers) (C1)
        valid_count: int32 vector (C1, C2, C3)
        indices: int32 matrix: where each box was (C1, C2, C3)
        max_output_size: how many to keep; -1: all
        iou_threshold: from which overlap on
        force_suppress: boxes of other classes too
        top_k: only the best; -1: all
        coord_start: where the four coordinates begin (C4)
        score_index: where the score stands (C4)
        id_index: where the class stands; -1: nowhere (C4)
        return_indices: which boxes are kept, not the boxes
        invalid_to_bottom: kept boxes first
        soft_nms_sigma: above 0: scores decay instead
        score_threshold: decayed scores below it go
        Checked: C1: ranks are 3, 1 and 2; C2: counts and indices are int32; C3: sizes agree; C4: indices lie within a box's numbers; C5: data is a float tensor.
        """

    def all_class_non_max_suppression(
        self,
        boxes: _Operand,
        scores: _Operand,
        max_output_boxes_per_class: _Value,
        iou_threshold: _Value,
        score_threshold: _Value,
        output_format: str = "onnx",
    ) -> Call:
        """The boxes of each class without those that overlap a better one.

        boxes: tensor (batch, boxes, 4) (C1, C3, C4)
        scores: tensor (batch, classes, boxes) (C1, C3)
        max_output_boxes_per_class: integer scalar, or tensor of one element (C5)
        iou_threshold: float scalar, or tensor of one element (C5)
        score_threshold: float scalar, or tensor of one element (C5)
        output_format: "onnx" or "tensorflow" (C2)
        Checked: C1: both ranks are 3; C2: output_format is one of the two; C3: sizes agree; C4: a box has 4 numbers; C5: each limit is one value.
        """

    def multibox_transform_loc(
        self,
        cls_pred: _Operand,
        loc_pred: _Operand,
        anchor: _Operand,
        clip: bool = False,
        threshold: _Number = 0.0,
        variances: Any = ...,
        keep_background: bool = True,
    ) -> Call:
        """Boxes from anchors and predicted offsets, and the scores of their classes.

        cls_pred: tensor (batch, classes, anchors) (C1, C2, C3)
        loc_pred: tensor (batch, 4 * anchors) (C1, C2, C3)
        anchor: tensor (1, anchors, 4) (C1, C2, C3)
        clip: boxes stay within [0, 1]
        threshold: scores below it become 0
        variances: scales of the four offsets (C4)
        keep_background: the first class stays
        Checked: C1: ranks are 3, 2 and 3; C2: one float dtype; C3: sizes agree; C4: four variances.
        """

vision: _Vision

class _Signal:
    def dft(
        self, x: _Operand, axis: _Int = -2, length: _Int | None = None, inverse: bool = False, onesided: bool = False
    ) -> Call:
        """The discrete Fourier transform along an axis; the inverse one is divided by the number of points.

        x: float tensor; the last axis holds the real part, or both parts (C1, C2, C3)
        axis: the axis of the signal, not the last one (C2)
        length: points, cut off or filled with 0; None: those of the signal (C4)
        inverse: from a spectrum back to its signal
        onesided: of a real signal's spectrum the first half alone, which has all of it
        Checked: C1: the dtype is a float; C2: the rank is at least 2, and the axis is not the last; C3: the last dimension is 1 or 2: a real signal where half the spectrum is taken, complex where it is inverted; C4: length is at least 1.
        """

    def stft(self, x: _Operand, window: _Operand, step: _Int, onesided: bool = True) -> Call:
        """The spectra of a signal's windows, (batch, frames, bins, 2).

        x: float tensor (batch, length, parts) (C1, C2, C5)
        window: float vector: what each frame is multiplied by (C1, C2, C4)
        step: from one frame to the next (C3)
        onesided: the first half of each spectrum alone
        Checked: C1: both have one float dtype; C2: ranks 3 and 1; C3: step is at least 1; C4: the window's size is known and not larger than the signal; C5: x has one part, or two where whole spectra are wanted.
        """

signal: _Signal

class _Random:
    def uniform(
        self, seed: _Operand, shape: _Shape, low: _Number = 0.0, high: _Number = 1.0, dtype: _DType = "float32"
    ) -> Call:
        """Numbers in [low, high), each as likely as any other.

        seed: int64 tensor of rank 0: another seed gives other numbers (C1)
        shape: shape (C2)
        low: the least number
        high: above all numbers
        dtype: the dtype of the numbers (C3)
        Checked: C1: the seed is one int64; C2: the second argument is a shape; C3: the dtype is a float; of random.integers an integer.
        """

    def normal(
        self, seed: _Operand, shape: _Shape, mean: _Number = 0.0, std: _Number = 1.0, dtype: _DType = "float32"
    ) -> Call:
        """Numbers of a normal distribution.

        seed: int64 tensor of rank 0: another seed gives other numbers (C1)
        shape: shape (C2)
        mean: their mean
        std: their standard deviation
        dtype: the dtype of the numbers (C3)
        Checked: C1: the seed is one int64; C2: the second argument is a shape; C3: the dtype is a float; of random.integers an integer.
        """

    def integers(self, seed: _Operand, shape: _Shape, low: _Int, high: _Int, dtype: _DType = "int64") -> Call:
        """Integers in [low, high), each as likely as any other.

        seed: int64 tensor of rank 0: another seed gives other numbers (C1)
        shape: shape (C2)
        low: the least integer (C4)
        high: above all (C4)
        dtype: the dtype of the numbers (C3)
        Checked: C1: the seed is one int64; C2: the second argument is a shape; C3: the dtype is a float; of random.integers an integer; C4: high is above low, by less than 2^63.
        """

random: _Random

class _Grad:
    def no_grad(self, input: _Value) -> Call:
        """input; no gradient flows through it.

        input: any value
        """

    def start_checkpoint(self, input: _Value) -> Call:
        """input; what follows is computed again for the gradient.

        input: variable, or constant (C1)
        Checked: C1: input is a variable or a constant.
        """

    def end_checkpoint(self, input: _Value) -> Call:
        """input; what is computed again ends here.

        input: variable, or constant (C1)
        Checked: C1: input is a variable or a constant.
        """

    def nll_loss_backward(
        self,
        output_grad: _Operand,
        predictions: _Operand,
        targets: _Operand,
        weights: _Operand | None = None,
        reduction: str = "mean",
        ignore_index: _Int = -100,
    ) -> Call:
        """The gradient of nll_loss by its predictions.

        output_grad: tensor: the gradient of the result (C1)
        predictions: tensor (N, C, …) or (C,) (C1, C4)
        targets: integer tensor (N, …) or () (C3, C4)
        weights: tensor (C,): one for each class; None: all 1 (C4)
        reduction: "none", "sum" or "mean" (C2)
        ignore_index: targets of this value do not count
        Checked: C1: output_grad has the dtype of the data; C2: reduction is one of the three; C3: targets are integers; C4: the ranks fit.
        """

    def max_pool2d_backward(
        self,
        output_grad: _Operand,
        data: _Operand,
        pool_size: _Ints = 1,
        strides: _Ints = 1,
        padding: _Ints = 0,
        dilation: _Ints = 1,
        ceil_mode: bool = False,
        count_include_pad: bool = False,
        layout: str = "NCHW",
        out_layout: str | None = None,
    ) -> Call:
        """The gradient of max_pool2d by its data.

        output_grad: tensor: the gradient of the result (C1)
        data: tensor in `layout` (C1, C4)
        pool_size: as of the pool (C3)
        strides: as of the pool (C3)
        padding: as of the pool (C3)
        dilation: as of the pool (C3)
        ceil_mode: as of the pool
        count_include_pad: as of the pool
        layout: as of the pool (C2)
        out_layout: as of the pool (C2)
        Checked: C1: output_grad has the dtype of the data; C2: layouts have the letters of the default one; C3: sizes, strides and dilation at least 1, padding at least 0, as many as axes; C4: the rank is that of the layout.
        """

    def avg_pool2d_backward(
        self,
        output_grad: _Operand,
        data: _Operand,
        pool_size: _Ints = 1,
        strides: _Ints = 1,
        padding: _Ints = 0,
        dilation: _Ints = 1,
        ceil_mode: bool = False,
        count_include_pad: bool = False,
        layout: str = "NCHW",
        out_layout: str | None = None,
    ) -> Call:
        """The gradient of avg_pool2d by its data.

        output_grad: tensor: the gradient of the result (C1)
        data: tensor in `layout` (C1, C4)
        pool_size: as of the pool (C3)
        strides: as of the pool (C3)
        padding: as of the pool (C3)
        dilation: as of the pool (C3)
        ceil_mode: as of the pool
        count_include_pad: as of the pool
        layout: as of the pool (C2)
        out_layout: as of the pool (C2)
        Checked: C1: output_grad has the dtype of the data; C2: layouts have the letters of the default one; C3: sizes, strides and dilation at least 1, padding at least 0, as many as axes; C4: the rank is that of the layout.
        """

    def take_backward(self, output_grad: _Operand, x: _Operand, indices: _Operand, axis: _Int | None = None) -> Call:
        """The gradient of take by its tensor.

        output_grad: tensor: the gradient of the result (C1)
        x: tensor (C1)
        indices: integer tensor
        axis: as of take (C2, C3)
        Checked: C1: output_grad has the dtype of the data; C2: without an axis the rank is 1; C3: axis is in [-rank, rank - 1].
        """

grad: _Grad

class _Ccl:
    def allreduce(self, x: _Operand, op_type: str = "sum", in_group: bool = True) -> Call:
        """The x of all workers made one, on each of them.

        x: tensor
        op_type: "sum", "prod", "min", "max" or "avg" (C1)
        in_group: among the worker's group alone
        Checked: C1: op_type is one of the five.
        """

    def allgather(self, x: _Operand, num_workers: _Int, in_group: bool = True) -> Call:
        """The x of all workers one behind the other, on each of them.

        x: tensor
        num_workers: how many workers there are (C1)
        in_group: among the worker's group alone
        Checked: C1: one worker at least.
        """

    def broadcast_from_worker0(self, x: _Operand) -> Call:
        """The x of the first worker, on each of them.

        x: tensor
        """

    def scatter_from_worker0(self, x: _Operand, num_workers: _Int, axis: _Int = 0) -> Call:
        """To each worker its part of the first worker's x.

        x: tensor
        num_workers: how many workers there are (C1)
        axis: the axis that is parted (C2, C3)
        Checked: C1: one worker at least; C2: axis is in [-rank, rank - 1]; C3: the axis divides among the workers.
        """

ccl: _Ccl

class _Dist:
    def redistribute_replica_to_shard(self, input: _Operand, num_workers: _Int, axis: _Int) -> Call:
        """Of a tensor that all have, to each worker its part.

        input: tensor
        num_workers: how many workers there are (C1)
        axis: the axis that is parted (C2, C3)
        Checked: C1: one worker at least; C2: axis is in [-rank, rank - 1]; C3: the axis divides among the workers.
        """

    def annotate_sharding(self, input: _Operand, device_mesh: Any, placement: str) -> Call:
        """input; and how it shall lie on the devices of a mesh.

        input: tensor
        device_mesh: the mesh of devices, or its name (C1)
        placement: which axis lies along which side of the mesh (C2)
        Checked: C1: device_mesh is a mesh, or its name; C2: placement is a text.
        """

    def redistribute(self, input: _Operand, device_mesh: Any, placement: str) -> Call:
        """input, laid out on the devices of a mesh in another way.

        input: tensor
        device_mesh: the mesh of devices, or its name (C1)
        placement: which axis lies along which side of the mesh (C2)
        Checked: C1: device_mesh is a mesh, or its name; C2: placement is a text.
        """

    def call_tir_local_view(self, gvar: _Func, args: _Fields, tir_vars: _Shape | None = None) -> Call:
        """call_tir on the parts of tensors that each worker has.

        gvar: the loop-level function (C1)
        args: tuple of tensors
        tir_vars: shape: values of scalar parameters
        Checked: C1: the callee is a function of the module; C2: the result type is given.
        """

dist: _Dist

class _Builtin:
    def stop_lift_params(self, x: _Value) -> Call:
        """x; and nothing behind it is work on weights, so LiftTransformParams stops here.

        x: any value
        """

    def alloc_tensor(
        self, shape: _Shape, dtype: _Value, runtime_device_index: _Value, storage_scope: _Value | None = None
    ) -> Call:
        """A new tensor.

        shape: shape (C1)
        dtype: dtype (C2)
        runtime_device_index: which device (C3)
        storage_scope: text: the kind of memory; default "global"
        Checked: C1: shape is a shape; C2: dtype is a dtype; C3: device and offset are scalars.
        """

builtin: _Builtin

class _Vm:
    def alloc_storage(
        self, shape: _Shape, runtime_device_index: _Value, dtype: _Value, storage_scope: _Value | None = None
    ) -> Call:
        """A piece of memory of the virtual machine.

        shape: shape (C1)
        runtime_device_index: which device (C3)
        dtype: dtype (C2)
        storage_scope: text: the kind of memory; default "global"
        Checked: C1: shape is a shape; C2: dtype is a dtype; C3: device and offset are scalars.
        """

    def alloc_tensor(
        self, storage: _Value, offset: _Value, shape: _Shape, dtype: _Value, runtime_device_ind: _Value = 0
    ) -> Call:
        """A tensor in a piece of memory of the virtual machine.

        storage: storage
        offset: where the tensor begins, in bytes (C3)
        shape: shape (C1)
        dtype: dtype (C2)
        runtime_device_ind: which device (C3)
        Checked: C1: shape is a shape; C2: dtype is a dtype; C3: device and offset are scalars.
        """

    def kill_object(self, obj: _Value) -> Call:
        """Gives an object back.

        obj: what is not used any more
        """

    def call_tir_dyn(self, func: _Func, args: _Fields) -> Call:
        """Calls a loop-level function whose scalar parameters a run computes.

        func: the function
        args: tuple of the arguments
        """

vm: _Vm

class _Inspect:
    def tensor_dtype_code(self, tensor: _Operand) -> Call:
        """The code of the dtype.

        tensor: tensor
        """

    def tensor_dtype_bits(self, tensor: _Operand) -> Call:
        """The bits of an element.

        tensor: tensor
        """

    def tensor_dtype_lanes(self, tensor: _Operand) -> Call:
        """The lanes of an element.

        tensor: tensor
        """

    def tensor_ndim(self, tensor: _Operand) -> Call:
        """How many axes there are.

        tensor: tensor
        """

    def tensor_shape_i(self, tensor: _Operand, axis: _Value) -> Call:
        """The size of an axis.

        tensor: tensor
        axis: the axis (C1, C2)
        Checked: C1: axis is an integer scalar; C2: axis is in [0, rank - 1].
        """

    def tensor_stride_i(self, tensor: _Operand, axis: _Value) -> Call:
        """The step from one element to the next along an axis.

        tensor: tensor
        axis: the axis (C1, C2)
        Checked: C1: axis is an integer scalar; C2: axis is in [0, rank - 1].
        """

    def tensor_byte_offset(self, tensor: _Operand) -> Call:
        """Where the elements begin in their memory, in bytes.

        tensor: tensor
        """

    def tensor_elem_offset(self, tensor: _Operand) -> Call:
        """Where the elements begin in their memory, in elements.

        tensor: tensor
        """

inspect: _Inspect
