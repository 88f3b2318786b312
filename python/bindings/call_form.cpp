#include "bindings/call_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "bindings/host_tensor.h"
#include "io/json.h"
#include "support/diagnostic.h"
#include "support/shape_bytes.h"

namespace sunmao::python {
namespace {

DType dtype_of(const DLDataType& type) { return {static_cast<TypeCode>(type.code), type.bits, type.lanes}; }

// The memory of an input ends with the call, but what Python keeps does not.
Array copy_of(const DLTensor& tensor) {
  const DType dtype = dtype_of(tensor.dtype);
  const std::vector<int64_t> shape(tensor.shape, tensor.shape + tensor.ndim);
  ArrayBuilder builder(dtype, shape);
  if (const int64_t bytes = shape_bytes(shape, dtype).value_or(0)) std::memcpy(builder.data(), tensor.data, bytes);
  return std::move(builder).finish();
}

DLManagedTensor* managed(const Array& array) {
  struct Owned {
    HostTensor host;
    DLManagedTensor tensor;
  };
  auto* owned = new Owned{HostTensor::of(array), {}};
  owned->tensor = {owned->host.view(), owned, [](DLManagedTensor* t) { delete static_cast<Owned*>(t->manager_ctx); }};
  return &owned->tensor;
}

class FormReader {
 public:
  FormReader(const sunmao_host_call& call, HostRun& run)
      : call_(call), run_(run), takes_(std::string_view(call.form).starts_with("sunmao.take(")), text_(call.form) {}

  void run(const HostFunction& function) {
    text_.remove_prefix(text_.find('(') + 1);
    ValueTuple args = arguments(')');
    const size_t written = made_.size();
    const Value result = function.call(std::move(args), written);
    take(") -> ");
    if (written == 0) return results(result);
    for (Array& array : made_) output(array);
  }

 private:
  [[noreturn]] void unreadable() const { fail("E0037", {}, fmt::format("the form `{}` is unknown here", call_.form)); }
  bool take(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  const DLTensor& next_input() {
    if (input_ == call_.input_count) unreadable();
    return call_.inputs[input_++];
  }
  ShapeValue next_sizes() {
    const DLTensor& held = next_input();
    if (held.ndim > 1 || dtype_of(held.dtype) != DType::int_(64)) unreadable();
    const auto* sizes = static_cast<const int64_t*>(held.data);
    return {sizes, sizes + (held.ndim == 0 ? 1 : held.shape[0])};
  }

  ValueTuple arguments(char end) {
    ValueTuple out;
    while (!text_.empty() && text_[0] != end) {
      out.push_back(argument());
      take(", ");
    }
    return out;
  }

  Value argument() {
    if (take("(")) {
      Value tuple = arguments(')');
      if (!take(")")) unreadable();
      return tuple;
    }
    if (take("out ")) {
      const size_t open = text_.find('[');
      const DType dtype = DType::parse(std::string(text_.substr(0, open))).value();
      made_.push_back(ArrayBuilder(dtype, next_sizes()).finish());
      skip_type();
      return made_.back();
    }
    if (take("inout ")) {
      skip_type();
      return copy_of(next_input());
    }
    if (text_[0] == '"') return text();
    if (const bool is_number = text_[0] == '-' || (text_[0] >= '0' && text_[0] <= '9'); is_number) return number();
    if (take("none")) return {};
    if (take("object")) {
      const uint64_t handle = *static_cast<const uint64_t*>(next_input().data);
      return takes_ ? run_.objects.take(handle) : run_.objects.at(handle);
    }
    if (take("int")) {
      if (text_.empty() || text_[0] == ',' || text_[0] == ')') return next_sizes().at(0);
      return tensor();  // int64[…]
    }
    if (text_.starts_with("shape[")) {
      skip_type();
      return next_sizes();
    }
    if (take("inf")) return std::numeric_limits<double>::infinity();
    if (take("nan")) return std::numeric_limits<double>::quiet_NaN();
    return tensor();
  }

  // A tensor that was an input of the run is what its caller gave.
  Value tensor() {
    skip_type();
    const DLTensor& input = next_input();
    for (const Value& known : run_.tensors) {
      const Array& a = *known.array();
      if (a.data() == input.data && a.dtype() == dtype_of(input.dtype) && a.size_bytes() > 0 &&
          std::ranges::equal(a.shape(), std::span(input.shape, static_cast<size_t>(input.ndim))))
        return known;
    }
    return copy_of(input);
  }
  void skip_type() { text_.remove_prefix(text_.find(']') + 1); }

  Value text() {
    size_t end = 1;
    while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
    const std::string literal(text_.substr(0, end + 1));
    text_.remove_prefix(std::min(end + 1, text_.size()));
    const auto parsed = io::JsonDocument::parse(literal);
    if (!parsed.ok()) unreadable();
    return std::string(*parsed->root().as_string());
  }

  Value number() {
    const size_t end = text_.find_first_of(",)");
    const std::string digits(text_.substr(0, end));
    text_.remove_prefix(digits.size());
    if (digits.find_first_of(".en") == std::string::npos) return int64_t{std::stoll(digits)};
    return std::stod(digits);
  }

  void results(const Value& value) {
    if (take("(")) {
      const ValueTuple* tuple = value.tuple();
      const ValueTuple nothing;
      if (!tuple && value.is_nothing()) tuple = &nothing;
      if (!tuple) wrong(value, "a tuple");
      size_t i = 0;
      for (; !take(")"); take(", "), ++i) {
        if (i == tuple->size()) wrong(value, "more fields");
        results((*tuple)[i]);
      }
      if (i != tuple->size()) wrong(value, fmt::format("{} fields", i));
      return;
    }
    if (take("none") || take("()")) return;
    if (take("object")) return output(of_handle(run_.objects.add(value)));
    if (text_.starts_with("shape[")) {
      skip_type();
      const std::optional<ShapeValue> shape = shape_of(value);
      if (!shape) wrong(value, "a shape");
      return output(of_sizes({static_cast<int64_t>(shape->size())}, *shape));
    }
    if (text_ == "int" || text_.starts_with("int,") || text_.starts_with("int)")) {
      take("int");
      const Value given = as_type(PrimType::make(DType::int_(64)), value);
      const auto* number = std::get_if<int64_t>(&given.v);
      if (!number) wrong(value, "an integer");
      return output(of_sizes({}, {*number}));
    }
    const bool is_condition = text_.starts_with("bool[0]");
    skip_type();
    if (is_condition && std::holds_alternative<int64_t>(value.v)) return output(of_condition(is_true(value)));
    if (!value.array()) wrong(value, "a tensor");
    output(*value.array());
  }

  static Array of_handle(uint64_t handle) {
    ArrayBuilder builder(DType::handle(), {});
    std::memcpy(builder.data(), &handle, sizeof(handle));
    return std::move(builder).finish();
  }
  static Array of_condition(bool holds) {
    ArrayBuilder builder(DType::bool_(), {});
    builder.as<uint8_t>()[0] = holds;
    return std::move(builder).finish();
  }

  static std::optional<ShapeValue> shape_of(const Value& value) {
    if (const ShapeValue* shape = value.shape()) return *shape;
    const ValueTuple* tuple = value.tuple();
    if (!tuple) return std::nullopt;
    ShapeValue out;
    for (const Value& field : *tuple) {
      const auto* size = std::get_if<int64_t>(&field.v);
      if (!size) return std::nullopt;
      out.push_back(*size);
    }
    return out;
  }
  static Array of_sizes(std::vector<int64_t> shape, const std::vector<int64_t>& values) {
    ArrayBuilder builder(DType::int_(64), std::move(shape));
    std::memcpy(builder.data(), values.data(), values.size() * sizeof(int64_t));
    return std::move(builder).finish();
  }

  [[noreturn]] void wrong(const Value& value, const std::string& expected) const {
    fail("E0037", {}, fmt::format("it gave a {}, expected {}", describe(value), expected),
         fmt::format("it is called as {}", call_.form));
  }

  void output(const Array& array) {
    if (output_ == call_.output_count) unreadable();
    call_.outputs[output_++] = managed(array);
  }

  const sunmao_host_call& call_;
  HostRun& run_;
  const bool takes_;       // objects among the arguments are not read again
  std::string_view text_;  // what is left of the form
  std::vector<Array> made_;
  size_t input_ = 0, output_ = 0;
};

}  // namespace

void call_by_form(const sunmao_host_call& call, const HostFunction& function, HostRun& run) {
  FormReader(call, run).run(function);
}

}  // namespace sunmao::python
