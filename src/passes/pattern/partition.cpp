#include "passes/pattern/partition.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "ir/builder.h"
#include "ir/op.h"
#include "passes/analysis/named_functions.h"
#include "passes/analysis/variables.h"
#include "passes/pattern/binding_groups.h"
#include "passes/pattern/binding_order.h"
#include "passes/pattern/outline.h"
#include "support/diagnostic.h"
#include "support/spelling.h"

namespace sunmao {
namespace {

constexpr const char* kComposite = "Composite";
constexpr const char* kPrimitive = "Primitive";
constexpr const char* kCodegen = "Codegen";

struct Group {
  std::vector<Binding> members;  // in the order of the block
  AttrMap attrs;
};

// True for patterns of calls, tuples and tuple fields: the bindings that they match join the group.
bool is_computation(const Pattern& p) {
  return std::holds_alternative<CallForm>(p.form) || std::holds_alternative<TupleItemForm>(p.form) ||
         std::holds_alternative<TupleForm>(p.form);
}

std::string function_name(const Group& group) {
  std::string name = "fused";
  for (const Binding& b : group.members) {
    const auto* call = find<Call>(b.value);
    const Op* op = call ? op_of(*call) : nullptr;
    if (op) name += "_relax_" + op->name();
  }
  std::ranges::replace(name, '.', '_');
  return name;
}

// Wraps the function, which is used nowhere else, in one that a backend compiles as a whole. Both share symbols.
Ref<Function> in_annotated(const Ref<Function>& f, const std::string& codegen, const std::string& symbol) {
  Ref<Function> inner = find_ref<Function>(Expr(f->with_attrs(f->attrs.without(kPrimitive))));
  std::vector<Ref<Var>> params;
  for (const Ref<Var>& p : f->params) params.push_back(Var::make(p->name, p->type));
  const std::vector<Expr> args(params.begin(), params.end());
  Ref<Var> local = Var::make("local_func", inner->type);
  Ref<Var> result = Var::make("output", Call::make(local, args)->type);
  Ref<SeqExpr> body = SeqExpr::make(
      {BindingBlock::make({{local, inner, nullptr, {}}, {result, Call::make(local, args), nullptr, {}}})}, result);
  return Function::make(params, body, nullptr, true, Attrs(AttrMap{{kCodegen, codegen}, {"global_symbol", symbol}}));
}

// Adds the new functions to the module; with `annotate`, their wrappers instead.
class Registry {
 public:
  Registry(const Module& module, bool annotate) : functions_(module), plain_(module), annotate_(annotate) {}

  Ref<GlobalVar> add(const std::string& hint, const Ref<Function>& f, const std::string& backend) {
    if (!annotate_) return functions_.add_function(hint, f);
    const std::string name = plain_.add_function(hint, f)->name + "_" + backend;
    Ref<GlobalVar>& var = annotated_[name];
    if (!var) {
      var = GlobalVar::make(name);
      functions_.put_function(var, in_annotated(f, backend, name));
    }
    return var;
  }

  Module module() const { return functions_.module(); }
  void put(const Ref<GlobalVar>& var, const Ref<Function>& f) { functions_.put_function(var, f); }

 private:
  BlockBuilder functions_, plain_;
  const bool annotate_;
  std::map<std::string, Ref<GlobalVar>> annotated_;
};

class Partitioner final : public Rewriter {
 public:
  Partitioner(const PartitionPattern& pattern, const PartitionOptions& options, const Ref<Function>& function,
              Registry& registry)
      : pattern_(pattern), options_(options), function_(function), registry_(registry),
        values_(var_to_value(Expr(function))) {}

 private:
  using Rewriter::visit;

  // A function with the attribute `Composite` is skipped.
  Expr visit(const Function& f) override { return f.attrs.has(kComposite) ? Expr(&f) : Rewriter::visit(f); }

  Ref<BindingBlock> visit_block(const Ref<BindingBlock>& original) override {
    Ref<BindingBlock> block = Rewriter::visit_block(original);
    if (!block->is_dataflow) return block;
    std::vector<Group> groups = find_groups(*block);
    if (groups.empty()) return block;
    return BindingBlock::make_dataflow(in_order(with_calls(*block, groups), fail_cycle), block->span);
  }

  [[noreturn]] static void fail_cycle(const Var& v) {
    fail("E0526", v.span,
         fmt::format("A cyclic dependency detected: a function would need `{}`, which its own results are needed for",
                     v.name),
         "let the pattern match what stands between its parts too, or constrain who may read them");
  }

  // Returns groups in the order of their last bindings; matching starts from later bindings, so that a chain is matched
  // from its end.
  std::vector<Group> find_groups(const BindingBlock& block) {
    std::unordered_map<Ref<Var>, size_t> home;
    for (size_t i = 0; i < block.bindings.size(); ++i) home.emplace(block.bindings[i].var, i);
    std::vector<char> taken(block.bindings.size());
    auto value_of = [&](const Ref<Var>& v) {
      auto it = home.find(v);
      const bool is_free = it != home.end() && !taken[it->second] && !block.bindings[it->second].is_match_cast();
      return is_free ? block.bindings[it->second].value : Expr();
    };
    std::vector<Group> groups;
    for (size_t i = block.bindings.size(); i-- > 0;) {
      const Binding& root = block.bindings[i];
      if (taken[i] || !find<Call>(root.value)) continue;
      std::optional<Matches> found = match(pattern_.pattern, root.var, value_of);
      if (!found) continue;
      std::vector<size_t> members;
      for (auto& [part, expr] : *found) {
        auto it = is_computation(*part) ? home.find(find_ref<Var>(expr)) : home.end();
        if (it == home.end()) continue;
        if (std::ranges::find(members, it->second) == members.end()) members.push_back(it->second);
        expr = block.bindings[it->second].value;
      }
      if (std::ranges::find(members, i) == members.end()) continue;
      std::ranges::sort(members);
      Group group;
      for (size_t m : members) group.members.push_back(block.bindings[m]);
      std::optional<AttrMap> more = pattern_.accept({*found, root.value, group.members, *function_});
      if (!more) continue;
      group.attrs = std::move(*more);
      for (size_t m : members) taken[m] = 1;
      groups.push_back(std::move(group));
    }
    std::ranges::reverse(groups);
    return groups;
  }

  // Returns the bindings of the block with each group replaced by a call at its last binding.
  std::vector<Binding> with_calls(const BindingBlock& block, const std::vector<Group>& groups) {
    std::vector<std::span<const Binding>> members;
    for (const Group& g : groups) members.emplace_back(g.members);
    const BindingGroups found(block, members);
    std::vector<Binding> bindings;
    for (const Binding& b : block.bindings) {
      const std::optional<size_t> home = found.home(b.var);
      if (!home)
        bindings.push_back(b);
      else if (members[*home].back().var == b.var)
        add_call(groups[*home], found.outputs(*home), bindings);
    }
    return bindings;
  }

  void add_call(const Group& group, const std::vector<Ref<Var>>& outputs, std::vector<Binding>& bindings) {
    const Span& span = group.members.back().span;
    Expr call = call_of(group, outputs, bindings);
    if (outputs.size() == 1) return bindings.push_back({outputs[0], call, nullptr, span});
    Ref<Var> all = Var::make_dataflow("lv", call->type);
    bindings.push_back({all, call, nullptr, span});
    for (const Binding& b : group.members) {
      auto at = std::ranges::find(outputs, b.var);
      if (at == outputs.end()) continue;
      const int index = static_cast<int>(at - outputs.begin());
      bindings.push_back({b.var, TupleGetItem::make(all, index), nullptr, b.span});
    }
  }

  Expr call_of(const Group& group, const std::vector<Ref<Var>>& outputs, std::vector<Binding>& bindings) {
    AttrMap attrs = group.attrs;
    attrs[kComposite] = pattern_.name;
    attrs[kPrimitive] = true;
    const Outlined outlined =
        outline(group.members, outputs, Attrs(std::move(attrs)), {options_.bind_constants, values_});
    std::ranges::copy(outlined.fields, std::back_inserter(bindings));
    const std::string name = function_name(group), backend = pattern_.name.substr(0, pattern_.name.find('.'));
    Ref<GlobalVar> var = registry_.add(name, outlined.function, backend);
    Type type = infer_call(*find<CallableType>(outlined.function->type), outlined.args, {}, name);
    return Call::make_typed(var, outlined.args, {}, {}, type);
  }

  const PartitionPattern& pattern_;
  const PartitionOptions& options_;
  const Ref<Function>& function_;
  Registry& registry_;
  const std::unordered_map<Ref<Var>, Expr> values_;
};

// Returns the given functions and those reachable from them; all functions when `work` is empty.
std::unordered_set<std::string> reachable(const Module& m, std::vector<std::string> work) {
  std::unordered_set<std::string> reached;
  if (work.empty())
    for (const FunctionEntry& e : m.functions()) work.push_back(e.var->name);
  while (!work.empty()) {
    std::string name = std::move(work.back());
    work.pop_back();
    Ref<Function> f = reached.insert(name).second ? m.find_as<Function>(name) : nullptr;
    if (!f) continue;
    for (const Ref<GlobalVar>& callee : all_global_vars(Expr(f))) work.push_back(callee->name);
  }
  return reached;
}

}  // namespace

Module partition(const Module& module, const std::vector<PartitionPattern>& patterns, const PartitionOptions& options) {
  require_functions(module, "partition", options.entry_functions);
  const std::unordered_set<std::string> names = reachable(module, options.entry_functions);
  Registry registry(module, options.annotate_codegen);
  bool changed = false;
  for (const PartitionPattern& pattern : patterns) {
    const Module before = registry.module();
    for (const FunctionEntry& e : before.functions()) {
      Ref<Function> f = find_ref<Function>(Expr(e.func));
      const bool is_ours = f && (f->attrs.has(kComposite) || f->attrs.has(kCodegen) || f->attrs.has(kPrimitive));
      if (!f || is_ours || !names.contains(e.var->name)) continue;
      Ref<Function> partitioned = Partitioner(pattern, options, f, registry).rewrite(f);
      if (partitioned == f) continue;
      registry.put(e.var, partitioned);
      changed = true;
    }
  }
  return changed ? registry.module() : module;
}

}  // namespace sunmao
