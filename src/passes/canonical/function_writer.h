// FunctionWriter: builds functions one binding at a time for programs outside of the compiler; functions and blocks
// nest. It brings values into normal form, and decides which variable a value is bound to and in which block.
#pragma once
#include "ir/builder.h"

namespace sunmao {

class FunctionWriter {
 public:
  explicit FunctionWriter(Module module = {}) : builder_(std::move(module)) {}

  /// Open a block. `end_block` closes the innermost block and returns it (E0039 when none is open).
  void begin_block() { blocks_.push_back({.is_dataflow = false}); }
  void begin_dataflow_block() { blocks_.push_back({.is_dataflow = true}); }
  Ref<BindingBlock> end_block();
  bool in_dataflow() const { return !blocks_.empty() && blocks_.back().is_dataflow; }

  /// Opens a function with one plain block. `end_function` restores the blocks that were open before.
  void begin_function();
  void end_function();
  /// Closes the current block of the function and opens a dataflow block; `leave_dataflow` opens a plain one again.
  void enter_dataflow();
  void leave_dataflow();
  /// Returns the body of the innermost function, which computes `output`; an output that is no leaf is bound first.
  /// Fails with E0039 while a dataflow block is open, and with E0401 when a plain block of an emitted sequence reads a
  /// dataflow variable of the block that it divides.
  Ref<SeqExpr> finish_body(const Expr& output);

  /// Bind the normal form of a value in the innermost block (E0039 when none is open), to a variable with a unique name
  /// derived from `hint`. In a dataflow block it is a dataflow variable, unless it is an output of the block.
  Ref<Var> emit(const Expr& value, const std::string& hint = "");
  Ref<Var> emit_output(const Expr& value, const std::string& hint = "");
  Ref<Var> match_cast(const Expr& value, Type type, const std::string& hint = "");
  /// Adds a binding that is in normal form.
  void append(Binding binding);
  /// Returns the value that the variable is bound to; null when this writer has not bound it.
  Expr value_of(const Ref<Var>& var) const;

  /// Returns the expression in normal form. Bindings of its operands are added to the innermost block, if one is open.
  Expr normalize(const Expr& e);

  /// Returns the builder of the module that functions are added to.
  BlockBuilder& functions() { return builder_; }

 private:
  struct OpenBlock {
    bool is_dataflow = false;
    std::vector<Binding> bindings = {};
  };
  struct Frame {
    std::vector<Ref<BindingBlock>> blocks = {};
    std::vector<OpenBlock> outer = {};             // blocks that were open before the function
    std::vector<Ref<BindingBlock>> dividing = {};  // plain blocks that divide a dataflow block
  };

  Expr flat(Expr e);
  Expr normal_call(const Ref<Call>& call);
  Expr normal_nested(const Expr& e);
  void inline_blocks(const SeqExpr& seq);
  void add(const Ref<BindingBlock>& block);
  Ref<Var> bind(Expr value, Type cast_type, const std::string& name, bool is_dataflow);

  BlockBuilder builder_;
  std::vector<Frame> functions_;
  std::vector<OpenBlock> blocks_;
  std::unordered_map<Ref<Var>, Expr> values_;
};

}  // namespace sunmao
