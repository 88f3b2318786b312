// The reference evaluator: runs verified modules on arrays by walking the graph level and interpreting the loop level;
// fails (E0507) on what it does not support, such as vectors in loops. It is slow; other implementations are tested
// against it.
#pragma once
#include <functional>

#include "eval/host_function.h"
#include "eval/interpreter.h"
#include "eval/poison.h"
#include "ir/module.h"

namespace sunmao {

/// Maximum depth of nested calls; deeper calls fail (E0506), so that infinite recursion does not overflow the stack.
/// An iteration of a loop takes two calls where its branches are functions (`outline-branches`).
#ifdef SUNMAO_SANITIZED
constexpr int kMaxCalls = 400;  // stack frames are several times larger under sanitizers
#else
constexpr int kMaxCalls = 2000;
#endif

/// What the evaluator delegates to its caller.
struct EvaluatorOptions {
  FindHostFunction host_functions = {};  // unset: no host functions are available
  PoisonWatch* poison = nullptr;         // null: no taint tracking
  /// Called before each call and periodically in loops that are interpreted; if it returns true, evaluation throws
  /// WalkCancelled.
  std::function<bool()> is_cancelled = {};
};

class Evaluator {
 public:
  explicit Evaluator(Module module, EvaluatorOptions options = {})
      : module_(std::move(module)), options_(std::move(options)) {}

  /// Calls a graph-level function of the module; fails (E0505) when there is none of that name. Fails when an argument
  /// does not fit its parameter: E0905 when a dimension or a number differs, E0506 when the parameter's one cannot be
  /// computed, else E0505. Arrays, also those in `args`, are released after their last use unless the caller holds
  /// them.
  Value call(const std::string& function, ValueTuple args) const;
  /// Calls a function value: a closure that was returned by a call, or a host function.
  Value invoke(const Value& function, ValueTuple args) const;

 private:
  Module module_;
  EvaluatorOptions options_;
};

/// Evaluates a single call of an op or a loop-level function on arrays; the call's type must be known.
Value evaluate_call(const Module& module, const Call& call, const std::vector<Value>& args);

}  // namespace sunmao
