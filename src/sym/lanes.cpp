#include "sym/lanes.h"

namespace sunmao {
namespace {

constexpr int64_t kMost = 65535;

bool is_vscale(const Scalar& s) {
  const auto* call = find<ScalarCall>(s);
  return call && call->name == "vscale" && call->args.empty();
}

std::optional<Lanes> lanes(int64_t count, bool is_scalable) {
  if (count < 1 || count > kMost) return std::nullopt;
  return Lanes(static_cast<int>(count), is_scalable);
}

}  // namespace

std::optional<Lanes> find_lanes(const Scalar& length) {
  if (const int64_t* count = find_int(length)) return lanes(*count, false);
  if (is_vscale(length)) return Lanes(1, true);
  const auto* product = find<Binary>(length);
  if (!product || product->op != BinaryOp::Mul) return std::nullopt;
  const int64_t *left = find_int(product->a), *right = find_int(product->b);
  if (left && is_vscale(product->b)) return lanes(*left, true);
  if (right && is_vscale(product->a)) return lanes(*right, true);
  return std::nullopt;
}

Scalar length_of(Lanes lanes) {
  Scalar count = IntImm::make(DType::int_(32), lanes.count);
  return lanes.is_scalable ? ScalarCall::make("vscale", DType::int_(32), {}) * count : count;
}

}  // namespace sunmao
