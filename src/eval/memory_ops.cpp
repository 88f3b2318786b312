#include "eval/memory_ops.h"

#include <utility>

#include "support/diagnostic.h"
#include "support/shape_bytes.h"

namespace sunmao {
namespace {

const ShapeValue& shape_argument(const Call& c, const ValueTuple& args, size_t i) {
  const ShapeValue* shape = args[i].shape();
  if (!shape) fail("E0505", c.span, fmt::format("expected a shape, got {}", describe(args[i])));
  return *shape;
}

DType dtype_of(const Call& c) {
  const auto* tensor = find<TensorType>(c.type);
  return tensor ? tensor->dtype : DType::uint(8);
}

const ShapeValue& size_argument(const Call& c, const ValueTuple& args, size_t i) {
  const ShapeValue& shape = shape_argument(c, args, i);
  check_sizes(shape, dtype_of(c), c.span);
  return shape;
}

// Storage is an array of bytes. `vm.alloc_storage` states its size in elements of a dtype.
Value allocate_storage(const Call& c, const ValueTuple& args, Memory& memory) {
  const auto* dtype = op_of(c)->name() == "vm.alloc_storage" ? find<DTypeLiteral>(c.args[2]) : nullptr;
  const ShapeValue& shape = shape_argument(c, args, 0);
  const DType element = dtype ? dtype->value : DType::uint(8);
  check_sizes(shape, element, c.span);
  return memory.allocate(DType::uint(8), {*shape_bytes(shape, element)});
}

Value tensor_in(const Call& c, const ValueTuple& args, Memory& memory) {
  const Array* storage = args[0].array();
  const auto* offset = std::get_if<int64_t>(&args[1].v);
  const ShapeValue& shape = size_argument(c, args, 2);
  if (!storage || !offset) fail("E0505", c.span, fmt::format("expected memory, got {}", describe(args[0])));
  const DType dtype = dtype_of(c);
  check_sizes(shape, dtype, c.span);
  const auto bytes = static_cast<size_t>(*shape_bytes(shape, dtype));
  if (*offset < 0 || std::cmp_greater(*offset, storage->size_bytes()) ||
      bytes > storage->size_bytes() - static_cast<size_t>(*offset))
    fail("E0506", c.span,
         fmt::format("{} bytes at {} lie outside of a piece of memory of {}", bytes, *offset, storage->size_bytes()));
  if (std::byte* memory_of_storage = memory.writable(*storage); memory_of_storage && bytes > 0)
    abi::clear_unused_bits(memory_of_storage + *offset, static_cast<uint64_t>(dtype.stored_bits()),
                           static_cast<uint64_t>(*shape_count(shape)));
  const Array view =
      Array::wrap(dtype, shape, storage->data() + *offset, storage->owner(), storage->offset() + *offset);
  memory.forget(view);
  return view;
}

}  // namespace

std::optional<Value> eval_memory_op(const Op& op, const Call& call, const ValueTuple& args, Memory& memory) {
  const std::string& name = op.name();
  if (name == "builtin.alloc_tensor") return memory.allocate(dtype_of(call), size_argument(call, args, 0));
  if (name == "memory.alloc_storage" || name == "vm.alloc_storage") return allocate_storage(call, args, memory);
  if (name == "memory.alloc_tensor" || name == "vm.alloc_tensor") return tensor_in(call, args, memory);
  return std::nullopt;
}

}  // namespace sunmao
