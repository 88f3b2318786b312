#include "passes/pass.h"

#include "eval/evaluator.h"
#include "passes/graph/graph_passes.h"

namespace sunmao {

const Executor& evaluating_executor() {
  class Evaluating final : public Executor {
    Value call(const Module& module, const std::string& function, const std::vector<Value>& args) const override {
      return Evaluator(module).call(function, args);
    }
  };
  static const Evaluating executor;
  return executor;
}

const std::vector<Pass>& all_passes() {
  static const std::vector<Pass> passes{
      {"normalize", "operands become leaves, every type is known", "Normalize", normalize},
      {"canonicalize-bindings", "bindings that only rename are removed", "CanonicalizeBindings", canonicalize_bindings},
      {"fold-constants", "calls on constants are evaluated, unless that grows the module", "FoldConstant",
       fold_constants},
      {"eliminate-dead-code", "what nothing uses is removed", "DeadCodeElimination", eliminate_dead_code},
      {"pack-weights", "weights of products are packed for the target's kernels", "", pack_weights},
      {"lift-transform-params", "work on weights alone moves to <name>_transform_params", "LiftTransformParams",
       lift_transform_params},
      {"legalize-ops", "ops become calls of loop-level functions", "LegalizeOps", legalize_ops},
      {"fuse-kernels", "elementwise kernels join the kernel that feeds them", "", fuse_kernels},
  };
  return passes;
}

const Pass* find_pass(std::string_view name) {
  for (const Pass& p : all_passes())
    if (name == p.name) return &p;
  return nullptr;
}

}  // namespace sunmao
