// Algebraic rules: named equalities between expressions of ops. A rule holds bit for bit, for every value that its
// operands can have: NaN, infinities and -0 too (a NaN is a NaN, whatever its bits).
#pragma once
#include <functional>

#include "ir/op.h"

namespace sunmao {

/// What a variable is bound to where that may be said again at this place; null for what nothing is known of.
using DefinitionFn = std::function<Expr(const Expr& var)>;

/// A number that every element of a tensor is, or a scalar.
struct UniformValue {
  DType dtype;
  int64_t integer;  // of integers and bools
  double real;      // of floats
};

/// The call that a rule looks at, and what its operands are.
class RuleInput {
 public:
  RuleInput(const Call& the_call, Analyzer& the_analyzer, const DefinitionFn& definition)
      : call(the_call), analyzer(the_analyzer), definition_(definition) {}
  const Call& call;
  Analyzer& analyzer;

  const Expr& arg(size_t i) const { return call.args[i]; }
  /// What computes `e`: names of names and fields of tuples at hand are followed; `e` itself when nothing does.
  Expr definition(Expr e) const;
  /// The call of the op that computes `e`, else null. It lives as long as the function that is rewritten.
  const Call* call_of(const Expr& e, std::string_view op) const;
  const Call* call_of_any(const Expr& e, std::span<const std::string_view> ops) const;
  /// The fields of a tuple; not set when it is not at hand.
  std::optional<std::vector<Expr>> fields_of(const Expr& tuple) const;
  std::optional<UniformValue> uniform(const Expr& e) const;
  /// Whether every element of `e` is this number, the sign of a zero included.
  bool is_all(const Expr& e, double value) const;
  /// Whether both are the same value: one variable, or names of one.
  bool same(const Expr& a, const Expr& b) const;

  /// Whether `e` has the shape of the call's result, as far as that is known to be broadcast from nothing else.
  bool has_result_shape(const Expr& e) const;
  bool same_dims(const std::vector<Scalar>& a, const std::vector<Scalar>& b) const;
  bool is_one(const Scalar& dim) const { return analyzer.can_prove_equal(dim, int_imm(1)); }
  /// A call of another op at the same place in the source.
  Expr make(const char* op, std::vector<Expr> args, AttrMap attrs = {}) const;
  /// This call on other operands.
  Expr on(std::vector<Expr> args) const { return call.with_args(std::move(args)); }
  /// `x` with these dimensions; null where a reshape cannot say them.
  Expr reshaped(const Expr& x, const std::vector<Scalar>& dims) const;
  /// All elements of the result this number; null when its shape is unknown.
  Expr filled(const char* op) const;

 private:
  const DefinitionFn& definition_;
};

/// Null where the rule does not apply. What it gives is simpler: rules come to an end.
using RuleFn = Expr (*)(const RuleInput&);

struct AlgebraicRule {
  const char* name;
  const char* equation;          // and what must hold
  std::vector<const char*> ops;  // whose calls the rule looks at
  RuleFn apply;
};

/// Every rule. A result has the type of the call, or one that says more.
const std::vector<AlgebraicRule>& algebraic_rules();

// One family a file.
using RuleTable = std::vector<AlgebraicRule>;
void add_arithmetic_rules(RuleTable& rules);
void add_logic_rules(RuleTable& rules);
void add_order_rules(RuleTable& rules);
void add_cast_rules(RuleTable& rules);
void add_shape_rules(RuleTable& rules);
void add_selection_rules(RuleTable& rules);
void add_join_rules(RuleTable& rules);

const TensorType* tensor_type(const Expr& e);
/// The dimensions where they are written out, else null.
const std::vector<Scalar>* tensor_dims(const Expr& e);
/// Void when it is not a tensor or a scalar whose dtype is known.
DType element_dtype(const Expr& e);
bool is_float(const Expr& e);
/// Integers with a sign or without; no bools.
bool is_integer(const Expr& e);

}  // namespace sunmao
