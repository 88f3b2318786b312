// Patterns of expressions: what a caller looks for. A pattern is a node as an expression is one: it never changes, and
// its identity says which part of a match is meant.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "ir/expr.h"

namespace sunmao {

struct Pattern;

/// Anything.
struct WildcardForm {};
/// An expression of this structure, an op among them.
struct ExprForm {
  Expr expr;
};
/// A variable; every name where `name` is empty.
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
/// With `may_have_more`, a call may have further arguments behind those of the pattern.
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
/// A field of a tuple; any field where `index` is kAnyIndex.
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
/// Symbols of `type` stand for any dimension, the same one wherever they occur in a match.
struct TypeForm {
  Ref<Pattern> pattern;
  Type type;
};
struct DTypeForm {
  Ref<Pattern> pattern;
  DType dtype;
};
/// A tensor of a shape that is provably this one.
struct ShapeForm {
  Ref<Pattern> pattern;
  std::vector<Scalar> shape;
};
/// A shape itself.
struct ShapeValueForm {
  std::vector<Scalar> values;
};
/// A call or a function that has at least these attributes.
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
  /// Another pattern of the same form and parts.
  Ref<Pattern> duplicate() const;

 private:
  explicit Pattern(Form f);
};

}  // namespace sunmao
