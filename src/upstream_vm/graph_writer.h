// GraphWriter: walks a lowered graph-level function and says what it computes in calls by name on registers. What a
// call becomes is the subclass's.
#pragma once
#include <unordered_map>
#include <unordered_set>

#include "ir/module.h"
#include "ir/op.h"
#include "upstream_vm/builder.h"

namespace sunmao {

inline constexpr Operand kNothing{Operand::Kind::Register, kNowhere};
inline constexpr Operand kState{Operand::Kind::Register, kMachineState};

class GraphWriter {
 public:
  /// Constants and names are those of `builder`. E0549 for what is not lowered.
  GraphWriter(RegisterBuilder& builder, const Module& module) : builder_(builder), module_(module) {}
  virtual ~GraphWriter() = default;

 protected:
  /// Writes a call, whose result goes to `to`; returns `to`.
  virtual Operand call(const std::string& name, std::vector<Operand> args, Operand to) = 0;
  virtual Operand branch(const If& e) = 0;

  /// Gives the parameters the registers from 0 on.
  void define_params(const Function& f);
  Operand new_register() { return {Operand::Kind::Register, registers_++}; }
  Operand copied(Operand value, Operand to) { return call("vm.builtin.copy", {value}, to); }
  Operand value_of(const Expr& e);
  Operand value_of(const SeqExpr& seq);

  RegisterBuilder& builder_;
  const Module& module_;

 private:
  Operand value_of(const Var& var);
  std::vector<Operand> values_of(const std::vector<Expr>& list);
  Operand shape(const ShapeExpr& e);
  Operand number(const PrimValue& e);
  Operand named(const std::string& name);
  std::string symbol_of(const GlobalVar& var) const;
  Operand target_of(const Call& c);
  Operand value_of_call(const Call& c);
  Operand invoke(Operand callee, std::vector<Operand> args, Operand to);
  std::vector<Operand> unpacked(const Call& c, size_t i);
  Operand value_of_op(const Op& op, const Call& c);
  std::vector<Operand> with_format(const Call& c);
  Operand alloc_tensor(const Call& c);
  Operand kill(const Call& c);
  Operand call_packed(const Call& c);

  std::unordered_map<const Var*, Operand> values_;
  std::unordered_set<const Var*> checked_;  // by builtins: a cast of them says what they are
  int64_t registers_ = 0;
};

}  // namespace sunmao
