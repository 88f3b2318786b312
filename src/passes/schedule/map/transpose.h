// Transpose: an elementwise nest whose input lies along another axis than its output.
#pragma once
#include "passes/loop/buffer_views.h"
#include "passes/loop/store_nest.h"
#include "passes/schedule/map/index_ranges.h"
#include "target/target.h"

namespace sunmao {

/// One of the two loops that tiles are of.
struct Side {
  Ref<SymVar> loop;
  Scalar extent;
  int64_t block = 0;  // how many indices a task's tiles go over
};

struct Transpose {
  StoreNest nest;
  Side along, across;           // the loops of neighbouring elements of the output, and of the input
  std::vector<Scalar> loads;    // the loads along `across`
  std::vector<Scalar> stacked;  // or the values at each index of `along`, all of them along `across`
  Ref<Buffer> flat;             // the output with the last two dimensions as one, for a stack of few values, else null
  int lanes = 0;                // of a tile's vectors
  bool may_repeat = true;       // whether an element may be computed again after it was stored
};

/// Returns a nest that stores along one loop and loads along another one; nullopt for other nests, and where a side is
/// too short for tiles.
std::optional<Transpose> read_transpose(const StoreNest& nest, const Target& target);

/// Returns a nest that takes neighbouring elements from different buffers, each of which lies along the loop before the
/// last: `ranges` are the elements of the last loop.
std::optional<Transpose> read_stack(const StoreNest& nest, const IndexRanges& ranges, const Target& target,
                                    BufferViews& views);

/// True for buffers whose elements lie side by side, each in bytes of its own.
bool is_plain(const Buffer& b);

}  // namespace sunmao
