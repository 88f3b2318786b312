#include "sym/index_map.h"

#include "support/diagnostic.h"
#include "sym/analyzer.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

// Returns an upper bound of `s` when each input ranges from 0 to its entry in `last`. Sums, and products and quotients
// with positive constants, are bounded by the bounds of their operands, and a remainder by its modulus alone, so that
// tiles are whole; other operations are evaluated at `last`, as if they decreased in no input.
Scalar largest(const Scalar& s, const Substitution& last, Analyzer& analyzer) {
  if (const auto* b = find<Binary>(s)) {
    const int64_t* by = find_int(b->b);
    if (b->op == BinaryOp::FloorMod && by && *by > 0) return IntImm::make(s->dtype, *by - 1);
    bool monotone =
        b->op == BinaryOp::Add || ((b->op == BinaryOp::FloorDiv || b->op == BinaryOp::Mul) && by && *by > 0);
    if (monotone) {
      Scalar right = by ? b->b : largest(b->b, last, analyzer);
      return analyzer.simplify(Binary::make(b->op, largest(b->a, last, analyzer), right));
    }
  }
  return analyzer.simplify(substitute(s, last));
}

}  // namespace

Ref<IndexMap> IndexMap::make(std::vector<Ref<SymVar>> inputs, std::vector<Scalar> outputs) {
  return Ref<IndexMap>(new IndexMap(std::move(inputs), std::move(outputs)));
}

std::vector<Scalar> IndexMap::apply(std::span<const Scalar> indices) const {
  SUNMAO_CHECK(indices.size() == inputs.size());
  Substitution map;
  for (size_t i = 0; i < inputs.size(); ++i) map.emplace(inputs[i], indices[i]);
  Analyzer analyzer;
  std::vector<Scalar> result;
  for (const Scalar& out : outputs) result.push_back(analyzer.simplify(substitute(out, map)));
  return result;
}

std::vector<Scalar> IndexMap::map_shape(std::span<const Scalar> extents) const {
  SUNMAO_CHECK(extents.size() == inputs.size());
  Substitution last;
  Analyzer analyzer;
  for (size_t i = 0; i < inputs.size(); ++i) {
    last.emplace(inputs[i], extents[i] - IntImm::make(extents[i]->dtype, 1));
    for (const Ref<SymVar>& symbol : free_symbols(extents[i])) analyzer.assume(symbol, {1, Interval::kMax});
  }
  std::vector<Scalar> shape;
  for (const Scalar& out : outputs)
    shape.push_back(analyzer.simplify(largest(out, last, analyzer) + IntImm::make(out->dtype, 1)));
  return shape;
}

}  // namespace sunmao
