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
class InterpretingRunner final : public KernelRunner {
 public:
  /// Asked now and then, where it is set; when it says so, the run ends with WalkCancelled.
  explicit InterpretingRunner(std::function<bool()> is_cancelled = {}) : is_cancelled_(std::move(is_cancelled)) {}
  std::optional<Number> run(const PrimFunc& func, std::span<const KernelArgument> args) override {
    return interpret(func, args, is_cancelled_);
  }
  bool may_write(const PrimFunc&, size_t) const override { return true; }

 private:
  const std::function<bool()> is_cancelled_;
};

/// For each parameter whether its buffer may be written, by the stores in the function and by views that it makes.
std::vector<bool> written_params(const PrimFunc& func);

}  // namespace sunmao
