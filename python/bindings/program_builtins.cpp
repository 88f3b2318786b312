#include "bindings/program_builtins.h"

#include <fmt/format.h>

#include <bit>
#include <cstdio>
#include <span>
#include <unordered_map>

#include "eval/element.h"
#include "eval/memory.h"
#include "support/diagnostic.h"
#include "support/shape_bytes.h"

namespace sunmao::python {
namespace {

using Run = Value (*)(const ValueTuple& args);

Value same(const ValueTuple& args) { return args.at(0); }
Value nothing(const ValueTuple&) { return {}; }

// Replaces each `{}` of a format by the next value, while there is one; without a format, joins the values.
std::string message_of(const std::string& format, std::span<const Value> values, const char* separator) {
  std::string out;
  for (const Value& v : format.empty() ? values : std::span<const Value>())
    out += (out.empty() ? "" : separator) + text_of(v);
  for (size_t i = 0; i < format.size(); ++i) {
    if (format.compare(i, 2, "{}") != 0 || values.empty()) {
      out += format[i];
      continue;
    }
    out += text_of(values.front());
    values = values.subspan(1);
    ++i;
  }
  return out;
}

// Arguments: a format and values.
Value print(const ValueTuple& args) {
  const std::string text = message_of(text_of(args.at(0)), std::span(args).subspan(1), " ") + "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);
  return {};
}

// Arguments: a format, the condition and values.
Value assert_holds(const ValueTuple& args) {
  if (is_true(args.at(1))) return {};
  const std::string message = message_of(text_of(args[0]), std::span(args).subspan(2), ", ");
  fail("E0545", {}, message.empty() ? "Assertion Failed" : "Assertion Failed: " + message);
}

const Array& tensor(const ValueTuple& args) {
  const Array* a = args.at(0).array();
  if (!a) fail("E0037", {}, fmt::format("expected a tensor, got {}", describe(args[0])));
  return *a;
}

Value shape_of(const ValueTuple& args) { return ShapeValue(tensor(args).shape()); }
Value dtype_code(const ValueTuple& args) { return static_cast<int64_t>(tensor(args).dtype().code); }
Value dtype_bits(const ValueTuple& args) { return int64_t{tensor(args).dtype().bits}; }
Value dtype_lanes(const ValueTuple& args) { return int64_t{tensor(args).dtype().lanes}; }
Value rank(const ValueTuple& args) { return tensor(args).rank(); }
Value byte_offset(const ValueTuple& args) { return tensor(args).offset(); }

Value elem_offset(const ValueTuple& args) {
  const Array& x = tensor(args);
  return x.offset() * 8 / x.dtype().stored_bits();
}

size_t axis_of(const ValueTuple& args) {
  const Array& x = tensor(args);
  const Value& given = args.at(1);
  const auto* axis = std::get_if<int64_t>(&given.v);
  if (!axis || *axis < 0 || *axis >= x.rank())
    fail("E0506", {}, fmt::format("axis {} is out of range for rank {}", text_of(given), x.rank()));
  return static_cast<size_t>(*axis);
}

Value size_of_axis(const ValueTuple& args) { return tensor(args).shape()[axis_of(args)]; }

Value stride_of_axis(const ValueTuple& args) {
  const std::vector<int64_t>& shape = tensor(args).shape();
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > axis_of(args) + 1;) stride *= shape[i];
  return stride;
}

Value tensor_to_shape(const ValueTuple& args) {
  const Array& x = tensor(args);
  ShapeValue out;
  for (int64_t i = 0; i < x.count(); ++i) out.push_back(load_element(x, i).i);
  return out;
}

Value shape_to_tensor(const ValueTuple& args) {
  const ShapeValue* shape = args.at(0).shape();
  if (!shape) fail("E0037", {}, fmt::format("expected a shape, got {}", describe(args[0])));
  return Array::from_ints({static_cast<int64_t>(shape->size())}, *shape);
}

// Returns bytes of a tensor, from an offset on, as a tensor of another shape or dtype. The memory is shared if the
// address of the first byte is aligned for the elements; otherwise the bytes are copied. An omitted shape or dtype is
// that of the tensor, an omitted offset is 0.
Value view_of_bytes(const ValueTuple& args) {
  const Array& x = tensor(args);
  const ShapeValue* shape = args.size() > 1 ? args[1].shape() : nullptr;
  const auto* dtype = args.size() > 2 ? std::get_if<std::string>(&args[2].v) : nullptr;
  const auto* offset = args.size() > 3 ? std::get_if<int64_t>(&args[3].v) : nullptr;
  const DType seen = dtype ? DType::parse(*dtype).value_or(x.dtype()) : x.dtype();
  const std::vector<int64_t>& sizes = shape ? *shape : x.shape();
  check_sizes(sizes, seen, {});
  const int64_t taken = *shape_bytes(sizes, seen);
  const int64_t begin = offset ? *offset : 0, there = static_cast<int64_t>(x.size_bytes());
  if (begin < 0 || taken > there || begin > there - taken)
    fail("E0506", {},
         fmt::format("a view of {} bytes from byte {} on does not lie within {} bytes", taken, begin, there));
  if (std::bit_cast<uintptr_t>(x.data() + begin) % static_cast<uintptr_t>(seen.bytes()) == 0)
    return Array::wrap(seen, sizes, x.data() + begin, x.owner(), x.offset() + begin);
  return Array::copy(seen, sizes, x.bytes().subspan(static_cast<size_t>(begin), static_cast<size_t>(taken)));
}

class OwnBuiltin final : public HostFunction {
 public:
  explicit OwnBuiltin(Run run) : run_(run) {}
  Value call(ValueTuple args, size_t) const override { return run_(args); }

 private:
  const Run run_;
};

class MachineBuiltin final : public HostFunction {
 public:
  explicit MachineBuiltin(std::string name) : name_(std::move(name)) {}
  Value call(ValueTuple args, size_t) const override {
    Memory memory;
    return call_builtin(name_, args, {Type(), Span(), memory}).value();
  }

 private:
  const std::string name_;
};

}  // namespace

std::shared_ptr<const HostFunction> find_program_builtin(const std::string& name) {
  static const std::unordered_map<std::string_view, Run> own = {{"sunmao.box", same},
                                                                {"sunmao.unbox", same},
                                                                {"sunmao.take", same},
                                                                {"sunmao.nothing", nothing},
                                                                {"sunmao.print", print},
                                                                {"sunmao.assert_op", assert_holds},
                                                                {"sunmao.shape_of", shape_of},
                                                                {"sunmao.memory.view", view_of_bytes},
                                                                {"sunmao.tensor_to_shape", tensor_to_shape},
                                                                {"sunmao.shape_to_tensor", shape_to_tensor},
                                                                {"sunmao.inspect.tensor_dtype_code", dtype_code},
                                                                {"sunmao.inspect.tensor_dtype_bits", dtype_bits},
                                                                {"sunmao.inspect.tensor_dtype_lanes", dtype_lanes},
                                                                {"sunmao.inspect.tensor_ndim", rank},
                                                                {"sunmao.inspect.tensor_shape_i", size_of_axis},
                                                                {"sunmao.inspect.tensor_stride_i", stride_of_axis},
                                                                {"sunmao.inspect.tensor_byte_offset", byte_offset},
                                                                {"sunmao.inspect.tensor_elem_offset", elem_offset}};
  if (const auto found = own.find(name); found != own.end()) return std::make_shared<const OwnBuiltin>(found->second);
  if (is_builtin(name)) return std::make_shared<const MachineBuiltin>(name);
  return nullptr;
}

}  // namespace sunmao::python
