// Environment: what names stand for while a graph-level function runs, its variables and its symbols alike.
#pragma once
#include <unordered_map>

#include "eval/value.h"
#include "ir/expr.h"

namespace sunmao {

class Environment {
 public:
  void set(const Var& var, Value value) { vars_[&var] = std::move(value); }
  const Value& get(const Var& var) const;
  /// Lets go of what a variable holds; nothing reads it any more.
  void erase(const Var& var) { vars_.erase(&var); }
  /// What a function captures: these variables, where they have values, and all symbols.
  Environment captured(const std::vector<Ref<Var>>& vars) const;
  /// The number that a scalar over known symbols is. E0506 when a symbol has no value.
  int64_t number(const Scalar& s) const;
  std::vector<int64_t> numbers(const std::vector<Scalar>& list) const;
  /// What the symbols in scalars, or in a type, are made from.
  Seen seen(const std::vector<Scalar>& list) const;
  Seen seen(const Type& type) const;
  /// What is held: the values of variables, and what the symbols are made from.
  ValueTuple values() const;
  Seen seen_by_symbols() const;

  /// Bare symbols of the type take the dimensions of the value where they have none yet; not those of a part of the
  /// value that has seen more than `limit`.
  void define(const Type& type, const Value& value, const std::string& name, Seen limit = Seen::Poison) {
    match({type, value, name, value.seen, limit}, true);
  }
  /// E0505 unless the value is of the type, every dimension of it.
  void check(const Type& type, const Value& value, const std::string& name) { match({type, value, name}, false); }

 private:
  struct Matched {
    const Type& type;
    const Value& value;
    const std::string& name;
    Seen seen = Seen::Nothing;  // the value with all that it is a part of
    Seen limit = Seen::Poison;
  };
  void match(const Matched& matched, bool define);
  void match_dims(const std::vector<Scalar>& dims, const std::vector<int64_t>& sizes, const Matched& matched,
                  bool define);
  Seen seen(const std::vector<Ref<SymVar>>& symbols) const;

  std::unordered_map<const Node*, Value> vars_;
  std::unordered_map<const Node*, int64_t> symbols_;
  std::unordered_map<const Node*, Seen> seen_;  // the symbols that have seen something
};

/// A function as a value: with what it captured, and with values for its first parameters.
struct Closure {
  Ref<Function> function;
  std::string name;
  ValueTuple bound = {};
  std::shared_ptr<const Environment> captured = {};  // null for a function of the module
  const Var* self = nullptr;                         // the variable by which a local function calls itself
};

}  // namespace sunmao
