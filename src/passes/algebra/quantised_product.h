// Convolutions and products of dequantised data with a dequantised weight, and whether integers may compute them.
#pragma once
#include <string>
#include <vector>

#include "ops/algebra/rule.h"
#include "ops/product_axes.h"
#include "passes/algebra/quantised.h"

namespace sunmao {

inline constexpr int64_t kSignShift = 128;  // between int8 and uint8
inline constexpr int64_t kBytesOfStep = 4;  // that a step takes of each operand

struct QuantisedProduct {
  const Call& call;
  ProductAxes axes;
  Quantised data, weight;

  bool is_convolution() const { return op_of(call)->name() != "matmul"; }
  int result_rank() const;
  int64_t groups() const;
  int64_t channels_of_group() const;
  /// True when each channel of the data has filters of its own.
  bool is_depthwise() const { return groups() > 1 && channels_of_group() == 1; }
  /// The axes of the weight that the steps go over, and how many steps there are; 0 when unknown.
  std::vector<int64_t> step_axes() const;
  int64_t steps() const;
  int64_t rows() const;  // of the result, all that are no channels; 0 when unknown
  std::vector<int64_t> padding() const;
  bool has_padding() const;
};

/// Returns why a product with a weight, which is computed ahead of time, is not computed in integers; empty where it
/// is.
std::string reason_against_integers(const QuantisedProduct& p);

int tensor_rank(const Expr& e);
/// Returns the size of a dimension; 0 when it is not known.
int64_t tensor_size(const Expr& e, int axis);

}  // namespace sunmao
