#include "passes/algebra/bfloat16_product.h"

#include "ops/axis_layout.h"
#include "passes/algebra/quantised.h"

namespace sunmao {
namespace {

// Measured on processors with an instruction for pairs: with fewer, rounding the operands takes what pairs gain.
constexpr int64_t kFewestColumns = 16;
constexpr int64_t kFewestRows = 32;        // that share the rounding of a right operand which is computed
constexpr int64_t kFewestUsesOfRest = 32;  // that share filling a row of data up

ProductSizes sizes_of_matmul(const Call& call, const ProductAxes& axes) {
  const Expr &data = call.args[0], &weight = call.args[1];
  const int rank = tensor_rank(data);
  ProductSizes out{.steps = tensor_size(weight, axes.weight_data)};
  out.columns = out.uses = axes.weight_result < 0 ? 1 : tensor_size(weight, axes.weight_result);
  out.rows = rank < 2 ? 1 : tensor_size(data, rank - 2);
  return out;
}

std::optional<ProductSizes> sizes_of_convolution(const Call& call) {
  const auto* letters = call.attrs.find<std::string>("kernel_layout");
  const auto* groups = call.attrs.find<int64_t>("groups");
  if (!letters || !groups || letters->find_first_not_of("OIDHW") != std::string::npos) return std::nullopt;
  const bool is_transposed = op_of(call)->name().ends_with("_transpose");
  int64_t ins = 0, outs = 0, taps = 1;
  for (size_t i = 0; i < letters->size(); ++i) {
    const int64_t size = tensor_size(call.args[1], static_cast<int>(i));
    if ((*letters)[i] == 'I')
      ins = size;
    else if ((*letters)[i] == 'O')
      outs = size;
    else
      taps *= size;
  }
  // Each layout has the channels of one group in one of the two.
  ProductSizes out{.groups = *groups, .steps = is_transposed ? ins / *groups : ins};
  out.columns = is_transposed ? outs : outs / *groups;
  out.uses = out.columns * taps;
  for (const int64_t stride : spatial_attr(input_of(call), "strides", letters->size() - 2, 1)) out.uses /= stride;
  return out;
}

}  // namespace

std::optional<ProductSizes> product_sizes(const Call& call) {
  if (op_of(call)->name() != "matmul") return sizes_of_convolution(call);
  const std::optional<ProductAxes> axes = product_axes(call);
  return axes ? std::optional(sizes_of_matmul(call, *axes)) : std::nullopt;
}

std::string reason_against_bfloat16(const ProductSizes& p, bool is_weight_known) {
  if (p.groups > 1 && p.steps == 1) return "each channel has filters of its own";
  if (p.steps == 0) return "the number of its steps is not known, so they are no pairs";
  if (p.columns != 0 && p.columns < kFewestColumns) return "few columns of the result share the rounding of the data";
  if (!is_weight_known && p.rows != 0 && p.rows < kFewestRows)
    return "both operands are computed, and few rows share the rounding of the right one";
  if (!p.has_rest()) return {};
  if (p.groups > 1) return "its groups have an odd number of channels";
  const bool is_used_much = p.uses == 0 || p.uses >= kFewestUsesOfRest;
  return p.steps > 1 && is_used_much ? "" : "an odd number of steps, too little work to fill them up";
}

}  // namespace sunmao
