// Sizes that operands are broadcast to, where only a run knows which of them are 1.
#include <algorithm>

#include "frontend/model_builder.h"
#include "frontend/shapes.h"

namespace sunmao {
namespace {

bool is_one(const Scalar& s) { return find_int(s) && *find_int(s) == 1; }

Scalar equals_one(const Scalar& s) { return Binary::make(BinaryOp::Eq, s, int_imm(1)); }

}  // namespace

bool ModelBuilder::is_same(const Scalar& a, const Scalar& b) { return can_prove(Binary::make(BinaryOp::Eq, a, b)); }

std::vector<Scalar> ModelBuilder::parts_of(const Scalar& size) const {
  const auto known = std::ranges::find_if(common_sizes_, [&](const CommonSize& c) { return Scalar(c.size) == size; });
  return known == common_sizes_.end() ? std::vector{size} : known->of;
}

Scalar ModelBuilder::common_size(const Scalar& a, const Scalar& b) {
  const auto is_several = [this](const Scalar& s) { return can_prove(Binary::make(BinaryOp::Ne, s, int_imm(1))); };
  if (is_one(a) || is_same(a, b)) return b;
  if (is_one(b) || is_several(a)) return a;
  if (is_several(b)) return b;
  std::vector<Scalar> parts = parts_of(a);
  const auto holds = [this](const std::vector<Scalar>& all, const std::vector<Scalar>& some) {
    return std::ranges::all_of(some, [&](const Scalar& s) {
      return std::ranges::any_of(all, [&](const Scalar& t) { return is_same(s, t); });
    });
  };
  const std::vector<Scalar> others = parts_of(b);
  if (holds(parts, others)) return a;
  if (holds(others, parts)) return b;
  for (const Scalar& s : others)
    if (!holds(parts, {s})) parts.push_back(s);
  for (const CommonSize& c : common_sizes_)
    if (holds(c.of, parts) && holds(parts, c.of)) return c.size;
  const auto* named = find<SymVar>(a);
  const Ref<SymVar> size = new_size(named ? named->name : "size");
  const Scalar value = Select::make(equals_one(a), b, a);
  emit(ShapeExpr::make({value}), "sizes", true, {.cast = ShapeType::make({size}), .defines_sizes = true});
  common_sizes_.push_back({std::move(parts), size});
  return size;
}

void ModelBuilder::require_repeats(const Scalar& size, const Scalar& target, const Span& span) {
  if (is_one(size) || is_same(size, target)) return;
  require_equal(Select::make(equals_one(size), target, size), target, span);
}

std::vector<Expr> ModelBuilder::repeated(std::vector<Expr> operands, size_t kept, const Span& span) {
  std::vector<Scalar> wanted;  // from the last axis
  for (const Expr& e : operands) {
    const std::vector<Scalar>* dims = dims_of(e);
    for (size_t i = kept; dims && i < dims->size(); ++i) {
      const Scalar& d = (*dims)[dims->size() - 1 - i];
      if (i - kept == wanted.size())
        wanted.push_back(d);
      else
        wanted[i - kept] = common_size(wanted[i - kept], d);
    }
  }
  for (Expr& e : operands) {
    if (!dims_of(e)) continue;
    std::vector<Scalar> dims = *dims_of(e);
    for (size_t i = kept; i < dims.size(); ++i) {
      Scalar& d = dims[dims.size() - 1 - i];
      if (!is_one(d) && !(find_int(d) && find_int(wanted[i - kept]))) d = wanted[i - kept];
    }
    e = broadcast(*this, e, std::move(dims), span);
  }
  return operands;
}

}  // namespace sunmao
