#include "passes/weights/weight_params.h"

#include <algorithm>

#include "passes/analysis/call_sites.h"
#include "passes/analysis/recursion.h"
#include "passes/weights/weight_dependence.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

bool has_known_size(const Type& type) {
  const auto* tensor = find<TensorType>(type);
  return tensor && tensor->dims() &&
         std::ranges::all_of(*tensor->dims(), [](const Scalar& d) { return find_int(d) != nullptr; });
}

bool is_group(const Function& f) {
  return std::ranges::any_of(std::array{"Primitive", "Composite", "Codegen"},
                             [&](const char* name) { return f.attrs.has(name); });
}

}  // namespace

std::unordered_set<Ref<Var>> weight_params(const Function& f, const std::string& name) {
  const std::optional<size_t> inputs = num_input(f, name);
  if (!inputs) return {};
  return {f.params.begin() + static_cast<std::ptrdiff_t>(*inputs), f.params.end()};
}

WeightsOfFunctions find_weights(const Module& m) {
  WeightsOfFunctions weights;
  for (const FunctionEntry& e : m.functions())
    if (const Ref<Function> f = find_ref<Function>(Expr(e.func)))
      if (auto own = weight_params(*f, e.var->name); !own.empty()) weights.emplace(e.var->name, std::move(own));
  if (weights.empty()) return weights;
  std::map<std::string, CallSites> sites = find_call_sites(m);
  std::erase_if(sites, [&](const auto& site) {
    const CallSites& s = site.second;
    return s.calls.empty() || is_group(*s.function) || s.function->attrs.has("num_input");
  });
  for (const std::vector<Ref<GlobalVar>>& circle : detect_recursion(m))
    if (circle.size() > 1)
      for (const Ref<GlobalVar>& g : circle) sites.erase(g->name);
  for (const auto& [name, site] : sites) {
    auto& params = weights[name];
    std::ranges::copy_if(site.function->params, std::inserter(params, params.end()),
                         [](const Ref<Var>& p) { return has_known_size(p->type); });
  }
  // What is no weight in one call may be passed on in another one.
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [name, site] : sites)
      for (size_t n = 0; n < site.calls.size(); ++n) {
        const std::vector<Ref<Var>>& params = site.function->params;
        const auto given = weights.find(site.callers[n]);
        for (size_t i = 0; i < params.size(); ++i) {
          const Ref<Var> v = i < site.calls[n]->args.size() ? find_ref<Var>(site.calls[n]->args[i]) : nullptr;
          const bool is_weight = v && given != weights.end() && given->second.contains(v);
          if (!(site.callers[n] == name ? v == params[i] : is_weight)) changed |= weights[name].erase(params[i]) > 0;
        }
      }
  }
  return weights;
}

}  // namespace sunmao
