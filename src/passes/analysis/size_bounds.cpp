#include "passes/analysis/size_bounds.h"

#include <algorithm>

#include "ir/walk.h"
#include "support/diagnostic.h"
#include "sym/fold.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

[[noreturn]] void fail_form(const Function& f, const char* name, const char* expected) {
  fail("E0538", f.span, fmt::format("the attribute `{}` is not {}", name, expected),
       fmt::format("write it as `R.func_attr({{\"{}\": ...}})` with {}", name, expected));
}

// Returns the bounds by the names of symbols.
std::unordered_map<std::string, int64_t> bounds_of(const Function& f, const char* name) {
  std::unordered_map<std::string, int64_t> bounds;
  const AttrValue* given = f.attrs.find(name);
  if (!given) return bounds;
  const auto* by_name = given->find<AttrMap>();
  if (!by_name) fail_form(f, name, "a map from names to integers");
  for (const auto& [symbol, bound] : *by_name) {
    const auto* scalar = bound.find<Scalar>();
    const int64_t* value = scalar ? find_int(*scalar) : bound.find<int64_t>();
    if (!value) fail_form(f, name, "a map from names to integers");
    bounds.emplace(symbol, *value);
  }
  return bounds;
}

std::vector<std::string> non_negative_names(const Function& f) {
  constexpr const char* kName = "tir_non_negative_var";
  std::vector<std::string> names;
  const AttrValue* given = f.attrs.find(kName);
  if (!given) return names;
  const auto* list = given->find<AttrList>();
  if (!list) fail_form(f, kName, "a list of names");
  for (const AttrValue& name : *list) {
    if (!name.find<std::string>()) fail_form(f, kName, "a list of names");
    names.push_back(*name.find<std::string>());
  }
  return names;
}

}  // namespace

SizeBounds::SizeBounds(const Function& function) {
  const auto upper = bounds_of(function, "tir_var_upper_bound"), lower = bounds_of(function, "tir_var_lower_bound");
  const std::vector<std::string> non_negative = non_negative_names(function);
  auto is_non_negative = [&](const std::string& name) { return std::ranges::count(non_negative, name) > 0; };
  std::vector<Ref<SymVar>> symbols;
  auto add = [&](const Type& type) {
    if (!type) return;
    for (const Ref<SymVar>& s : free_symbols(type)) symbols.push_back(s);
  };
  for (const Ref<Var>& p : function.params) add(p->type);
  add(function.result_type);
  for (const Ref<SymVar>& s : symbols) {
    auto up = upper.find(s->name), low = lower.find(s->name);
    if (up != upper.end()) {
      analyzer_.assume(s, {low == lower.end() ? 0 : low->second, up->second});
      upper_[s.get()] = up->second;
    } else if ((low != lower.end() && low->second >= 0) || is_non_negative(s->name)) {
      analyzer_.assume(s, {0, Interval::kMax});
    }
  }
}

void SizeBounds::know_sizes(const Type& type) {
  if (const auto* tuple = find<TupleType>(type))
    for (const Type& field : tuple->fields) know_sizes(field);
  if (find<TensorType>(type))
    for (const Ref<SymVar>& s : defined_symbols(type)) analyzer_.assume(s, {0, Interval::kMax});
}

std::vector<Scalar> SizeBounds::largest(const std::vector<Scalar>& sizes) {
  std::vector<Scalar> bounds;
  for (const Scalar& size : sizes) {
    const int64_t known = analyzer_.range(size).hi;
    Scalar bound = known == Interval::kMax ? largest(size) : int_imm(known);
    bounds.push_back(bound ? bound : size);
  }
  return bounds;
}

std::optional<int64_t> SizeBounds::only_value(const Scalar& size) {
  const Interval range = analyzer_.range(size);
  return range.is_point() ? std::optional(range.lo) : std::nullopt;
}

bool SizeBounds::is_bounded(const Scalar& s) const {
  return std::ranges::any_of(free_symbols(s), [&](const Ref<SymVar>& v) { return upper_.contains(v.get()); });
}

// Returns a bound in which the symbols without bounds remain; null when none is found.
Scalar SizeBounds::largest(const Scalar& size) {
  if (!is_bounded(size)) return size;
  if (const auto* symbol = find<SymVar>(size)) return int_imm(upper_.at(symbol));
  const auto* binary = find<Binary>(size);
  if (!binary) return nullptr;
  if (binary->op == BinaryOp::Mul) return largest_product(binary->a, binary->b);
  const bool is_sum = binary->op == BinaryOp::Add, is_difference = binary->op == BinaryOp::Sub;
  if (!is_sum && (!is_difference || is_bounded(binary->b))) return nullptr;
  const Scalar a = largest(binary->a), b = largest(binary->b);
  if (!a || !b) return nullptr;
  return is_sum ? a + b : a - b;
}

// One factor at least must be free of bounded symbols, and not negative.
Scalar SizeBounds::largest_product(const Scalar& a, const Scalar& b) {
  const bool is_first = is_bounded(a);
  const Scalar &varying = is_first ? a : b, &factor = is_first ? b : a;
  if (is_bounded(factor) || analyzer_.range(factor).lo < 0) return nullptr;
  const Scalar bound = largest(varying);
  return bound ? product_of({bound, factor}) : nullptr;
}

Scalar product_of(const std::vector<Scalar>& factors) {
  Scalar product = int_imm(1);
  for (const Scalar& factor : factors) {
    const int64_t *a = find_int(product), *b = find_int(factor);
    const std::optional<int64_t> known = a && b ? evaluate(BinaryOp::Mul, *a, *b) : std::nullopt;
    if (known)
      product = int_imm(*known);
    else if (a && *a == 1)
      product = factor;
    else if (!b || *b != 1)
      product = product * factor;
  }
  return product;
}

}  // namespace sunmao
