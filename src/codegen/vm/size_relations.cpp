#include "codegen/vm/size_relations.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "codegen/vm/size_values.h"
#include "ops/params.h"
#include "passes/analysis/size_pairs.h"
#include "sym/analyzer.h"
#include "sym/equal.h"

namespace sunmao {
namespace {

std::string place_of(const Binding& cast) {
  const std::string name = fmt::format("`{}`", cast.var->name);
  if (!cast.span) return name;
  if (!cast.span->label.empty()) return fmt::format("{}, {}", name, cast.span->label);
  return fmt::format("{}, {}:{}", name, cast.span->source->name, cast.span->line);
}

}  // namespace

void SizeRelations::know(const Type& type) {
  for (const Ref<SymVar>& s : free_symbols(type)) known_.insert(s);
}

bool SizeRelations::add(const Binding& cast) {
  const std::optional<std::vector<SizePair>> pairs = size_pairs(cast.cast_type, cast.value->type);
  for (const auto& [expected, given] : pairs.value_or(std::vector<SizePair>())) {
    Ref<SymVar> symbol = find_ref<SymVar>(expected);
    if (symbol && known_.insert(symbol).second)
      out_.symbols.emplace_back(symbol, given);
    else if (!structural_equal(expected, given) && !is_stated(expected, given))
      out_.checks.push_back({given, expected, place_of(cast)});
  }
  return pairs.has_value();
}

// True when a cast before this one states the same.
bool SizeRelations::is_stated(const Scalar& expected, const Scalar& given) const {
  const auto is_check = [&](const FlatCheck& c) {
    return structural_equal(c.expected, expected) && structural_equal(c.value, given);
  };
  const auto is_meaning = [&](const auto& known) {
    return known.first == find_ref<SymVar>(expected) && structural_equal(known.second, given);
  };
  return std::ranges::any_of(out_.checks, is_check) || std::ranges::any_of(out_.symbols, is_meaning);
}

void SizeRelations::add_result(const Type& stated, const Type& given, const std::string& function) {
  const auto *tuple = find<TupleType>(stated), *fields = find<TupleType>(given);
  if (tuple && fields && tuple->fields.size() == fields->fields.size())
    for (size_t i = 0; i < tuple->fields.size(); ++i) add_result(tuple->fields[i], fields->fields[i], function);
  if (find<TensorType>(stated) || find<TensorType>(given)) return;
  const std::optional<std::vector<Scalar>> expected = sizes_of(stated), sizes = sizes_of(given);
  if (!expected || !sizes || expected->size() != sizes->size()) return;
  for (size_t i = 0; i < sizes->size(); ++i) {
    const std::vector<Ref<SymVar>> symbols = free_symbols((*expected)[i]);
    const bool is_known = std::ranges::all_of(symbols, [&](const Ref<SymVar>& s) { return known_.contains(s); });
    if (is_known && !structural_equal((*expected)[i], (*sizes)[i]))
      out_.checks.push_back({(*sizes)[i], (*expected)[i], fmt::format("the result of `{}`", function)});
  }
}

bool SizeRelations::shows_all(const Root& root, const TensorType& seen) {
  return seen.dtype == root.type->dtype &&
         Analyzer().can_prove_equal(product(*seen.dims()), product(*root.type->dims()));
}

bool SizeRelations::is_whole(const Root& root, const TensorType& seen) const {
  if (shows_all(root, seen)) return true;
  if (seen.dtype != root.type->dtype) return false;
  const std::vector<Scalar> dims = in_known_symbols(*seen.dims()), there = in_known_symbols(*root.type->dims());
  const auto same = [&](const Scalar& a, const Scalar& b) { return are_same(a, b); };
  if (are_same(product(dims), product(there)) || std::ranges::equal(dims, there, same)) return true;
  // What is left open is compared when the sizes are known: a layout has no arguments and results of other sizes.
  return !Analyzer().can_prove(Binary::make(BinaryOp::Ne, product(dims), product(there)));
}

// True when sizes are equal, as the analyzer proves or as the function checks when it starts.
bool SizeRelations::are_same(const Scalar& size, const Scalar& there) const {
  Analyzer analyzer;
  if (analyzer.can_prove_equal(size, there)) return true;
  return std::ranges::any_of(out_.checks, [&](const FlatCheck& c) {
    const std::vector<Scalar> sides = in_known_symbols({c.value, c.expected});
    return analyzer.can_prove_equal(sides[0], there) && analyzer.can_prove_equal(sides[1], size);
  });
}

// Replaces symbols that casts define by what they stand for, and others by what they are checked to be.
std::vector<Scalar> SizeRelations::in_known_symbols(std::vector<Scalar> sizes) const {
  const auto replace = [&](const Ref<SymVar>& symbol, const Scalar& meaning) {
    for (Scalar& size : sizes) size = substitute(size, {{symbol, meaning}});
  };
  for (const auto& [symbol, meaning] : std::views::reverse(out_.symbols)) replace(symbol, meaning);
  for (const FlatCheck& c : out_.checks)
    if (const Ref<SymVar> symbol = find_ref<SymVar>(c.value)) replace(symbol, c.expected);
  return sizes;
}

}  // namespace sunmao
