#include "tests/random/pass_runs.h"

#include <algorithm>
#include <random>
#include <set>

#include "passes/facts.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

constexpr size_t kPassesInARow = 4;

PassCall call_of(const char* name, AttrMap arguments = {}) {
  const Pass* pass = find_pass(name);
  SUNMAO_CHECK(pass, "there is no pass {}", name);
  return {pass, std::move(arguments)};
}

// Returns arguments for passes that need some: without arguments they fail or have no effect.
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

// True when a pass changes how `main` must be called.
bool changes_calls(std::string_view pass) {
  static const std::set<std::string_view> kThese{"bind-params",           "bundle-model-params",
                                                 "lift-transform-params", "lazy-transform-params",
                                                 "lazy-get-input",        "lazy-set-output"};
  return kThese.contains(pass);
}

bool needs(const Pass& pass, Fact fact) { return std::ranges::find(pass.needs, fact) != pass.needs.end(); }

PassRun alone(const Pass& pass, const RandomModule& m) {
  const std::string_view name = pass.name;
  PassRun run;
  if (needs(pass, Fact::NoLocalFunctions)) run.calls.push_back(call_of("lambda-lift"));
  if (needs(pass, Fact::NoDataflow) || needs(pass, Fact::PurityUntracked))
    run.calls.push_back(call_of("to-non-dataflow"));
  if (needs(pass, Fact::PurityUntracked)) run.calls.push_back(call_of("remove-purity-checking"));
  if (name == "lower-call-tir") run.calls.insert(run.calls.begin(), call_of("legalize-ops"));
  if (name == "lazy-transform-params") run.calls.push_back(call_of("lift-transform-params"));
  run.calls.push_back({&pass, arguments_of(name, m)});
  return run;
}

// Returns the passes that keep the signature of `main` and can run at any position.
std::vector<const Pass*> movable_passes() {
  static const std::set<std::string_view> kLast{"bind-symbolic-vars", "kill-after-last-use", "lower-alloc-tensor"};
  std::vector<const Pass*> out;
  for (const Pass& pass : all_passes())
    if (!changes_calls(pass.name) && pass.needs.empty() && !kLast.contains(pass.name)) out.push_back(&pass);
  return out;
}

PassRun in_a_row(const RandomModule& m, uint64_t seed) {
  std::mt19937_64 engine(seed);
  const std::vector<const Pass*> passes = movable_passes();
  PassRun run;
  for (size_t i = 0; i < kPassesInARow; ++i) {
    const Pass& pass = *passes[engine() % passes.size()];
    run.calls.push_back({&pass, arguments_of(pass.name, m)});
  }
  // Half of the sequences end with lifting, which then works on the output of the other passes.
  if (engine() % 2 == 0) run.calls.push_back(call_of("lift-transform-params"));
  return run;
}

PassRun scheduling(const char* target) {
  PassRun run;
  for (const char* name : {"legalize-ops", "fuse-kernels", "lift-temporaries"}) run.calls.push_back(call_of(name));
  run.calls.push_back(call_of("add-target-forms", {{"targets", AttrList{target}}}));
  for (const char* name : {"inline-elementwise", "schedule", "lower-blocks", "vectorize-loops", "unroll-loops",
                           "simplify-loops", "expand-intrinsics"})
    run.calls.push_back(call_of(name));
  return run;
}

bool has_called_entries(const Module& m) {
  return std::ranges::count_if(m.functions(),
                               [](const FunctionEntry& e) { return e.func->attrs.has("global_symbol"); }) > 1;
}

}  // namespace

Effect PassRun::effect() const {
  Effect most = Effect::Exact;
  for (const PassCall& call : calls) most = std::max(most, call.pass->effect);
  return most;
}

std::string PassRun::text() const {
  std::string out;
  for (const PassCall& call : calls) out += (out.empty() ? "" : ", ") + to_text(call);
  return out;
}

std::vector<PassRun> pass_runs(const RandomModule& m, uint64_t seed) {
  std::vector<PassRun> runs;
  for (const Pass& pass : all_passes()) {
    PassRun run = alone(pass, m);
    // lazy-get-input and lazy-set-output reject modules in which an entry function is called; modules with several
    // functions may be of that kind.
    const std::string_view name = pass.name;
    const bool is_refused = name == "lazy-get-input" || name == "lazy-set-output";
    if (!is_refused || !has_called_entries(m.module)) runs.push_back(std::move(run));
  }
  const PassCall lift = call_of("lift-transform-params");
  runs.push_back({{lift, lift, call_of("legalize-ops"), call_of("fuse-kernels")}});
  runs.push_back({{call_of("legalize-ops"), call_of("annotate-op-pattern"), call_of("fuse-ops"), call_of("fuse-tir")}});
  runs.push_back({{call_of("check-sizes"), call_of("lambda-lift"), call_of("inline-private-functions"), lift}});
  runs.push_back(scheduling(seed % 2 == 0 ? "x86-64-v4" : "x86-64-v3"));
  runs.push_back(in_a_row(m, seed));
  return runs;
}

}  // namespace sunmao
