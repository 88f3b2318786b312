// Traversal and rewriting of graph-level functions. Bindings are visited in a loop, so recursion depth is independent
// of their number.
#pragma once
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "ir/infer.h"
#include "ir/module.h"
#include "ir/op.h"

namespace sunmao {

/// Visits the parts of expressions in program order, without types, parameters and bound variables. Override the
/// relevant methods and call the base for the others.
class Visitor {
 public:
  virtual ~Visitor() = default;
  void visit(const Expr& e);

 protected:
  virtual void visit(const Var&) {}
  virtual void visit(const Call& call);
  virtual void visit(const Tuple& tuple);
  virtual void visit(const TupleGetItem& item) { visit(item.tuple); }
  virtual void visit(const If& branch);
  virtual void visit(const SeqExpr& seq);
  virtual void visit(const Function& function);
  virtual void visit(const Binding& binding) { visit(binding.value); }
  virtual void visit_block(const BindingBlock& block);
  /// Called for constants, shapes, literals, ops, extern functions, loop-level functions and global variables.
  virtual void visit_leaf(const Expr&) {}
};

/// Rebuilds functions; unchanged parts keep their pointers. If the type of a value changes, the variable bound to it,
/// except by a match_cast, is replaced by one of the new type. Calls of module functions keep their type.
class Rewriter {
 public:
  virtual ~Rewriter() = default;
  Ref<Function> rewrite(const Ref<Function>& function);

 protected:
  Expr visit(const Expr& e);
  virtual Expr visit(const Var& var);
  virtual Expr visit(const Call& call);
  virtual Expr visit(const Tuple& tuple);
  virtual Expr visit(const TupleGetItem& item);
  virtual Expr visit(const If& branch);
  virtual Expr visit(const Function& function);
  virtual Expr visit_leaf(const Expr& e) { return e; }
  /// Called for each binding in order; the default visits the value and emits the result. A pass may emit more bindings
  /// or none.
  virtual void visit(const Binding& binding);
  virtual Ref<SeqExpr> visit_seq(const Ref<SeqExpr>& seq);
  virtual Ref<BindingBlock> visit_block(const Ref<BindingBlock>& block);

  /// Emits a binding before the one being visited; a leaf is returned unchanged.
  Expr emit(Expr value, const std::string& name);
  /// Ends the visit of a binding: binds its variable, with a new type if needed, to `value`.
  void bind(const Binding& original, Expr value);
  /// Replaces later uses of `var` by `value`.
  void replace(const Ref<Var>& var, Expr value) { replaced_[var] = std::move(value); }
  /// Returns the value that a variable of the rewritten code is bound to; null when unknown.
  Expr value_of(const Expr& var) const;
  bool in_dataflow() const { return in_dataflow_; }

 private:
  std::unordered_map<Ref<Var>, Expr> replaced_;
  std::unordered_map<Ref<Var>, Expr> bound_;
  std::vector<Binding>* out_ = nullptr;
  bool in_dataflow_ = false;
};

/// Applies `f` to each graph-level function; returns the same module when none changes.
template <class F>
Module map_functions(const Module& module, F f) {
  std::vector<FunctionEntry> changed;
  for (const FunctionEntry& e : module.functions()) {
    Ref<Function> old = find_ref<Function>(Expr(e.func));
    if (!old) continue;
    Ref<Function> rewritten = f(old);
    if (rewritten != old) changed.push_back({e.var, rewritten});
  }
  return changed.empty() ? module : module.with_functions(std::move(changed));
}

/// Returns the free variables in order of first use.
std::vector<Ref<Var>> free_vars(const Expr& e);

/// Returns the symbols that a parameter of this type defines: those that are a whole dimension, shape value or scalar.
std::vector<Ref<SymVar>> defined_symbols(const Type& type);

/// Returns a tuple with its fields rewritten, or a field access with its tuple rewritten; the same node when nothing
/// changed, null for other expressions.
Expr map_tuple_parts(const Expr& e, const std::function<Expr(const Expr&)>& rewrite);

}  // namespace sunmao
