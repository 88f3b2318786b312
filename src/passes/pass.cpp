#include "passes/pass.h"

#include "eval/evaluator.h"

namespace sunmao {

Value EvaluatingExecutor::call(const Module& module, const std::string& function,
                               const std::vector<Value>& args) const {
  return Evaluator(module, {.is_cancelled = is_cancelled_}).call(function, args);
}

const Executor& evaluating_executor() {
  static const EvaluatingExecutor executor;
  return executor;
}

const char* name_of(Effect effect) {
  static constexpr const char* kNames[] = {"exact", "rounds", "reorders", "infers", "changes"};
  return kNames[static_cast<int>(effect)];
}

const Pass* find_pass(std::string_view name) {
  for (const Pass& p : all_passes())
    if (name == p.name) return &p;
  return nullptr;
}

}  // namespace sunmao
