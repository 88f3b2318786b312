// Value: a run-time value of the evaluator: array, shape, number, string, function, tuple, or nothing.
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
struct Closure;      // a function with captured variables (eval/environment.h)
class HostFunction;  // a function of the running program (eval/host_function.h)

/// A value that only functions made for it can use, such as a cache. It may change, and all holders see the change.
class ProgramObject {
 public:
  virtual ~ProgramObject() = default;
  /// Returns what it is, as messages say it, such as "attention cache".
  virtual std::string describe() const = 0;
};

/// The taint of a value: depends on constants only, on clean arguments, or on a poisoned argument (eval/poison.h).
enum class Seen : uint8_t { Nothing, Clean, Poison };

/// Copies share arrays, tuples and functions. A tuple is a shared object: a field that is reset in place
/// (`vm.builtin.tuple_reset_item`) is reset for all holders.
struct Value {
  std::variant<std::monostate, Array, ShapeValue, int64_t, double, std::string, std::shared_ptr<ValueTuple>,
               std::shared_ptr<const Closure>, std::shared_ptr<const HostFunction>, std::shared_ptr<ProgramObject>>
      v;
  /// The taint of the value as a whole; fields of a tuple may have a higher one. Nothing without taint tracking.
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
  Value(std::shared_ptr<ProgramObject> o) : v(std::move(o)) {}

  const Array* array() const { return std::get_if<Array>(&v); }
  const ValueTuple* tuple() const { return shared_tuple().get(); }
  /// Returns null when the value has another type, like the accessors below.
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
  std::shared_ptr<ProgramObject> object() const {
    const auto* o = std::get_if<std::shared_ptr<ProgramObject>>(&v);
    return o ? *o : nullptr;
  }
  bool is_nothing() const { return std::holds_alternative<std::monostate>(v); }
};

/// Returns the value with its taint raised to at least `seen`.
inline Value marked(Value value, Seen seen) {
  value.seen = std::max(value.seen, seen);
  return value;
}

/// Returns an array on the same memory whose owner is marked: this array and all views of it are read-only. Constants
/// of the program are marked in this way.
Array as_read_only(const Array& array);
bool is_read_only(const Array& array);

/// Returns text such as "float32 array of shape (2, 3)" or "tuple of 2".
std::string describe(const Value& value);
/// Returns the value as a program prints it: arrays as nested lists, shapes and tuples in parentheses, strings as they
/// are.
std::string text_of(const Value& value);
/// Returns whether a condition (a number, or an array of one element of any dtype) is nonzero; fails (E0505) for
/// others.
bool is_true(const Value& value);

}  // namespace sunmao
