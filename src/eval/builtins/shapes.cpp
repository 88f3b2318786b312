// Builtins on shapes, and on the heap of sizes: a tensor of int64 that keeps the values of symbols.
#include "eval/builtins/builtin.h"
#include "eval/element.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// How an expected size is given, by upstream's numbers.
enum class MatchCode : int64_t { EqualToImmediate = 0, StoreToHeap = 1, Nothing = 2, EqualToHeap = 3 };
enum class MakeCode : int64_t { Immediate = 0, Heap = 1 };

Value shape_of(const BuiltinCall& call) { return ShapeValue(call.array(0).shape()); }

Value tensor_to_shape(const BuiltinCall& call) {
  const Array& x = call.array(0);
  ShapeValue out;
  for (int64_t i = 0; i < x.count(); ++i) out.push_back(load_element(x, i).i);
  return out;
}

Value alloc_shape_heap(const BuiltinCall& call) {
  const ShapeValue size{call.integer(0)};
  check_sizes(size, DType::int_(64), call.span);
  return call.memory.allocate(DType::int_(64), size);
}

// Returns the heap, argument `i`, after checking that it has the slot.
const Array& heap_with(const BuiltinCall& call, size_t i, int64_t slot) {
  const Array& heap = call.array(i);
  if (heap.dtype() != DType::int_(64)) call.wrong(i, "a heap of int64");
  if (slot < 0 || slot >= heap.count())
    call.fail_with(fmt::format("there is no slot {} in a heap of {}", slot, heap.count()));
  return heap;
}

int64_t load(const BuiltinCall& call, size_t heap, int64_t slot) {
  return load_element(heap_with(call, heap, slot), slot).i;
}

void store(const BuiltinCall& call, int64_t slot, int64_t value) {
  heap_with(call, 1, slot);
  store_element(DType::int_(64), call.writable(1), slot, int_number(value));
}

[[noreturn]] void mismatch(const BuiltinCall& call, const std::string& what, const std::string& context) {
  fail("E0905", call.span, fmt::format("{}match_cast: {}", context, what));
}

struct Expected {
  MatchCode code;
  int64_t value;  // a size, or a slot of the heap
};

void match(const BuiltinCall& call, int64_t size, Expected expected, const std::string& what,
           const std::string& context) {
  switch (expected.code) {
    case MatchCode::Nothing: return;
    case MatchCode::StoreToHeap: return store(call, expected.value, size);
    case MatchCode::EqualToHeap: expected.value = load(call, 1, expected.value); [[fallthrough]];
    case MatchCode::EqualToImmediate:
      if (size != expected.value)
        mismatch(call, fmt::format("{} must be {}, got {}", what, expected.value, size), context);
      return;
  }
  call.fail_with(fmt::format("there is no way {} to match", static_cast<int64_t>(expected.code)));
}

// Arguments: a shape or a tensor, the heap, the rank, for each dimension a code and a size or slot, a context.
Value match_shape(const BuiltinCall& call) {
  const Array* tensor = call.args.empty() ? nullptr : call.args[0].array();
  const ShapeValue& shape = tensor ? tensor->shape() : call.shape(0);
  const int64_t rank = call.integer(2);
  if (rank < 0 || static_cast<size_t>(rank) > call.args.size()) call.wrong(2, "a rank");
  const std::string context = call.context(3 + 2 * static_cast<size_t>(rank));
  if (static_cast<size_t>(rank) != shape.size())
    mismatch(call, fmt::format("expected {} dimensions (ndim), got {}", rank, shape.size()), context);
  for (size_t i = 0; i < shape.size(); ++i)
    match(call, shape[i], {static_cast<MatchCode>(call.integer(3 + 2 * i)), call.integer(4 + 2 * i)},
          fmt::format("dimension {}", i), context);
  return ValueTuple();
}

// Arguments: a number, the heap, a code, a number or slot, a context.
Value match_number(const BuiltinCall& call) {
  match(call, call.integer(0), {static_cast<MatchCode>(call.integer(2)), call.integer(3)}, "the number",
        call.context(4));
  return ValueTuple();
}

int64_t made(const BuiltinCall& call, int64_t code, int64_t value) {
  if (code != static_cast<int64_t>(MakeCode::Immediate) && code != static_cast<int64_t>(MakeCode::Heap))
    call.fail_with(fmt::format("there is no way {} to make a size", code));
  return code == static_cast<int64_t>(MakeCode::Heap) ? load(call, 0, value) : value;
}

// Arguments: the heap, the rank, for each dimension a code and a size or slot.
Value make_shape(const BuiltinCall& call) {
  const int64_t rank = call.integer(1);
  if (rank < 0 || static_cast<size_t>(rank) > call.args.size()) call.wrong(1, "a rank");
  ShapeValue out;
  for (size_t i = 0; i < static_cast<size_t>(rank); ++i)
    out.push_back(made(call, call.integer(2 + 2 * i), call.integer(3 + 2 * i)));
  return out;
}

Value make_number(const BuiltinCall& call) { return made(call, call.integer(1), call.integer(2)); }

}  // namespace

std::span<const Builtin> shape_builtins() {
  static constexpr Builtin kTable[] = {
      {"vm.builtin.shape_of", shape_of},
      {"vm.builtin.tensor_to_shape", tensor_to_shape},
      {"vm.builtin.alloc_shape_heap", alloc_shape_heap},
      {"vm.builtin.match_shape", match_shape},
      {"vm.builtin.match_prim_value", match_number},
      {"vm.builtin.make_shape", make_shape},
      {"vm.builtin.make_prim_value", make_number},
  };
  return kTable;
}

}  // namespace sunmao
