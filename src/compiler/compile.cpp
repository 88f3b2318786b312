#include "compiler/compile.h"

#include <algorithm>

#include "compiler/build.h"
#include "compiler/compiled_executor.h"
#include "compiler/pipeline.h"
#include "ir/verify.h"
#include "ops/ops.h"
#include "passes/graph/parameter_stages.h"
#include "passes/graph/weight_dependence.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

std::string find_weighted_entry(const Module& module) {
  for (const FunctionEntry& e : module.functions()) {
    const auto* f = find<Function>(Expr(e.func));
    if (f && !is_param_transform(*f) && num_input(*f, e.var->name)) return e.var->name;
  }
  return {};
}

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

const Function& function(const Module& m, const std::string& name) { return *find<Function>(Expr(m.find(name))); }

// Runs the transforms on the raw weights; the prepared ones by the names of the function's parameters.
Weights prepare_weights(const Model& model, const Module& module, const std::string& entry,
                        const CompileOptions& options) {
  const Function& lifted = function(module, entry);
  const size_t inputs = *num_input(lifted, entry);
  const std::vector<std::string> stages = param_transforms(lifted, module);
  Weights bound;
  if (stages.empty() || lifted.params.size() == inputs) return bound;
  const Function& first = function(module, stages[0]);
  const std::vector<std::string> names = names_in(first, kWeightNamesAttr);
  const auto& types = find<TupleType>(first.params.at(0)->type)->fields;
  if (names.size() != types.size())
    fail("E0520", first.span,
         fmt::format("`{}` takes {} weights and names {} of them", stages[0], types.size(), names.size()),
         fmt::format("say what they are called: R.func_attr({{\"{}\": [\"w\", …]}})", kWeightNamesAttr));
  ValueTuple raw;
  for (size_t i = 0; i < names.size(); ++i) raw.emplace_back(weight_for(names[i], types[i], model.weights));
  Value prepared{std::move(raw)};
  for (const std::string& stage : stages) prepared = run_compiled(module, stage, {prepared}, options);
  for (size_t i = inputs; i < lifted.params.size(); ++i) {
    const Array* data = prepared.tuple()->at(i - inputs).array();
    if (!data)
      fail("E0521", lifted.params[i]->span,
           fmt::format("`{}` is {}, and an artifact holds arrays", lifted.params[i]->name,
                       describe(lifted.params[i]->type)),
           "weights of sizes that only they know: give them their sizes with bind-symbolic-vars");
    bound.emplace(lifted.params[i]->name, *data);
  }
  return bound;
}

}  // namespace

RunReport run_pipeline(const Model& model, const CompileOptions& options) {
  verify_or_fail(model.module, Stage::Raw);
  // Unbound, callers pass weights themselves, so a signature may change only behind a transform that they call.
  std::string entry = find_weighted_entry(model.module);
  bool prepares =
      !entry.empty() && (options.bind_weights || function(model.module, entry).attrs.has(kParamTransformAttr));
  return run_passes(with_dims(model.module, options.dims), build_pipeline(prepares), context_for(options),
                    options.runner);
}

Compiled compile(const Model& model, const CompileOptions& options) {
  RunReport report = run_pipeline(model, options);
  if (report.stopped)
    fail("E0513", {}, fmt::format("stopped after {}: nothing to write", options.runner.stop_after),
         "use `sunmao opt` to look at a stage");
  Module module = report.module;
  verify_or_fail(module, Stage::VmReady);
  std::string entry = find_weighted_entry(model.module);
  ProgramOptions program;
  if (options.bind_weights && !entry.empty()) {
    program.bound = prepare_weights(model, module, entry, options);
    program.entries = {entry};
  }
  if (options.allow_walk) program = with_walked(module, std::move(program));
  io::Chunks artifact = build_artifact(module, program, options);
  return {std::move(artifact), std::move(module), std::move(report.timings), std::move(program.walked)};
}

}  // namespace sunmao
