#include "codegen/vm/entry_part.h"

#include <fmt/format.h>

#include "codegen/vm/size_values.h"

namespace sunmao {
namespace {

using abi::Opcode;

// Returns the range that a function's attributes declare for a symbol.
std::pair<int64_t, int64_t> stated_range(const Attrs& attrs, const std::string& symbol) {
  std::pair<int64_t, int64_t> range{0, Interval::kMax};
  auto look = [&](const char* attr, int64_t& bound) {
    const AttrMap* map = attrs.find<AttrMap>(attr);
    auto it = map ? map->find(symbol) : AttrMap::const_iterator();
    if (!map || it == map->end()) return;
    const Scalar* scalar = it->second.find<Scalar>();
    if (const int64_t* v = scalar ? find_int(*scalar) : it->second.find<int64_t>()) bound = *v;
  };
  look("tir_var_lower_bound", range.first);
  look("tir_var_upper_bound", range.second);
  return range;
}

}  // namespace

void emit_entry(const FlatFunction& flat, const Attrs& attrs, abi::ProgramBuilder& builder, DimRegisters& dims) {
  struct Check {
    uint32_t param, axis;
    Scalar dim;
  };
  std::vector<Check> checks;
  std::vector<Ref<SymVar>> symbols;
  for (uint32_t p = 0; p < flat.params.size(); ++p) {
    const std::vector<Scalar> shape = *sizes_of(flat.params[p].type);
    for (uint32_t axis = 0; axis < shape.size(); ++axis) {
      Ref<SymVar> symbol = find_ref<SymVar>(shape[axis]);
      if (symbol && !dims.is_bound(symbol)) {
        dims.bind(symbol, builder.bind_dim(p, axis));
        symbols.push_back(symbol);
      } else {
        checks.push_back({p, axis, shape[axis]});
      }
    }
  }
  for (const Check& c : checks) {
    uint32_t expected = dims.get(c.dim);
    builder.emit(Opcode::CheckDim, {c.param, c.axis, expected});
  }
  for (const Ref<SymVar>& s : symbols) {
    auto [lo, hi] = stated_range(attrs, s->name);
    dims.analyzer().assume(s, {lo, hi});
    if (lo > 0 || hi != Interval::kMax) builder.guard_range(dims.get(s), lo, hi, s->name);
  }
  for (const auto& [symbol, meaning] : flat.symbols) dims.bind(symbol, dims.get(meaning));
  for (const FlatCheck& c : flat.checks) {
    const uint32_t value = dims.get(c.value), expected = dims.get(c.expected);
    builder.check_equal(value, expected,
                        fmt::format("{}: `{}` must be `{}`", c.where, describe(c.value), describe(c.expected)));
  }
}

}  // namespace sunmao
