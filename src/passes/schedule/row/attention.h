// Attention, a form of the kernel family `row`: a softmax over sums of products, whose weights are multiplied with
// values. Found by what the loops are, so other ops and users' kernels of that form share it.
#pragma once
#include <optional>
#include <vector>

#include "passes/loop/store_nest.h"

namespace sunmao {

/// result[…] = f(sum over keys of weight * value, sum over keys of weight), where weight = exp(score - greatest score).
struct Attention {
  struct Loop {
    Ref<SymVar> var;
    Scalar extent;
  };
  size_t count;  // of statements
  std::vector<Loop> outer;
  Loop row, key, width, column;  // a query, a key, their elements, and an element of a value
  Scalar query;                  // of outer, row and width
  Scalar key_element;            // of outer, key and width
  Scalar value;                  // of outer, key and column
  bool rounds_weights = false;   // to bfloat16, before values are multiplied with them
  Ref<Buffer> product;           // stands for the sum of products in `score`
  Scalar score;                  // of outer, row and key
  Scalar seen;                   // whether a row sees a key; null: always
  Ref<Buffer> weighted, norm;    // stand for the two sums in `result`
  StoreNest result;              // of outer, row and column
};

/// Returns the attention that begins with the statement `first`; nullopt when there is none.
std::optional<Attention> read_attention(const PrimFunc& func, const RootBody& root, size_t first);

}  // namespace sunmao
