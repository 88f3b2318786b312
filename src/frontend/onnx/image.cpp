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

/// Returns the coordinates in [-1, 1] of the elements along an axis of a volume.
Expr coordinates(const NodeContext& n, const Scalar& size, int64_t axis, bool aligns_corners) {
  const DType dtype = dtype_of(n.tensor(0));
  const Expr places = places_along(n, size, dtype, axis, 4);
  const Expr count = converted(n.builder, tensor_of(n.builder, {size}, false, n.span), dtype, n.span);
  const Expr twice = binary(n, "multiply", places, 2);
  if (!aligns_corners) return binary(n, "subtract", binary(n, "divide", binary(n, "add", twice, 1), count), 1);
  const Expr steps = binary(n, "maximum", binary(n, "subtract", count, 1), 1);
  return binary(n, "subtract", binary(n, "divide", twice, steps), 1);
}

/// The product of the places (x, y, z, 1) of a volume with the matrices.
Results affine_volume(const NodeContext& n, const std::vector<Scalar>& size, bool aligns_corners) {
  const std::vector<Scalar> volume{size[2], size[3], size[4], int_imm(1)};
  std::vector<Expr> places;
  for (int64_t axis : {2, 1, 0})
    places.push_back(broadcast(n.builder, coordinates(n, size[static_cast<size_t>(axis + 2)], axis, aligns_corners),
                               volume, n.span));
  places.push_back(n.call("ones", {ShapeExpr::make(volume, n.span)}, {{"dtype", dtype_of(n.tensor(0))}}));
  const Scalar count = product(n.builder, volume);
  const Expr rows = reshaped(n.builder, joined(n, places, 3), {count, int_imm(4)}, n.span);
  const Expr moved = binary(n, "matmul", rows, permuted(n.builder, n.tensor(0), {0, 2, 1}, n.span));
  return reshaped(n.builder, moved, {size[0], size[2], size[3], size[4], int_imm(3)}, n.span);
}

Results affine_grid(const NodeContext& n) {
  const std::vector<Scalar> size = n.sizes(1);
  const bool aligns_corners = n.int_attr("align_corners", 0) != 0;
  if (size.size() == 5) return affine_volume(n, size, aligns_corners);
  if (size.size() != 4) n.fail(fmt::format("`size` holds {} numbers, expected 4 or 5", size.size()));
  const Expr grid = n.call("image.affine_grid", {n.tensor(0), ShapeExpr::make({size[2], size[3]}, n.span)},
                           {{"align_corners", aligns_corners}});
  return permuted(n.builder, grid, {0, 2, 3, 1}, n.span);
}

}  // namespace

std::vector<Converter> image_converters() {
  return {{"GridSample", 16, grid_sample, "`R.image.grid_sample`, `R.permute_dims`", "images and volumes"},
          {"AffineGrid", 20, affine_grid,
           "`R.image.affine_grid`, `R.permute_dims`; of volumes `R.matmul` with places by `R.arange`"}};
}

}  // namespace sunmao::onnx
