#include "eval/instructions.h"

#include <bit>
#include <cstdio>
#include <unordered_map>

#include "eval/element.h"
#include "eval/environment.h"
#include "eval/memory.h"
#include "support/diagnostic.h"
#include "support/shape_bytes.h"

namespace sunmao {
namespace {

const Array& tensor(const Call& call, const ValueTuple& args, size_t i) {
  const Array* a = i < args.size() ? args[i].array() : nullptr;
  if (!a)
    fail("E0505", call.span,
         fmt::format("`{}`: expected a tensor, got {}", op_of(call)->name(),
                     i < args.size() ? describe(args[i]) : "nothing"));
  return *a;
}

Value same(const Call&, const ValueTuple& args) { return args[0]; }
Value nothing(const Call&, const ValueTuple&) { return ValueTuple(); }
Value null(const Call&, const ValueTuple&) { return Value(); }

Value shape_of(const Call& call, const ValueTuple& args) { return ShapeValue(tensor(call, args, 0).shape()); }

Value tensor_to_shape(const Call& call, const ValueTuple& args) {
  const Array& x = tensor(call, args, 0);
  ShapeValue out;
  for (int64_t i = 0; i < x.count(); ++i) out.push_back(load_element(x, i).i);
  Value shape(std::move(out));
  check_not_negative(shape);
  return shape;
}

Value shape_to_tensor(const Call& call, const ValueTuple& args) {
  const ShapeValue* shape = args[0].shape();
  if (!shape) fail("E0505", call.span, fmt::format("expected a shape, got {}", describe(args[0])));
  return Array::from_ints({static_cast<int64_t>(shape->size())}, *shape);
}

Value dtype_code(const Call& call, const ValueTuple& args) {
  return static_cast<int64_t>(tensor(call, args, 0).dtype().code);
}
Value dtype_bits(const Call& call, const ValueTuple& args) { return int64_t{tensor(call, args, 0).dtype().bits}; }
Value dtype_lanes(const Call& call, const ValueTuple& args) { return int64_t{tensor(call, args, 0).dtype().lanes}; }
Value rank(const Call& call, const ValueTuple& args) { return tensor(call, args, 0).rank(); }
Value byte_offset(const Call& call, const ValueTuple& args) { return tensor(call, args, 0).offset(); }

Value elem_offset(const Call& call, const ValueTuple& args) {
  const Array& x = tensor(call, args, 0);
  return x.offset() * 8 / x.dtype().stored_bits();
}

size_t axis_argument(const Call& call, const ValueTuple& args) {
  const Array& x = tensor(call, args, 0);
  const auto* axis = std::get_if<int64_t>(&args[1].v);
  if (!axis || *axis < 0 || *axis >= x.rank())
    fail("E0506", call.span, fmt::format("axis {} is out of range for rank {}", describe(args[1]), x.rank()));
  return static_cast<size_t>(*axis);
}

Value size_of_axis(const Call& call, const ValueTuple& args) {
  return tensor(call, args, 0).shape()[axis_argument(call, args)];
}

Value stride_of_axis(const Call& call, const ValueTuple& args) {
  const std::vector<int64_t>& shape = tensor(call, args, 0).shape();
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > axis_argument(call, args) + 1;) stride *= shape[i];
  return stride;
}

// Returns bytes of a tensor, from an offset on, as a tensor of another shape or dtype. The memory is shared if the
// address of the first byte is aligned for the elements; otherwise the bytes are copied. An omitted shape or dtype is
// that of the tensor, an omitted offset is 0.
Value view(const Call& call, const ValueTuple& args) {
  const Array& x = tensor(call, args, 0);
  const ShapeValue* shape = args.size() > 1 ? args[1].shape() : nullptr;
  const auto* dtype = args.size() > 2 ? std::get_if<std::string>(&args[2].v) : nullptr;
  const auto* offset = args.size() > 3 ? std::get_if<int64_t>(&args[3].v) : nullptr;
  const DType seen = dtype ? DType::parse(*dtype).value_or(x.dtype()) : x.dtype();
  const std::vector<int64_t>& sizes = shape ? *shape : x.shape();
  check_sizes(sizes, seen, call.span);
  const int64_t taken = *shape_bytes(sizes, seen);
  const int64_t begin = offset ? *offset : 0, there = static_cast<int64_t>(x.size_bytes());
  if (begin < 0 || taken > there || begin > there - taken)
    fail("E0506", call.span,
         fmt::format("a view of {} bytes from byte {} on does not lie within {} bytes", taken, begin, there));
  if (std::bit_cast<uintptr_t>(x.data() + begin) % static_cast<uintptr_t>(seen.bytes()) == 0)
    return Array::wrap(seen, sizes, x.data() + begin, x.owner(), x.offset() + begin);
  return Array::copy(seen, sizes, x.bytes().subspan(static_cast<size_t>(begin), static_cast<size_t>(taken)));
}

// Replaces each `{}` of the format by the next value, while there is one; without a format, joins the values.
std::string message_of(const Call& call, std::span<const Value> values, const char* separator) {
  const auto* format = call.attrs.find<std::string>("format");
  std::string out;
  if (!format || format->empty()) {
    for (const Value& v : values) out += (out.empty() ? "" : separator) + text_of(v);
    return out;
  }
  size_t next = 0;
  for (size_t i = 0; i < format->size(); ++i) {
    if (format->compare(i, 2, "{}") != 0 || next == values.size()) {
      out += (*format)[i];
      continue;
    }
    out += text_of(values[next++]);
    ++i;
  }
  return out;
}

Value print(const Call& call, const ValueTuple& args) {
  std::string text = message_of(call, args, " ") + "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);
  return ValueTuple();
}

Value assert_holds(const Call& call, const ValueTuple& args) {
  if (is_true(args[0])) return ValueTuple();
  std::string message = message_of(call, std::span(args).subspan(1), ", ");
  fail("E0545", call.span, message.empty() ? "Assertion Failed" : "Assertion Failed: " + message);
}

// Collective ops return their first argument, because the evaluator is the only worker; fails (E0507) when the
// attribute `num_workers` is not 1.
Value alone(const Call& call, const ValueTuple& args) {
  const auto* workers = call.attrs.find<int64_t>("num_workers");
  if (workers && *workers != 1)
    fail("E0507", call.span,
         fmt::format("the evaluator is one worker, and `{}` takes {}", op_of(call)->name(), *workers));
  return args[0];
}

using Table = std::unordered_map<std::string_view, Instruction>;

const Table& instructions() {
  static const Table table{
      {"shape_of", shape_of},
      {"tensor_to_shape", tensor_to_shape},
      {"shape_to_tensor", shape_to_tensor},
      {"null_value", null},
      {"inspect.tensor_dtype_code", dtype_code},
      {"inspect.tensor_dtype_bits", dtype_bits},
      {"inspect.tensor_dtype_lanes", dtype_lanes},
      {"inspect.tensor_ndim", rank},
      {"inspect.tensor_shape_i", size_of_axis},
      {"inspect.tensor_stride_i", stride_of_axis},
      {"inspect.tensor_byte_offset", byte_offset},
      {"inspect.tensor_elem_offset", elem_offset},
      {"memory.view", view},
      {"print", print},
      {"assert_op", assert_holds},
      {"to_vdevice", same},
      {"hint_on_device", same},
      {"builtin.stop_lift_params", same},
      {"memory.ensure_zero_offset", same},
      {"memory.kill_storage", nothing},
      {"memory.kill_tensor", nothing},
      {"unique", run_unique},
      {"nonzero", run_nonzero},
      {"dynamic_strided_slice", run_dynamic_slice},
      {"ccl.allreduce", alone},
      {"ccl.allgather", alone},
      {"ccl.broadcast_from_worker0", alone},
      {"ccl.scatter_from_worker0", alone},
      {"dist.redistribute_replica_to_shard", alone},
      {"dist.annotate_sharding", same},
      {"dist.redistribute", same},
  };
  return table;
}

}  // namespace

Instruction find_instruction(const Op& op) {
  auto it = instructions().find(op.name());
  return it == instructions().end() ? nullptr : it->second;
}

}  // namespace sunmao
