// FreshCopy: copies expressions so that the variables and symbols that they define are fresh nodes.
#pragma once
#include "ir/infer.h"
#include "ir/walk.h"
#include "sym/walk.h"

namespace sunmao {

/// Copies expressions; each variable and symbol that they define becomes a fresh one. Free variables and symbols are
/// kept unless they are mapped.
class FreshCopy {
 public:
  void map(const Ref<Var>& from, Expr to) { vars_[from] = std::move(to); }
  void map(const Ref<SymVar>& from, Scalar to) { symbols_[from] = std::move(to); }
  /// Replaces the shape of tensor types whose shape is the variable `from`; with a null `to` their shape is unknown.
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
  // Returns a fresh variable for the parameter `v`: no dataflow variable, even if `v` is one.
  Ref<Var> define_param(const Ref<Var>& v);
  Ref<Var> defined(const Ref<Var>& v, Ref<Var> fresh);
  Type with_shapes(const Type& t) const;
  // Returns the number, where mapped symbols leave no other ones.
  Scalar copied(const Scalar& s) const;
  std::vector<Expr> copy(const std::vector<Expr>& exprs);
  std::unordered_map<Ref<Var>, Expr> vars_;
  std::unordered_map<Ref<Var>, Expr> shapes_;
  Substitution symbols_;
};

}  // namespace sunmao
