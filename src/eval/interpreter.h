// The loop-level half of the evaluator: runs a PrimFunc on arrays, statement by statement. Slow and right.
#pragma once
#include <functional>
#include <optional>
#include <span>

#include "eval/element.h"
#include "loop/prim_func.h"
#include "support/array.h"

namespace sunmao {

/// One parameter: memory for a buffer (read or written in place), or the value of a scalar.
struct KernelArgument {
  std::byte* data = nullptr;
  std::vector<int64_t> shape = {};
  int64_t scalar = 0;
  DType dtype = {};  // of the elements
};

/// Thrown where somebody who is asked says that nobody waits for the result any more.
struct WalkCancelled {};

/// Runs `func`, and gives back what it returns, if it does; `is_cancelled`, where set, is asked now and then. Symbols
/// of the buffers' shapes are read off the arguments' shapes; a shape that contradicts them, an index out of bounds or
/// a failed assertion is an E0506 error.
std::optional<Number> interpret(const PrimFunc& func, std::span<const KernelArgument> args,
                                const std::function<bool()>& is_cancelled = {});

}  // namespace sunmao
