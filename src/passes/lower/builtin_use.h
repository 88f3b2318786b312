// BuiltinUse: a call by name of a function of upstream's virtual machine, `vm.builtin.…`, as lowered programs have it.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/expr.h"
#include "loop/prim_func.h"

namespace sunmao {

struct BuiltinUse {
  const Call* call;
  std::string name;  // without `vm.builtin.`
  std::vector<Expr> args;

  /// Return an argument; fail (E1020) when there is none, or it is no number.
  const Expr& arg(size_t i) const;
  int64_t integer(size_t i) const;
  int rank(size_t i) const;

  /// Returns what a check of a kind, rank and dtype says of its first argument; null for other functions.
  Type checked_type() const;
  /// Returns the call of the op that the function is, on its arguments; null for functions that are none.
  Expr as_op() const;
};

std::optional<BuiltinUse> find_builtin(const Expr& e);

/// Writes to `slots` what a function computes from the sizes in it; null ones are not known. Returns false when it does
/// anything else.
bool compute_slots(const PrimFunc& func, std::vector<Scalar>& slots);

}  // namespace sunmao
