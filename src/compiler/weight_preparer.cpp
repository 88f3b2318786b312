#include "compiler/weight_preparer.h"

#include <algorithm>

#include "compiler/bind_weights.h"
#include "compiler/build.h"
#include "compiler/dlpack_view.h"
#include "support/diagnostic.h"
#include "support/shape_bytes.h"

namespace sunmao {
namespace {

Module with_steps(Module module, const std::vector<PreparingStep>& steps) {
  std::vector<FunctionEntry> entries;
  for (const PreparingStep& s : steps) entries.push_back({GlobalVar::make(s.name), s.function});
  return module.with_functions(std::move(entries));
}

std::vector<std::string> names_of(const std::vector<PreparingStep>& steps) {
  std::vector<std::string> names;
  for (const PreparingStep& s : steps) names.push_back(s.name);
  return names;
}

std::vector<int64_t> shape_of(const PreparingStep& step, size_t result) {
  std::vector<int64_t> shape;
  for (const Scalar& d : *find<TensorType>(find<TupleType>(step.function->result_type)->fields[result])->dims())
    shape.push_back(*find_int(d));
  return shape;
}

}  // namespace

WeightPreparer::WeightPreparer(const Module& module, std::vector<PreparingStep> steps, Weights raw,
                               const CompileOptions& options)
    : options_(options), steps_(std::move(steps)), raw_(std::move(raw)), is_planned_(steps_.size(), false),
      model_(nullptr, sunmao_model_free), session_(nullptr, sunmao_session_free) {
  for (size_t i = 0; i < steps_.size(); ++i)
    for (size_t r = 0; r < steps_[i].gives.size(); ++r) {
      const auto* type = find<TensorType>(find<TupleType>(steps_[i].function->result_type)->fields[r]);
      Result result{.dtype = type->dtype, .shape = shape_of(steps_[i], r), .data = nullptr};
      result.bytes = static_cast<size_t>(*shape_bytes(result.shape, result.dtype));
      step_of_.emplace(steps_[i].gives[r], i);
      results_.emplace(steps_[i].gives[r], std::move(result));
    }
  if (steps_.empty()) return;
  CompileOptions here = options;
  here.on_phase = {};
  here.opt_level = std::min(options.opt_level, 1);  // what runs once and moves weights would not earn more back
  here.targets = {preparing_target(options.targets)};
  const PhaseTimer timer("compile preparation", options_.on_phase);
  code_ = build_in_memory(with_steps(module, steps_), {.entries = names_of(steps_)}, here);
  model_ = load_model(code_, SUNMAO_LOAD_OPTIONS_INIT);
  session_ = create_session(model_);
}

// Adds the steps to the schedule that this weight still needs, those that others take first.
void WeightPreparer::plan(const std::string& weight) {
  const auto found = step_of_.find(weight);
  if (found == step_of_.end() || is_planned_[found->second]) return;
  is_planned_[found->second] = true;
  for (const std::string& taken : steps_[found->second].takes) {
    plan(taken);
    if (const auto result = results_.find(taken); result != results_.end()) ++result->second.uses;
  }
  schedule_.push_back(found->second);
}

std::vector<std::string> WeightPreparer::order(const std::vector<std::string>& weights) {
  wanted_.insert(weights.begin(), weights.end());
  for (const std::string& weight : weights) plan(weight);
  std::vector<std::string> out;
  for (const size_t step : schedule_)
    for (const std::string& name : steps_[step].gives)
      if (wanted_.contains(name)) out.push_back(name);
  return out;
}

void WeightPreparer::give(const std::function<void(io::Bytes)>& take) {
  const PhaseTimer timer("prepare weights", options_.on_phase);
  size_t done = 0;
  for (const size_t step : schedule_) {
    check_cancelled(options_);
    if (options_.on_progress) options_.on_progress("prepare weights", done++, schedule_.size());
    run(steps_[step], take);
  }
}

Array WeightPreparer::array_of(const Result& result) {
  return Array::wrap(result.dtype, result.shape, result.data.get(), result.data);
}

void WeightPreparer::run(const PreparingStep& step, const std::function<void(io::Bytes)>& take) {
  std::vector<std::vector<int64_t>> shapes(step.takes.size());
  std::vector<DLTensor> inputs, outputs;
  for (size_t i = 0; i < step.takes.size(); ++i) {
    const auto found = results_.find(step.takes[i]);
    inputs.push_back(
        dlpack_view(found == results_.end() ? raw_.at(step.takes[i]) : array_of(found->second), shapes[i]));
  }
  size_t own = 0;
  for (const std::string& name : step.gives) {
    Result& result = results_.at(name);
    result.data = memory_.take(result.bytes, held_ + own);
    own += WeightMemory::block_size(result.bytes);
    outputs.push_back(dlpack_tensor(result.data.get(), result.dtype, result.shape));
  }
  sunmao_error error;
  if (sunmao_run(session_.get(), step.name.c_str(), inputs.data(), inputs.size(), outputs.data(), outputs.size(),
                 &error))
    fail_with(error);
  for (const std::string& name : step.takes)
    if (const auto found = results_.find(name); found != results_.end() && --found->second.uses == 0) {
      found->second.data.reset();
      held_ -= WeightMemory::block_size(found->second.bytes);
    }
  for (const std::string& name : step.gives) {
    Result& result = results_.at(name);
    if (wanted_.contains(name))
      take(io::Bytes(std::span<const std::byte>(result.data.get(), result.bytes), result.data));
    if (result.uses > 0)
      held_ += WeightMemory::block_size(result.bytes);
    else
      result.data.reset();
  }
}

}  // namespace sunmao
