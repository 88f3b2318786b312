// The kernel family `window`: small windows that move over an image whose channels lie side by side, each channel with
// weights of its own, as in depthwise convolutions of 3 x 3.
#pragma once
#include "passes/schedule/contraction/brick.h"

namespace sunmao {

/// Returns the only load of an expression; null when there are none or more.
const BufferLoad* only_load(const Scalar& value);

/// Returns by how much an iteration of `loop` moves an index; 0 when this is not constant.
int64_t moved_by(const Scalar& index, const Ref<SymVar>& loop);

/// A register tile of neighbouring pixels in neighbouring lines of the output: a vector that is loaded is reused by all
/// taps of all of them. A line is an iteration of `line`, a pixel one of the contraction's rows.
struct Window {
  size_t line;       // a loop of the output that the left operand moves with
  size_t step;       // the reduced loop along it
  int64_t stride;    // of a line, in lines of the left operand
  int64_t dilation;  // of a step
  int64_t lines;     // of a tile
  Tile tile;         // of pixels and channels
};

/// Returns the tiles of a contraction that is such a window, the one that costs least first; none for others.
std::vector<Window> windows_by_cost(const Contraction& c, const Target& target);
/// Returns the first one of them.
std::optional<Window> choose_window(const Contraction& c, const Target& target);

Stmt write_window(const Contraction& c, const Window& window);

}  // namespace sunmao
