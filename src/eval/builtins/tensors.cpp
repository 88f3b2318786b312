// Builtins that allocate tensors, view them and read them.
#include <algorithm>

#include "eval/builtins/builtin.h"
#include "support/diagnostic.h"
#include "support/shape_bytes.h"

namespace sunmao {
namespace {

Value reshape(const BuiltinCall& call) {
  const Array& x = call.array(0);
  if (shape_count(call.shape(1)) != x.count())
    call.fail_with(fmt::format("a {} has no {}", describe(x), describe(call.args[1])));
  return Array::wrap(x.dtype(), call.shape(1), x.data(), x.owner(), x.offset());
}

// Another name of the value, as in upstream: nothing is copied.
Value copy(const BuiltinCall& call) { return call.args.empty() ? Value() : call.args[0]; }

// All memory is that of the CPU, whose number in DLPack is 1.
Value to_device(const BuiltinCall& call) {
  const Array& x = call.array(0);
  if (call.integer(1) != 1)
    fail("E0507", call.span, fmt::format("`{}`: there is no device of the kind {} here", call.name, call.integer(1)),
         "the runtime computes on the CPU, which is kind 1");
  return Array::copy(x.dtype(), x.shape(), x.bytes());
}

Value nothing(const BuiltinCall&) { return Value(); }
Value same(const BuiltinCall& call) { return call.array(0); }

// Arguments: the shape, a device, the dtype of its elements, a scope of memory.
Value alloc_storage(const BuiltinCall& call) {
  const DType element = call.dtype(2);
  check_sizes(call.shape(0), element, call.span);
  return call.memory.allocate(DType::uint(8), {*shape_bytes(call.shape(0), element)});
}

// Arguments: storage, an offset in bytes, a shape, a dtype.
Value alloc_tensor(const BuiltinCall& call) {
  const Array& storage = call.array(0);
  const int64_t offset = call.integer(1), there = static_cast<int64_t>(storage.size_bytes());
  const DType dtype = call.dtype(3);
  check_sizes(call.shape(2), dtype, call.span);
  const int64_t bytes = *shape_bytes(call.shape(2), dtype);
  if (offset % std::max<int64_t>(dtype.bytes(), 1) != 0)
    call.fail_with(fmt::format("elements of {} do not begin at byte {}", dtype.str(), offset));
  if (offset < 0 || bytes > there || offset > there - bytes)
    call.fail_with(fmt::format("{} bytes at {} lie outside of a piece of memory of {}", bytes, offset, there));
  return Array::wrap(dtype, call.shape(2), storage.data() + offset, storage.owner());
}

Value read_if_cond(const BuiltinCall& call) {
  if (call.args.empty()) call.wrong(0, "a condition");
  return int64_t{is_true(call.args[0])};
}

}  // namespace

std::span<const Builtin> tensor_builtins() {
  static constexpr Builtin kTable[] = {
      {"vm.builtin.reshape", reshape},           {"vm.builtin.copy", copy},
      {"vm.builtin.to_device", to_device},       {"vm.builtin.null_value", nothing},
      {"vm.builtin.ensure_zero_offset", same},   {"vm.builtin.alloc_storage", alloc_storage},
      {"vm.builtin.alloc_tensor", alloc_tensor}, {"vm.builtin.read_if_cond", read_if_cond},
  };
  return kTable;
}

}  // namespace sunmao
