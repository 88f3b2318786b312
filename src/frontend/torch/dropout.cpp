// Converters of dropout, which does nothing in inference.
#include "frontend/shapes.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

constexpr const char* kInference = "in inference only";

void refuse_training(const NodeContext& n, std::string_view argument) {
  if (n.boolean(argument, true)) throw UnsupportedUse{"in training mode: call model.eval() before the export"};
}

Results dropout(const NodeContext& n) {
  refuse_training(n, "train");
  return n.tensor(n.has("self") ? "self" : "input");
}
/// Gives the input, and the mask of what is kept: everything.
Results native_dropout(const NodeContext& n) {
  refuse_training(n, "train");
  Expr x = n.tensor("input");
  return {x, n.call("ones_like", {x}, {{"dtype", DType::bool_()}})};
}
Results rrelu(const NodeContext& n) {
  if (n.boolean("training", false)) throw UnsupportedUse{"in training mode: call model.eval() before the export"};
  const double slope = (n.real("lower", 0.125) + n.real("upper", 1.0 / 3)) / 2;
  return n.call("nn.leakyrelu", {n.tensor("self")}, {{"alpha", slope}});
}

}  // namespace

std::vector<Converter> dropout_converters() {
  std::vector<Converter> rows;
  for (const char* target : {"aten.dropout.default", "aten.feature_dropout.default", "aten.alpha_dropout.default",
                             "aten.feature_alpha_dropout.default"})
    rows.push_back({target, dropout, "the input itself", kInference, Alias::Self});
  for (const char* target : {"aten.dropout_.default", "aten.feature_dropout_.default", "aten.alpha_dropout_.default",
                             "aten.feature_alpha_dropout_.default"})
    rows.push_back({target, dropout, "the input itself", kInference, Alias::InPlace});
  rows.push_back({"aten.native_dropout.default", native_dropout, "the input itself", kInference});
  add_pair<rrelu>(rows, "aten.rrelu.default", "aten.rrelu_.default", "`R.nn.leakyrelu`", kInference);
  return rows;
}

}  // namespace sunmao::torch
