// Reads the data of `R.const(value, dtype)`: one number, nested lists of numbers, or an array of the host.
#include <bit>
#include <cstring>

#include "script/spelling.h"
#include "script/value_reader.h"
#include "support/half.h"
#include "support/small_float.h"

namespace sunmao::script {
namespace {

constexpr size_t kMaxElements = size_t{1} << 20;

struct Entries {
  std::vector<int64_t> shape;
  std::vector<const PyExpr*> numbers;
};

// Collects the numbers of nested lists, whose lengths must agree.
void collect(const ScriptContext& ctx, const PyExpr& e, size_t depth, Entries& out) {
  if (!e.is_sequence()) {
    if (depth != out.shape.size()) ctx.error("E0110", e.place, "the lists of a constant are of different depths");
    out.numbers.push_back(&e);
    if (out.numbers.size() > kMaxElements)
      ctx.error("E0110", e.place, "too many elements for a constant in text", "keep it in the table of constants");
    return;
  }
  int64_t length = static_cast<int64_t>(e.items.size());
  if (depth == out.shape.size() && out.numbers.empty()) out.shape.push_back(length);
  if (depth >= out.shape.size() || out.shape[depth] != length)
    ctx.error("E0110", e.place, "the lists of a constant are of different lengths");
  for (const PyExprPtr& item : e.items) collect(ctx, *item, depth + 1, out);
}

template <class T>
void put(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

// Converts a literal to float32 directly: going through double would round twice.
float float_value(const PyExpr& e, const PlainNumber& n) {
  bool negative = e.kind == PyKind::Unary && e.text == "-" && e.items[0]->kind == PyKind::Number;
  const PyExpr& digits = negative ? *e.items[0] : e;
  if (digits.kind == PyKind::Number) {
    if (std::optional<float> value = read_float(digits.text)) return negative ? -*value : *value;
  }
  return n.kind == PlainNumber::Kind::Float ? static_cast<float>(n.real) : static_cast<float>(n.integer);
}

bool holds_integer(int64_t value, DType type) {
  if (type.bits >= 64) return true;
  if (type.is_uint()) return value >= 0 && value < (int64_t{1} << type.bits);
  int64_t half = int64_t{1} << (type.bits - 1);
  return value >= -half && value < half;
}

void put_integer(std::byte* to, DType type, int64_t value) {
  switch (type.bytes()) {
    case 1: return put(to, static_cast<uint8_t>(value));
    case 2: return put(to, static_cast<int16_t>(value));
    case 4: return put(to, static_cast<int32_t>(value));
    default: return put(to, value);
  }
}

// Writes a number as an element of `type`, rounded to a float type; false for an integer out of range, a float where
// the type is integral or bool, and a type without a text form.
bool put_number(std::byte* to, DType type, const PyExpr& e, const PlainNumber& n) {
  bool real = n.kind == PlainNumber::Kind::Float;
  if (type.is_bool()) {
    if (real) return false;
    put(to, static_cast<int8_t>(n.integer != 0));
    return true;
  }
  if (type.is_integral()) {
    if (real || !holds_integer(n.integer, type)) return false;
    put_integer(to, type, n.integer);
    return true;
  }
  double value = real ? n.real : static_cast<double>(n.integer);
  if (type == DType::float_(64))
    put(to, value);
  else if (type == DType::float_(32))
    put(to, float_value(e, n));
  else if (type == DType::float_(16))
    put(to, to_float16(float_value(e, n)));
  else if (type.code == TypeCode::BFloat)
    put(to, to_bfloat16(float_value(e, n)));
  else if (is_small_float(type))
    put(to, to_small_float(type, float_value(e, n)));
  else
    return false;
  return true;
}

/// Returns element `i` of an array of integers, booleans, or floats of 16, 32 or 64 bits; nothing for others.
std::optional<PlainNumber> number_at(const Array& array, int64_t i) {
  const DType type = array.dtype();
  const std::byte* at = array.data() + i * type.bytes();
  const auto read = [&]<class T>(T value) {
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  const auto integer = [](auto value) { return PlainNumber{PlainNumber::Kind::Int, static_cast<int64_t>(value), 0}; };
  if (type == DType::float_(64)) return PlainNumber{PlainNumber::Kind::Float, 0, read(double{})};
  if (type == DType::float_(32)) return PlainNumber{PlainNumber::Kind::Float, 0, read(float{})};
  if (type == DType::float_(16)) return PlainNumber{PlainNumber::Kind::Float, 0, from_float16(read(uint16_t{}))};
  if (type.is_packed() || type.lanes != 1 || !(type.is_integral() || type.is_bool())) return std::nullopt;
  switch (type.bytes()) {
    case 1: return type.is_int() ? integer(read(int8_t{})) : integer(read(uint8_t{}));
    case 2: return type.is_int() ? integer(read(int16_t{})) : integer(read(uint16_t{}));
    case 4: return type.is_int() ? integer(read(int32_t{})) : integer(read(uint32_t{}));
    default: return type.is_int() ? std::optional(integer(read(int64_t{}))) : std::nullopt;
  }
}

/// Returns an array with its elements as another dtype; nothing where an element has no such value, and for floats as
/// integers.
std::optional<Array> cast_array(const Array& array, DType type, const PyExpr& written) {
  if (type.lanes != 1 || type.is_packed()) return std::nullopt;
  ArrayBuilder builder(type, array.shape());
  for (int64_t i = 0; i < array.count(); ++i) {
    const std::optional<PlainNumber> number = number_at(array, i);
    if (!number || !put_number(builder.data() + i * type.bytes(), type, written, *number)) return std::nullopt;
  }
  return std::move(builder).finish();
}

bool has_text_form(DType type) {
  if (type.lanes != 1) return false;
  return type.is_integral() || type.is_float();
}

// Returns the dtype of a constant that states none: bool when all numbers are booleans, else float32 when any is a
// float, else int32.
DType default_type(const std::vector<PlainNumber>& numbers) {
  bool any_real = false, all_bool = !numbers.empty();
  for (const PlainNumber& n : numbers) {
    any_real |= n.kind == PlainNumber::Kind::Float;
    all_bool &= n.kind == PlainNumber::Kind::Bool;
  }
  if (all_bool) return DType::bool_();
  return any_real ? DType::float_(32) : DType::int_(32);
}

}  // namespace

Array ValueReader::constant_data(const PyExpr& e) {
  std::vector<std::string> names{"value", "dtype"};
  std::vector<const PyExpr*> given = bind_arguments(ctx_, e, "R.const", names);
  if (!given[0]) error("E0108", e, "`R.const` needs a value");
  std::optional<DType> wanted;
  if (given[1] && !given[1]->is_literal("None")) wanted = dtype(*given[1]);
  const PyExpr& written = *given[0];
  std::optional<PlainNumber> of_host;
  if (!written.is_sequence() && !number(written)) {
    std::optional<HostValue> host = ask_host(written);
    const Array* array = host ? std::get_if<Array>(&*host) : nullptr;
    if (array && (!wanted || *wanted == array->dtype())) return *array;
    if (array)
      if (std::optional<Array> cast = cast_array(*array, *wanted, written)) return std::move(*cast);
    if (array)
      error("E0110", written,
            fmt::format("`{}` is of type {}, the dtype says {}", unparse(written), array->dtype().str(), wanted->str()),
            "convert the array before");
    if (const AttrValue* attr = host ? std::get_if<AttrValue>(&*host) : nullptr) of_host = plain_number(*attr);
    if (const PyExpr* root = root_name(written); root && !host && !scope_.find(root->text)) unknown_name(written);
    bool wide = written.kind == PyKind::Number && !is_float_text(written.text);
    if (!wide && !of_host) error("E0110", written, fmt::format("`{}` is no number and no array", unparse(written)));
  }
  Entries entries;
  collect(ctx_, written, 0, entries);
  std::vector<PlainNumber> numbers;
  for (const PyExpr* item : entries.numbers) {
    std::optional<PlainNumber> n = of_host ? of_host : number(*item);
    if (!n && wanted && *wanted == DType::uint(64) && item->kind == PyKind::Number && !is_float_text(item->text))
      n = PlainNumber{PlainNumber::Kind::Int, static_cast<int64_t>(*read_integer(item->text)), 0};
    if (!n) error("E0110", *item, fmt::format("`{}` is no number", unparse(*item)));
    numbers.push_back(*n);
  }
  DType type = wanted ? *wanted : default_type(numbers);
  if (!has_text_form(type))
    error("E0110", e, fmt::format("constants of type `{}` are not written as text", type.str()),
          "keep it in the table of constants");
  ArrayBuilder builder(type, entries.shape);
  size_t width = static_cast<size_t>(type.bytes());
  for (size_t i = 0; i < numbers.size(); ++i) {
    std::byte code{};  // of a packed element, which has no address
    std::byte* to = type.is_packed() ? &code : builder.data() + i * width;
    if (!put_number(to, type, *entries.numbers[i], numbers[i]))
      error("E0110", *entries.numbers[i], fmt::format("`{}` is no {}", unparse(*entries.numbers[i]), type.str()));
    if (type.is_packed()) abi::store_bits(builder.data(), type.bits, i, std::to_integer<uint8_t>(code));
  }
  return std::move(builder).finish();
}

}  // namespace sunmao::script
