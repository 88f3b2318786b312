// LazyReads: a rewriter that replaces weight parameters by requests at their first use.
#pragma once
#include <unordered_set>

#include "ir/walk.h"

namespace sunmao {

/// Returns the index of a weight or a result as a callback argument.
Expr index_value(int64_t index);

/// Requests each weight at its first use, casts it to its type, and reuses it for later uses. A weight whose type
/// defines a symbol is requested before the symbol is used.
class LazyReads : public Rewriter {
 public:
  /// A weight: its parameter (null if it is a tuple field), index, name and type.
  struct Weight {
    Ref<Var> var;
    int index;
    std::string name;
    Type type;
  };

 protected:
  /// `known` are the remaining parameters; `tuple` the parameter whose fields are the weights, or null.
  void begin(std::vector<Weight> weights, const std::vector<Ref<Var>>& known, Ref<Var> tuple);
  /// Returns the expression that fetches a weight; it may have any type.
  virtual Expr request(const Weight& weight) = 0;

  using Rewriter::visit;
  Expr visit(const Var& var) override;
  Expr visit(const TupleGetItem& item) override;
  Expr visit(const If& branch) override;
  Expr visit(const Function& function) override;
  Expr visit_leaf(const Expr& e) override;
  void visit(const Binding& binding) override;
  Ref<BindingBlock> visit_block(const Ref<BindingBlock>& block) override;
  /// True when the variable is no weight, or a weight that has been requested in the current scope.
  bool is_known(const Ref<Var>& var) const;
  /// Requests the weights whose types define the symbols.
  void need(const std::vector<Ref<SymVar>>& symbols);

 private:
  Expr read(const Weight& weight);
  void define(const Type& type);

  std::vector<Weight> weights_;
  Ref<Var> tuple_;
  std::unordered_map<int, Expr> read_;  // in the current scope
  std::unordered_set<Ref<SymVar>> defined_;
};

}  // namespace sunmao
