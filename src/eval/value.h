// Value: what the evaluator computes with: arrays, shapes, scalars and tuples of them.
#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "support/array.h"

namespace sunmao {

struct Value;
using ValueTuple = std::vector<Value>;
using ShapeValue = std::vector<int64_t>;

struct Value {
  std::variant<std::monostate, Array, ShapeValue, int64_t, double, std::string, ValueTuple> v;
  Value() = default;
  Value(Array a) : v(std::move(a)) {}
  Value(ShapeValue s) : v(std::move(s)) {}
  Value(ValueTuple t) : v(std::move(t)) {}
  Value(int64_t i) : v(i) {}
  Value(double d) : v(d) {}
  Value(std::string s) : v(std::move(s)) {}

  const Array* array() const { return std::get_if<Array>(&v); }
  const ValueTuple* tuple() const { return std::get_if<ValueTuple>(&v); }
  const ShapeValue* shape() const { return std::get_if<ShapeValue>(&v); }
};

/// "float32 array of shape (2, 3)", "tuple of 2" …
std::string describe(const Value& value);

}  // namespace sunmao
