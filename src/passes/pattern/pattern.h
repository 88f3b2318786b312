// Patterns of expressions. A pattern is an immutable node; its identity is the key of the matched expression in
// Matches.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "ir/expr.h"

namespace sunmao {

struct Pattern;

/// Matches any expression.
struct WildcardForm {};
/// Matches expressions structurally equal to `expr`, such as an op.
struct ExprForm {
  Expr expr;
};
/// Matches a variable with the given name, or any variable if `name` is empty; with `is_dataflow_only` only one that is
/// a dataflow variable.
struct VarForm {
  std::string name;
  bool is_dataflow_only;
};
struct GlobalVarForm {
  std::string name;
};
struct ExternFuncForm {
  std::string name;
};
struct ConstantForm {};
/// With `may_have_more`, the call may have more arguments than the pattern.
struct CallForm {
  Ref<Pattern> callee;
  std::vector<Ref<Pattern>> args;
  bool may_have_more;
};
struct FunctionForm {
  std::vector<Ref<Pattern>> params;
  Ref<Pattern> body;
};
struct TupleForm {
  std::vector<Ref<Pattern>> fields;
  bool is_ordered;
};
/// Matches the field `index` of a tuple; any field if it is kAnyIndex.
struct TupleItemForm {
  Ref<Pattern> tuple;
  int index;
};
struct OrForm {
  Ref<Pattern> left, right;
};
struct AndForm {
  Ref<Pattern> left, right;
};
struct NotForm {
  Ref<Pattern> rejected;
};
/// Matches expressions of type `type`, whose symbols stand for any dimension, consistently within a match.
struct TypeForm {
  Ref<Pattern> pattern;
  Type type;
};
struct DTypeForm {
  Ref<Pattern> pattern;
  DType dtype;
};
/// Matches tensors whose shape is provably equal to `shape`.
struct ShapeForm {
  Ref<Pattern> pattern;
  std::vector<Scalar> shape;
};
/// Matches shape expressions with provably equal values.
struct ShapeValueForm {
  std::vector<Scalar> values;
};
/// Matches calls and functions that have at least these attributes.
struct AttrForm {
  Ref<Pattern> pattern;
  Attrs attrs;
};

constexpr int kAnyIndex = -1;

struct Pattern final : Node {
  using Form = std::variant<WildcardForm, ExprForm, VarForm, GlobalVarForm, ExternFuncForm, ConstantForm, CallForm,
                            FunctionForm, TupleForm, TupleItemForm, OrForm, AndForm, NotForm, TypeForm, DTypeForm,
                            ShapeForm, ShapeValueForm, AttrForm>;
  const Form form;
  static Ref<Pattern> make(Form form);
  /// Returns a new pattern with the same form and subpatterns, but its own identity.
  Ref<Pattern> duplicate() const;

 private:
  explicit Pattern(Form f);
};

}  // namespace sunmao
