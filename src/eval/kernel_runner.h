// KernelRunner: who runs loop-level functions while the graph level is walked.
#pragma once
#include "eval/interpreter.h"

namespace sunmao {

class KernelRunner {
 public:
  virtual ~KernelRunner() = default;
  /// What `interpret` says of itself (eval/interpreter.h).
  virtual std::optional<Number> run(const PrimFunc& func, std::span<const KernelArgument> args) = 0;
  /// Whether the memory of a parameter may be written: an array that must not change is copied for it.
  virtual bool may_write(const PrimFunc& func, size_t param) const = 0;
};

/// Statement by statement. It says of every parameter that it may be written.
KernelRunner& interpreting_runner();

/// For each parameter whether its buffer may be written, by the stores in the function and by views that it makes.
std::vector<bool> written_params(const PrimFunc& func);

}  // namespace sunmao
