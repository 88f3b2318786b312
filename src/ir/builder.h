// BlockBuilder: builds functions binding by binding, in normal form and with unique names.
#pragma once
#include <unordered_map>

#include "ir/module.h"

namespace sunmao {

/// Generates unique names: `hint`, `hint1`, `hint2`, …, with the separator between, if there is one.
class NameSupply {
 public:
  std::string fresh(const std::string& hint, std::string_view separator = {});
  void reserve(const std::string& name) { used_[name]; }

 private:
  std::unordered_map<std::string, int> used_;
};

class BlockBuilder {
 public:
  explicit BlockBuilder(Module module = {}) : module_(std::move(module)) {}

  /// Normalizes `value` and binds it to a variable named after `name`; a leaf is returned unchanged.
  Expr emit(Expr value, const std::string& name = "lv");
  /// Like `emit`, but binds always, also a leaf, and to a variable that is visible outside of the dataflow block.
  Expr emit_output(Expr value, const std::string& name = "gv");
  Expr match_cast(Expr value, Type type, const std::string& name = "lv");
  /// Binds the arguments of a call, the fields of a tuple or the tuple of a TupleGetItem to variables, unless they are
  /// leaves (see is_leaf). Other expressions are returned unchanged.
  Expr normalize(const Expr& e);

  void begin_dataflow();
  void end_dataflow();
  bool in_dataflow() const { return in_dataflow_; }

  /// Removes and returns the bindings of the block that is being built.
  std::vector<Binding> take_bindings();
  /// Returns everything emitted so far as a sequence with result `body`, and removes it from the builder; names stay
  /// taken.
  Ref<SeqExpr> finish_sequence(Expr body, Span span = {});
  Ref<Function> finish_function(std::vector<Ref<Var>> params, Expr result, Attrs attrs = {}, bool is_pure = true,
                                Span span = {});

  /// Adds a function under a name derived from `hint` that the module does not use; if an earlier call added an equal
  /// function, returns the variable of that one.
  Ref<GlobalVar> add_function(const std::string& hint, Ref<BaseFunc> func);
  /// Adds a function or replaces the one of that name.
  void put_function(const Ref<GlobalVar>& var, Ref<BaseFunc> func);
  const Module& module() const { return module_; }
  void set_module(Module module) {
    module_ = std::move(module);
    function_numbers_.clear();
  }
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
  std::unordered_map<std::string, int> function_numbers_;  // by hint, the last number tried
  bool in_dataflow_ = false;
};

}  // namespace sunmao
