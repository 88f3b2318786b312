#include "compiler/bind_weights.h"

#include <algorithm>

#include "compiler/given_weights.h"
#include "compiler/preparation.h"
#include "compiler/preparing_pieces.h"
#include "compiler/run_compiled.h"
#include "compiler/weight_preparer.h"
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

const Type& result_type(const PreparingStep& step, size_t i) {
  return find<TupleType>(step.function->result_type)->fields[i];
}

ProgramWeight described(const std::string& name, const Array& data) { return {name, data.dtype(), data.shape(), data}; }

// True when types tell the sizes of all results.
bool is_sized(const PreparingStep& step) {
  const auto& types = find<TupleType>(step.function->result_type)->fields;
  return std::ranges::all_of(types, [](const Type& type) {
    const auto* t = find<TensorType>(type);
    return t && t->dims() && std::ranges::all_of(*t->dims(), [](const Scalar& d) { return find_int(d) != nullptr; });
  });
}

// Runs the steps whose results have sizes that only their data tells, and those that give what these take. They leave
// the plan; their results join `raw`.
void run_unsized_steps(const Module& module, const CompileOptions& options, Preparation& plan, Weights& raw) {
  std::set<std::string> needed;
  std::vector<bool> runs(plan.steps.size(), false);
  for (size_t i = plan.steps.size(); i-- > 0;) {
    const PreparingStep& step = plan.steps[i];
    runs[i] =
        !is_sized(step) || std::ranges::any_of(step.gives, [&](const auto& name) { return needed.contains(name); });
    if (runs[i]) needed.insert(step.takes.begin(), step.takes.end());
  }
  CompileOptions here = options;
  here.on_phase = {};
  here.targets = {preparing_target(options.targets)};
  std::vector<PreparingStep> left;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    PreparingStep& step = plan.steps[i];
    if (!runs[i]) {
      left.push_back(std::move(step));
      continue;
    }
    ValueTuple args;
    for (const std::string& name : step.takes) args.emplace_back(raw.at(name));
    const Value given =
        run_compiled(module.with_function(step.name, step.function), step.name, {Value(std::move(args))}, here);
    for (size_t r = 0; r < step.gives.size(); ++r) raw.emplace(step.gives[r], *given.tuple()->at(r).array());
  }
  plan.steps = std::move(left);
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

// How large the raw weights and the results of all steps are.
std::map<std::string, size_t> weight_bytes(const Preparation& plan, const Weights& raw) {
  std::map<std::string, size_t> out;
  for (const auto& [name, data] : raw) out.emplace(name, data.size_bytes());
  for (const PreparingStep& step : plan.steps)
    for (size_t i = 0; i < step.gives.size(); ++i)
      out.emplace(step.gives[i], described(step.gives[i], result_type(step, i)).bytes());
  return out;
}

// Returns the weights that are wider than what they are made of for the most part. `types` are those of raw and
// prepared weights.
std::vector<WidenedWeight> widened_weights(const Growth& growth, const std::map<std::string, DType>& types,
                                           const std::map<std::string, size_t>& bytes,
                                           const std::map<std::string, std::string>& names_in_file) {
  std::vector<WidenedWeight> out;
  for (const GrownWeight& w : growth.grown) {
    const auto most = std::ranges::max_element(w.made_of, {}, [&](const std::string& raw) { return bytes.at(raw); });
    if (most == w.made_of.end() || types.at(w.name).bits <= types.at(*most).bits) continue;
    const auto own = names_in_file.find(*most);
    out.push_back({own == names_in_file.end() ? *most : own->second, types.at(*most), types.at(w.name),
                   w.bytes_after - w.bytes_before});
  }
  return out;
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

void count_growth(const Model& model, BoundWeights& bound, const CompileOptions& options) {
  for (const auto& [name, data] : model.weights) bound.growth.bytes_before += data.size_bytes();
  for (const auto& [name, weight] : bound.program.weights)
    if (weight.data || weight.is_prepared) bound.growth.bytes_after += weight.bytes();
  bound.program.weight_growth = {bound.growth.bytes_before, bound.growth.bytes_after};
  check_growth(bound.growth, options);
}

// Binds functions to weights that are prepared while the artifact is written.
BoundWeights bind_prepared(const Model& model, const Module& module, Preparation plan, const CompileOptions& options) {
  Weights raw = raw_weights(model, plan);
  const std::vector<PreparingStep> whole = plan.steps;
  run_unsized_steps(module, options, plan, raw);
  BoundWeights out;
  const std::map<std::string, size_t> bytes = weight_bytes(plan, raw);
  std::map<std::string, DType> dtypes;
  for (const auto& [name, data] : raw) dtypes.emplace(name, data.dtype());
  for (const PreparingStep& step : whole) {
    add_grown(step, bytes, out.growth);
    for (size_t i = 0; i < step.gives.size(); ++i)
      dtypes.emplace(step.gives[i], find<TensorType>(result_type(step, i))->dtype);
  }
  split_steps(plan);
  std::map<std::string, Type> types;
  for (const PreparingStep& step : plan.steps)
    for (size_t i = 0; i < step.gives.size(); ++i) types.emplace(step.gives[i], result_type(step, i));
  for (const auto& [function, params] : plan.bound)
    for (const auto& [param, weight] : params) {
      const auto prepared = types.find(weight);
      ProgramWeight w =
          prepared == types.end() ? described(weight, raw.at(weight)) : described(weight, prepared->second);
      w.is_prepared = prepared != types.end();
      out.program.weights.emplace(weight, std::move(w));
    }
  out.program.bound = std::move(plan.bound);
  count_growth(model, out, options);
  out.program.weight_growth->widened = widened_weights(out.growth, dtypes, bytes, own_names(model.module));
  out.prepared = std::make_unique<WeightPreparer>(module, std::move(plan.steps), std::move(raw), options);
  return out;
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
  const std::vector<Target> ordered = best_first(targets);
  const auto found = std::ranges::find_if(ordered, [](const Target& t) { return t.isa.runs_here(); });
  return found == ordered.end() ? Target::host() : *found;
}

BoundWeights bind_weights(const Model& model, const std::vector<std::string>& weighted, Module& module,
                          const CompileOptions& options) {
  const std::vector<std::string> entries = callable_entries(module, weighted);
  Preparation plan = plan_preparation(module, weighted);
  std::vector<std::string> makers;
  for (const PreparingStep& step : plan.steps) makers.push_back(step.name);
  BoundWeights out;
  if (options.prepare_at_load) {
    out.program = bind_raw(model, module, plan);
    count_growth(model, out, options);
  } else {
    out = bind_prepared(model, module, std::move(plan), options);
  }
  ProgramOptions& program = out.program;
  program.entries = entries;
  for (const auto& [name, own] : own_names(model.module))
    if (auto w = program.weights.find(name); w != program.weights.end()) w->second.own_name = own;
  if (options.prepare_at_load) program.entries.insert(program.entries.end(), makers.begin(), makers.end());
  return out;
}

}  // namespace sunmao
