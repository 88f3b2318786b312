#include "passes/validation/result_precisions.h"

#include <unordered_map>

#include "eval/compare.h"
#include "ir/walk.h"

namespace sunmao {
namespace {

/// Returns the coarser one of two dtypes, of which those that are no floats do not count.
DType coarser(DType a, DType b) {
  if (!a.is_float() || !b.is_float()) return a.is_float() ? a : b.is_float() ? b : DType();
  return tolerance_of(a).relative >= tolerance_of(b).relative ? a : b;
}

DType coarsest_of(const Type& type) {
  if (const auto* tensor = find<TensorType>(type)) return coarser(tensor->dtype, {});
  DType out;
  if (const auto* tuple = find<TupleType>(type))
    for (const Type& field : tuple->fields) out = coarser(out, coarsest_of(field));
  return out;
}

}  // namespace

std::vector<DType> precisions_of(const Function& f) {
  std::unordered_map<Ref<Var>, DType> known;
  std::unordered_map<Ref<Var>, const Tuple*> tuples;
  const auto of = [&](const Expr& e) {
    DType precision = coarsest_of(e->type);
    for (const Ref<Var>& v : free_vars(e)) precision = coarser(precision, known[v]);
    return precision;
  };
  for (const Ref<Var>& p : f.params) known[p] = coarsest_of(p->type);
  for (const Ref<BindingBlock>& block : f.body->blocks)
    for (const Binding& b : block->bindings) {
      known[b.var] = coarser(of(b.value), coarsest_of(b.var->type));
      tuples[b.var] = find<Tuple>(b.value);
    }
  const Expr& result = f.body->body;
  const auto* tuple = find<Tuple>(result);
  if (const Ref<Var> var = find_ref<Var>(result); var && tuples.contains(var)) tuple = tuples[var];
  std::vector<DType> out;
  if (tuple)
    for (const Expr& field : tuple->fields) out.push_back(of(field));
  else if (const auto* type = find<TupleType>(result->type))
    out.assign(type->fields.size(), of(result));
  else
    out.push_back(of(result));
  return out;
}

}  // namespace sunmao
