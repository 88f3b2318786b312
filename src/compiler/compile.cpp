#include "compiler/compile.h"

#include <algorithm>

#include "compiler/build.h"
#include "compiler/compiled_executor.h"
#include "compiler/pipeline.h"
#include "compiler/preparation.h"
#include "ir/verify.h"
#include "ops/ops.h"
#include "passes/graph/parameter_stages.h"
#include "passes/graph/weight_dependence.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// States the ranges asked for on every graph-level function, by the names of its symbols.
Module with_dims(const Module& module, const std::map<std::string, Interval>& dims) {
  if (dims.empty()) return module;
  std::set<std::string> used;
  Module out = map_functions(module, [&](const Ref<Function>& f) {
    AttrMap lower, upper;
    if (const AttrMap* known = f->attr<AttrMap>("tir_var_lower_bound")) lower = *known;
    if (const AttrMap* known = f->attr<AttrMap>("tir_var_upper_bound")) upper = *known;
    for (const Ref<Var>& p : f->params)
      for (const Ref<SymVar>& s : free_symbols(p->type)) {
        auto range = dims.find(s->name);
        if (range == dims.end()) continue;
        used.insert(s->name);
        lower.insert_or_assign(s->name, range->second.lo);
        upper.insert_or_assign(s->name, range->second.hi);
      }
    if (lower.empty() && upper.empty()) return f;
    return f->with_attr("tir_var_lower_bound", lower)->with_attr("tir_var_upper_bound", upper);
  });
  for (const auto& [name, range] : dims)
    if (!used.contains(name))
      fail("E0512", {}, fmt::format("--dim: no input has a dimension named `{}`", name),
           "`sunmao inspect` lists the inputs");
  return out;
}

PassContext context_for(const CompileOptions& options) {
  PassContext context;
  context.target = options.targets.at(0);
  return context;
}

// The data of a parameter, checked against its type.
Array weight_for(const std::string& name, const Type& type, const Weights& weights) {
  auto found = weights.find(name);
  if (found == weights.end())
    fail("E0520", type->span, fmt::format("there is no data for the weight `{}`: {}", name, describe(type)),
         "pass the weights (--weights), or compile without binding them");
  const Array& data = found->second;
  const auto* t = find<TensorType>(type);
  bool fits = t && t->dims() && t->dtype == data.dtype() && t->dims()->size() == data.shape().size();
  for (size_t i = 0; fits && i < data.shape().size(); ++i) {
    const int64_t* size = find_int((*t->dims())[i]);
    fits = !size || *size == data.shape()[i];
  }
  if (!fits)
    fail(
        "E0521", type->span,
        fmt::format("the weight `{}` does not fit: expected {}, got a {}", name, describe(type), describe(Value(data))),
        "are these the weights of another model?");
  return data;
}

ProgramWeight described(const std::string& name, const Type& type) {
  const auto* t = find<TensorType>(type);
  if (!t || !t->dims())
    fail("E0521", type->span, fmt::format("the weight `{}` is {}, and an artifact holds arrays", name, describe(type)),
         "bundle-model-params makes a tuple of weights: leave it out");
  ProgramWeight w{name, t->dtype, {}, std::nullopt};
  for (const Scalar& d : *t->dims()) {
    const int64_t* size = find_int(d);
    if (!size)
      fail("E0521", type->span, fmt::format("the weight `{}` is {}: its size must be known", name, describe(type)),
           "give it its size with bind-symbolic-vars");
    w.shape.push_back(*size);
  }
  return w;
}

ProgramWeight described(const std::string& name, const Array& data) { return {name, data.dtype(), data.shape(), data}; }

// The weights of one content get one name.
void share_equal(Weights& prepared, Preparation& plan) {
  std::map<std::string, std::vector<std::string>> alike;  // by dtype and shape
  std::map<std::string, std::string> same;
  for (const PreparingStep& step : plan.steps)
    for (const std::string& name : step.gives) {
      const Array& data = prepared.at(name);
      std::vector<std::string>& others = alike[describe(Value(data))];
      auto equal = std::ranges::find_if(others, [&](const std::string& o) { return prepared.at(o) == data; });
      if (equal == others.end())
        others.push_back(name);
      else
        same.emplace(name, *equal);
    }
  for (auto& [function, params] : plan.bound)
    for (auto& [param, weight] : params)
      if (auto known = same.find(weight); known != same.end()) weight = known->second;
}

// Runs the transforms on the raw weights.
Weights prepare_weights(const Model& model, const Module& module, const Preparation& plan,
                        const CompileOptions& options) {
  Weights all;
  for (const auto& [name, type] : plan.raw) all.emplace(name, weight_for(name, type, model.weights));
  for (const PreparingStep& step : plan.steps) {
    ValueTuple args;
    for (const std::string& name : step.takes) args.emplace_back(all.at(name));
    const Value given =
        run_compiled(module.with_function(step.name, step.function), step.name, {Value(std::move(args))}, options);
    for (size_t i = 0; i < step.gives.size(); ++i) all.emplace(step.gives[i], *given.tuple()->at(i).array());
  }
  return all;
}

// Public functions, without the transforms of `weighted`.
std::vector<std::string> callable_entries(const Module& module, const std::vector<std::string>& weighted) {
  std::set<std::string> transforms;
  for (const std::string& entry : weighted)
    for (const std::string& stage : param_transforms(*module.find_as<Function>(entry), module))
      transforms.insert(stage);
  std::vector<std::string> entries = entries_of(module, {});
  std::erase_if(entries, [&](const std::string& name) { return transforms.contains(name); });
  return entries;
}

// Functions bound to weights that are prepared now.
ProgramOptions bind_prepared(const Model& model, const Module& module, Preparation plan,
                             const CompileOptions& options) {
  Weights prepared = prepare_weights(model, module, plan, options);
  if (plan.steps.size() > 1) share_equal(prepared, plan);
  ProgramOptions program;
  program.bound = std::move(plan.bound);
  for (const auto& [function, params] : program.bound)
    for (const auto& [param, weight] : params) program.weights.emplace(weight, described(weight, prepared.at(weight)));
  return program;
}

// Functions bound to weights that functions of the program make of raw ones, where the model has those.
ProgramOptions bind_raw(const Model& model, Module& module, const Preparation& plan) {
  ProgramOptions program;
  program.bound = plan.bound;
  const bool has_any = std::ranges::any_of(plan.raw, [&](const auto& w) { return model.weights.contains(w.first); });
  for (const auto& [name, type] : plan.raw)
    program.weights.emplace(name,
                            has_any ? described(name, weight_for(name, type, model.weights)) : described(name, type));
  for (const PreparingStep& step : plan.steps) {
    const Ref<Var>& tuple = step.function->params[0];
    for (size_t i = 0; i < step.takes.size(); ++i)
      program.bound[step.name].emplace(fmt::format("{}.{}", tuple->name, i), step.takes[i]);
    const auto& types = find<TupleType>(step.function->result_type)->fields;
    for (size_t i = 0; i < step.gives.size(); ++i)
      program.weights.emplace(step.gives[i], described(step.gives[i], types[i]));
    program.made.emplace(step.name, step.gives);
    module = module.with_function(step.name, step.function);
  }
  return program;
}

ProgramOptions bind_weights(const Model& model, Module& module, const CompileOptions& options) {
  const std::vector<std::string> weighted = find_weighted_entries(module);
  const std::vector<std::string> entries = callable_entries(module, weighted);
  Preparation plan = plan_preparation(module, weighted);
  std::vector<std::string> makers;
  for (const PreparingStep& step : plan.steps) makers.push_back(step.name);
  ProgramOptions program =
      options.prepare_at_load ? bind_raw(model, module, plan) : bind_prepared(model, module, std::move(plan), options);
  program.entries = entries;
  if (options.prepare_at_load) program.entries.insert(program.entries.end(), makers.begin(), makers.end());
  return program;
}

}  // namespace

RunReport run_pipeline(const Model& model, const CompileOptions& options) {
  verify_or_fail(model.module, Stage::Raw);
  // Unbound, callers pass weights themselves, so signatures may change only behind transforms that they call.
  const std::vector<std::string> entries = find_weighted_entries(model.module);
  const bool prepares = !entries.empty() && std::ranges::all_of(entries, [&](const std::string& name) {
    return options.bind_weights || has_fitting_transforms(*model.module.find_as<Function>(name), model.module);
  });
  WeightWorkPlan weights{.is_lifted = prepares};
  if (options.bind_weights) weights.together = group_by_weights(model.module, entries);
  return run_passes(with_dims(model.module, options.dims), build_pipeline(weights), context_for(options),
                    options.runner);
}

Compiled compile(const Model& model, const CompileOptions& options) {
  RunReport report = run_pipeline(model, options);
  if (report.stopped)
    fail("E0513", {}, fmt::format("stopped after {}: nothing to write", options.runner.stop_after),
         "use `sunmao opt` to look at a stage");
  Module module = report.module;
  verify_or_fail(module, Stage::VmReady);
  ProgramOptions program;
  if (options.bind_weights && !find_weighted_entries(model.module).empty())
    program = bind_weights(model, module, options);
  if (options.allow_walk) program = with_walked(module, std::move(program));
  io::Chunks artifact = build_artifact(module, program, options);
  return {std::move(artifact), std::move(module), std::move(report.timings), std::move(program.walked)};
}

}  // namespace sunmao
