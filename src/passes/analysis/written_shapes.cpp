#include "passes/analysis/written_shapes.h"

#include <algorithm>

#include "ir/copy.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// True when a parameter's type refers to the shape variable `var`. Types of bindings derive from those of parameters.
bool names(const Type& type, const Ref<Var>& var) {
  if (const auto* t = find<TensorType>(type)) return t->shape == var;
  const auto* tuple = find<TupleType>(type);
  return tuple && std::ranges::any_of(tuple->fields, [&](const Type& f) { return names(f, var); });
}

// Returns a shape expression of the values that the variable's type states, else of fresh symbols; null when the rank
// is unknown, too.
Expr written(const Var& shape) {
  const auto& type = *find<ShapeType>(shape.type);
  if (type.values) return ShapeExpr::make(*type.values);
  if (type.rank < 0) return nullptr;
  std::vector<Scalar> dims;
  for (int i = 0; i < type.rank; ++i)
    dims.push_back(SymVar::make(fmt::format("{}_{}", shape.name, i), DType::int_(64)));
  return ShapeExpr::make(std::move(dims));
}

}  // namespace

Ref<Function> with_written_shapes(const Ref<Function>& function, size_t begin) {
  const std::vector<Ref<Var>>& params = function->params;
  FreshCopy copy;
  std::vector<Ref<Var>> changed;
  bool is_any = false;
  for (size_t i = 0; i < params.size(); ++i) {
    const Ref<Var>& p = params[i];
    const bool is_named = i >= begin && find<ShapeType>(p->type) &&
                          std::ranges::any_of(params, [&](const Ref<Var>& other) { return names(other->type, p); });
    is_any |= is_named;
    const Expr shape = is_named ? written(*p) : nullptr;
    if (is_named) copy.map_shape(p, shape);
    changed.push_back(shape ? Var::make(p->name, shape->type, p->span) : p);
  }
  if (!is_any) return function;
  std::vector<Ref<Var>> fresh;
  for (size_t i = 0; i < params.size(); ++i) {
    fresh.push_back(copy.define(changed[i]));
    copy.map(params[i], fresh.back());
  }
  Ref<SeqExpr> body = copy.copy(function->body);
  return Function::make(std::move(fresh), std::move(body), copy.copy(function->result_type), function->is_pure,
                        function->attrs, function->span);
}

}  // namespace sunmao
