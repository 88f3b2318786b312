#include "compiler/compile.h"

#include <algorithm>

#include "compiler/bind_weights.h"
#include "compiler/build.h"
#include "compiler/pipeline.h"
#include "compiler/preparation.h"
#include "ir/element_types.h"
#include "ir/verify.h"
#include "ir/walk.h"
#include "passes/analysis/state_params.h"
#include "passes/weights/bind_symbolic_vars.h"
#include "passes/weights/parameter_stages.h"
#include "passes/weights/weight_dependence.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// Adds the requested ranges of symbols to the attributes of every graph-level function in whose parameters they occur;
// a range of one size becomes that size. E0512 for a symbol that occurs in none.
Module with_dims(const Module& module, const std::map<std::string, Interval>& dims) {
  if (dims.empty()) return module;
  std::set<std::string> used;
  Module out = map_functions(module, [&](const Ref<Function>& f) {
    AttrMap lower, upper;
    if (const AttrMap* known = f->attr<AttrMap>("tir_var_lower_bound")) lower = *known;
    if (const AttrMap* known = f->attr<AttrMap>("tir_var_upper_bound")) upper = *known;
    Substitution sizes;
    for (const Ref<Var>& p : f->params)
      for (const Ref<SymVar>& s : free_symbols(p->type)) {
        auto range = dims.find(s->name);
        if (range == dims.end()) continue;
        used.insert(s->name);
        if (range->second.lo == range->second.hi) {
          sizes.emplace(s, IntImm::make(s->dtype, range->second.lo));
          lower.erase(s->name);
          upper.erase(s->name);
        } else {
          lower.insert_or_assign(s->name, range->second.lo);
          upper.insert_or_assign(s->name, range->second.hi);
        }
      }
    const bool had_bounds = f->attrs.has("tir_var_lower_bound") || f->attrs.has("tir_var_upper_bound");
    const Ref<Function> sized = bind_symbols(f, sizes);
    if (!had_bounds && lower.empty() && upper.empty()) return sized;
    return sized->with_attr("tir_var_lower_bound", lower)->with_attr("tir_var_upper_bound", upper);
  });
  for (const auto& [name, range] : dims)
    if (!used.contains(name))
      fail("E0512", {}, fmt::format("--dim: no input has a dimension named `{}`", name),
           "`sunmao inspect` lists the inputs");
  return out;
}

/// Replaces symbols that are sizes of given weights by these sizes.
Module with_sizes_of_weights(Module module, const Model& model, const std::vector<std::string>& entries) {
  for (const std::string& name : entries) {
    const Ref<Function> f = module.find_as<Function>(name);
    Substitution sizes;
    for (size_t i = num_input(*f, name).value_or(f->params.size()); i < f->params.size(); ++i) {
      const auto given = model.weights.find(f->params[i]->name);
      const auto* type = find<TensorType>(f->params[i]->type);
      if (given == model.weights.end() || !type || !type->dims()) continue;
      const std::vector<int64_t>& shape = given->second.shape();
      if (shape.size() != type->dims()->size()) continue;
      for (size_t d = 0; d < shape.size(); ++d)
        if (const Ref<SymVar> symbol = find_ref<SymVar>((*type->dims())[d]))
          sizes.emplace(symbol, IntImm::make(symbol->dtype, shape[d]));
    }
    module = module.with_function(name, bind_symbols(f, sizes));
  }
  return module;
}

/// The names of functions of the host that a module calls as kernels of ops.
class CalledOps final : public Visitor {
 public:
  using Visitor::visit;
  std::set<std::string> names;

 private:
  void visit(const Call& call) override {
    const Op* op = op_of(call);
    const auto* f = op && op->name() == "call_dps_packed" ? find<ExternFunc>(call.args[0]) : nullptr;
    if (f) names.insert(f->name);
    Visitor::visit(call);
  }
};

/// Fails (E1008) on an object file without a kernel that the module calls.
void check_objects(const Module& module, const std::vector<OpObject>& objects) {
  if (objects.empty()) return;
  CalledOps called;
  for (const FunctionEntry& e : module.functions()) called.visit(Expr(e.func));
  for (const OpObject& object : objects) {
    const std::set<std::string> functions = functions_of(object);
    if (std::ranges::none_of(functions, [&](const std::string& name) { return called.names.contains(name); }))
      fail("E1008", {},
           fmt::format("the object file {} has no kernel that the model calls: it has `{}`, and the model calls `{}`",
                       object.name, fmt::join(functions, "`, `"), fmt::join(called.names, "`, `")),
           "the function of C is called as the model says: R.call_dps_packed(\"name\", …), or a custom op's name");
  }
}

CompileOptions with_ordered_targets(CompileOptions options) {
  options.targets = best_first(std::move(options.targets));
  return options;
}

PassContext context_for(const CompileOptions& options) {
  PassContext context;
  context.target = options.targets.at(0);
  return context;
}

class OpCounter final : public Visitor {
 public:
  using Visitor::visit;
  size_t count = 0;
  std::map<std::string, size_t> dtypes;

 private:
  void visit(const Call& call) override {
    if (op_of(call)) {
      ++count;
      if (const auto* tensor = find<TensorType>(call.type)) ++dtypes[tensor->dtype.str()];
    }
    Visitor::visit(call);
  }
};

/// Counts ops before the pass that makes kernels of several: each op is still by itself, and what is folded is gone.
void count_ops(const PipelineStep& step, const Module& input, OpCounts& counts) {
  constexpr std::string_view kBeforeKernels = "fuse-ops", kTransform = "_transform_params";
  if (step.pass->name != kBeforeKernels || counts.run + counts.on_weights > 0) return;
  OpCounter running, preparing;
  for (const FunctionEntry& e : input.functions())
    if (const auto* f = find<Function>(Expr(e.func)))
      (e.var->name.ends_with(kTransform) ? preparing : running).visit(Expr(f->body));
  counts.on_weights = preparing.count;
  counts.run = running.count;
  counts.dtypes = std::move(running.dtypes);
}

OpCounts counts_of(const Module& model) {
  OpCounter counter;
  for (const FunctionEntry& e : model.functions())
    if (const auto* f = find<Function>(Expr(e.func))) counter.visit(Expr(f->body));
  return {.read = counter.count};
}

// `entries` are the model's functions that take weights.
RunReport run_pipeline(const Model& model, const std::vector<std::string>& entries, const CompileOptions& options,
                       OpCounts& counts) {
  verify_or_fail(model.module, Stage::Raw);
  check_element_types(model.module);
  // Without binding, callers pass the weights, so signatures may change only if the model already has transforms.
  const bool prepares = !entries.empty() && std::ranges::all_of(entries, [&](const std::string& name) {
    return options.bind_weights || has_fitting_transforms(name, model.module);
  });
  WeightWorkPlan weights{.is_lifted = prepares};
  if (options.bind_weights) weights.together = group_by_weights(model.module, entries);
  RunnerOptions runner = options.runner;
  runner.validation.weights = model.weights;
  runner.on_begin = [&](const PipelineStep& step, const Module& input) {
    check_cancelled(options);
    count_ops(step, input, counts);
    if (options.runner.on_begin) options.runner.on_begin(step, input);
  };
  Module module = with_dims(model.module, options.dims);
  if (options.keep_state) module = keep_state(module);
  if (options.bind_weights) module = with_sizes_of_weights(std::move(module), model, entries);
  module = with_tuning(module, options.tuning);
  return run_passes(
      module,
      build_pipeline(
          weights,
          {.targets = options.targets, .preparing = preparing_target(options.targets), .unroll = options.unroll},
          options.products),
      context_for(options), runner);
}

// Returns the first values of the states that sessions keep, by name. The model has them by parameter or by name.
Weights first_values(const Model& model) {
  std::set<std::string> used;
  Weights out;
  std::vector<std::string> names;
  for (const FunctionEntry& e : model.module.functions()) {
    const auto* f = find<Function>(Expr(e.func));
    for (const StateParam& s : f ? state_params(*f, e.var->name) : std::vector<StateParam>()) {
      names.push_back(fmt::format("`{}`", s.state));
      for (const std::string& key : {s.state, s.param->name})
        if (const auto found = model.states.find(key); found != model.states.end()) {
          out.emplace(s.state, found->second);
          used.insert(key);
        }
    }
  }
  for (const auto& [name, data] : model.states)
    if (!used.contains(name))
      fail("E0546", {}, fmt::format("there is a first value for `{}`, and no function has such a state", name),
           names.empty() ? "no function has the attribute `state_names`"
                         : fmt::format("the states are {}", fmt::join(names, ", ")));
  return out;
}

}  // namespace

RunReport run_pipeline(const Model& model, const CompileOptions& options) {
  OpCounts counts;
  return run_pipeline(model, find_weighted_entries(model.module), with_ordered_targets(options), counts);
}

Compiled compile(const Model& model, const CompileOptions& given) {
  const CompileOptions options = with_ordered_targets(given);
  check_objects(model.module, options.objects);
  const std::vector<std::string> entries = find_weighted_entries(model.module);
  Weights states = options.keep_state ? first_values(model) : Weights();
  OpCounts counts = counts_of(model.module);
  std::vector<std::string> notices;
  CompileOptions noting = options;
  if (!options.runner.on_notice)
    noting.runner.on_notice = [&notices](const std::string& text) { notices.push_back(text); };
  RunReport report = run_pipeline(model, entries, noting, counts);
  if (report.stopped)
    fail("E0513", {}, fmt::format("stopped after {}: nothing to write", options.runner.stop_after),
         "use `sunmao opt` to look at a stage");
  Module module = report.module;
  verify_or_fail(module, Stage::VmReady);
  BoundWeights bound;
  if (options.bind_weights && !entries.empty()) bound = bind_weights(model, entries, module, options);
  bound.program.kernels_alone = options.kernels_alone;
  bound.program.states = std::move(states);
  const std::unique_ptr<ArtifactSink> sink =
      options.output.empty() ? make_memory_sink() : make_file_sink(options.output);
  build_artifact(module, bound.program, options, bound.prepared.get(), *sink);
  return {sink->end(),       std::move(module), std::move(report.timings), std::move(bound.growth),
          std::move(counts), std::move(notices)};
}

}  // namespace sunmao
