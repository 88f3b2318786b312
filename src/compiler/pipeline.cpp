// The pipeline from a front end's module to a VmReady one. Every step is a pure function from module to module, can be
// named on the command line (`--stop-after`, `--dump-after`, `--disable`), and its result can be printed as a script.
#include "compiler/pipeline.h"

#include "support/diagnostic.h"

namespace sunmao {
namespace {

class Steps {
 public:
  explicit Steps(Stage stage) : stage_(stage) {}
  Steps& then(const char* name, AttrMap arguments = {}) {
    const Pass* pass = find_pass(name);
    SUNMAO_CHECK(pass, "no pass {}", name);
    steps_.push_back({pass, stage_, std::move(arguments)});
    return *this;
  }
  Steps& becomes(Stage stage) {
    stage_ = stage;
    return *this;
  }
  std::vector<PipelineStep> take() { return std::move(steps_); }

 private:
  Stage stage_;
  std::vector<PipelineStep> steps_;
};

}  // namespace

std::vector<PipelineStep> build_pipeline(const WeightWorkPlan& weights) {
  Steps p(Stage::Normal);
  // Phase 1: canonical form. Imported -> Normal.
  p.then("normalize").then("check-sizes").then("convert-to-dataflow", {{"min_size", 1}}).then("canonicalize-bindings");
  p.then("evaluate-shapes").then("fold-constants").then("simplify").then("eliminate-dead-code");
  // Phase 2: weights are packed for the kernels, and work that depends on weights alone is lifted out of the functions.
  if (weights.is_lifted) {
    p.then("pack-weights");
    for (const auto& [name, functions] : weights.together)
      p.then("lift-transform-params",
             {{"shared_transform", AttrList(functions.begin(), functions.end())}, {"variants", true}, {"name", name}});
    p.then("lift-transform-params").then("canonicalize-bindings");
  }
  // Phase 3: ops are lowered to kernels, and kernels are fused. Normal -> Legal -> VmReady.
  p.becomes(Stage::Legal).then("legalize-ops").then("canonicalize-bindings").then("lift-temporaries");
  p.becomes(Stage::VmReady).then("fuse-kernels").then("eliminate-dead-code");
  // Phase 4 (compile.cpp): kernels are scheduled and compiled, storage is planned, and bytecode and artifact are
  // generated.
  return p.take();
}

}  // namespace sunmao
