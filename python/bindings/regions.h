// Conversion of loop-level ranges and regions to tuples.
#pragma once
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "bindings/node_caster.h"
#include "loop/stmt.h"

namespace sunmao::python {

using Bounds = std::pair<Scalar, Scalar>;                    // begin and extent of a range
using Region = std::pair<Ref<Buffer>, std::vector<Bounds>>;  // a box in a buffer
using View = std::pair<Ref<Buffer>, Region>;                 // a buffer that views a region of another one

inline Bounds bounds(const Range& r) { return {r.min, r.extent}; }
inline Range range(const Bounds& b) { return {b.first, b.second}; }

inline Region region(const BufferRegion& r) {
  Region out{r.buffer, {}};
  for (const Range& side : r.region) out.second.push_back(bounds(side));
  return out;
}

inline BufferRegion region(const Region& r) {
  BufferRegion out{r.first, {}};
  for (const Bounds& side : r.second) out.region.push_back(range(side));
  return out;
}

inline std::vector<Region> regions(const std::vector<BufferRegion>& all) {
  std::vector<Region> out;
  for (const BufferRegion& r : all) out.push_back(region(r));
  return out;
}

inline std::vector<BufferRegion> regions(const std::vector<Region>& all) {
  std::vector<BufferRegion> out;
  for (const Region& r : all) out.push_back(region(r));
  return out;
}

}  // namespace sunmao::python
