#include "sym/solve.h"

#include "sym/analyzer.h"
#include "sym/walk.h"

namespace sunmao {

Scalar solve(const Scalar& expr, const Scalar& value, const Ref<SymVar>& symbol) {
  Analyzer analyzer;
  Scalar rest = analyzer.simplify(expr), wanted = value;
  while (!rest.same_as(symbol)) {
    const auto* b = find<Binary>(rest);
    if (!b || uses(b->a, *symbol) == uses(b->b, *symbol)) return nullptr;
    const bool on_left = uses(b->a, *symbol);
    const Scalar side = on_left ? b->a : b->b, other = on_left ? b->b : b->a;
    const int64_t* factor = find_int(other);
    if (b->op == BinaryOp::Add) {
      wanted = wanted - other;
    } else if (b->op == BinaryOp::Sub) {
      wanted = on_left ? wanted + other : other - wanted;
    } else if (b->op == BinaryOp::Mul && factor && *factor == -1) {
      wanted = int_imm(0) - wanted;
    } else if (b->op == BinaryOp::Mul && factor && *factor != 0) {
      if (!analyzer.can_prove_equal(floor_mod(wanted, other), int_imm(0))) return nullptr;
      wanted = floor_div(wanted, other);
    } else {
      return nullptr;
    }
    rest = side;
  }
  return analyzer.simplify(wanted);
}

}  // namespace sunmao
