#include "ops/product_axes.h"

namespace sunmao {
namespace {

// Returns the position of `letter` in a layout attribute; -1 when absent or when the layout has blocks.
int axis_of(const Call& call, const char* layout, char letter) {
  const auto* letters = call.attrs.find<std::string>(layout);
  if (!letters || letters->find_first_not_of("NCDHWOI") != std::string::npos) return -1;
  const size_t at = letters->find(letter);
  return at == std::string::npos ? -1 : static_cast<int>(at);
}

std::optional<ProductAxes> convolution_axes(const Call& call, bool is_transposed) {
  const auto* groups = call.attrs.find<int64_t>("groups");
  const bool is_whole = groups && *groups == 1;
  ProductAxes axes;
  // With groups, the kernel axis that holds the channels of a single group does not correspond to the axis of all
  // channels.
  if (is_whole || !is_transposed) {
    axes.result = axis_of(call, "out_layout", 'C');
    axes.weight_result = axis_of(call, "kernel_layout", 'O');
  }
  if (is_whole || is_transposed) {
    axes.data = axis_of(call, "data_layout", 'C');
    axes.weight_data = axis_of(call, "kernel_layout", 'I');
  }
  return axes;
}

std::optional<ProductAxes> matmul_axes(const Call& call) {
  const auto *x = find<TensorType>(call.args[0]->type), *w = find<TensorType>(call.args[1]->type),
             *y = find<TensorType>(call.type);
  if (!x || !w || !y || x->rank < 1 || w->rank < 1 || y->rank == kUnknownRank) return std::nullopt;
  ProductAxes axes{.data = x->rank - 1, .weight_data = std::max(0, w->rank - 2)};
  if (w->rank > 1) {
    axes.result = y->rank - 1;
    axes.weight_result = w->rank - 1;
  }
  return axes;
}

}  // namespace

std::optional<ProductAxes> product_axes(const Call& call) {
  const Op* op = op_of(call);
  if (!op) return std::nullopt;
  if (op->name() == "matmul") return matmul_axes(call);
  if (!op->name().starts_with("nn.conv")) return std::nullopt;
  return convolution_axes(call, op->name().ends_with("_transpose"));
}

}  // namespace sunmao
