// Comparing arrays: what a run computed with what was expected. The one table of tolerances is compare.cpp's.
#pragma once
#include <string>

#include "support/array.h"

namespace sunmao {

/// An element is right when |got - expected| <= absolute + relative * |expected|.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
  bool only_finite = false;  // an element that is not finite on both sides counts as right
};

/// What rounding in another order may cost in arithmetic of this type.
Tolerance tolerance_of(DType dtype);

struct Comparison {
  std::string mismatch;  // why elements were not compared: another dtype or shape; else empty
  int64_t count = 0;
  int64_t differing = 0;
  int64_t first = 0;             // index of the first that differs
  double largest = 0;            // |got - expected|; infinite where one of the two is no finite number
  int64_t worst = 0;             // index of that element
  double expected = 0, got = 0;  // there
  bool is_equal() const { return mismatch.empty() && differing == 0; }
};

/// NaN equals NaN, and an infinity equals itself.
Comparison compare(const Array& expected, const Array& got, Tolerance tolerance);

}  // namespace sunmao
