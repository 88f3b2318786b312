#include "passes/schedule/row/quotients.h"

#include <algorithm>
#include <cmath>

#include "loop/builder.h"
#include "loop/walk.h"

namespace sunmao {
namespace {

/// True where each part of a value is computed in any case and outside of lets, so that it may be computed before.
bool is_plain(const Scalar& value) {
  bool found = false;
  visit_all(value, [&](const Scalar& s) {
    const auto* call = find<ScalarCall>(s);
    found = found || find<Let>(s) || (call && call->name == "if_then_else");
  });
  return !found;
}

/// Adds what floats of a nest are divided by that is the same in all its iterations, each once.
void find_divisors(const StoreNest& nest, std::vector<Scalar>& out) {
  if (!is_plain(nest.value)) return;
  visit_all(nest.value, [&](const Scalar& s) {
    const auto* n = find<Binary>(s);
    if (!n || n->op != BinaryOp::Div || !n->dtype.is_float() || n->dtype.bits < 32 || find<FloatImm>(n->b)) return;
    bool moves = std::ranges::any_of(nest.loops, [&](const Ref<SymVar>& loop) { return uses(n->b, *loop); });
    for_each_load(n->b, [&](const BufferLoad& l) { moves = moves || l.buffer == nest.buffer; });
    const bool is_known = std::ranges::any_of(out, [&](const Scalar& d) { return structural_equal(d, n->b); });
    if (!moves && !is_known) out.push_back(n->b);
  });
}

/// Holds where the reciprocal of a divisor is a normal number, so that a product with it is as good as a quotient.
Scalar has_reciprocal(const Scalar& divisor) {
  const double smallest = std::ldexp(1, divisor->dtype.bits == 64 ? -1022 : -126);
  const Scalar size = ScalarCall::make("fabs", divisor->dtype, {divisor});
  return Binary::make(BinaryOp::And, Binary::make(BinaryOp::Ge, size, FloatImm::make(divisor->dtype, smallest)),
                      Binary::make(BinaryOp::Le, size, FloatImm::make(divisor->dtype, 1 / smallest)));
}

}  // namespace

Stmt with_reciprocals(const std::vector<StoreNest>& nests, FunctionRef<Stmt(const StoreNest&)> write) {
  std::vector<Scalar> divisors;
  std::vector<Stmt> divided, multiplied, steps;
  for (const StoreNest& nest : nests) {
    find_divisors(nest, divisors);
    divided.push_back(write(nest));
  }
  if (divisors.empty()) return Seq::make(std::move(divided));
  std::vector<Ref<Buffer>> reciprocals;
  Scalar all;
  for (const Scalar& d : divisors) {
    reciprocals.push_back(Buffer::make("reciprocal", d->dtype, {int_imm(1)}, {.scope = "local"}));
    steps.push_back(
        BufferStore::make(reciprocals.back(), Binary::make(BinaryOp::Div, constant(d->dtype, 1), d), {int_imm(0)}));
    all = all ? Binary::make(BinaryOp::And, all, has_reciprocal(d)) : has_reciprocal(d);
  }
  for (StoreNest nest : nests) {
    nest.value = rewrite(nest.value, [&](const Scalar& s) -> Scalar {
      const auto* n = find<Binary>(s);
      if (!n || n->op != BinaryOp::Div) return nullptr;
      const auto at = std::ranges::find_if(divisors, [&](const Scalar& d) { return structural_equal(d, n->b); });
      return at == divisors.end() ? Scalar()
                                  : n->a * load(reciprocals[static_cast<size_t>(at - divisors.begin())], {int_imm(0)});
    });
    multiplied.push_back(write(nest));
  }
  steps.push_back(IfThenElse::make(all, Seq::make(std::move(multiplied)), Seq::make(std::move(divided))));
  Stmt body = Seq::make(std::move(steps));
  for (const Ref<Buffer>& b : reciprocals) body = AllocBuffer::make(b, body);
  return body;
}

}  // namespace sunmao
