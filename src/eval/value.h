// Value: what the evaluator computes with: arrays, shapes, scalars and tuples of them.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "support/array.h"

namespace sunmao {

struct Value;
using ValueTuple = std::vector<Value>;
using ShapeValue = std::vector<int64_t>;
struct Closure;  // a function and what it captured (eval/environment.h)

struct Value {
  std::variant<std::monostate, Array, ShapeValue, int64_t, double, std::string, ValueTuple,
               std::shared_ptr<const Closure>>
      v;
  Value() = default;
  Value(Array a) : v(std::move(a)) {}
  Value(ShapeValue s) : v(std::move(s)) {}
  Value(ValueTuple t) : v(std::move(t)) {}
  Value(int64_t i) : v(i) {}
  Value(double d) : v(d) {}
  Value(std::string s) : v(std::move(s)) {}
  Value(std::shared_ptr<const Closure> c) : v(std::move(c)) {}

  const Array* array() const { return std::get_if<Array>(&v); }
  const ValueTuple* tuple() const { return std::get_if<ValueTuple>(&v); }
  const ShapeValue* shape() const { return std::get_if<ShapeValue>(&v); }
  /// Null when the value is something else.
  std::shared_ptr<const Closure> closure() const {
    const auto* c = std::get_if<std::shared_ptr<const Closure>>(&v);
    return c ? *c : nullptr;
  }
};

/// "float32 array of shape (2, 3)", "tuple of 2" …
std::string describe(const Value& value);
/// The value as a program prints it: numbers, and arrays as nested lists.
std::string text_of(const Value& value);
/// Whether a condition holds: a scalar, or an array of one element, of any dtype. E0505 for anything else.
bool is_true(const Value& value);

}  // namespace sunmao
