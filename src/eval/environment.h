// Environment: the values of variables and symbols in one activation of a graph-level function.
#pragma once
#include <unordered_map>

#include "eval/value.h"
#include "ir/expr.h"

namespace sunmao {

class Environment {
 public:
  void set(const Var& var, Value value) { vars_[&var] = std::move(value); }
  const Value& get(const Var& var) const;
  /// Releases the value of a variable that is no longer used.
  void erase(const Var& var) { vars_.erase(&var); }
  /// Returns the environment that a closure captures: the given variables that have values, and all symbols.
  Environment captured(const std::vector<Ref<Var>>& vars) const;
  /// Evaluates a scalar; fails (E0506) when one of its symbols has no value or it cannot be computed in 64 bits.
  int64_t number(const Scalar& s) const;
  std::vector<int64_t> numbers(const std::vector<Scalar>& list) const;
  /// Return the maximum taint of the symbols used in scalars or in a type.
  Seen seen(const std::vector<Scalar>& list) const;
  Seen seen(const Type& type) const;
  /// Return the values of all variables, and the maximum taint of all symbols.
  ValueTuple values() const;
  Seen seen_by_symbols() const;

  /// Matches `value` with `type`: a symbol that stands alone in `type` as a dimension or a number, and has no value
  /// yet, takes the number found there. Parts of `value` whose taint (eval/poison.h) is above `limit` define no
  /// symbols. Fails (E0505) when something other than a number differs, such as a dtype or a rank.
  void define(const Type& type, const Value& value, const std::string& name, Seen limit = Seen::Poison) {
    match({type, value, name, value.seen, limit}, true);
  }
  /// Fails unless the value has the type: E0905 when a dimension or a number differs, E0506 when the type's one cannot
  /// be computed, else E0505.
  void check(const Type& type, const Value& value, const std::string& name, const Span& span = {}) {
    match({.type = type, .value = value, .name = name, .span = span}, false);
  }

 private:
  struct Matched {
    const Type& type;
    const Value& value;
    const std::string& name;
    Seen seen = Seen::Nothing;  // maximum taint of the value and the tuples that contain it
    Seen limit = Seen::Poison;
    Span span = {};
  };
  void match(const Matched& matched, bool define);
  void match_dims(const std::vector<Scalar>& dims, const std::vector<int64_t>& sizes, const Matched& matched,
                  bool define);
  Seen seen(const std::vector<Ref<SymVar>>& symbols) const;

  std::unordered_map<const Node*, Value> vars_;
  std::unordered_map<const Node*, int64_t> symbols_;
  std::unordered_map<const Node*, Seen> seen_;  // taint of symbols, if any
};

/// A function as a value, with captured variables, and `bound` as arguments for its last parameters.
struct Closure {
  Ref<Function> function;
  std::string name;
  ValueTuple bound = {};
  std::shared_ptr<const Environment> captured = {};  // null for module functions
  const Var* self = nullptr;                         // the variable that refers to the closure in its own body
};

/// Fails (E0911) when a value is a shape with a negative size: symbols stand for none.
void check_not_negative(const Value& value);

/// Returns a function with values for its last parameters; fails (E0507) when the value is no function of the module.
Value with_last_arguments(const Value& function, std::span<const Value> last, const Span& span);

}  // namespace sunmao
