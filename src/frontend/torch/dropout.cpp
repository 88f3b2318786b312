// Converters of dropout and of ReLU with random slopes, which draw random numbers in training alone.
#include <cmath>

#include "frontend/shapes.h"
#include "frontend/torch/draws.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

enum class Dropped : uint8_t { Elements, Channels };
enum class Instead : uint8_t { Zero, Alpha };

/// Draws what is kept: each element, or each channel of each row.
Expr kept_of(const NodeContext& n, const Expr& x, double p, Dropped dropped) {
  std::vector<Scalar> dims = n.dims(x);
  if (dropped == Dropped::Channels) {
    if (dims.size() < 2) n.malformed("input");
    for (size_t i = 2; i < dims.size(); ++i) dims[i] = int_imm(1);
  }
  return n.builder.bind(events(n, std::move(dims), 1 - p), "kept");
}

/// Puts the least value of SELU where something is dropped, and scales and shifts so that mean 0 and variance 1 stay.
Expr alpha_dropped_out(const NodeContext& n, const Expr& x, const Expr& kept, double p) {
  constexpr double kLeast = -1.7580993408473766;
  const double factor = 1 / std::sqrt((kLeast * kLeast * p + 1) * (1 - p)), shift = -kLeast * p * factor;
  const DType dtype = dtype_of(x);
  const Expr mask = converted(n.builder, kept, dtype, n.span);
  const Expr other = n.call("where", {kept, n.constant(dtype, shift), n.constant(dtype, kLeast * factor + shift)});
  return n.call("add", {n.call("multiply", {x, scaled(n.builder, mask, factor, n.span)}), other});
}

template <Dropped dropped, Instead instead>
Results dropout(const NodeContext& n) {
  const Expr x = n.tensor(n.has("self") ? "self" : "input");
  const double p = n.real("p", 0.5);
  if (!n.boolean("train", true) || p == 0) return x;
  const Expr kept = kept_of(n, x, p, dropped);
  return instead == Instead::Alpha && p < 1 ? alpha_dropped_out(n, x, kept, p) : dropped_out(n, x, kept, p);
}

/// Gives the mask of what is kept, too.
Results native_dropout(const NodeContext& n) {
  const Expr x = n.tensor("input");
  if (!n.boolean("train", true)) return {x, n.call("ones_like", {x}, {{"dtype", DType::bool_()}})};
  const double p = n.real("p");
  const Expr kept = kept_of(n, x, p, Dropped::Elements);
  return {dropped_out(n, x, kept, p), kept};
}

/// Gives the slopes, too, which are 1 above 0; in inference all have the mean of the bounds.
Results rrelu(const NodeContext& n) {
  const Expr x = n.tensor("self");
  const double lower = n.real("lower", 0.125), upper = n.real("upper", 1.0 / 3);
  if (!n.boolean("training", false)) {
    const Expr y = n.call("nn.leakyrelu", {x}, {{"alpha", (lower + upper) / 2}});
    return n.has_tensor("noise") ? Results{y, n.tensor("noise")} : Results(y);
  }
  const DType dtype = dtype_of(x);
  const Expr drawn = uniform_numbers(n, n.dims(x), dtype, lower, upper);
  const Expr is_negative = n.call("less_equal", {x, n.constant(dtype, 0)});
  const Expr slopes = n.builder.bind(n.call("where", {is_negative, drawn, n.constant(dtype, 1)}), "slopes");
  return {n.call("multiply", {x, slopes}), slopes};
}

template <Dropped dropped, Instead instead>
void add_dropout(std::vector<Converter>& rows, const char* target, const char* in_place) {
  const char* becomes = instead == Instead::Zero ? "the input itself; `R.random.uniform`, `R.multiply` in training"
                                                 : "the input itself; `R.random.uniform`, `R.where` in training";
  rows.push_back({target, dropout<dropped, instead>, becomes, "", Alias::Self});
  rows.push_back({in_place, dropout<dropped, instead>, becomes, "", Alias::InPlace});
}

}  // namespace

std::vector<Converter> dropout_converters() {
  std::vector<Converter> rows;
  add_dropout<Dropped::Elements, Instead::Zero>(rows, "aten.dropout.default", "aten.dropout_.default");
  add_dropout<Dropped::Channels, Instead::Zero>(rows, "aten.feature_dropout.default", "aten.feature_dropout_.default");
  add_dropout<Dropped::Elements, Instead::Alpha>(rows, "aten.alpha_dropout.default", "aten.alpha_dropout_.default");
  add_dropout<Dropped::Channels, Instead::Alpha>(rows, "aten.feature_alpha_dropout.default",
                                                 "aten.feature_alpha_dropout_.default");
  rows.push_back({"aten.native_dropout.default", native_dropout,
                  "the input itself; `R.random.uniform`, `R.multiply` in training"});
  const char* leaky = "`R.nn.leakyrelu`; `R.random.uniform`, `R.where` in training";
  add_pair<rrelu>(rows, "aten.rrelu.default", "aten.rrelu_.default", leaky);
  rows.push_back({"aten.rrelu_with_noise_functional.default", rrelu, leaky});
  for (Converter& row : rows) row.restriction = "in training not in a loop that a run decides";
  return rows;
}

}  // namespace sunmao::torch
