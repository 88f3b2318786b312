// Builtins that make tuples and take them apart.
#include "eval/builtins/builtin.h"

namespace sunmao {
namespace {

// Returns argument 0, a tuple, and argument 1, a field index in range.
std::pair<std::shared_ptr<ValueTuple>, size_t> field(const BuiltinCall& call) {
  std::shared_ptr<ValueTuple> tuple = call.tuple(0);
  const int64_t i = call.integer(1);
  if (i < 0 || static_cast<size_t>(i) >= tuple->size())
    call.fail_with("there is no field " + std::to_string(i) + " in a " + describe(call.args[0]));
  return {std::move(tuple), static_cast<size_t>(i)};
}

Value item(const BuiltinCall& call) {
  auto [tuple, i] = field(call);
  return marked((*tuple)[i], std::max(call.args[0].seen, call.args[1].seen));
}

Value reset_item(const BuiltinCall& call) {
  auto [tuple, i] = field(call);
  (*tuple)[i] = Value();
  const auto* returns_nothing = call.result ? find<TupleType>(call.result) : nullptr;
  return returns_nothing && returns_nothing->fields.empty() ? Value(ValueTuple()) : call.args[0];
}

Value make_tuple(const BuiltinCall& call) { return call.args; }

}  // namespace

std::span<const Builtin> tuple_builtins() {
  static constexpr Builtin kTable[] = {
      {"vm.builtin.make_tuple", make_tuple},
      {"vm.builtin.tuple_getitem", item},
      {kResetItem, reset_item},
  };
  return kTable;
}

}  // namespace sunmao
