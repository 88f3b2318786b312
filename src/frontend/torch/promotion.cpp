#include "frontend/torch/promotion.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "eval/element.h"
#include "frontend/shapes.h"

namespace sunmao::torch {
namespace {

enum class Category : uint8_t { None, Bool, Integer, Float };

Category category(DType t) {
  if (t.is_void()) return Category::None;
  return t.is_float() ? Category::Float : t.is_bool() ? Category::Bool : Category::Integer;
}

DType promoted_integers(DType a, DType b) {
  if (a.code == b.code) return a.bits >= b.bits ? a : b;
  const DType is_signed = a.is_int() ? a : b, is_unsigned = a.is_int() ? b : a;
  if (is_signed.bits > is_unsigned.bits) return is_signed;
  if (is_unsigned.bits > 8) throw UnsupportedUse{"of unsigned and signed integers"};
  return DType::int_(16);
}

/// Returns `higher` unless `lower` is of a higher category.
DType combined(DType higher, DType lower) {
  return category(higher) >= category(lower) ? higher : promote(higher, lower);
}

/// Floats count as PyTorch's default, whatever they are held in.
DType dtype_of_number(const Expr& number) { return dtype_of(number).is_float() ? DType::float_(32) : dtype_of(number); }

DType dtype_of_number(const PythonNumber& n) {
  return !n.is_integer ? DType::float_(32) : n.is_bool ? DType::bool_() : DType::int_(64);
}

std::vector<Expr> in_dtype(const NodeContext& n, const std::vector<Operand>& operands, DType dtype) {
  std::vector<Expr> out;
  for (const Operand& o : operands) out.push_back(tensor_of(n, o, dtype));
  return out;
}

std::vector<Operand> operands_of(const NodeContext& n, std::initializer_list<std::string_view> names) {
  std::vector<Operand> out;
  for (std::string_view name : names) out.push_back(operand(n, name));
  return out;
}

bool is_half(DType t) { return t.is_float() && t.bits == 16; }

/// True unless a conversion to `dtype` changes the number.
bool holds(DType dtype, double value) { return held(dtype, value) == value || std::isnan(value); }

Type widened_type(const Type& type) {
  const auto* tensor = find<TensorType>(type);
  if (!tensor || !is_half(tensor->dtype) || !tensor->dims()) return type;
  return TensorType::make(*tensor->dims(), DType::float_(32));
}

}  // namespace

Operand operand(const NodeContext& n, std::string_view name) {
  if (n.has_tensor(name)) return operand_of(n.tensor(name));
  if (n.has_number(name)) return {nullptr, n.number(name), true};
  return {n.number_tensor(name), {}, true};
}

Operand operand_of(const Expr& tensor) { return {tensor, {}, false}; }

DType promote(DType a, DType b) {
  if (a == b || b.is_void()) return a;
  if (a.is_void()) return b;
  if (category(a) != category(b)) return category(a) > category(b) ? a : b;
  if (category(a) == Category::Integer) return promoted_integers(a, b);
  if (a.bits < 16 || b.bits < 16) throw UnsupportedUse{"of floats of 8 bits and others"};
  if (a.bits == b.bits) return DType::float_(32);  // float16 and bfloat16
  return a.bits > b.bits ? a : b;
}

DType result_dtype(std::span<const Operand> operands) {
  DType shaped, ranked_0, numbers;
  for (const Operand& o : operands) {
    if (o.is_number)
      numbers = promote(numbers, o.tensor ? dtype_of_number(o.tensor) : dtype_of_number(o.number));
    else
      (rank_of(o.tensor) == 0 ? ranked_0 : shaped) =
          promote(rank_of(o.tensor) == 0 ? ranked_0 : shaped, dtype_of(o.tensor));
  }
  return combined(shaped, combined(ranked_0, numbers));
}

DType float_or_default(DType dtype) { return dtype.is_float() ? dtype : DType::float_(32); }

Expr tensor_of(const NodeContext& n, const Operand& operand, DType dtype) {
  if (operand.tensor) return converted(n.builder, operand.tensor, dtype, n.span);
  const PythonNumber& number = operand.number;
  return number.is_integer && dtype.is_integral() ? integer_constant(dtype, number.whole, n.span)
                                                  : n.constant(dtype, number.value);
}

double held(DType dtype, double value) {
  const Expr constant = scalar_constant(dtype, value, {});
  const Number kept = load_element(find<Constant>(constant)->data, 0);
  return dtype.is_float() ? kept.f : static_cast<double>(kept.i);
}

std::vector<Expr> promoted(const NodeContext& n, std::initializer_list<std::string_view> names) {
  const std::vector<Operand> operands = operands_of(n, names);
  return in_dtype(n, operands, result_dtype(operands));
}

std::vector<Expr> promoted_to_float(const NodeContext& n, std::initializer_list<std::string_view> names) {
  const std::vector<Operand> operands = operands_of(n, names);
  return in_dtype(n, operands, float_or_default(result_dtype(operands)));
}

Expr float_tensor(const NodeContext& n, std::string_view name) {
  Expr x = n.tensor(name);
  return converted(n.builder, x, float_or_default(dtype_of(x)), n.span);
}

Expr widened(const NodeContext& n, const Expr& x) {
  return is_half(dtype_of(x)) ? converted(n.builder, x, DType::float_(32), n.span) : x;
}

Sides promoted_beside_number(const NodeContext& n, bool to_float) {
  const std::vector<Operand> operands = operands_of(n, {"self", "other"});
  DType dtype = result_dtype(operands);
  if (to_float) dtype = float_or_default(dtype);
  const Operand& right = operands[1];
  const bool is_wide = is_half(dtype) && (right.tensor ? rank_of(right.tensor) == 0 && dtype_of(right.tensor) != dtype
                                                       : !holds(dtype, right.number.value));
  if (!is_wide) return {in_dtype(n, operands, dtype), dtype};
  return {{widened(n, tensor_of(n, operands[0], dtype)), tensor_of(n, right, DType::float_(32))}, dtype};
}

Results converted_in_opmath(const NodeContext& n, Convert convert) {
  std::map<std::string, Expr, std::less<>> known;  // so that a tensor is widened once
  MappedScope scope(n.scope(), [&](std::string_view name, const Expr& value) {
    Expr& wide = known[std::string(name)];
    return wide ? wide : wide = widened(n, value);
  });
  std::vector<Type> outputs;
  for (size_t i = 0; i < n.output_count(); ++i) outputs.push_back(widened_type(n.recorded(i)));
  Results results = convert(n.with(scope, std::move(outputs)));
  for (size_t i = 0; i < results.values.size(); ++i)
    if (Expr& value = results.values[i]; value && is_half(n.recorded_dtype(i)))
      value = converted(n.builder, value, n.recorded_dtype(i), n.span);
  return results;
}

}  // namespace sunmao::torch
