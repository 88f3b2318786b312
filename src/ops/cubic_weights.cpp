#include "ops/cubic_weights.h"

namespace sunmao {

std::vector<Scalar> cubic_weights(const Scalar& t, double a) {
  auto real = [&](double value) { return number_like(t, value); };
  auto near = [&](const Scalar& d) { return ((real(a + 2) * d - real(a + 3)) * d) * d + real(1); };
  auto far = [&](const Scalar& d) { return ((real(a) * d - real(5 * a)) * d + real(8 * a)) * d - real(4 * a); };
  return {far(t + real(1)), near(t), near(real(1) - t), far(real(2) - t)};
}

}  // namespace sunmao
