#include "passes/upstream/value_checks.h"

#include <algorithm>

#include "ir/type_relation.h"
#include "ops/ops.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

bool is_known_as(const Type& base, const Type& type) {
  Analyzer analyzer;
  return type && base_check(base, type, analyzer) == BaseCheck::Pass;
}

}  // namespace

ValueChecks::Place::Place(const Place& tuple, int64_t field, const Emit& emit) {
  const auto* literal = find<Tuple>(tuple.state_->value);
  const auto* type = find<TupleType>(tuple.type());
  if (literal) {
    state_ = std::make_shared<State>(State{.value = literal->fields[static_cast<size_t>(field)]});
    return;
  }
  state_ = std::make_shared<State>();
  state_->type = type ? type->fields[static_cast<size_t>(field)] : AnyType::make();
  state_->bind = [tuple, field, emit, is_tuple = type != nullptr] {
    const Expr from = tuple.get();
    if (is_tuple) return emit(TupleGetItem::make(from, static_cast<int>(field)), "gv");
    return emit(
        Call::make(ExternFunc::make("vm.builtin.tuple_getitem"), {from, int_value(field)}, {}, {AnyType::make()}),
        "gv");
  };
}

Expr ValueChecks::Place::get() const {
  if (!state_->value) state_->value = state_->bind();
  return state_->value;
}

void ValueChecks::check(const Type& type, const Place& place, Extent extent) {
  if (!extent.always && is_known_as(type, place.type())) return;
  if (const auto* tensor = find<TensorType>(type)) check_tensor(*tensor, place, extent);
  if (const auto* shape = find<ShapeType>(type)) check_shape(*shape, place, extent);
  if (const auto* number = find<PrimType>(type)) check_number(*number, place, extent);
  if (const auto* tuple = find<TupleType>(type)) check_tuple(*tuple, place, extent);
  if (find<CallableType>(type) && (extent.always || !find<CallableType>(place.type())))
    call("vm.builtin.check_func_info", {place.get(), context_});
}

void ValueChecks::check_tensor(const TensorType& type, const Place& place, Extent extent) {
  const std::vector<Scalar>* dims = type.dims();
  auto is_number = [](const Scalar& s) { return find<IntImm>(s) != nullptr; };
  if (extent.dynamic_only && dims && std::ranges::all_of(*dims, is_number)) return;
  if (extent.always || !is_known_as(TensorType::make_unknown(type.dtype, type.rank), place.type())) {
    const Expr value = place.get();
    const Expr dtype = type.is_unknown_dtype() ? emit_(Call::make(builtin_ops().get("null_value"), {}), "gv")
                                               : DTypeLiteral::make(type.dtype);
    call("vm.builtin.check_tensor_info", {value, int_value(type.rank), dtype, context_});
  }
  if (dims) matches_.push_back({place, *dims, context_});
  if (!dims && type.shape)
    fail("E0535", type.span,
         fmt::format("lower-shapes-to-heap: the shape of {} is a variable whose sizes are not known",
                     describe(Type(&type))),
         "state the sizes, or only the rank with `ndim=`");
}

void ValueChecks::check_shape(const ShapeType& type, const Place& place, Extent extent) {
  if (extent.always || !is_known_as(ShapeType::make_unknown(type.rank), place.type()))
    call("vm.builtin.check_shape_info", {place.get(), int_value(type.rank), context_});
  if (type.values) matches_.push_back({place, *type.values, context_});
}

void ValueChecks::check_number(const PrimType& type, const Place& place, Extent extent) {
  if (extent.always || !is_known_as(PrimType::make(type.dtype), place.type()))
    call("vm.builtin.check_prim_value_info", {place.get(), DTypeLiteral::make(type.dtype), context_});
  if (type.value && type.dtype == DType::int_(64)) matches_.push_back({place, {type.value}, context_});
}

void ValueChecks::check_tuple(const TupleType& type, const Place& place, Extent extent) {
  const auto* known = find<TupleType>(place.type());
  if (known && known->fields.size() != type.fields.size())
    fail("E0313", type.span,
         fmt::format("lower-shapes-to-heap: expected {}, got {}", describe(Type(&type)), describe(place.type())),
         "a cast cannot change the number of fields");
  if (extent.always || !known)
    call("vm.builtin.check_tuple_info", {place.get(), int_value(static_cast<int64_t>(type.fields.size())), context_});
  for (size_t i = 0; i < type.fields.size(); ++i)
    check(type.fields[i], Place(place, static_cast<int64_t>(i), emit_), extent);
}

void ValueChecks::call(const char* name, std::vector<Expr> args) {
  emit_(Call::make(ExternFunc::make(name), std::move(args), {}, {TupleType::make({})}), "_");
}

}  // namespace sunmao
