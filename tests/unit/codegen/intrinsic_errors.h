// Errors of compiled intrinsics of float32, in spacings, against the functions of the evaluator.
#pragma once
#include <memory>
#include <vector>

#include "loop/intrinsics/table.h"
#include "target/target.h"

namespace sunmao::testing {

/// Returns how many spacings of the true result lie between it and `got`; infinity for another NaN, infinity or zero.
double error_of(float got, double truth, const Intrinsic::Bound& bound = {});

/// What compiled code gives for an intrinsic of one, two or three floats.
class CompiledIntrinsic {
 public:
  CompiledIntrinsic(const Intrinsic& intrinsic, const Target& target);
  ~CompiledIntrinsic();
  /// Computes one result for each element of the operands, which have one length.
  std::vector<float> run(const std::vector<std::vector<float>>& operands) const;

 private:
  struct Code;
  const Intrinsic& intrinsic_;
  std::unique_ptr<Code> code_;
};

/// The greatest error of an intrinsic, and its operands there.
struct GreatestError {
  double spacings = 0;
  std::vector<float> at;
};
GreatestError greatest_error(const CompiledIntrinsic& compiled, const Intrinsic& intrinsic,
                             const std::vector<std::vector<float>>& operands);

}  // namespace sunmao::testing
