// Fewer bindings by letting a value stand for what is computed from it.
#include "compiler/reduction/flat_function.h"
#include "compiler/reduction/reduction_search.h"
#include "ir/equal.h"

namespace sunmao::reduction {
namespace {

FlatFunction flat_in(const ReductionSearch& search, const std::string& name) {
  FlatFunction flat = flatten(search.best().module.find_as<Function>(name));
  flat.keeps_signature = !search.roots().contains(name);
  return flat;
}

/// The arguments that may stand for the result of a call: those of its type, fields of tuples included.
std::vector<Expr> stand_ins(const Binding& b) {
  std::vector<Expr> out;
  const auto* call = find<Call>(b.value);
  if (!call || !b.var->type) return out;
  const auto add = [&](const Expr& e) {
    if (!e->type || !structural_equal(e->type, b.var->type)) return;
    if (std::ranges::find(out, e) == out.end()) out.push_back(e);
  };
  for (const Expr& arg : call->args) {
    add(arg);
    if (const auto* tuple = find<Tuple>(arg))
      for (const Expr& field : tuple->fields) add(field);
  }
  return out;
}

bool bypass(ReductionSearch& search, const std::string& name, size_t index, const Expr& value) {
  return search.attempt_function(name, [&] {
    FlatFunction flat = flat_in(search, name);
    FlatEdits edits;
    edits.values.emplace(flat.bindings[index].binding.var, value);
    flat.bindings.erase(flat.bindings.begin() + static_cast<std::ptrdiff_t>(index));
    return build(flat, edits);
  });
}

/// Puts the bindings of one way of a branch in the place of the branch.
bool take_way(ReductionSearch& search, const std::string& name, size_t index, const Ref<SeqExpr>& way) {
  return search.attempt_function(name, [&] {
    FlatFunction flat = flat_in(search, name);
    FlatEdits edits;
    edits.values.emplace(flat.bindings[index].binding.var, way->body);
    std::vector<FlatBinding> spliced;
    size_t block = flat.bindings.back().block + 1;
    for (const Ref<BindingBlock>& from : way->blocks) {
      for (const Binding& b : from->bindings) {
        spliced.push_back({b, block, from->is_dataflow});
        flat.known.insert(b.var);
      }
      ++block;
    }
    for (size_t i = index + 1; i < flat.bindings.size(); ++i) flat.bindings[i].block += block;
    const auto at = flat.bindings.erase(flat.bindings.begin() + static_cast<std::ptrdiff_t>(index));
    flat.bindings.insert(at, spliced.begin(), spliced.end());
    return build(flat, edits);
  });
}

bool simplify_binding(ReductionSearch& search, const std::string& name, size_t index) {
  const Binding b = flat_in(search, name).bindings[index].binding;
  if (const auto* branch = find<If>(b.value))
    return take_way(search, name, index, branch->then_branch) || take_way(search, name, index, branch->else_branch);
  for (const Expr& value : stand_ins(b))
    if (bypass(search, name, index, value)) return true;
  return false;
}

}  // namespace

void bypass_calls(ReductionSearch& search) {
  search.begin_step("calls");
  for (const std::string& name : graph_functions(search)) {
    if (!search.best().module.find_as<Function>(name)) continue;
    for (size_t i = flat_in(search, name).bindings.size(); i-- > 0;) {
      if (i < flat_in(search, name).bindings.size()) simplify_binding(search, name, i);
    }
  }
}

}  // namespace sunmao::reduction
