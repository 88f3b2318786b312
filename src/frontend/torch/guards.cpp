#include "frontend/torch/guards.h"

namespace sunmao::torch {
namespace {

/// True for what the exporter assumes of every dynamic size: that it is not 0 or 1.
bool is_assumed_of_all(const Guard& c) {
  const int64_t* bound = find_int(c.right);
  if (!bound) return false;
  if (c.op == "!=") return *bound == 0 || *bound == 1;
  return (c.op == ">=" && *bound <= 2) || (c.op == ">" && *bound <= 1);
}

}  // namespace

std::optional<Guard> parse_guard(std::string_view text, const ArgumentSizes& sizes, ModelBuilder& builder) {
  const SizeNames names{
      .symbol = [&](const std::string& name) -> Scalar { return builder.size_of(name); },
      .argument = [&](const std::string& place, int64_t axis) -> Scalar {
        auto it = sizes.find(place);
        return it == sizes.end() || axis >= std::ssize(it->second) ? nullptr : it->second[static_cast<size_t>(axis)];
      }};
  const std::optional<Guard> guard = parse_comparison(text, names);
  if (guard && is_assumed_of_all(*guard)) return std::nullopt;
  return guard;
}

void require(const Guard& guard, const Span& span, ModelBuilder& builder) {
  const Scalar left = builder.simplify(guard.left), right = builder.simplify(guard.right);
  if (guard.op == "==") return builder.require_equal(left, right, span);
  if (guard.op == "!=") {
    const Scalar is_equal = Select::make(Binary::make(BinaryOp::Eq, left, right), int_imm(1), int_imm(0));
    return builder.require_equal(is_equal, int_imm(0), span);
  }
  const bool is_less = guard.op[0] == '<';
  Scalar small = is_less ? left : right, large = is_less ? right : left;
  if (guard.op.size() == 1) small = builder.simplify(small + int_imm(1));
  builder.require_equal(builder.simplify(max(small, large)), large, span);
}

Scalar parse_size_text(std::string_view text, ModelBuilder& builder) {
  return parse_size_term(text, {.symbol = [&](const std::string& name) -> Scalar { return builder.size_of(name); }});
}

}  // namespace sunmao::torch
