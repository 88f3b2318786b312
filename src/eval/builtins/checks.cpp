// Builtins that check what a value is: E0037 for a value of another kind, E0505 where a detail differs.
#include "eval/builtins/builtin.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

[[noreturn]] void other_kind(const BuiltinCall& call, const char* expected, const std::string& context) {
  fail("E0037", call.span,
       fmt::format("{}expected {}, got {}", context, expected,
                   call.args.empty() ? "no argument" : describe(call.args[0])));
}

void check_count(const BuiltinCall& call, const char* what, int64_t expected, size_t got, const std::string& context) {
  if (expected >= 0 && static_cast<size_t>(expected) != got)
    fail("E0505", call.span, fmt::format("{}expected {} {}, got {}", context, what, expected, got));
}

// Arguments: a tensor, its rank or -1, its dtype, nothing or no argument, a context.
Value check_tensor(const BuiltinCall& call) {
  const bool has_dtype = call.args.size() > 3;
  const std::string context = call.context(has_dtype ? 3 : 2);
  const Array* x = call.args.empty() ? nullptr : call.args[0].array();
  if (!x) other_kind(call, "a tensor", context);
  check_count(call, "a tensor whose ndim is", call.integer(1), static_cast<size_t>(x->rank()), context);
  if (has_dtype && !call.args[2].is_nothing() && call.dtype(2) != x->dtype())
    fail("E0505", call.span,
         fmt::format("{}expected a tensor whose dtype is {}, got {}", context, call.dtype(2).str(), x->dtype().str()));
  return ValueTuple();
}

Value check_shape(const BuiltinCall& call) {
  const std::string context = call.context(2);
  const ShapeValue* shape = call.args.empty() ? nullptr : call.args[0].shape();
  if (!shape) other_kind(call, "a shape", context);
  check_count(call, "a shape whose ndim is", call.integer(1), shape->size(), context);
  return ValueTuple();
}

Value check_tuple(const BuiltinCall& call) {
  const std::string context = call.context(2);
  const ValueTuple* tuple = call.args.empty() ? nullptr : call.args[0].tuple();
  if (!tuple) other_kind(call, "a tuple", context);
  check_count(call, "a tuple whose number of elements is", call.integer(1), tuple->size(), context);
  return ValueTuple();
}

Value check_function(const BuiltinCall& call) {
  const bool is_function = !call.args.empty() && (call.args[0].closure() || call.args[0].host_function());
  if (!is_function) other_kind(call, "a function", call.context(1));
  return ValueTuple();
}

Value check_number(const BuiltinCall& call) {
  const DType dtype = call.dtype(1);
  const bool is_integer = !call.args.empty() && std::holds_alternative<int64_t>(call.args[0].v);
  const bool is_real = !call.args.empty() && std::holds_alternative<double>(call.args[0].v);
  if (!is_integer && !(is_real && dtype.is_float()))
    other_kind(call, dtype.is_float() ? "a number" : "an integer", call.context(2));
  return ValueTuple();
}

}  // namespace

std::span<const Builtin> check_builtins() {
  static constexpr Builtin kTable[] = {
      {"vm.builtin.check_tensor_info", check_tensor},     {"vm.builtin.check_shape_info", check_shape},
      {"vm.builtin.check_tuple_info", check_tuple},       {"vm.builtin.check_func_info", check_function},
      {"vm.builtin.check_prim_value_info", check_number},
  };
  return kTable;
}

}  // namespace sunmao
