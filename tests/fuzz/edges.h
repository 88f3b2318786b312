// Numbers at the edges of what readers of models expect.
#pragma once
#include <limits>

#include "tests/fuzz/random.h"

namespace sunmao::fuzz {

/// Returns a size, an axis or a count: mostly a small one.
inline int64_t edge(Random& random) {
  constexpr int64_t k31 = int64_t{1} << 31;
  constexpr int64_t kLarge[] = {16,
                                64,
                                100,
                                1000,
                                4096,
                                65536,
                                1 << 20,
                                k31,
                                k31 - 1,
                                2 * k31,
                                int64_t{1} << 62,
                                -k31,
                                -k31 - 1,
                                -1000,
                                std::numeric_limits<int64_t>::max(),
                                std::numeric_limits<int64_t>::min()};
  return random.once_in(3) ? random.of(kLarge) : static_cast<int64_t>(random.below(12)) - 4;
}

inline double real_edge(Random& random) {
  constexpr double kValues[] = {0.0,
                                1.0,
                                -1.0,
                                0.5,
                                2.0,
                                3.0,
                                1e-30,
                                1e30,
                                -1e30,
                                1e19,
                                -0.5,
                                std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::quiet_NaN()};
  return random.of(kValues);
}

}  // namespace sunmao::fuzz
