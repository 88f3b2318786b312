#include "tests/random/pass_runs.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "eval/evaluator.h"
#include "passes/facts.h"
#include "passes/weights/parameter_stages.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

constexpr size_t kPassesInARow = 4;

Effect effect_of(std::string_view pass) {
  static const std::map<std::string_view, Effect> kOthers{
      {"adjust-matmul-order", Effect::Reorders},
      {"fold-scale-axis", Effect::Reorders},
      {"expand-matmul-of-sum", Effect::Reorders},
      {"reorder-take-after-matmul", Effect::Reorders},
      {"to-mixed-precision", Effect::Changes},
      {"decompose-ops-for-inference", Effect::Changes},  // takes every batch norm for one of inference
      {"decompose-ops-for-training", Effect::Changes},
  };
  auto found = kOthers.find(pass);
  return found == kOthers.end() ? Effect::Rounds : found->second;
}

PassCall call_of(const char* name, AttrMap arguments = {}) {
  const Pass* pass = find_pass(name);
  SUNMAO_CHECK(pass, "there is no pass {}", name);
  return {pass, std::move(arguments)};
}

// What passes are given that do nothing, or fail, without.
AttrMap arguments_of(std::string_view pass, const RandomModule& m) {
  if (pass == "update-vdevice")
    return {{"new_vdevice", AttrValue(Ref<GlobalInfo>(VDevice::make("cuda", 3, "global")))}};
  if (pass == "convert-layout")
    return {{"desired_layouts", AttrMap{{"nn.conv2d", AttrList{"NHWC", "OHWI"}},
                                        {"nn.conv1d", AttrList{"NWC", "WIO"}},
                                        {"nn.max_pool2d", AttrList{"NHWC"}}}}};
  const auto& main = *m.module.find_as<Function>("main");
  if (pass == "bind-params") {
    AttrMap weights;
    for (size_t i = m.run_inputs; i < main.params.size(); ++i)
      weights.emplace(main.params[i]->name, Expr(Constant::make(*m.inputs[i].array())));
    return {{"func_name", "main"}, {"params", std::move(weights)}};
  }
  if (pass == "bind-symbolic-vars") {
    AttrMap sizes;
    for (const auto& [symbol, size] : m.sizes) sizes.emplace(symbol, size);
    return {{"func_name", "main"}, {"binding_map", std::move(sizes)}};
  }
  return {};
}

Asked asked_after(std::string_view pass) {
  static const std::map<std::string_view, Asked> kOthers{{"bind-params", Asked::Bound},
                                                         {"bundle-model-params", Asked::Bundled},
                                                         {"lift-transform-params", Asked::Prepared},
                                                         {"lazy-transform-params", Asked::OneByOne},
                                                         {"lazy-get-input", Asked::FromGetter},
                                                         {"lazy-set-output", Asked::ToSetter}};
  auto found = kOthers.find(pass);
  return found == kOthers.end() ? Asked::Directly : found->second;
}

bool needs(const Pass& pass, Fact fact) { return std::ranges::find(pass.needs, fact) != pass.needs.end(); }

PassRun alone(const Pass& pass, const RandomModule& m) {
  const std::string_view name = pass.name;
  PassRun run{{}, effect_of(name), asked_after(name)};
  if (needs(pass, Fact::NoDataflow) || needs(pass, Fact::PurityUntracked))
    run.calls.push_back(call_of("to-non-dataflow"));
  if (needs(pass, Fact::PurityUntracked)) run.calls.push_back(call_of("remove-purity-checking"));
  if (name == "lower-call-tir") run.calls.insert(run.calls.begin(), call_of("legalize-ops"));
  if (name == "lazy-transform-params") run.calls.push_back(call_of("lift-transform-params"));
  run.calls.push_back({&pass, arguments_of(name, m)});
  return run;
}

// Passes that leave alone how `main` is called, and may stand anywhere.
std::vector<const Pass*> movable_passes() {
  static const std::set<std::string_view> kLast{"bind-symbolic-vars", "kill-after-last-use", "lower-alloc-tensor"};
  std::vector<const Pass*> out;
  for (const Pass& pass : all_passes())
    if (asked_after(pass.name) == Asked::Directly && pass.needs.empty() && !kLast.contains(pass.name))
      out.push_back(&pass);
  return out;
}

PassRun in_a_row(const RandomModule& m, uint64_t seed) {
  std::mt19937_64 engine(seed);
  const std::vector<const Pass*> passes = movable_passes();
  PassRun run{{}, Effect::Rounds, Asked::Directly};
  for (size_t i = 0; i < kPassesInARow; ++i) {
    const Pass& pass = *passes[engine() % passes.size()];
    run.effect = std::max(run.effect, effect_of(pass.name));
    run.calls.push_back({&pass, arguments_of(pass.name, m)});
  }
  // And what lifts of what they leave.
  if (engine() % 2 == 0) {
    run.calls.push_back(call_of("lift-transform-params"));
    run.asked = Asked::Prepared;
  }
  return run;
}

bool has_called_entries(const Module& m) {
  return std::ranges::count_if(m.functions(),
                               [](const FunctionEntry& e) { return e.func->attrs.has("global_symbol"); }) > 1;
}

// A function of the host that keeps what it is handed.
class Getter final : public HostFunction {
 public:
  explicit Getter(ValueTuple items) : items_(std::move(items)) {}
  Value call(ValueTuple args, size_t) const override {
    return items_.at(static_cast<size_t>(std::get<int64_t>(args.at(0).v)));
  }

 private:
  const ValueTuple items_;
};

class Setter final : public HostFunction {
 public:
  explicit Setter(std::map<int64_t, Value>& items) : items_(items) {}
  Value call(ValueTuple args, size_t) const override {
    items_[std::get<int64_t>(args.at(0).v)] = args.at(1);
    return ValueTuple{};
  }

 private:
  std::map<int64_t, Value>& items_;
};

ValueTuple in_order(const std::map<int64_t, Value>& items) {
  ValueTuple out;
  for (const auto& [place, item] : items) {
    SUNMAO_CHECK(place == std::ssize(out), "item {} is never handed over", out.size());
    out.push_back(item);
  }
  return out;
}

ValueTuple joined(ValueTuple a, const ValueTuple& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

std::string PassRun::text() const {
  std::string out;
  for (const PassCall& call : calls) out += (out.empty() ? "" : ", ") + to_text(call);
  return out;
}

std::vector<PassRun> pass_runs(const RandomModule& m, uint64_t seed) {
  std::vector<PassRun> runs;
  for (const Pass& pass : all_passes()) {
    PassRun run = alone(pass, m);
    // Callbacks for functions that are called are refused.
    const bool is_refused = run.asked == Asked::FromGetter || run.asked == Asked::ToSetter;
    if (!is_refused || !has_called_entries(m.module)) runs.push_back(std::move(run));
  }
  const PassCall lift = call_of("lift-transform-params");
  runs.push_back({{lift, lift, call_of("legalize-ops"), call_of("fuse-kernels")}, Effect::Rounds, Asked::Prepared});
  runs.push_back({{call_of("check-sizes"), call_of("lambda-lift"), call_of("inline-private-functions"), lift},
                  Effect::Rounds,
                  Asked::Prepared});
  runs.push_back(in_a_row(m, seed));
  return runs;
}

Value results_of(const Module& after, Asked asked, const RandomModule& before) {
  const auto weights_begin = before.inputs.begin() + static_cast<std::ptrdiff_t>(before.run_inputs);
  const ValueTuple inputs(before.inputs.begin(), weights_begin), weights(weights_begin, before.inputs.end());
  const Evaluator evaluator(after);
  auto prepared = [&] {
    ValueTuple stage = weights;
    for (const std::string& name : param_transforms(*after.find_as<Function>("main"), after))
      stage = *evaluator.call(name, ValueTuple{Value(stage)}).tuple();
    return stage;
  };
  std::map<int64_t, Value> handed_over;
  switch (asked) {
    case Asked::Directly: break;
    case Asked::Bound: return evaluator.call("main", inputs);
    case Asked::Bundled: return evaluator.call("main", joined(inputs, ValueTuple{Value(weights)}));
    case Asked::Prepared: return evaluator.call("main", joined(inputs, prepared()));
    case Asked::OneByOne: {
      const auto getter = std::make_shared<Getter>(weights);
      const auto setter = std::make_shared<Setter>(handed_over);
      auto find = [&](const std::string& name) -> std::shared_ptr<const HostFunction> {
        if (name == "get_item") return getter;
        return setter;
      };
      Evaluator(after, {.host_functions = find}).call("main_transform_params", {});
      return evaluator.call("main", joined(inputs, in_order(handed_over)));
    }
    case Asked::FromGetter: {
      const std::shared_ptr<const HostFunction> getter = std::make_shared<Getter>(weights);
      return evaluator.call("main", joined(inputs, ValueTuple{getter}));
    }
    case Asked::ToSetter: {
      const std::shared_ptr<const HostFunction> setter = std::make_shared<Setter>(handed_over);
      evaluator.call("main", joined(joined(inputs, ValueTuple{setter}), weights));
      return in_order(handed_over);
    }
  }
  return evaluator.call("main", before.inputs);
}

}  // namespace sunmao
