// The loop-level half of the evaluator: interprets a PrimFunc on arrays, statement by statement.
#pragma once
#include <functional>
#include <optional>
#include <span>

#include "eval/element.h"
#include "loop/prim_func.h"
#include "support/array.h"

namespace sunmao {

/// An argument: the memory of a buffer, which is read or written in place, or the value of a scalar.
struct KernelArgument {
  std::byte* data = nullptr;
  std::vector<int64_t> shape = {};
  int64_t scalar = 0;
  DType dtype = {};  // element dtype
};

/// Thrown when a cancellation callback returns true.
struct WalkCancelled {};

/// Runs `func` and returns its result, if it has one; polls `is_cancelled`, if set. Symbols that are a whole dimension
/// of a buffer are defined by the arguments' shapes. Fails (E0506) on a contradictory shape, an index out of bounds or
/// a failed assertion, (E0919) on a failed `checked_index`, (E0911) on impossible sizes of a local buffer, and (E0507)
/// on what it does not support.
std::optional<Number> interpret(const PrimFunc& func, std::span<const KernelArgument> args,
                                const std::function<bool()>& is_cancelled = {});

}  // namespace sunmao
