// Algebraic rules: named equalities between op calls. A rule holds bit for bit for every operand value, including NaN,
// infinities and -0 (all NaNs count as equal, whatever their payload).
#pragma once
#include <functional>

#include "ir/op.h"

namespace sunmao {

/// Returns the expression that a variable is bound to, if it may be duplicated at the current place; null otherwise.
using DefinitionFn = std::function<Expr(const Expr& var)>;

/// The value that all elements of a constant tensor, or a scalar, have.
struct UniformValue {
  DType dtype;
  int64_t integer;  // set for integer and bool dtypes
  double real;      // set for float dtypes
};

/// Returns the value that all elements have; nullopt where they differ, there are none, or more than are worth looking.
std::optional<UniformValue> uniform_of(const Array& a);
/// The same of a constant; nullopt for other expressions.
std::optional<UniformValue> uniform_of(const Expr& e);
/// True for a constant all of whose elements are the integer 0.
bool is_known_zero(const Expr& e);

/// Returns a constant of rank 0; `value` is truncated to the width of `dtype`, as wrapping arithmetic does.
Expr integer_constant(DType dtype, int64_t value);

/// The call to which a rule is applied, with queries about its operands.
class RuleInput {
 public:
  RuleInput(const Call& the_call, Analyzer& the_analyzer, const DefinitionFn& definition)
      : call(the_call), analyzer(the_analyzer), definition_(definition) {}
  const Call& call;
  Analyzer& analyzer;

  const Expr& arg(size_t i) const { return call.args[i]; }
  /// Returns the expression that defines `e`, looking through variable aliases and fields of known tuples; `e` itself
  /// when its definition is unknown.
  Expr definition(Expr e) const;
  /// Returns the call of the named op that defines `e`, else null. The pointer is valid while the function is being
  /// rewritten.
  const Call* call_of(const Expr& e, std::string_view op) const;
  const Call* call_of_any(const Expr& e, std::span<const std::string_view> ops) const;
  /// Returns the fields of a tuple; absent when its definition is unknown.
  std::optional<std::vector<Expr>> fields_of(const Expr& tuple) const;
  std::optional<UniformValue> uniform(const Expr& e) const;
  /// True when every element of `e` is known to equal `value`, including the sign of zero.
  bool is_all(const Expr& e, double value) const;
  /// True when both are the same variable after looking through aliases.
  bool same(const Expr& a, const Expr& b) const;

  /// True when the shape of `e` equals that of the call's result; without known dimensions, true when all other
  /// operands are scalars or of rank 0.
  bool has_result_shape(const Expr& e) const;
  bool same_dims(const std::vector<Scalar>& a, const std::vector<Scalar>& b) const;
  bool is_one(const Scalar& dim) const { return analyzer.can_prove_equal(dim, int_imm(1)); }
  /// Makes a call of another op with the span of this call.
  Expr make(const char* op, std::vector<Expr> args, AttrMap attrs = {}) const;
  /// Returns this call with other operands.
  Expr on(std::vector<Expr> args) const { return call.with_args(std::move(args)); }
  /// Returns `x` reshaped to `dims`; null when a reshape target cannot express them or the dimensions of `x` are
  /// unknown.
  Expr reshaped(const Expr& x, const std::vector<Scalar>& dims) const;
  /// Returns a call of `op` (`zeros`, `ones`) with the shape of the result; null when that shape or the dtype is
  /// unknown.
  Expr filled(const char* op) const;

 private:
  const DefinitionFn& definition_;
};

/// Rewrites the call, or returns null when the rule does not apply. The result is strictly simpler, so that repeated
/// application terminates.
using RuleFn = Expr (*)(const RuleInput&);

struct AlgebraicRule {
  const char* name;
  const char* equation;          // human-readable equation with its side conditions
  std::vector<const char*> ops;  // names of the ops to whose calls the rule applies
  RuleFn apply;
};

/// Returns the table of all rules. A rewritten expression has the type of the call, or a more precise one.
const std::vector<AlgebraicRule>& algebraic_rules();

// One function for each family of rules, each in a file of its own.
using RuleTable = std::vector<AlgebraicRule>;
void add_arithmetic_rules(RuleTable& rules);
void add_logic_rules(RuleTable& rules);
void add_order_rules(RuleTable& rules);
void add_cast_rules(RuleTable& rules);
void add_shape_rules(RuleTable& rules);
void add_selection_rules(RuleTable& rules);
void add_join_rules(RuleTable& rules);
void add_window_rules(RuleTable& rules);

const TensorType* tensor_type(const Expr& e);
/// Returns the dimensions of a tensor when they are known, else null.
const std::vector<Scalar>* tensor_dims(const Expr& e);
/// Returns the axis of a call on a tensor of this type as a non-negative index; absent when the rank is unknown. Axis
/// None means axis 0: the tensor has rank 1.
std::optional<int64_t> axis_of(const Call& call, const TensorType* type);
/// Returns the dtype of a tensor or scalar; void when it is neither or its dtype is unknown.
DType element_dtype(const Expr& e);
bool is_float(const Expr& e);
/// True for signed and unsigned integers, false for bool.
bool is_integer(const Expr& e);

}  // namespace sunmao
