#include "ir/element_types.h"

#include "ir/walk.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

class ElementTypes final : public Visitor {
 public:
  using Visitor::visit;

  void visit(const Function& function) override {
    for (const Ref<Var>& p : function.params) check_element_types(p->type, p->name, p->span);
    Visitor::visit(function);
  }
  void visit(const Binding& binding) override {
    check_element_types(binding.var->type, binding.var->name, binding.span);
    Visitor::visit(binding);
  }
};

}  // namespace

void check_element_types(const Type& type, const std::string& name, const Span& span) {
  if (const auto* tuple = find<TupleType>(type)) {
    for (const Type& field : tuple->fields) check_element_types(field, name, span);
  } else if (const auto* tensor = find<TensorType>(type)) {
    const DType t = tensor->dtype;
    if (t.is_vector() || t.code == TypeCode::Handle)
      fail("E0319", span,
           fmt::format("`{}` is a tensor of {}: {} are no elements to compute with", name, t.str(),
                       t.is_vector() ? "vectors" : "handles"),
           t.is_vector() ? fmt::format("give it one more dimension of {}", t.element().str())
                         : "handles are for loop-level functions");
  }
}

void check_element_types(const Module& module) {
  for (const FunctionEntry& e : module.functions())
    if (find<Function>(Expr(e.func))) ElementTypes().Visitor::visit(Expr(e.func));
}

}  // namespace sunmao
