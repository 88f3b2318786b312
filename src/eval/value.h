// Value: what the evaluator computes with: arrays, shapes, scalars, functions, and tuples of them.
#pragma once
#include <algorithm>
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
struct Closure;      // a function and what it captured (eval/environment.h)
class HostFunction;  // a function of the program around (eval/host_function.h)

/// What a value is made from, at most: constants, arguments of the run, a poisoned one among them (eval/poison.h).
enum class Seen : uint8_t { Nothing, Clean, Poison };

/// Copies are cheap and share what they hold. A tuple is one object however many hold it: a field that is emptied in
/// place (`vm.builtin.tuple_reset_item`) is empty for all of them.
struct Value {
  std::variant<std::monostate, Array, ShapeValue, int64_t, double, std::string, std::shared_ptr<ValueTuple>,
               std::shared_ptr<const Closure>, std::shared_ptr<const HostFunction>>
      v;
  /// Of the value as a whole; a field of a tuple may have seen more. It is Nothing where no one follows it.
  Seen seen = Seen::Nothing;

  Value() = default;
  Value(Array a) : v(std::move(a)) {}
  Value(ShapeValue s) : v(std::move(s)) {}
  Value(ValueTuple t) : v(std::make_shared<ValueTuple>(std::move(t))) {}
  Value(int64_t i) : v(i) {}
  Value(double d) : v(d) {}
  Value(std::string s) : v(std::move(s)) {}
  Value(std::shared_ptr<const Closure> c) : v(std::move(c)) {}
  Value(std::shared_ptr<const HostFunction> f) : v(std::move(f)) {}

  const Array* array() const { return std::get_if<Array>(&v); }
  const ValueTuple* tuple() const { return shared_tuple().get(); }
  /// Null when the value is something else; so too below.
  std::shared_ptr<ValueTuple> shared_tuple() const {
    const auto* t = std::get_if<std::shared_ptr<ValueTuple>>(&v);
    return t ? *t : nullptr;
  }
  const ShapeValue* shape() const { return std::get_if<ShapeValue>(&v); }
  std::shared_ptr<const Closure> closure() const {
    const auto* c = std::get_if<std::shared_ptr<const Closure>>(&v);
    return c ? *c : nullptr;
  }
  std::shared_ptr<const HostFunction> host_function() const {
    const auto* f = std::get_if<std::shared_ptr<const HostFunction>>(&v);
    return f ? *f : nullptr;
  }
  bool is_nothing() const { return std::holds_alternative<std::monostate>(v); }
};

/// The value, made from something that has seen `seen` too.
inline Value marked(Value value, Seen seen) {
  value.seen = std::max(value.seen, seen);
  return value;
}

/// The same array, marked as one that no one may write to, in all views of its memory: a constant of the program.
Array as_read_only(const Array& array);
bool is_read_only(const Array& array);

/// "float32 array of shape (2, 3)", "tuple of 2" …
std::string describe(const Value& value);
/// The value as a program prints it: numbers, and arrays as nested lists.
std::string text_of(const Value& value);
/// Whether a condition holds: a scalar, or an array of one element, of any dtype. E0505 for anything else.
bool is_true(const Value& value);

}  // namespace sunmao
