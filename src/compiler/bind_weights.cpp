#include "compiler/bind_weights.h"

#include <algorithm>

#include "compiler/given_weights.h"
#include "compiler/preparation.h"
#include "compiler/run_compiled.h"
#include "passes/weights/parameter_stages.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

constexpr const char* kHowToGive = "pass the weights (--weights), or compile without binding them";

// Returns the raw weights. Fails with E0520 when some are missing (their number, and the first 8 of them), or E0521
// when one does not fit.
Weights raw_weights(const Model& model, const Preparation& plan) {
  std::vector<std::string> missing;
  Span first;
  Weights out;
  for (const auto& [name, type] : plan.raw) {
    auto found = model.weights.find(name);
    if (found == model.weights.end()) {
      if (missing.empty()) first = type->span;
      missing.push_back(fmt::format("`{}`: {}", name, describe(type)));
      continue;
    }
    check_weight(name, type, found->second);
    if (const auto* t = find<TensorType>(type); !t->dims() || t->is_unknown_dtype())
      fail("E0521", type->span,
           fmt::format("the weight `{}` is {}: its dtype and rank must be known", name, describe(type)),
           "state them in the function's signature");
    out.emplace(name, found->second);
  }
  if (missing.size() == 1)
    fail("E0520", first, fmt::format("there is no data for the weight {}", missing[0]), kHowToGive);
  constexpr size_t kShown = 8;
  const size_t count = missing.size();
  if (count > kShown) missing.resize(kShown);
  if (count > 0)
    fail({.code = "E0520",
          .message = fmt::format("there is no data for {} weights{}", count, count > kShown ? ", among them" : ""),
          .span = first,
          .notes = std::move(missing),
          .help = kHowToGive});
  return out;
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

// Binds parameters whose prepared weights are equal (dtype, shape, content) to one and the same of them.
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

// Runs the transforms on the raw weights; returns the raw weights and all results by name.
Weights prepare_weights(const Model& model, const Module& module, const Preparation& plan,
                        const CompileOptions& options) {
  Weights all = raw_weights(model, plan);
  const PhaseTimer timer("prepare weights", options.on_phase);
  CompileOptions here = options;
  here.on_phase = {};
  here.targets = {preparing_target(options.targets)};
  for (const PreparingStep& step : plan.steps) {
    ValueTuple args;
    for (const std::string& name : step.takes) args.emplace_back(all.at(name));
    const Value given =
        run_compiled(module.with_function(step.name, step.function), step.name, {Value(std::move(args))}, here);
    for (size_t i = 0; i < step.gives.size(); ++i) all.emplace(step.gives[i], *given.tuple()->at(i).array());
  }
  return all;
}

// Returns the public functions without the transforms of `weighted`.
std::vector<std::string> callable_entries(const Module& module, const std::vector<std::string>& weighted) {
  std::set<std::string> transforms;
  for (const std::string& entry : weighted)
    for (const std::string& stage : param_transforms(entry, module)) transforms.insert(stage);
  std::vector<std::string> entries = entries_of(module, {});
  std::erase_if(entries, [&](const std::string& name) { return transforms.contains(name); });
  return entries;
}

// Binds functions to weights that are prepared now, during compilation.
ProgramOptions bind_prepared(const Model& model, const Module& module, Preparation plan, const CompileOptions& options,
                             Growth& growth) {
  Weights prepared = prepare_weights(model, module, plan, options);
  for (const PreparingStep& step : plan.steps) add_grown(step, prepared, growth);
  if (plan.steps.size() > 1) share_equal(prepared, plan);
  ProgramOptions program;
  program.bound = std::move(plan.bound);
  for (const auto& [function, params] : program.bound)
    for (const auto& [param, weight] : params) program.weights.emplace(weight, described(weight, prepared.at(weight)));
  return program;
}

void check_growth(const Growth& growth, const CompileOptions& options) {
  if (growth.bytes_before == 0 || growth.share() <= options.max_growth) return;
  fail({.code = "E0533",
        .message = fmt::format("the weights grow by {:.1f} %, from {} to {} bytes; {:.1f} % are allowed",
                               100 * growth.share(), growth.bytes_before, growth.bytes_after, 100 * options.max_growth),
        .span = {},
        .notes = growth_lines(growth),
        .help = "allow more (--max-growth), or prepare weights when loading (--prepare load)"});
}

// Binds functions to weights that functions of the program compute when it is loaded. The program includes the raw
// weights from which these are computed if the model has data for any; it must then have data for all (E0520).
ProgramOptions bind_raw(const Model& model, Module& module, const Preparation& plan) {
  ProgramOptions program;
  program.bound = plan.bound;
  const bool has_any = std::ranges::any_of(plan.raw, [&](const auto& w) { return model.weights.contains(w.first); });
  const Weights raw = has_any ? raw_weights(model, plan) : Weights();
  for (const auto& [name, type] : plan.raw)
    program.weights.emplace(name, has_any ? described(name, raw.at(name)) : described(name, type));
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

Target preparing_target(const std::vector<Target>& targets) {
  const Target host = Target::host();
  const auto runs_here = [&](const Target& t) {
    return std::ranges::all_of(t.features, [&](const std::string& f) { return host.has(f); });
  };
  const std::vector<Target> ordered = best_first(targets);
  const auto found = std::ranges::find_if(ordered, runs_here);
  return found == ordered.end() ? host : *found;
}

BoundWeights bind_weights(const Model& model, const std::vector<std::string>& weighted, Module& module,
                          const CompileOptions& options) {
  const std::vector<std::string> entries = callable_entries(module, weighted);
  Preparation plan = plan_preparation(module, weighted);
  std::vector<std::string> makers;
  for (const PreparingStep& step : plan.steps) makers.push_back(step.name);
  Growth growth;
  ProgramOptions program = options.prepare_at_load ? bind_raw(model, module, plan)
                                                   : bind_prepared(model, module, std::move(plan), options, growth);
  program.entries = entries;
  for (const auto& [name, own] : own_names(model.module))
    if (auto w = program.weights.find(name); w != program.weights.end()) w->second.own_name = own;
  if (options.prepare_at_load) program.entries.insert(program.entries.end(), makers.begin(), makers.end());
  for (const auto& [name, data] : model.weights) growth.bytes_before += data.size_bytes();
  for (const auto& [name, weight] : program.weights)
    if (weight.data) growth.bytes_after += weight.data->size_bytes();
  check_growth(growth, options);
  return {std::move(program), std::move(growth)};
}

}  // namespace sunmao
