// KernelRunner: how loop-level functions are run by the evaluator, which interprets them, and by the interpreter of
// register programs, which calls compiled ones (compiler/loaded_kernels.h).
#pragma once
#include "eval/interpreter.h"

namespace sunmao {

class KernelRunner {
 public:
  virtual ~KernelRunner() = default;
  /// Runs `func`, with the contract of `interpret` (eval/interpreter.h).
  virtual std::optional<Number> run(const PrimFunc& func, std::span<const KernelArgument> args) = 0;
  /// True when the function may write to the parameter's memory; an array that must not change is then copied.
  virtual bool may_write(const PrimFunc& func, size_t param) const = 0;
};

/// Interprets functions; assumes that every parameter may be written.
class InterpretingRunner final : public KernelRunner {
 public:
  /// `is_cancelled`, if set, is polled; when it returns true, the run throws WalkCancelled.
  explicit InterpretingRunner(std::function<bool()> is_cancelled = {}) : is_cancelled_(std::move(is_cancelled)) {}
  std::optional<Number> run(const PrimFunc& func, std::span<const KernelArgument> args) override {
    return interpret(func, args, is_cancelled_);
  }
  bool may_write(const PrimFunc&, size_t) const override { return true; }

 private:
  const std::function<bool()> is_cancelled_;
};

/// Returns for each parameter whether its buffer may be written: directly or through a view, or in any way when the
/// function calls another one or takes an address.
std::vector<bool> written_params(const PrimFunc& func);

}  // namespace sunmao
