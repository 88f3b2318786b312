// The pass `realize-vdevice`: writes the inferred devices into the tensor types, replaces hints by copies where data
// moves between devices, and removes the other hints.
#include <fmt/format.h>

#include <algorithm>

#include "ops/ops.h"
#include "passes/analysis/variables.h"
#include "passes/devices/device_copies.h"
#include "passes/passes.h"
#include "support/place.h"

namespace sunmao {
namespace {

// True when a call in the function writes into its operands. Then a copy cannot be replaced by a variable that holds
// the same tensor, because a write through one variable would change both.
bool writes_in_place(const Function& f) {
  class Finds final : public Visitor {
   public:
    bool found = false;
    using Visitor::visit;

   private:
    void visit(const Call& call) override {
      const Op* op = op_of(call);
      found |= op && op->info.is_in_place;
      Visitor::visit(call);
    }
  };
  Finds finds;
  finds.visit(Expr(&f));
  return finds.found;
}

class Placer final : public Rewriter {
 public:
  Placer(const DevicePlacement& placement, const Module& module) : placement_(placement), module_(module) {}

  Ref<Function> run(const Ref<Function>& f) {
    shares_copies_ = !writes_in_place(*f);
    return rewrite(f);
  }

 private:
  using Rewriter::visit;

  Expr visit(const Function& f) override {
    const Scope scope(*this);
    std::vector<Ref<Var>> params;
    for (const Ref<Var>& p : f.params) {
      params.push_back(p->with_type(placement_.placed(p, p->type)));
      if (params.back() != p) replace(p, params.back());
    }
    Ref<SeqExpr> body = visit_seq(f.body);
    const Type result = placement_.placed_result(f, f.result_type);
    if (params == f.params && body == f.body && result == f.result_type) return Expr(&f);
    return Function::make(std::move(params), body, result, f.is_pure, f.attrs, f.span);
  }

  Expr visit(const If& branch) override {
    const Expr condition = visit(branch.condition);
    auto inside = [&](const Ref<SeqExpr>& seq) {
      const Scope scope(*this);
      return visit_seq(seq);
    };
    Ref<SeqExpr> then_branch = inside(branch.then_branch), else_branch = inside(branch.else_branch);
    if (condition == branch.condition && then_branch == branch.then_branch && else_branch == branch.else_branch)
      return Expr(&branch);
    return If::make(condition, then_branch, else_branch, branch.span);
  }

  Ref<BindingBlock> visit_block(const Ref<BindingBlock>& block) override {
    Ref<BindingBlock> out = Rewriter::visit_block(block);
    // Forgets copies in dataflow variables, which are out of scope after their block.
    if (block->is_dataflow) std::erase_if(copies_, [](const Copy& c) { return c.var->is_dataflow; });
    return out;
  }

  void visit(const Binding& b) override {
    const auto* f = find<Function>(b.value);
    const Type type = f ? placed_signature(*f, b.var->type) : placement_.placed(b.var, b.var->type);
    Ref<Var> var = b.var->with_type(type);
    if (f && var != b.var) replace(b.var, var);  // a local function may be recursive
    Expr value = realized(b);
    if (var != b.var) replace(b.var, var);
    remember(var, value);
    bind({var, b.value, b.is_match_cast() ? placement_.placed(b.var, b.cast_type) : Type(), b.span}, value);
  }

  Type placed_signature(const Function& f, const Type& type) const {
    const auto* callable = find<CallableType>(type);
    if (!callable || !callable->params) return type;
    std::vector<Type> params;
    for (size_t i = 0; i < f.params.size(); ++i)
      params.push_back(placement_.placed(f.params[i], (*callable->params)[i]));
    const Type result = placement_.placed_result(f, callable->result);
    if (params == *callable->params && result == callable->result) return type;
    return CallableType::make(std::move(params), result, callable->is_pure, type->span);
  }

  Expr realized(const Binding& b) {
    const auto* call = find<Call>(b.value);
    if (!call) return visit(b.value);
    if (find_call(b.value, "hint_on_device") || find_call(b.value, "to_vdevice")) return requested(*call);
    return placed_call(*call, b);
  }

  Expr requested(const Call& call) {
    const bool is_hint = find_call(Expr(&call), "hint_on_device");
    const auto* info = call.attrs.find<Ref<GlobalInfo>>("dst_vdevice");
    const Ref<VDevice> device = is_hint ? hinted_device(call, module_) : find_ref<VDevice>(*info);
    const Ref<VDevice> home = placement_.device_of(call.args[0]);
    const Expr from = visit(call.args[0]);
    if (home && same_device(*home, *device)) return from;
    if (Expr known = copy_of(from, *device)) return known;
    if (!is_hint && from == call.args[0]) return Expr(&call);
    return Call::make(builtin_ops().get("to_vdevice"), {from},
                      Attrs(AttrMap{{"dst_vdevice", AttrValue(Ref<GlobalInfo>(device))}}), {}, call.span);
  }

  // Returns the call with the assigned devices in its type arguments and its type; type inference alone may not find
  // the assigned device.
  Expr placed_call(const Call& call, const Binding& b) {
    std::vector<Type> told;
    for (const Type& t : call.type_args) told.push_back(call.type_args.size() == 1 ? placement_.placed(b.var, t) : t);
    std::vector<Expr> args;
    for (const Expr& a : call.args) args.push_back(visit(a));
    const Expr callee = visit(call.callee);
    const bool is_same = args == call.args && told == call.type_args && callee == call.callee;
    const Type own = placement_.placed(b.var, call.type);
    if (is_same && own == call.type) return Expr(&call);
    if (find<Op>(callee) && told.empty()) {
      Ref<Call> inferred = is_same ? Ref<Call>(&call) : call.with_args(args);
      const Type result = placement_.placed(b.var, inferred->type);
      if (result == inferred->type) return inferred;
      return Call::make_typed(callee, inferred->args, inferred->attrs, {}, result, call.span);
    }
    return Call::make_typed(callee, std::move(args), call.attrs, std::move(told), own, call.span);
  }

  // States that the variable `var` holds the tensor of `root` on `device`, so that a tensor is not copied twice to the
  // same device.
  struct Copy {
    Ref<Var> root;
    Ref<VDevice> device;
    Ref<Var> var;
  };

  Ref<Var> root_of(const Ref<Var>& v) const {
    auto known = roots_.find(v);
    return known == roots_.end() ? v : known->second;
  }

  static Ref<VDevice> stated(const Expr& tensor) {
    const auto* type = find<TensorType>(tensor->type);
    return type ? type->vdevice : nullptr;
  }

  Expr copy_of(const Expr& from, const VDevice& device) const {
    const Ref<Var> v = find_ref<Var>(from);
    if (!v || !shares_copies_) return nullptr;
    for (const Copy& c : copies_)
      if (c.root == root_of(v) && same_device(*c.device, device)) return c.var;
    return nullptr;
  }

  void remember(const Ref<Var>& var, const Expr& value) {
    const auto* call = find<Call>(value);
    const Ref<Var> from = find_ref<Var>(find_call(value, "to_vdevice") ? call->args[0] : value);
    if (!from) return;
    const Ref<Var> root = root_of(from);
    roots_[var] = root;
    if (!call) return;
    if (stated(from)) copies_.push_back({root, stated(from), from});
    if (stated(value)) copies_.push_back({root, stated(value), var});
  }

  // Limits the reuse of copies that are made inside a branch or a function to that branch or function.
  class Scope {
   public:
    explicit Scope(Placer& placer) : placer_(placer), copies_(placer.copies_) {}
    ~Scope() { placer_.copies_ = std::move(copies_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Placer& placer_;
    std::vector<Copy> copies_;
  };

  const DevicePlacement& placement_;
  const Module& module_;
  bool shares_copies_ = true;
  std::unordered_map<Ref<Var>, Ref<Var>> roots_;
  std::vector<Copy> copies_;
};

// Describes the first variable that has another device in the copy of a function than in the original.
std::string why_copied(const DevicePlacement& placement, const Module& module, const std::string& copy,
                       const std::string& origin) {
  auto variables = [&](const std::string& name) { return bound_vars(Expr(module.find(name))); };
  auto where = [&](const Ref<Var>& v) {
    const std::vector<DevicePlacement::Reasons> reasons = placement.reasons(v);
    return reasons.empty() ? "nowhere" : "on " + describe(*reasons[0].device);
  };
  const std::vector<Ref<Var>> here = variables(copy), there = variables(origin);
  for (size_t i = 0; i < here.size(); ++i)
    if (where(here[i]) != where(there[i]))
      return fmt::format("`{}` lies {}, in {} {}", here[i]->name, where(here[i]), origin, where(there[i]));
  return "it calls others";
}

void explain(const Module& module, const DeviceCopies& copies, const PassContext& ctx) {
  const DevicePlacement placement(module);
  for (const auto& [copy, origin] : copies.origins())
    ctx.on_explain(fmt::format("{} is a copy of {}: {}", copy, origin, why_copied(placement, module, copy, origin)));
  for (const FunctionEntry& e : module.functions()) {
    if (!find<Function>(Expr(e.func))) continue;
    for (const Ref<Var>& v : bound_vars(Expr(e.func)))
      for (const DevicePlacement::Reasons& r : placement.reasons(v)) {
        ctx.on_explain(fmt::format("{}: {} lies on {}:", e.var->name, v->name, describe(*r.device)));
        std::string last;
        for (const PlaceFact& fact : r.facts) {
          const std::string where = place_of(fact.span);
          const std::string line = fmt::format("  {}{}", fact.text, where.empty() ? "" : fmt::format(" ({})", where));
          if (line != last) ctx.on_explain(line);
          last = line;
        }
      }
  }
}

}  // namespace

Module realize_vdevice(const Module& m, const PassContext& ctx) {
  PassContext plain = ctx;
  plain.arguments = {{"as_written", true}};
  Module normal = normalize(m, plain);
  DeviceCopies copies;
  for (;;) {
    const DevicePlacement placement(normal, copies.origins());
    if (!placement.wanted_copies().empty()) {
      normal = copies.make(normal, placement.wanted_copies());
      continue;
    }
    const Module placed =
        map_functions(normal, [&](const Ref<Function>& f) { return Placer(placement, normal).run(f); });
    const Module merged = copies.merge(normal, placed);
    if (merged.same_as(normal)) {
      if (ctx.on_explain) explain(normal, copies, ctx);
      return placed;
    }
    normal = merged;
  }
}

}  // namespace sunmao
