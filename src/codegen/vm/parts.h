// Parts of tensors: views that begin inside of another tensor.
#pragma once
#include "codegen/vm/flat_function.h"
#include "ir/op.h"

namespace sunmao {

/// Returns what lies `begin` bytes inside of a tensor, seen as `type`. It has a place of its own also at 0, unless it
/// is provably all of the tensor, or a size is not known.
FlatTensor part_of(const FlatTensor& t, const Scalar& begin, const Type& type);

/// True when the elements of a tensor provably lie at multiples of their size, as kernels need them.
bool is_aligned(const FlatTensor& t);

/// Returns the bytes of a tensor of known shape and dtype.
FlatTensor bytes_of(const FlatTensor& t);

/// True for ops that say where a tensor begins in its memory.
bool is_offset(const Op& op);
/// True for ops that say that a value is not read any more; the runtime knows that.
bool is_release(const Op& op);

}  // namespace sunmao
