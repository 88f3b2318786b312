// Products of float32 that may read bfloat16: which of them are faster so.
#pragma once
#include <string>

#include "ops/product_axes.h"

namespace sunmao {

/// What decides how fast a product is. Sizes that are not known are 0.
struct ProductSizes {
  int64_t groups = 1;
  int64_t steps = 0;    // of a sum, side by side in memory: the columns of the data, or the channels of a group
  int64_t columns = 0;  // of the result, of a group
  int64_t uses = 0;     // products that read an element of the data
  int64_t rows = 0;     // of a product of matrices

  /// True where a row of steps is filled up to whole pairs.
  bool has_rest() const { return steps % 2 != 0; }
};

/// Returns the sizes of a matmul or convolution; nullopt for other calls, and for layouts with blocks.
std::optional<ProductSizes> product_sizes(const Call& call);

/// Returns why a product of float32 stays one; empty where it is to read bfloat16.
std::string reason_against_bfloat16(const ProductSizes& p, bool is_weight_known);

}  // namespace sunmao
