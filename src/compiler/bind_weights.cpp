#include "compiler/bind_weights.h"

#include <algorithm>

#include "compiler/compiled_executor.h"
#include "compiler/preparation.h"
#include "passes/graph/parameter_stages.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

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

}  // namespace

ProgramOptions bind_weights(const Model& model, Module& module, const CompileOptions& options) {
  const std::vector<std::string> weighted = find_weighted_entries(model.module);
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

}  // namespace sunmao
