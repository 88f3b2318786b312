// Analysis: how much a kernel does, for reports of its speed.
#pragma once
#include <map>

#include "loop/prim_func.h"

namespace sunmao {

/// The numbers that arithmetic is on. A product of two elements that are widened, from bytes to int32 or from two bytes
/// to float32, and the sum that it is added to are arithmetic on the narrow numbers; other arithmetic is on what it
/// computes. Integers are all those that are no such bytes.
enum class Numbers : uint8_t { Int8, Integers, Float16, BFloat16, Float32, Float64 };
const char* name_of(Numbers numbers);

/// Sizes are taken to be at most this, so that products of them do not overflow.
constexpr int64_t kLargestDim = int64_t{1} << 24;

/// Expressions over the function's symbols.
struct KernelWork {
  /// Arithmetic operations on elements. A multiply-add counts as 2, an intrinsic such as exp as 1; what computes
  /// indices and conditions does not count.
  Scalar flops;
  /// Bytes of the elements of parameters that are read, or written, once each: at most the whole buffer, and at most
  /// one element per access.
  Scalar bytes;
  /// The operations by what they are on, without those that there are none of.
  std::map<Numbers, Scalar> flops_on;
};

/// Counts the work of a function that is not scheduled yet. A loop variable in an extent is taken as its mean, and a
/// loop whose extent depends on data as one iteration.
KernelWork count_work(const PrimFunc& func);

}  // namespace sunmao
