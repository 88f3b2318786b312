// The pass `evaluate-shapes`: evaluates symbolically the tensor programs that compute sizes (`shape_of`, `take`,
// `concat`, `tensor_to_shape` …), and reads of the fields of tensors.
#include <algorithm>

#include "eval/element.h"
#include "eval/shape_values.h"
#include "ir/walk.h"
#include "ops/inspect.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

// Returns the tensor as a constant; null when an element is symbolic or unknown.
Expr constant_of(const SymbolicTensor& t, const Span& span) {
  ArrayBuilder data(t.dtype, t.shape);
  for (size_t i = 0; i < t.elements.size(); ++i) {
    const int64_t* number = t.elements[i] ? find_int(t.elements[i]) : nullptr;
    if (!number) return nullptr;
    store_element(t.dtype, data.data(), static_cast<int64_t>(i), {.i = *number});
  }
  return Constant::make(std::move(data).finish(), span);
}

class ShapeEvaluator final : public Rewriter {
 public:
  explicit ShapeEvaluator(const Function& f) {
    for (const Ref<Var>& param : f.params) values_.note_parameter(param);
  }

 private:
  using Rewriter::visit;

  void visit(const Binding& b) override {
    if (b.is_match_cast()) {
      values_.note_parameter(b.var);
      return Rewriter::visit(b);
    }
    Expr value = Rewriter::visit(b.value);
    std::vector<SymbolicTensor> known = values_.values_of(value);
    if (const auto* call = find<Call>(value)) {
      if (Expr shape = values_.shape_of(*call)) return replace(b.var, shape);
      if (Expr field = inspected_field(*call)) return replace(b.var, field);
      if (known.size() == 1 && find<TensorType>(value->type))
        if (Expr constant = constant_of(known[0], value->span)) return replace(b.var, constant);
    }
    bind(b, value);
    const Expr now = Rewriter::visit(Expr(b.var));
    if (Ref<Var> var = find_ref<Var>(now)) values_.note(var, std::move(known));
  }

  ShapeValues values_;
};

}  // namespace

Module evaluate_shapes(const Module& m, const PassContext&) {
  return map_functions(m, [](const Ref<Function>& f) { return ShapeEvaluator(*f).rewrite(f); });
}

}  // namespace sunmao
