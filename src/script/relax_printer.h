// RelaxPrinter: prints graph-level functions and their parts.
#pragma once
#include "ir/op.h"
#include "script/printer.h"

namespace sunmao::script {

class RelaxPrinter final : public Printer {
 public:
  explicit RelaxPrinter(PrintState& state) : Printer(state, DType::int_(64)) {}

  // Defined in print_relax.cpp.
  void function(const Function& f, const std::string& name, Lines& out);

  // Defined in print_relax_lone.cpp.
  std::string lone(const Expr& e);
  std::string lone(const Binding& b);
  std::string lone(const BindingBlock& block);

 private:
  static constexpr const char* kDtypeAlone = "R.Prim(dtype=\"{}\")";

  // Defined in print_relax.cpp.

  /// `name` is the function's name in the module; null for a nested function.
  std::string decorator(const Function& f, const std::string* name) const;
  std::string attributes(const Function& f, const std::string* name);
  std::string parameter(const Var& p);
  std::string signature(const Function& f, const std::string& name);
  void nested_function(const Function& f, const Var& var);
  void sequence(const SeqExpr& seq);
  void dataflow(const BindingBlock& block);

  // Defined in print_relax_binding.cpp.
  std::string annotated(const std::string& name, const Var& var, const Type& known, bool hides = false);
  std::string name_for(const Var& var);
  void binding(const Binding& b);
  bool is_statement(const Binding& b) const;
  void branch_binding(const If& branch, const Var& var);
  void branch_body(const SeqExpr& seq, const std::string& name, const Var& var, const Type& type_of_branch);
  std::string hoisted(const Expr& e, const char* hint);

  // Defined in print_relax_call.cpp.
  std::string expr(const Expr& e) override;
  std::vector<std::string> exprs(const std::vector<Expr>& list, size_t from = 0);
  std::string types(const std::vector<Type>& list);
  std::string callee(const Expr& e);
  std::string call(const Call& c);
  void attributes(const Call& c, std::vector<std::string>& parts);
  void keywords(const Call& c, std::vector<std::string>& parts);
  void type_args(const Call& c, std::vector<std::string>& parts);
  std::string op_call(const Op& op, const Call& c);
  void arguments(const Op& op, const Call& c, std::vector<std::string>& parts);

  // Defined in print_relax_lone.cpp.
  std::string lone(const std::function<void()>& print);
  void lone_branch(const If& branch);
  void lone_side(const SeqExpr& side);

  Lines* body_ = nullptr;
  bool uses_module_ = false, in_dataflow_ = false, in_attributes_ = false;
  std::vector<Ref<Var>> hoisted_;
  std::unordered_set<const ExprNode*> used_;
  std::unordered_set<const SymVar*> own_symbols_;  // symbols of scalar parameters, which share their names
};

}  // namespace sunmao::script
