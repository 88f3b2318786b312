// The kernel family `window` where the pixels of a line lie side by side and a weight serves all of a plane, as in
// depthwise convolutions whose channels come first.
#pragma once
#include "passes/schedule/contraction/brick.h"
#include "sym/walk.h"

namespace sunmao {

/// How windows move along a dimension of what they read. The element that a tap reads has the number loop * stride +
/// tap * dilation; those from `begin` on and before `end` are there, and 0 stands for others.
struct WindowAxis {
  std::optional<size_t> loop, tap;  // a loop of the output, and the reduced one
  int64_t stride = 1, dilation = 1, taps = 1;
  Scalar begin = {}, end = {};  // null: no limit

  /// Returns how many elements further on the last tap of the last of `count` windows lies.
  int64_t reach(int64_t count) const { return (count - 1) * stride + (taps - 1) * dilation; }
};

/// A contraction without rows whose right operand is a window on a plane of lines and pixels.
struct Plane {
  WindowAxis lines, pixels;
  Scalar value;  // the right operand where it is there
};

/// Returns the numbers of loops at which an element is read that lies `further` on than the first one of the window
/// `first`.
Substitution loops_at(const Contraction& c, const WindowAxis& axis, const Scalar& first, const Scalar& further);

/// Returns a contraction as a plane; nullopt for others.
std::optional<Plane> find_plane(const Contraction& c);

/// A register tile of neighbouring pixels in neighbouring lines of the output, and the part of a plane that is copied
/// at its edges, with 0 for what is not there.
struct PlaneTile {
  int64_t lines;
  Tile tile;                        // of pixels
  int64_t most_lines, most_pixels;  // of a part
};

/// Returns the tiles of a plane, the one that costs least first; none where its elements fill no vectors, or copies of
/// what a tile reads are too large.
std::vector<PlaneTile> plane_tiles_by_cost(const Contraction& c, const Plane& plane, const Target& target,
                                           int64_t local_bytes);

Stmt write_plane(const Contraction& c, const Plane& plane, const PlaneTile& tile);

}  // namespace sunmao
