// Products linear in a weight (convolutions and matmul): which weight axes correspond to the axes of result and data.
#pragma once
#include "ir/op.h"

namespace sunmao {

/// Pairs of corresponding axes. Scaling the result along `result` equals scaling the weight along `weight_result`;
/// scaling the data along `data` equals scaling the weight along `weight_data`. Negative when there is no such axis,
/// because of groups, a vector operand or a blocked channel axis.
struct ProductAxes {
  int result = -1, weight_result = -1;
  int data = -1, weight_data = -1;
};

/// Returns the axes of a product of arguments 0 (data) and 1 (weight); absent when the call is no such product.
std::optional<ProductAxes> product_axes(const Call& call);

}  // namespace sunmao
