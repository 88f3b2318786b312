#include "eval/host_function.h"

#include <unordered_map>

#include "eval/element.h"
#include "support/diagnostic.h"
#include "support/shape_bytes.h"

namespace sunmao {
namespace {

struct BuiltinCall {
  const std::string& name;
  const ValueTuple& args;
  const Type& result;
  const Span& span;

  [[noreturn]] void wrong(size_t i, const char* expected) const {
    fail("E0505", span,
         fmt::format("`{}`: argument {} must be {}, got {}", name, i, expected,
                     i < args.size() ? describe(args[i]) : "nothing"));
  }
  const Array& array(size_t i) const {
    const Array* a = i < args.size() ? args[i].array() : nullptr;
    return a ? *a : (wrong(i, "a tensor"), *a);
  }
  const ShapeValue& shape(size_t i) const {
    const ShapeValue* s = i < args.size() ? args[i].shape() : nullptr;
    return s ? *s : (wrong(i, "a shape"), *s);
  }
  // Returns argument 0, a tuple, and argument 1, a field index in range.
  std::pair<std::shared_ptr<ValueTuple>, size_t> field() const {
    std::shared_ptr<ValueTuple> tuple = args.empty() ? nullptr : args[0].shared_tuple();
    if (!tuple) wrong(0, "a tuple");
    const auto* i = args.size() > 1 ? std::get_if<int64_t>(&args[1].v) : nullptr;
    if (!i) wrong(1, "an integer");
    if (*i < 0 || static_cast<size_t>(*i) >= tuple->size())
      fail("E0506", span, fmt::format("`{}`: there is no field {} in a {}", name, *i, describe(args[0])));
    return {std::move(tuple), static_cast<size_t>(*i)};
  }
};

Value tuple_item(const BuiltinCall& call) {
  auto [tuple, i] = call.field();
  return marked((*tuple)[i], std::max(call.args[0].seen, call.args[1].seen));
}

Value reset_item(const BuiltinCall& call) {
  auto [tuple, i] = call.field();
  (*tuple)[i] = Value();
  const auto* returns_nothing = find<TupleType>(call.result);
  return returns_nothing && returns_nothing->fields.empty() ? Value(ValueTuple()) : call.args[0];
}

Value host_shape_of(const BuiltinCall& call) { return ShapeValue(call.array(0).shape()); }

Value host_tensor_to_shape(const BuiltinCall& call) {
  const Array& x = call.array(0);
  ShapeValue out;
  for (int64_t i = 0; i < x.count(); ++i) out.push_back(load_element(x, i).i);
  return out;
}

Value reshape(const BuiltinCall& call) {
  const Array& x = call.array(0);
  if (shape_count(call.shape(1)) != x.count())
    fail("E0506", call.span, fmt::format("`{}`: a {} has no {}", call.name, describe(x), describe(call.args[1])));
  return Array::wrap(x.dtype(), call.shape(1), x.data(), x.owner());
}

Value copy(const BuiltinCall& call) {
  const Array* x = call.args.empty() ? nullptr : call.args[0].array();
  if (!x) return call.args.empty() ? Value() : call.args[0];
  return Array::copy(x->dtype(), x->shape(), x->bytes());
}

Value returns_nothing(const BuiltinCall&) { return Value(); }

const std::unordered_map<std::string_view, Value (*)(const BuiltinCall&)>& builtins() {
  static const std::unordered_map<std::string_view, Value (*)(const BuiltinCall&)> table{
      {"vm.builtin.tuple_getitem", tuple_item},
      {kResetItem, reset_item},
      {"vm.builtin.shape_of", host_shape_of},
      {"vm.builtin.tensor_to_shape", host_tensor_to_shape},
      {"vm.builtin.reshape", reshape},
      {"vm.builtin.copy", copy},
      {"vm.builtin.null_value", returns_nothing},
  };
  return table;
}

// Converts a tensor of rank 0 to a number, and an integer to a float when the dtype is a float.
Value as_number(DType dtype, Value value) {
  if (const Array* a = value.array(); a && a->rank() == 0) {
    const Number n = load_element(*a, 0);
    value = marked(a->dtype().is_float() ? Value(n.f) : Value(n.i), value.seen);
  }
  if (const auto* integer = std::get_if<int64_t>(&value.v); integer && dtype.is_float())
    return marked(static_cast<double>(*integer), value.seen);
  return value;
}

}  // namespace

Value as_type(const Type& type, Value value) {
  if (const auto* tuple = find<TupleType>(type)) {
    if (value.is_nothing() && tuple->fields.empty()) return ValueTuple();
    const std::shared_ptr<ValueTuple> fields = value.shared_tuple();
    if (!fields || fields->size() != tuple->fields.size()) return value;
    for (size_t i = 0; i < fields->size(); ++i) (*fields)[i] = as_type(tuple->fields[i], std::move((*fields)[i]));
    return value;
  }
  if (find<ShapeType>(type) && value.tuple()) {
    ShapeValue shape;
    Seen seen = value.seen;
    for (const Value& field : *value.tuple()) {
      const auto* size = std::get_if<int64_t>(&field.v);
      if (!size) return value;
      shape.push_back(*size);
      seen = std::max(seen, field.seen);
    }
    return marked(std::move(shape), seen);
  }
  const auto* prim = find<PrimType>(type);
  return prim ? as_number(prim->dtype, std::move(value)) : value;
}

std::optional<Value> call_builtin(const std::string& name, const ValueTuple& args, const Type& result,
                                  const Span& span) {
  auto builtin = builtins().find(name);
  if (builtin == builtins().end()) return std::nullopt;
  return builtin->second({name, args, result, span});
}

}  // namespace sunmao
