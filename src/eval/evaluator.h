// The reference evaluator: runs any verified module on real arrays, walking the graph level and interpreting the loop
// level. Slow and right: everything else is compared with it.
#pragma once
#include "eval/value.h"
#include "ir/module.h"

namespace sunmao {

class Evaluator {
 public:
  explicit Evaluator(Module module) : module_(std::move(module)) {}

  /// Calls a function of the module. Fails (E0505) when an argument does not fit its parameter.
  Value call(const std::string& function, const std::vector<Value>& args) const;

 private:
  Module module_;
};

/// The value of one call of an op or of a loop-level function whose arguments are known arrays; its type must be known.
Value evaluate_call(const Module& module, const Call& call, const std::vector<Value>& args);

}  // namespace sunmao
