// Weights that a function asks for when it needs them, instead of taking them as parameters.
#pragma once
#include <unordered_set>

#include "ir/walk.h"

namespace sunmao {

/// The place of a weight or a result, as callbacks take it.
Expr index_value(int64_t index);

/// Rewrites a function so that each weight is asked for at its first use, cast to its type, and kept for the uses
/// behind it. What a weight's shape alone says is asked for before it is used.
class LazyReads : public Rewriter {
 public:
  /// A weight: its parameter or null, and its place and type.
  struct Weight {
    Ref<Var> var;
    int index;
    std::string name;
    Type type;
  };

 protected:
  /// `known` are the parameters that stay; `tuple` the parameter whose fields the weights are, or null.
  void begin(std::vector<Weight> weights, const std::vector<Ref<Var>>& known, Ref<Var> tuple);
  /// The expression that gets a weight, of any type.
  virtual Expr request(const Weight& weight) = 0;

  using Rewriter::visit;
  Expr visit(const Var& var) override;
  Expr visit(const TupleGetItem& item) override;
  Expr visit(const If& branch) override;
  Expr visit(const Function& function) override;
  Expr visit_leaf(const Expr& e) override;
  void visit(const Binding& binding) override;
  Ref<BindingBlock> visit_block(const Ref<BindingBlock>& block) override;
  /// Whether a variable is no weight, or one that was asked for where it can be read here.
  bool is_known(const Ref<Var>& var) const;
  /// Asks for the weights that say what these symbols are.
  void need(const std::vector<Ref<SymVar>>& symbols);

 private:
  Expr read(const Weight& weight);
  void define(const Type& type);

  std::vector<Weight> weights_;
  Ref<Var> tuple_;
  std::unordered_map<int, Expr> read_;  // in the scope at hand
  std::unordered_set<Ref<SymVar>> defined_;
};

}  // namespace sunmao
