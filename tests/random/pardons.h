// Differences of results that follow from rounding alone.
#pragma once
#include <array>
#include <functional>
#include <string>

#include "eval/value.h"
#include "ir/expr.h"

namespace sunmao {

/// Why a difference is no fault. Step: an integer or a boolean changes with changes of the inputs as small as rounding,
/// as comparisons and `floor` do near equality. IllConditioned: a float changes as far as it differs. Overflow: an
/// infinity or a NaN comes and goes. Size: the number of elements changes. ZeroSign: infinities of both signs, as those
/// of a division by a zero whose sign is unspecified; `maximum`, `minimum` and `nn.relu` give such.
enum class Pardon : uint8_t { Step, IllConditioned, Overflow, Size, ZeroSign };
inline constexpr std::array kPardons = {"at a step", "ill-conditioned", "at overflow", "of a size at a step",
                                        "by the sign of a zero"};

struct Difference {
  std::string fault;     // a description of the difference that nothing pardons; empty when there is none
  size_t result = 0;     // with the fault
  unsigned pardons = 0;  // bit i: kPardons[i] was needed
};

/// Runs the same computation on inputs changed by about the rounding of a few operations.
class NudgedRuns {
 public:
  /// Gives the results of inputs as arrays, of the run of that number.
  using Run = std::function<std::vector<Array>(const std::vector<Value>&, int number)>;
  NudgedRuns(std::vector<Value> inputs, Run run) : inputs_(std::move(inputs)), run_(std::move(run)) {}
  /// The results of each run, computed at the first call.
  const std::vector<std::vector<Array>>& results();

 private:
  std::vector<Value> inputs_;
  Run run_;
  std::vector<std::vector<Array>> results_;
};

/// Compares results elementwise; NaN and infinities must be the same. `precisions` are the floats whose rounding each
/// result may show. An element that differs is pardoned where it changes in a nudged run, a float by at least half of
/// what it differs.
Difference difference_of(const std::vector<Array>& expected, const std::vector<Array>& got,
                         const std::vector<DType>& precisions, NudgedRuns& nudged);

}  // namespace sunmao
