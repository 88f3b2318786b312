// sweep_intrinsics STEP [NAME…]: the greatest error of each compiled intrinsic of one float32, over every STEP-th of
// all numbers (1: all of them), against its bound in the table. Fails where a bound does not hold.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "tests/unit/codegen/intrinsic_errors.h"

namespace sunmao::testing {
namespace {

constexpr uint64_t kAtOnce = uint64_t{1} << 18;  // numbers

bool holds(const Intrinsic& intrinsic, uint64_t step) {
  const CompiledIntrinsic compiled(intrinsic, Target::host());
  GreatestError greatest;
  for (uint64_t at = 0; at < uint64_t{1} << 32;) {
    std::vector<float> x;
    for (; x.size() < kAtOnce && at < uint64_t{1} << 32; at += step)
      x.push_back(std::bit_cast<float>(static_cast<uint32_t>(at)));
    GreatestError here = greatest_error(compiled, intrinsic, {x});
    if (here.spacings > greatest.spacings) greatest = std::move(here);
  }
  const double bound = std::max(intrinsic.bound.float32, 0.5000001);
  fmt::print("{:10} {:8.4f} of {:8.4f} spacings, at {}\n", intrinsic.name, greatest.spacings, bound,
             greatest.at.empty() ? 0 : greatest.at[0]);
  std::fflush(stdout);
  return greatest.spacings <= bound;
}

int sweep(int count, char** words) {
  uint64_t step = 0;
  const std::string_view first = count > 1 ? words[1] : "";
  std::from_chars(first.data(), first.data() + first.size(), step);
  if (step == 0) {
    fmt::print(stderr, "usage: sweep_intrinsics STEP [NAME…]\n");
    return 2;
  }
  bool all_hold = true;
  for (const Intrinsic& intrinsic : all_intrinsics()) {
    const bool is_named = count < 3 || std::find(words + 2, words + count, intrinsic.name) != words + count;
    if (intrinsic.arity == 1 && intrinsic.of_floats && is_named) all_hold = holds(intrinsic, step) && all_hold;
  }
  return all_hold ? 0 : 1;
}

}  // namespace
}  // namespace sunmao::testing

int main(int count, char** words) { return sunmao::testing::sweep(count, words); }
