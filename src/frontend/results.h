// Results: the values that a converter returns, in the order of the node's outputs.
#pragma once
#include <initializer_list>
#include <vector>

#include "ir/expr.h"

namespace sunmao {

struct Results {
  std::vector<Expr> values;

  Results() = default;
  Results(Expr value) : values{std::move(value)} {}
  Results(const Ref<Var>& value) : values{Expr(value)} {}
  Results(std::initializer_list<Expr> list) : values(list) {}
  explicit Results(std::vector<Expr> list) : values(std::move(list)) {}
};

}  // namespace sunmao
