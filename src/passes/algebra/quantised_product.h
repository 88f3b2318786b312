// Convolutions and products of dequantised data with a dequantised weight, and whether integers may compute them.
#pragma once
#include <string>
#include <vector>

#include "ops/algebra/rule.h"
#include "ops/product_axes.h"
#include "passes/algebra/quantised.h"
#include "passes/analysis/size_bounds.h"

namespace sunmao {

inline constexpr int64_t kBytesOfStep = 4;  // that a step takes of each operand

struct QuantisedProduct {
  const Call& call;
  ProductAxes axes;
  Quantised data, weight;

  bool is_convolution() const { return op_of(call)->name() != "matmul"; }
  int result_rank() const;
  int64_t groups() const;
  int64_t channels_of_group() const;
  int64_t results_of_group() const;
  /// True when products of bytes are added in float32, which holds the sums without rounding: those of groups with few
  /// results, of which vectors have several.
  bool adds_floats() const;
  /// The axes of the weight that the steps go over, and how many steps there are; 0 when unknown.
  std::vector<int64_t> step_axes() const;
  int64_t steps() const;
  /// True for a product of matrices of as many steps as a run says.
  bool has_symbolic_steps() const;
  /// True when the scale, or zero point, of the data is the same along the steps.
  bool is_apart_from_steps(const Expr& parameter_of_data) const;
  std::vector<int64_t> padding() const;
  bool has_padding() const;
};

/// Returns why a product is not computed in integers; empty where it is. Of a weight that is computed in the run, sums
/// and another order of bytes are work for each run. `bounds` are those of the function.
std::string reason_against_integers(const QuantisedProduct& p, bool is_weight_known, SizeBounds& bounds);

}  // namespace sunmao
