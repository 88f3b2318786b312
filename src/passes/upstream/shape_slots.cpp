#include "passes/upstream/shape_slots.h"

#include "ir/walk.h"
#include "sym/equal.h"
#include "sym/walk.h"

namespace sunmao {

size_t ShapeSlots::Hash::operator()(const Scalar& s) const { return structural_hash(s); }
bool ShapeSlots::Equal::operator()(const Scalar& a, const Scalar& b) const { return structural_equal(a, b); }

bool is_computed_size(const Scalar& value) { return !sunmao::find<IntImm>(value) && value->dtype == DType::int_(64); }

class ShapeSlots::Collector final : public Visitor {
 public:
  explicit Collector(ShapeSlots& slots) : slots_(slots) {}
  using Visitor::visit;

  void scalars(const std::vector<Scalar>& values) {
    for (const Scalar& v : values) slots_.add(v);
  }

  void type(const Type& t) {
    const auto* tensor = sunmao::find<TensorType>(t);
    if (tensor && tensor->dims()) scalars(*tensor->dims());
    if (const auto* shape = sunmao::find<ShapeType>(t); shape && shape->values) scalars(*shape->values);
    if (const auto* prim = sunmao::find<PrimType>(t); prim && prim->value) slots_.add(prim->value);
    if (const auto* tuple = sunmao::find<TupleType>(t))
      for (const Type& field : tuple->fields) type(field);
  }

 private:
  void visit(const Var& v) override { type(v.type); }
  void visit(const Call& call) override {
    for (const Type& t : call.type_args) type(t);
    Visitor::visit(call);
    type(call.type);
  }
  void visit(const Function&) override {}
  void visit(const Binding& b) override {
    if (b.is_match_cast()) return type(b.cast_type);
    Visitor::visit(b);
    type(b.var->type);
  }
  void visit_leaf(const Expr& e) override {
    if (const auto* shape = sunmao::find<ShapeExpr>(e)) scalars(shape->values);
    if (const auto* prim = sunmao::find<PrimValue>(e)) slots_.add(prim->value);
  }

  ShapeSlots& slots_;
};

ShapeSlots::ShapeSlots(const Function& function) {
  Collector collector(*this);
  for (const Ref<Var>& p : function.params) collector.type(p->type);
  collector.visit(Expr(function.body));
  collector.type(function.result_type);
  link();
}

ShapeSlot* ShapeSlots::find(const Scalar& value) const {
  auto it = by_value_.find(value);
  return it == by_value_.end() ? nullptr : it->second;
}

void ShapeSlots::add(const Scalar& value) {
  if (!is_computed_size(value)) return;
  if (!by_value_.contains(value)) {
    slots_.push_back(std::make_unique<ShapeSlot>(ShapeSlot{.value = value, .index = count()}));
    by_value_.emplace(value, slots_.back().get());
  }
  if (sunmao::find<SymVar>(value)) return;
  for (const Ref<SymVar>& s : free_symbols(value)) add(s);
}

void ShapeSlots::link() {
  for (const std::unique_ptr<ShapeSlot>& slot : slots_) {
    if (sunmao::find<SymVar>(slot->value)) continue;
    for (const Ref<SymVar>& s : free_symbols(slot->value)) {
      if (ShapeSlot* read = find(s)) read->users.push_back(slot.get());
      ++slot->missing;
    }
  }
}

}  // namespace sunmao
