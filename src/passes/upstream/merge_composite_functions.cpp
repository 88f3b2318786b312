#include <algorithm>
#include <map>
#include <set>

#include "ir/builder.h"
#include "ir/copy.h"
#include "ir/infer.h"
#include "ir/walk.h"
#include "passes/analysis/variables.h"
#include "passes/passes.h"
#include "passes/pattern/binding_groups.h"
#include "passes/pattern/binding_order.h"
#include "passes/upstream/composite_groups.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

constexpr const char* kComposite = "Composite";
constexpr const char* kCodegen = "Codegen";
constexpr const char* kPrimitive = "Primitive";

// Returns the name of a group's function, composed of the names of its callees.
std::string name_of(const CompositeGroup& group) {
  constexpr std::string_view kPrefix = "fused";
  std::string name(kPrefix);
  for (const Binding& b : group.members) {
    const auto* call = find<Call>(b.value);
    if (!call) continue;
    std::string_view callee = find<GlobalVar>(call->callee)->name;
    if (callee.starts_with(kPrefix))
      callee.remove_prefix(kPrefix.size());
    else
      name += '_';
    name += callee;
  }
  return name;
}

class Renamed final : public Rewriter {
 public:
  explicit Renamed(const std::unordered_map<Ref<Var>, Ref<Var>>& names) {
    for (const auto& [from, to] : names) replace(from, to);
  }
  Expr run(const Expr& e) { return Rewriter::visit(e); }
};

// The function of a group, with the composite functions as local functions, and the arguments to call it with.
struct Merged {
  Ref<Function> function;
  std::vector<Expr> args;
};

// Returns a copy of a composite function for use as a local function.
Ref<Function> local_copy(const Function& f) {
  return find_ref<Function>(Expr(FreshCopy().copy(Ref<Function>(&f))->with_attrs(f.attrs.without(kPrimitive))));
}

Merged merge(const Module& module, const CompositeGroup& group, const std::vector<Ref<Var>>& outputs) {
  Merged out;
  std::vector<Ref<Var>> params;
  std::unordered_map<Ref<Var>, Ref<Var>> inside;
  std::map<std::string, Ref<Var>> locals;  // local copies, one per composite function
  std::vector<Binding> bindings;
  for (const Binding& b : group.members) {
    for (const Ref<Var>& read : free_vars(b.value)) {
      if (inside.contains(read)) continue;
      params.push_back(Var::make(read->name, read->type));
      inside.emplace(read, params.back());
      out.args.push_back(read);
    }
    if (!find<Call>(b.value)) {
      Expr value = Renamed(inside).run(b.value);
      Ref<Var> part = Var::make(b.var->name, value->type);
      inside.emplace(b.var, part);
      bindings.push_back({part, value, nullptr, b.span});
      continue;
    }
    const auto& call = *find<Call>(b.value);
    Ref<Var>& held = locals[find<GlobalVar>(call.callee)->name];
    if (!held) {
      Ref<Function> local = local_copy(*module.find_as<Function>(find<GlobalVar>(call.callee)->name));
      held = Var::make("local_func", local->type);
      bindings.push_back({held, local, nullptr, b.span});
    }
    std::vector<Expr> args;
    for (const Expr& a : call.args) args.push_back(Renamed(inside).run(a));
    Expr value = Call::make(held, std::move(args), {}, {}, call.span);
    Ref<Var> result = Var::make(b.var->name, value->type);
    inside.emplace(b.var, result);
    bindings.push_back({result, value, nullptr, b.span});
  }
  std::vector<Expr> fields;
  for (const Ref<Var>& v : outputs) fields.push_back(inside.at(v));
  Ref<SeqExpr> body = SeqExpr::make({BindingBlock::make(std::move(bindings))},
                                    fields.size() == 1 ? fields[0] : Expr(Tuple::make(fields)));
  Attrs attrs(AttrMap{{kCodegen, group.backend}});
  out.function = close_function(std::move(params), body, std::move(attrs), out.args);
  return out;
}

class Merger final : public Rewriter {
 public:
  Merger(const Module& module, BlockBuilder& unsaid, std::map<std::string, Ref<GlobalVar>>& made,
         std::vector<FunctionEntry>& changed)
      : module_(module), unsaid_(unsaid), made_(made), changed_(changed) {}

 private:
  using Rewriter::visit;

  Ref<BindingBlock> visit_block(const Ref<BindingBlock>& original) override {
    Ref<BindingBlock> block = Rewriter::visit_block(original);
    if (!block->is_dataflow) return block;
    const std::vector<CompositeGroup> groups = composite_groups(module_, *block);
    if (groups.empty()) return block;
    std::vector<Binding> bindings = with_calls(*block, groups);
    auto no_cycle = [](const Var& v) { SUNMAO_CHECK(false, "merged functions need each other for {}", v.name); };
    return BindingBlock::make_dataflow(in_order(bindings, no_cycle), block->span);
  }

  // Returns the block with groups replaced by calls, each before the first use of its results or at its last binding.
  std::vector<Binding> with_calls(const BindingBlock& block, const std::vector<CompositeGroup>& groups) {
    std::vector<std::span<const Binding>> members;
    for (const CompositeGroup& g : groups) members.emplace_back(g.members);
    const BindingGroups found(block, members);
    std::vector<Binding> bindings;
    std::vector<char> is_called(groups.size());
    auto call = [&](size_t g) {
      if (!is_called[g]) add_call(groups[g], found.outputs(g), bindings);
      is_called[g] = 1;
    };
    for (const Binding& b : block.bindings) {
      for (size_t g : found.read_by(b)) call(g);
      const std::optional<size_t> home = found.home(b.var);
      if (!home)
        bindings.push_back(b);
      else if (members[*home].back().var == b.var)
        call(*home);
    }
    return bindings;
  }

  void add_call(const CompositeGroup& group, const std::vector<Ref<Var>>& outputs, std::vector<Binding>& bindings) {
    const Span& span = group.members.back().span;
    const Merged merged = merge(module_, group, outputs);
    const std::string name = unsaid_.add_function(name_of(group), merged.function)->name + "_" + group.backend;
    Ref<GlobalVar>& var = made_[name];
    if (!var) {
      var = GlobalVar::make(name);
      changed_.push_back({var, find_ref<Function>(Expr(merged.function->with_attr("global_symbol", name)))});
    }
    Type type = infer_call(*find<CallableType>(merged.function->type), merged.args, {}, name);
    Expr call = Call::make_typed(var, merged.args, {}, {}, type);
    if (outputs.size() == 1) return bindings.push_back({outputs[0], call, nullptr, span});
    Ref<Var> all = Var::make_dataflow("lv", type);
    bindings.push_back({all, call, nullptr, span});
    for (size_t i = 0; i < outputs.size(); ++i)
      bindings.push_back({outputs[i], TupleGetItem::make(all, static_cast<int>(i)), nullptr, span});
  }

  const Module& module_;
  BlockBuilder& unsaid_;  // the new functions without `global_symbol`, to find equal ones
  std::map<std::string, Ref<GlobalVar>>& made_;
  std::vector<FunctionEntry>& changed_;
};

// Removes private composite functions without remaining references.
Module without_merged(Module m) {
  std::set<std::string> called;
  for (const FunctionEntry& e : m.functions())
    for (const Ref<GlobalVar>& callee : all_global_vars(Expr(e.func))) called.insert(callee->name);
  std::vector<std::string> gone;
  for (const FunctionEntry& e : m.functions())
    if (e.func->attrs.has(kComposite) && !e.func->attrs.has("global_symbol") && !called.contains(e.var->name))
      gone.push_back(e.var->name);
  for (const std::string& name : gone) m = m.without_function(name);
  return m;
}

}  // namespace

Module merge_composite_functions(const Module& module, const PassContext& ctx) {
  // Renames would hide the consumers of a value.
  const Module m = canonicalize_bindings(module, ctx);
  BlockBuilder unsaid(m);
  std::map<std::string, Ref<GlobalVar>> made;
  std::vector<FunctionEntry> changed;
  for (const FunctionEntry& e : m.functions()) {
    Ref<Function> f = find_ref<Function>(Expr(e.func));
    if (!f || f->attrs.has(kComposite) || f->attrs.has(kCodegen)) continue;
    Ref<Function> merged = Merger(m, unsaid, made, changed).rewrite(f);
    if (merged != f) changed.push_back({e.var, merged});
  }
  return changed.empty() ? module : without_merged(m.with_functions(std::move(changed)));
}

}  // namespace sunmao
