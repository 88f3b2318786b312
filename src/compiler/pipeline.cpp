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

AttrList texts_of(const std::vector<Target>& targets) {
  AttrList out;
  for (const Target& t : targets) out.emplace_back(t.text());
  return out;
}

AttrMap arguments_of(const UnrollOptions& unroll) {
  return {{"auto_max_step", unroll.auto_max_step},
          {"auto_max_depth", unroll.auto_max_depth},
          {"auto_max_extent", unroll.auto_max_extent},
          {"explicit_unroll", unroll.explicit_unroll}};
}

// Of canonicalize-bindings.
const AttrMap kInNumbers{{"in_numbers", true}};

/// Work that depends on weights alone is lifted out of the functions.
void lift(Steps& p, const WeightWorkPlan& weights) {
  for (const auto& [name, functions] : weights.together)
    p.then("lift-transform-params",
           {{"shared_transform", AttrList(functions.begin(), functions.end())}, {"variants", true}, {"name", name}});
  p.then("lift-transform-params").then("canonicalize-bindings", kInNumbers);
}

}  // namespace

std::vector<PipelineStep> build_pipeline(const WeightWorkPlan& weights, const KernelPlan& kernels, DType products) {
  Steps p(Stage::Normal);
  // Phase 1: canonical form. Imported -> Normal.
  p.then("normalize")
      .then("inline-ops")
      .then("lambda-lift", {{"captures_passed", true}})
      .then("raise-shapes")
      .then("raise-calls");
  p.then("evaluate-shapes").then("name-sizes").then("check-sizes");
  p.then("convert-to-dataflow", {{"min_size", 1}}).then("canonicalize-bindings", kInNumbers);
  p.then("evaluate-shapes").then("fold-constants").then("simplify");
  p.then("eliminate-common-subexpr").then("eliminate-dead-code");
  if (weights.is_lifted) p.then("fold-batch-norm");
  p.then("choose-before-widening").then("compute-in-integers").then("keep-weights-narrow");
  p.then("channels-last").then("canonicalize-bindings", kInNumbers).then("simplify").then("eliminate-dead-code");
  p.then("compute-by-table").then("fold-constants", {{"small_may_grow", true}});
  if (weights.is_lifted) p.then("transposed-conv-to-conv").then("canonicalize-bindings", kInNumbers);
  p.then("recognize-attention");
  if (products.code == TypeCode::BFloat) p.then("compute-in-bfloat16");
  // Phase 2: weights are packed for the kernels, and work that depends on weights alone is lifted out of the functions.
  if (weights.is_lifted) {
    p.then("hoist-weight-work");
    lift(p, weights);
  }
  // Phase 3: ops are lowered to kernels and kernels are fused. Temporaries that are too large for a stack become
  // tensors, and kernels that only copy a part of a tensor become views of it.
  // Normal -> Legal -> VmReady.
  const AttrMap legal = weights.is_lifted ? AttrMap{{"prepares_weights", true}} : AttrMap{};
  p.becomes(Stage::Legal).then("legalize-ops", legal).then("canonicalize-bindings", kInNumbers);
  p.then("bind-numbers").then("annotate-op-pattern").then("fuse-ops", {{"only_kernels", true}}).then("fuse-tir");
  p.becomes(Stage::VmReady).then("fuse-kernels");
  if (weights.is_lifted) {
    p.then("choose-weight-layouts").then("split-layout-rewrite").then("hoist-weight-work").then("share-weight-layouts");
    lift(p, weights);
    p.then("fuse-kernels");  // in the transforms: a weight is read and written once
  }
  p.then("lift-temporaries").then("copies-to-views").then("eliminate-dead-code");
  // Phase 4: values that only the host understands become handles. Branches become functions, because bytecode has no
  // scopes inside a function. The code behind a data-dependent size becomes a function too, because a function knows
  // all its sizes when it starts. A tensor at its last use that is only partly overwritten is updated in place.
  p.then("box-objects").then("outline-branches").then("outline-regions").then("update-in-place");
  // Phase 5: kernels are scheduled, for each target in a form of its own beside the kernel.
  p.then("add-target-forms", {{"targets", texts_of(kernels.targets)}, {"preparing", kernels.preparing.text()}});
  p.then("inline-elementwise").then("apply-tuning").then("schedule").then("lower-blocks").then("vectorize-loops");
  p.then("unroll-loops", arguments_of(kernels.unroll)).then("simplify-loops").then("expand-intrinsics");
  // Phase 6 (build.cpp): kernels are compiled, storage is planned, and bytecode and artifact are generated.
  return p.take();
}

}  // namespace sunmao
