// Copies of functions in which every variable and symbol is a fresh node.
#pragma once
#include "ir/infer.h"
#include "ir/walk.h"
#include "sym/walk.h"

namespace sunmao {

/// Copies expressions with fresh variables and symbols for their definitions. Free ones are kept, unless they are
/// mapped.
class FreshCopy {
 public:
  void map(const Ref<Var>& from, Expr to) { vars_[from] = std::move(to); }
  void map(const Ref<SymVar>& from, Scalar to) { symbols_[from] = std::move(to); }
  /// Replaces the shape variable `from` in tensor types; null makes the shape of these types unknown.
  void map_shape(const Ref<Var>& from, Expr to) { shapes_[from] = std::move(to); }
  /// Returns a fresh variable for `v`; symbols that its type defines become fresh, too.
  Ref<Var> define(const Ref<Var>& v);
  Expr copy(const Expr& e);
  Type copy(const Type& t) const { return substitute(with_shapes(t), symbols_); }
  Binding copy(const Binding& b);
  Ref<SeqExpr> copy(const Ref<SeqExpr>& seq);
  Ref<Function> copy(const Ref<Function>& f);

 private:
  void define_symbols(const Type& t);
  // The copy is no dataflow variable, even if `v` is.
  Ref<Var> define_param(const Ref<Var>& v);
  Ref<Var> defined(const Ref<Var>& v, Ref<Var> fresh);
  Type with_shapes(const Type& t) const;
  std::vector<Expr> copy(const std::vector<Expr>& exprs);
  std::unordered_map<Ref<Var>, Expr> vars_;
  std::unordered_map<Ref<Var>, Expr> shapes_;
  Substitution symbols_;
};

}  // namespace sunmao
