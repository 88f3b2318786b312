// Converters that sample images at places: GridSample, AffineGrid.
#include <algorithm>

#include "frontend/onnx/compose.h"

namespace sunmao::onnx {
namespace {

/// ONNX has the coordinates of a place as the last axis of the grid, the library as the second one.
Results grid_sample(const NodeContext& n) {
  const int64_t rank = n.rank(0);
  if (rank != 4 && rank != 5) throw UnsupportedUse{fmt::format("of a tensor of rank {}", rank)};
  std::string mode = n.string_attr("mode", n.opset < 20 ? "bilinear" : "linear");
  if (mode == "linear") mode = "bilinear";
  if (mode == "cubic") mode = "bicubic";
  std::vector<int64_t> order = axes_between(0, rank);
  std::rotate(order.begin() + 1, order.end() - 1, order.end());
  return n.call("image.grid_sample", {n.tensor(0), permuted(n.builder, n.tensor(1), order, n.span)},
                {{"method", mode},
                 {"layout", rank == 4 ? "NCHW" : "NCDHW"},
                 {"padding_mode", n.string_attr("padding_mode", "zeros")},
                 {"align_corners", n.int_attr("align_corners", 0) != 0}});
}

Results affine_grid(const NodeContext& n) {
  const std::vector<Scalar> size = n.sizes(1);
  if (size.size() != 4 && size.size() != 5)
    n.fail(fmt::format("`size` holds {} numbers, expected 4 or 5", size.size()));
  const Expr grid = n.call("image.affine_grid", {n.tensor(0), ShapeExpr::make({size.begin() + 2, size.end()}, n.span)},
                           {{"align_corners", n.int_attr("align_corners", 0) != 0}});
  return with_channels_last(n.builder, grid, n.span);
}

}  // namespace

std::vector<Converter> image_converters() {
  return {{"GridSample", 16, grid_sample, "`R.image.grid_sample`, `R.permute_dims`", "images and volumes"},
          {"AffineGrid", 20, affine_grid, "`R.image.affine_grid`, `R.permute_dims`"}};
}

}  // namespace sunmao::onnx
