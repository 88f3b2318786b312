#include "codegen/llvm/lane_places.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace sunmao::llvm_codegen {
namespace {

int64_t floor_quotient(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

std::optional<int64_t> applied(BinaryOp op, int64_t a, int64_t b) {
  switch (op) {
    case BinaryOp::Add: return a + b;
    case BinaryOp::Sub: return a - b;
    case BinaryOp::Mul: return a * b;
    case BinaryOp::FloorDiv: return b == 0 ? std::nullopt : std::optional(floor_quotient(a, b));
    case BinaryOp::FloorMod: return b == 0 ? std::nullopt : std::optional(a - floor_quotient(a, b) * b);
    default: return std::nullopt;
  }
}

bool is_zero(const Scalar& s) {
  const int64_t* n = find_int(s);
  return n && *n == 0;
}

std::optional<LanePlaces> of_ramp(const Ramp& ramp) {
  const int64_t *stride = find_int(ramp.stride), *base = find_int(ramp.base);
  if (!stride) return std::nullopt;
  LanePlaces out{base ? IntImm::make(ramp.base->dtype, 0) : ramp.base, {}};
  for (int i = 0; i < ramp.dtype.lanes; ++i) out.offsets.push_back((base ? *base : 0) + i * *stride);
  return out;
}

std::optional<LanePlaces> of_broadcast(const Broadcast& b) {
  const int64_t* value = find_int(b.value);
  LanePlaces out{value ? IntImm::make(b.value->dtype, 0) : b.value, {}};
  out.offsets.assign(static_cast<size_t>(b.dtype.lanes), value ? *value : 0);
  return out;
}

/// Returns `s` divided by `by` where it is written as a multiple of it; null elsewhere.
Scalar exact_quotient(const Scalar& s, int64_t by) {
  const auto number = [&](int64_t v) { return IntImm::make(s->dtype, v); };
  if (const int64_t* value = find_int(s)) return *value % by == 0 ? Scalar(number(*value / by)) : Scalar();
  const auto* n = find<Binary>(s);
  const int64_t* factor = n && n->op == BinaryOp::Mul ? find_int(n->b) : nullptr;
  if (factor && *factor % by == 0)
    return *factor == by ? n->a : Binary::make(BinaryOp::Mul, n->a, number(*factor / by));
  if (!n || (n->op != BinaryOp::Add && n->op != BinaryOp::Sub)) return nullptr;
  const Scalar a = exact_quotient(n->a, by), b = a ? exact_quotient(n->b, by) : nullptr;
  return b ? Binary::make(n->op, a, b) : Scalar();
}

/// Returns a quotient or remainder of places whose base is a multiple of the divisor.
std::optional<LanePlaces> of_quotient(BinaryOp op, const LanePlaces& a, LanePlaces out, const LanePlaces& b) {
  const int64_t by = b.offsets[0];
  const bool is_number =
      is_zero(b.base) && by > 0 && std::ranges::all_of(b.offsets, [&](int64_t v) { return v == by; });
  const Scalar quotient = is_number ? exact_quotient(a.base, by) : nullptr;
  if (!quotient) return std::nullopt;
  out.base = op == BinaryOp::FloorDiv ? quotient : IntImm::make(a.base->dtype, 0);
  return out;
}

std::optional<LanePlaces> of_binary(const Binary& n) {
  const std::optional<LanePlaces> a = find_lane_places(n.a), b = find_lane_places(n.b);
  if (!a || !b || a->offsets.size() != b->offsets.size()) return std::nullopt;
  LanePlaces out{a->base, {}};
  for (size_t i = 0; i < a->offsets.size(); ++i) {
    const std::optional<int64_t> offset = applied(n.op, a->offsets[i], b->offsets[i]);
    if (!offset) return std::nullopt;
    out.offsets.push_back(*offset);
  }
  if (is_zero(a->base) && is_zero(b->base)) return out;
  if (n.op == BinaryOp::Add || n.op == BinaryOp::Sub) {
    if (!is_zero(b->base)) out.base = Binary::make(n.op, a->base, b->base);
    return out;
  }
  if (n.op == BinaryOp::FloorDiv || n.op == BinaryOp::FloorMod) return of_quotient(n.op, *a, std::move(out), *b);
  const bool is_scaled = n.op == BinaryOp::Mul && is_zero(b->base) &&
                         std::ranges::adjacent_find(b->offsets, std::not_equal_to<>()) == b->offsets.end();
  if (!is_scaled) return std::nullopt;
  out.base = Binary::make(n.op, a->base, IntImm::make(a->base->dtype, b->offsets[0]));
  return out;
}

}  // namespace

std::optional<LanePlaces> find_lane_places(const Scalar& index) {
  if (!index->dtype.is_int() || index->dtype.lanes < 2) return std::nullopt;
  if (const auto* ramp = find<Ramp>(index)) return of_ramp(*ramp);
  if (const auto* broadcast = find<Broadcast>(index)) return of_broadcast(*broadcast);
  const auto* binary = find<Binary>(index);
  return binary ? of_binary(*binary) : std::nullopt;
}

}  // namespace sunmao::llvm_codegen
