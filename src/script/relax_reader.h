// RelaxReader: builds one graph-level function, with its nested functions, from its syntax tree.
#pragma once
#include <memory>

#include "ir/expr.h"
#include "ir/op.h"
#include "script/decorator.h"
#include "script/macro_reader.h"
#include "sym/analyzer.h"

namespace sunmao::script {

class RelaxReader final : public MacroReader {
 public:
  explicit RelaxReader(ScriptContext& context);
  Ref<Function> function(const PyStmt& def);
  /// Returns the callable type from parameters and declared result, without reading the body; null when no result is
  /// declared. Calls read before the body use it.
  Type declared_type(const PyStmt& def);
  /// Reads `R.ExternFunc("name", type)`.
  Expr extern_function(const PyExpr& call);

 private:
  RelaxReader(ScriptContext& context, std::unique_ptr<Scope> scope);

  /// What has been read of a function, branch or dataflow block: finished blocks, and the bindings of the current one,
  /// which `flush` ends.
  struct Body {
    std::vector<Ref<BindingBlock>> blocks;
    std::vector<Binding> bindings;
    Expr result;  // operand of `return`
    AttrMap attrs;
    void flush();
  };
  /// The outputs of the dataflow block being read: name to the last statement that binds it.
  struct Outputs {
    std::unordered_map<std::string, const PyStmt*> last;
  };
  enum class Place { Function, Dataflow, Branch };

  // Defined in relax_function.cpp.

  /// Returns the declared result type; null when there is none.
  Type stated_result(const PyStmt& def);
  Type param_type(const PyParam& p);
  std::vector<Ref<Var>> params(const PyStmt& def);
  void declare_symbols(const PyStmt& def);
  Ref<Function> read_function(const PyStmt& def, bool is_nested);

  // Defined in relax_stmt.cpp.
  void statements(const std::vector<PyStmt>& body, Body& out, Place place);
  void statement(const PyStmt& s, Body& out, Place place);
  void expression_statement(const PyStmt& s, Body& out, Place place);
  void assignment(const PyStmt& s, Body& out);
  bool symbol_declaration(const PyStmt& s);
  bool scalar_declaration(const PyStmt& s, const Assigned& part);
  bool meta_variable(const Assigned& part);
  bool device_name(const Assigned& part);
  void bind(const PyStmt& s, const PyExpr& target, Expr value, Type cast_type, Body& out);
  void match_cast(const PyStmt& s, Body& out);
  void dataflow(const PyStmt& s, Body& out, Place place);
  void nested_function(const PyStmt& s, Body& out);
  void branch(const PyStmt& s, Body& out, Place place);
  Ref<SeqExpr> branch_body(const std::vector<PyStmt>& body, const PyStmt& s, std::string& name, Type& annotated);
  void return_(const PyStmt& s, Body& out, Place place);
  Ref<Var> make_var(const std::string& name, Type type, const PyStmt& s);
  void check_annotation(const Type& annotation, const Type& inferred, const PyExpr& e, const std::string& name);

  // Defined in relax_macro.cpp.
  Named macro_argument(const PyExpr& e, const std::string& name) override;
  Expr expand(const PyExpr& call, const Macro& macro);

  // Defined in relax_expr.cpp.
  Expr expr(const PyExpr& e);
  Expr expr_value(const PyExpr& e) override;
  Expr name(const PyExpr& e);
  Expr attribute(const PyExpr& e);
  Expr subscript(const PyExpr& e);
  Expr operation(const PyExpr& e);
  AttrMap named_values(const PyExpr& e) const;
  Expr call(const PyExpr& e);
  Expr call_function(const PyExpr& e, Expr callee);
  Expr call_global(const PyExpr& e, const Ref<GlobalVar>& var);
  Expr construct(const PyExpr& e, const std::string& name);
  Expr tuple(const PyExpr& sequence);
  Expr from_host(const HostValue& value, const PyExpr& e);
  bool is_scalar_expr(const PyExpr& e) const;
  std::vector<Expr> arguments(const PyExpr& call, size_t from);
  Expr typed(Expr e, const PyExpr& at) const;
  Expr function_value(const Ref<GlobalVar>& var, const PyExpr& e);
  Expr field(const PyExpr& e);

  // Defined in relax_op_call.cpp; make_call in relax_expr.cpp.
  Expr op_call(const PyExpr& e, const std::string& name);
  Expr op_call(const PyExpr& e, const Ref<Op>& op);
  Expr op_call(const PyExpr& e, const Ref<Op>& op, const std::vector<const PyExpr*>& given,
               std::vector<const PyExpr*> rest, std::vector<Type> types);
  Expr emit_with_type(const PyExpr& e, const std::string& shown);
  Expr emit_te(const PyExpr& e);
  std::vector<const PyExpr*> bind_parameters(const PyExpr& e, const Op& op, std::vector<const PyExpr*>& rest);
  Expr operand(const PyExpr& e, const OpParam& param, const Op& op);
  std::vector<Type> type_args(const PyExpr& e);
  bool is_packed_call(const std::string& name) const;
  Expr call_tir(const PyExpr& e, const std::string& name);
  Expr call_packed(const PyExpr& e, const std::string& name);
  Expr written_call(const PyExpr& e);
  Expr callee(const PyExpr& e);
  Expr make_call(Expr callee, std::vector<Expr> args, Attrs attrs, std::vector<Type> types, const PyExpr& e);

  std::unique_ptr<Scope> owned_scope_;
  Analyzer analyzer_;
  Body* body_ = nullptr;  // receives the bindings being read
  bool checks_types_ = true;
  int nesting_ = 0;                   // number of enclosing functions
  const Outputs* outputs_ = nullptr;  // those of the dataflow block being read; null outside of one
};

}  // namespace sunmao::script
