// Arrays in tests of the evaluator.
#pragma once
#include <utility>
#include <vector>

#include "support/array.h"

namespace sunmao {

inline Array float_array(std::vector<int64_t> shape, std::vector<float> values) {
  return Array::from_floats(std::move(shape), values);
}
/// Returns an array of rank 1.
inline Array float_array(std::vector<float> values) {
  return Array::from_floats({static_cast<int64_t>(values.size())}, values);
}

}  // namespace sunmao
