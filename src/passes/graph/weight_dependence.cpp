#include "passes/graph/weight_dependence.h"

#include <algorithm>

#include "support/diagnostic.h"

namespace sunmao {

std::optional<size_t> num_input(const Function& f, const std::string& name) {
  const AttrValue* attr = f.attrs.find("num_input");
  if (!attr) return std::nullopt;
  const Scalar* scalar = attr->find<Scalar>();
  const int64_t* value = scalar ? find_int(*scalar) : attr->find<int64_t>();
  if (!value || *value < 0 || *value > static_cast<int64_t>(f.params.size()))
    fail("E0502", f.span,
         fmt::format("`{}`: num_input must be a number from 0 to {}, got {}", name, f.params.size(),
                     value ? std::to_string(*value) : "something else"),
         "it says how many leading parameters are run-time inputs; the rest are weights");
  return static_cast<size_t>(*value);
}

namespace {

// Whether a value may be computed at another time than the function runs.
class Movable final : public Visitor {
 public:
  explicit Movable(const Module& module) : module_(module) {}
  bool of(const Expr& e) {
    movable_ = true;
    Visitor::visit(e);
    return movable_;
  }

 private:
  using Visitor::visit;
  void visit(const Call& call) override {
    if (const Op* op = op_of(call)) {
      movable_ &= op->info.is_pure && !op->info.is_random && op->name() != "builtin.stop_lift_params";
    } else {
      const auto* global = find<GlobalVar>(call.callee);
      const auto* signature = find<CallableType>(global ? signature_of(module_, *global) : call.callee->type);
      movable_ &= signature && signature->is_pure;
    }
    Visitor::visit(call);
  }
  void visit(const If&) override { movable_ = false; }
  void visit(const Function&) override { movable_ = false; }
  void visit_leaf(const Expr& e) override { movable_ &= !find<ExternFunc>(e); }

  const Module& module_;
  bool movable_ = true;
};

}  // namespace

WeightDependence find_weight_dependence(const Function& f, size_t inputs, const Module& module) {
  WeightDependence found;
  std::unordered_set<Ref<SymVar>> symbols;  // what weights define
  for (size_t i = inputs; i < f.params.size(); ++i) {
    found.weight_only.insert(f.params[i]);
    for (const Ref<SymVar>& s : defined_symbols(f.params[i]->type)) symbols.insert(s);
  }
  Movable movable(module);
  for (const Ref<BindingBlock>& block : f.body->blocks) {
    for (const Binding& b : block->bindings) {
      if (b.is_match_cast() || !movable.of(b.value)) continue;
      std::vector<Ref<Var>> uses = free_vars(b.value);
      bool known = std::ranges::all_of(
          uses, [&](const Ref<Var>& v) { return found.weight_only.contains(v) || found.constant.contains(v); });
      bool of_weights = std::ranges::any_of(uses, [&](const Ref<Var>& v) { return found.weight_only.contains(v); });
      bool shaped =
          std::ranges::all_of(free_symbols(b.var->type), [&](const Ref<SymVar>& s) { return symbols.contains(s); });
      if (!known || !shaped) continue;
      (of_weights ? found.weight_only : found.constant).insert(b.var);
      found.bindings.push_back(b);
    }
  }
  return found;
}

}  // namespace sunmao
