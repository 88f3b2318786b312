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

/// A call of a private function.
struct Site {
  std::string caller, callee;
  Ref<Call> call;
};

class Sites final : public Visitor {
 public:
  explicit Sites(const WeightsOfFunctions& callees) : callees_(callees) {}
  std::vector<Site> found;

  void look_into(const std::string& name, const Ref<Function>& f) {
    caller_ = name;
    visit(Expr(f));
  }

 private:
  using Visitor::visit;
  void visit(const Call& call) override {
    Visitor::visit(call);
    const auto* g = find<GlobalVar>(call.callee);
    if (g && callees_.contains(g->name)) found.push_back({caller_, g->name, Ref<Call>(&call)});
  }

  const WeightsOfFunctions& callees_;
  std::string caller_;
};

}  // namespace

std::unordered_set<Ref<Var>> weight_params(const Function& f, const std::string& name) {
  const std::optional<size_t> inputs = num_input(f, name);
  if (!inputs) return {};
  return {f.params.begin() + static_cast<std::ptrdiff_t>(*inputs), f.params.end()};
}

WeightsOfFunctions find_weights(const Module& m) {
  WeightsOfFunctions weights, inner;
  for (const FunctionEntry& e : m.functions())
    if (const Ref<Function> f = find_ref<Function>(Expr(e.func)))
      if (auto own = weight_params(*f, e.var->name); !own.empty()) weights.emplace(e.var->name, std::move(own));
  if (weights.empty()) return weights;
  for (const auto& [name, site] : find_call_sites(m)) {
    const Function& f = *site.function;
    if (site.calls.empty() || is_group(f) || weights.contains(name)) continue;
    auto& params = inner[name];
    std::ranges::copy_if(f.params, std::inserter(params, params.end()),
                         [](const Ref<Var>& p) { return has_known_size(p->type); });
  }
  for (const std::vector<Ref<GlobalVar>>& circle : detect_recursion(m))
    if (circle.size() > 1)
      for (const Ref<GlobalVar>& g : circle) inner.erase(g->name);
  Sites sites(inner);
  if (!inner.empty())
    for (const FunctionEntry& e : m.functions())
      if (const Ref<Function> f = find_ref<Function>(Expr(e.func))) sites.look_into(e.var->name, f);
  weights.insert(inner.begin(), inner.end());
  // What is no weight in one call may be passed on in another one.
  for (bool changed = true; changed;) {
    changed = false;
    for (const Site& s : sites.found) {
      const std::vector<Ref<Var>>& params = m.find_as<Function>(s.callee)->params;
      const auto given = weights.find(s.caller);
      for (size_t i = 0; i < params.size(); ++i) {
        const Ref<Var> v = i < s.call->args.size() ? find_ref<Var>(s.call->args[i]) : nullptr;
        const bool is_weight = v && given != weights.end() && given->second.contains(v);
        if (!(s.caller == s.callee ? v == params[i] : is_weight)) changed |= weights.at(s.callee).erase(params[i]) > 0;
      }
    }
  }
  return weights;
}

}  // namespace sunmao
