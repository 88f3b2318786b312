// Products, linear in a weight: convolutions and matmul, and which axes of the weight belong to which of the others.
#pragma once
#include "ir/op.h"

namespace sunmao {

/// Axes that are scaled together: the result by a vector along `result` is the product with the weight scaled along
/// `weight_result`; data scaled along `data` is the weight scaled along `weight_data`. Below 0: there is no such axis,
/// since channels are in groups or an operand is a vector.
struct ProductAxes {
  int result = -1, weight_result = -1;
  int data = -1, weight_data = -1;
};

/// Not set when the call is no such product (data and weight are its arguments 0 and 1) or cuts a channel axis.
std::optional<ProductAxes> product_axes(const Call& call);

}  // namespace sunmao
