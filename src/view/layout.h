// Layout: where the members of a group are drawn, and the curves of its edges; made for each group as if all groups
// inside were folded.
#pragma once
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "view/folds.h"

namespace sunmao::view {

struct Size {
  double width = 0, height = 0;  // pixels
};
struct Point {
  double x = 0, y = 0;
};

/// What is to be drawn: boxes, of which the last ones are ports at the upper or lower border, and edges between them.
struct Drawing {
  std::vector<Size> boxes;
  size_t members = 0, inputs = 0, outputs = 0;  // boxes in this order
  std::vector<FoldEdge> edges;
};

struct Layout {
  Size size;
  std::vector<Point> centers;              // of the boxes
  std::vector<std::vector<Point>> curves;  // of the edges: a start, then three points for each cubic Bézier curve
};

/// Receives sentences about what takes long.
using OnNotice = std::function<void(const std::string& text)>;

struct LayoutOptions {
  OnNotice on_notice = {};
  std::chrono::milliseconds limit{60'000};      // for Graphviz; then a plain layout takes the place of its own
  std::chrono::milliseconds told_after{2'000};  // that it is at work
};

/// Lays out drawings in layers, the sources of edges above their targets: by Graphviz's `dot` where it is installed and
/// answers, else by `layered_layout`. `by_graphviz`, which may be null, receives how many were laid out by it.
std::vector<Layout> lay_out(const std::vector<Drawing>& drawings, size_t* by_graphviz = nullptr,
                            const LayoutOptions& options = {});

/// A plain layered layout: layers by longest paths, order by medians, edges around boxes of other layers.
Layout layered_layout(const Drawing& drawing);

/// Returns the layouts by `dot`, in order; empty where it is not installed, fails, or takes longer than the limit.
std::vector<Layout> graphviz_layouts(const std::vector<Drawing>& drawings, const LayoutOptions& options = {});

}  // namespace sunmao::view
