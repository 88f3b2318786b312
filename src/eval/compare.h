// Comparison of computed and expected arrays. compare.cpp has the table of tolerances by dtype.
#pragma once
#include <string>
#include <vector>

#include "support/array.h"

namespace sunmao {

/// An element is accepted when both values are equal or both are NaN, or when `expected` is finite and |got - expected|
/// <= absolute + relative * |expected|.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
};

/// Returns the tolerance for rounding differences of reordered arithmetic in this dtype.
Tolerance tolerance_of(DType dtype);

struct Comparison {
  std::string mismatch;  // why elements were not compared (different dtype or shape); else empty
  int64_t count = 0;
  int64_t differing = 0;
  int64_t first = 0;             // index of the first differing element
  double largest = 0;            // maximum of |got - expected|; infinite for an unequal pair with an infinity or a NaN
  int64_t worst = 0;             // index of the element with the largest difference
  double expected = 0, got = 0;  // the values at index `worst`
  bool is_equal() const { return mismatch.empty() && differing == 0; }
};

/// Compares elementwise; NaN equals NaN, and an infinity equals itself.
Comparison compare(const Array& expected, const Array& got, Tolerance tolerance);

/// Returns |got - expected| of each element: 0 for two NaN or equal infinities, infinity if only one is either. The
/// arrays have equal shapes.
std::vector<double> distances(const Array& expected, const Array& got);

/// True when `tolerance` accepts an element of this distance from `expected`.
bool accepts(Tolerance tolerance, double expected, double distance);

}  // namespace sunmao
