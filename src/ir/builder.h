// BlockBuilder: builds functions binding by binding, in normal form, with unique names.
#pragma once
#include <unordered_map>

#include "ir/module.h"

namespace sunmao {

/// Names that differ: `hint`, then `hint1`, `hint2` …
class NameSupply {
 public:
  std::string fresh(const std::string& hint);
  void reserve(const std::string& name) { used_[name]; }

 private:
  std::unordered_map<std::string, int> used_;
};

class BlockBuilder {
 public:
  explicit BlockBuilder(Module module = {}) : module_(std::move(module)) {}

  /// Brings `value` into normal form and binds it; a leaf is returned as it is. `name` is a hint.
  Expr emit(Expr value, const std::string& name = "lv");
  /// The same, as a variable that leaves the dataflow block ("gv").
  Expr emit_output(Expr value, const std::string& name = "gv");
  Expr match_cast(Expr value, Type type, const std::string& name = "lv");
  /// Nested operands become bindings of their own; the result is a leaf or a flat expression.
  Expr normalize(const Expr& e);

  void begin_dataflow();
  void end_dataflow();
  bool in_dataflow() const { return in_dataflow_; }

  /// The bindings emitted since the last block began or was taken, which are no longer here.
  std::vector<Binding> take_bindings();
  /// Everything emitted so far as a sequence that computes `body`; the builder is empty again.
  Ref<SeqExpr> finish_sequence(Expr body, Span span = {});
  Ref<Function> finish_function(std::vector<Ref<Var>> params, Expr result, Attrs attrs = {}, bool is_pure = true,
                                Span span = {});

  /// Adds a function under a unique name near `hint`; an equal loop-level function that is there already is reused.
  Ref<GlobalVar> add_function(const std::string& hint, Ref<BaseFunc> func);
  const Module& module() const { return module_; }
  void set_module(Module module) { module_ = std::move(module); }
  std::string unique_name(const std::string& hint) { return names_.fresh(hint); }

 private:
  Expr bind(Expr value, Type cast_type, const std::string& name, bool dataflow);
  Expr normalize_operand(const Expr& e);
  void flush();

  Module module_;
  NameSupply names_;
  std::vector<Ref<BindingBlock>> blocks_;
  std::vector<Binding> bindings_;
  std::unordered_map<uint64_t, std::vector<Ref<GlobalVar>>> by_hash_;
  bool in_dataflow_ = false;
};

}  // namespace sunmao
