#include <algorithm>
#include <functional>

#include "passes/schedule/contraction/step.h"
#include "passes/schedule/window/window.h"
#include "sym/analyzer.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

constexpr int64_t kMostTaps = 9;    // whose weights registers hold beside the sums
constexpr int64_t kMostLines = 7;   // of a tile: each is a stream of its own in memory
constexpr int64_t kFarBits = 192;   // that come from the next cache in the time of an addition: 48 bytes a cycle
constexpr int64_t kCostOfTile = 8;  // in additions
constexpr int64_t kUnknown = 56;    // lines and pixels where a run says how many: what is chosen does not depend on it

int64_t extent_of(const Contraction& c, size_t loop) {
  const int64_t known = c.known_extent(loop);
  return known > 0 ? known : kUnknown;
}

/// True when registers hold the weights of all taps beside the sums.
bool holds_weights(const Target& target) { return target.isa.vector_registers >= 32; }

/// Finds the lines of the output and the step along them.
bool find_lines(const Contraction& c, const BufferLoad& left, Window& out) {
  for (const Scalar& index : left.indices)
    for (size_t line : c.outer)
      for (size_t step : c.steps) {
        if (step == c.steps.back() || !uses(index, *c.loop(line)) || !uses(index, *c.loop(step))) continue;
        out.line = line;
        out.step = step;
        out.stride = moved_by(index, c.loop(line));
        out.dilation = moved_by(index, c.loop(step));
        return out.stride > 0 && out.dilation > 0 && !uses(c.right, *c.loop(line));
      }
  return false;
}

/// True when the last step moves along the rows of the contraction.
bool has_pixels(const Contraction& c, const BufferLoad& left) {
  return std::ranges::any_of(left.indices, [&](const Scalar& index) {
    return uses(index, *c.loop(*c.row)) && uses(index, *c.loop(c.steps.back()));
  });
}

/// What loops over tiles of a height and width cost: additions, loads, and what comes from beyond the nearest cache.
int64_t cost(const Contraction& c, const Window& w, const Target& target, int64_t lines, int64_t pixels) {
  const int64_t down = c.known_extent(w.step), along = c.known_extent(c.steps.back()), taps = down * along;
  const int64_t lines_read = (lines - 1) * w.stride + (down - 1) * w.dilation + 1;
  const int64_t weights = (holds_weights(target) ? 1 : lines) * taps;
  const int64_t loads = lines_read * (pixels * w.stride + along - 1) + weights;
  const int64_t far = lines_read * pixels * w.stride * target.isa.vector_bits / kFarBits;
  const auto tiles = [](int64_t all, int64_t each) { return (all + each - 1) / each; };
  return tiles(extent_of(c, w.line), lines) * tiles(extent_of(c, *c.row), pixels) *
         (lines * pixels * taps + loads + far + kCostOfTile);
}

/// Returns the tiles whose sums fit the registers, the one that costs least first.
std::vector<Window> sizes_by_cost(const Contraction& c, const Target& target, Window w) {
  const int64_t most = holds_weights(target) ? 16 : 10;  // others hold weights and what is read
  std::vector<std::pair<int64_t, Window>> all;
  for (int64_t lines = std::min(kMostLines, extent_of(c, w.line)); lines >= 1; --lines)
    for (int64_t pixels = std::min(most / lines, extent_of(c, *c.row)); pixels >= 1; --pixels) {
      w.lines = lines;
      w.tile.rows = pixels;
      all.emplace_back(cost(c, w, target, lines, pixels), w);
    }
  std::ranges::stable_sort(all, std::less(), &std::pair<int64_t, Window>::first);
  std::vector<Window> out;
  for (const auto& [cost, window] : all) out.push_back(window);
  return out;
}

}  // namespace

const BufferLoad* only_load(const Scalar& value) {
  const BufferLoad* found = nullptr;
  int count = 0;
  for_each_load(value, [&](const BufferLoad& load) {
    found = &load;
    ++count;
  });
  return count == 1 ? found : nullptr;
}

int64_t moved_by(const Scalar& index, const Ref<SymVar>& loop) {
  Analyzer analyzer;
  const Scalar next = substitute(index, {{loop, loop + IntImm::make(loop->dtype, 1)}});
  const Scalar difference = analyzer.simplify(next - index);
  const int64_t* by = find_int(difference);
  return by ? *by : 0;
}

std::vector<Window> windows_by_cost(const Contraction& c, const Target& target) {
  if (!c.is_left_vector || c.groups || c.panels || !is_multiply_add(c) || !c.row || c.steps.empty()) return {};
  const BufferLoad* left = only_load(c.left);
  const int64_t lanes = step_lanes(c, target);
  Window out{};
  if (!left || lanes < 2 || !has_pixels(c, *left) || !find_lines(c, *left, out)) return {};
  int64_t taps = 1;
  for (size_t step : c.steps) {
    const int64_t extent = c.known_extent(step);
    if (extent == 0 || (extent > 1 && step != out.step && step != c.steps.back())) return {};
    taps *= extent;
  }
  if (taps > kMostTaps || !is_near(c.left, c.loop(c.column), kFarthest) || !are_columns_side_by_side(c) ||
      !has_vector_step(c, lanes))
    return {};
  out.tile = {.lanes = lanes, .in_vector = lanes, .vectors = 1};
  return sizes_by_cost(c, target, out);
}

std::optional<Window> choose_window(const Contraction& c, const Target& target) {
  const std::vector<Window> all = windows_by_cost(c, target);
  return all.empty() ? std::nullopt : std::optional(all.front());
}

}  // namespace sunmao
