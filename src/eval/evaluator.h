// The reference evaluator: runs any verified module on real arrays, walking the graph level and interpreting the loop
// level. Slow and right: everything else is compared with it.
#pragma once
#include <functional>

#include "eval/host_function.h"
#include "eval/interpreter.h"
#include "eval/poison.h"
#include "ir/module.h"

namespace sunmao {

class KernelRunner;

/// How many calls stand in each other at most, beyond which they fail (E0506): a program that calls itself without end
/// stops before the stack does.
#ifdef SUNMAO_SANITIZED
constexpr int kMaxCalls = 200;  // frames are several times as large
#else
constexpr int kMaxCalls = 1000;
#endif

/// What a walk of the graph level leaves to others.
struct EvaluatorOptions {
  KernelRunner* kernels = nullptr;       // null: loop-level functions are interpreted
  FindHostFunction host_functions = {};  // not set: none is known
  PoisonWatch* poison = nullptr;         // null: what values are made from is not followed
  /// Asked before each call and in long loops; when it says so, the walk ends with WalkCancelled.
  std::function<bool()> is_cancelled = {};
};

class Evaluator {
 public:
  explicit Evaluator(Module module, EvaluatorOptions options = {})
      : module_(std::move(module)), options_(std::move(options)) {}

  /// Calls a function of the module. Fails (E0505) when an argument does not fit its parameter. An array goes when
  /// nothing reads it any more, those in `args` too unless the caller holds them as well.
  Value call(const std::string& function, ValueTuple args) const;
  /// Calls a function that is a value: a closure that a call has given, or a function of the host.
  Value invoke(const Value& function, ValueTuple args) const;

 private:
  Module module_;
  EvaluatorOptions options_;
};

/// The value of one call of an op or of a loop-level function whose arguments are known arrays; its type must be known.
Value evaluate_call(const Module& module, const Call& call, const std::vector<Value>& args);

}  // namespace sunmao
