// Contractions of few columns as dot products: vectors run along a reduced loop, and a horizontal sum of their lanes
// follows at the end.
#pragma once
#include "passes/schedule/contraction/contraction.h"
#include "target/target.h"

namespace sunmao {

/// Up to so many columns leave most of a vector empty.
inline constexpr int64_t kFewColumns = 8;

struct Dots {
  Machine machine;   // that they are chosen for
  size_t step;       // both operands are contiguous along it
  int64_t lanes;     // of a vector of steps
  int64_t rows = 1;  // of a tile
  int64_t columns = 1;
};

/// Returns the innermost step along which an operand is contiguous and that is long enough for vectors.
std::optional<size_t> find_dot_step(const Contraction& c, const Scalar& operand);

/// True when there are too few columns for vectors of them, or too few rows to copy columns that are not contiguous.
bool are_dots(const Contraction& c);

/// Returns the forms as dot products, the one that costs least first; none where vectors of columns do better.
std::vector<Dots> dots_by_cost(const Contraction& c, const Target& target);
/// Returns the first one of them.
std::optional<Dots> choose_dots(const Contraction& c, const Target& target);

Stmt write_dots(const Contraction& c, const Dots& dots);

}  // namespace sunmao
