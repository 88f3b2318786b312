#include "frontend/torch/derived_sizes.h"

#include <limits>

#include "frontend/torch/scalar_text.h"
#include "sym/walk.h"

namespace sunmao::torch {
namespace {

/// A dimension factor * symbol + offset.
struct Linear {
  int64_t factor, offset;
};

std::optional<Linear> linear_in(const Scalar& size, const Ref<SymVar>& symbol, ModelBuilder& builder) {
  const auto at = [&](int64_t value) -> std::optional<int64_t> {
    const Scalar s = builder.simplify(substitute(size, {{symbol, int_imm(value)}}));
    return find_int(s) ? std::optional(*find_int(s)) : std::nullopt;
  };
  const std::optional<int64_t> zero = at(0), one = at(1);
  Linear line{0, zero.value_or(0)};
  if (!zero || !one || *one <= *zero || __builtin_sub_overflow(*one, *zero, &line.factor)) return std::nullopt;
  const Scalar back = int_imm(line.factor) * Scalar(symbol) + int_imm(line.offset);
  return builder.can_prove(Binary::make(BinaryOp::Eq, size, back)) ? std::optional(line) : std::nullopt;
}

}  // namespace

std::string derived_name(std::string_view text) { return "size " + std::string(text); }

int64_t DerivedSize::at(int64_t value) const {
  int64_t size = 0;
  const bool overflows = __builtin_mul_overflow(factor, value, &size) || __builtin_add_overflow(size, offset, &size);
  return overflows ? std::numeric_limits<int64_t>::max() : size;
}

std::vector<DerivedSize> define_derived_sizes(const std::vector<io::JsonValue>& sizes, ModelBuilder& builder,
                                              const Span& span) {
  std::vector<DerivedSize> out;
  std::unordered_set<Ref<SymVar>> defined;
  std::vector<std::pair<std::string, Scalar>> derived;
  for (io::JsonValue size : sizes) {
    std::optional<std::string_view> text = size["as_expr"]["expr_str"].as_string();
    if (!text) continue;
    const Scalar s = parse_scalar(*text, builder, span);
    if (Ref<SymVar> symbol = find_ref<SymVar>(s))
      defined.insert(symbol);
    else
      derived.emplace_back(*text, s);
  }
  for (const auto& [text, size] : derived) {
    const std::vector<Ref<SymVar>> symbols = free_symbols(size);
    if (symbols.size() != 1 || defined.contains(symbols[0])) continue;
    const std::optional<Linear> line = linear_in(size, symbols[0], builder);
    if (!line) continue;
    const Ref<SymVar> own = builder.symbol(symbols[0]->name + "_derived");
    builder.define_symbol(derived_name(text), own);
    const Scalar factor = int_imm(line->factor), offset = int_imm(line->offset);
    const Scalar symbol = floor_div(Scalar(own) - offset, factor);
    builder.define_symbol(symbols[0]->name, symbol);
    defined.insert(symbols[0]);
    out.push_back({text, line->factor, line->offset, own, factor * symbol + offset});
  }
  return out;
}

}  // namespace sunmao::torch
