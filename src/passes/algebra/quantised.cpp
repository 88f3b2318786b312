#include "passes/algebra/quantised.h"

#include <algorithm>
#include <array>

#include "ops/algebra/rule.h"
#include "ops/permutation.h"

namespace sunmao {
namespace {

constexpr std::array<std::string_view, 9> kMoves{"reshape",       "permute_dims", "squeeze", "expand_dims", "flatten",
                                                 "strided_slice", "broadcast_to", "tile",    "flip"};
constexpr std::array<std::string_view, 2> kResizes{"image.resize2d", "image.resize3d"};
constexpr std::array<std::string_view, 3> kPools{"nn.max_pool1d", "nn.max_pool2d", "nn.max_pool3d"};

bool is_call_of(const Call& call, std::span<const std::string_view> names) {
  const Op* op = op_of(call);
  return op && std::ranges::find(names, op->name()) != names.end();
}

/// True when each element of a resized image is one of the image.
bool picks_nearest(const Call& resize) {
  const auto is = [&](const char* attr, std::string_view word) {
    const auto* given = resize.attrs.find<std::string>(attr);
    return given && *given == word;
  };
  const auto* dtype = resize.attrs.find<DType>("out_dtype");
  return is("method", "nearest_neighbor") && !is("coordinate_transformation_mode", "tf_crop_and_resize") &&
         (!dtype || dtype->is_void());
}

/// True when each window of a pool has an element: one of padding alone is minus infinity, which no byte is.
bool sees_elements(const Call& pool) {
  const AttrValue* dilation = pool.attrs.find("dilation");
  const auto apart = dilation ? dilation->as_ints() : std::nullopt;
  if (apart && std::ranges::max(*apart) > 1) return false;
  const AttrValue *padding = pool.attrs.find("padding"), *size = pool.attrs.find("pool_size");
  const auto before = padding ? padding->as_ints() : std::nullopt, of_window = size ? size->as_ints() : std::nullopt;
  return before && of_window && std::ranges::max(*before) < std::ranges::min(*of_window);
}

}  // namespace

int tensor_rank(const Expr& e) {
  const auto* type = find<TensorType>(e->type);
  return type ? type->rank : kUnknownRank;
}

int64_t tensor_size(const Expr& e, int axis) {
  const auto* type = find<TensorType>(e->type);
  const int64_t* n = type && type->dims() ? find_int((*type->dims())[static_cast<size_t>(axis)]) : nullptr;
  return n ? *n : 0;
}

Quantised quantised_operands(const Call& call) {
  Quantised out{.values = call.args[0], .scale = call.args[1], .zero = call.args[2]};
  const auto* type = find<TensorType>(call.args[0]->type);
  const auto* axis = call.attrs.find<int64_t>("axis");
  if (axis && type) out.axis = static_cast<int>(*axis < 0 ? *axis + type->rank : *axis);
  const auto* block = call.attrs.find<int64_t>("block_size");
  if (block && !(is_single(out.scale) && is_single(out.zero))) out.block = *block;
  return out;
}

bool has_positive_value(const Expr& scale) {
  const std::optional<UniformValue> value = uniform_of(scale);
  return value && value->real > 0;
}

bool is_single(const Expr& e) {
  if (find<PrimType>(e->type)) return true;
  const auto* type = find<TensorType>(e->type);
  const auto is_one = [](const Scalar& size) { return find_int(size) && *find_int(size) == 1; };
  return type && type->dims() && std::ranges::all_of(*type->dims(), is_one);
}

std::optional<int64_t> known_integer(const Expr& e) {
  const std::optional<UniformValue> value = uniform_of(e);
  return value && value->dtype.is_integral() ? std::optional(value->integer) : std::nullopt;
}

bool moves_elements(const Call& call) {
  return is_call_of(call, kResizes) ? picks_nearest(call) : is_call_of(call, kMoves);
}

bool passes_elements_on(const Call& call) {
  return is_call_of(call, kPools) ? sees_elements(call) : moves_elements(call);
}

std::optional<int> axis_behind(const Call& call, const Quantised& x) {
  if (!passes_elements_on(call)) return std::nullopt;
  if (is_single(x.scale) && is_single(x.zero))
    return !is_call_of(call, kPools) || has_positive_value(x.scale) ? std::optional(0) : std::nullopt;
  if (op_of(call)->name() != "permute_dims") return std::nullopt;
  const std::vector<int64_t> axes = permutation_of(call).value_or(std::vector<int64_t>());
  const auto at = std::ranges::find(axes, x.axis);
  return at == axes.end() ? std::nullopt : std::optional(static_cast<int>(at - axes.begin()));
}

}  // namespace sunmao
