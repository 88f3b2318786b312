#include "frontend/onnx/converters.h"

#include <algorithm>
#include <unordered_map>

#include "support/spelling.h"

namespace sunmao::onnx {
namespace {

using Family = std::vector<Converter> (*)();
constexpr Family kFamilies[] = {activation_converters,
                                arithmetic_converters,
                                attention_converters,
                                classical_converters,
                                comparison_converters,
                                contrib_converters,
                                contrib_attention_converters,
                                contrib_quantize_converters,
                                contrib_recurrent_converters,
                                convolution_converters,
                                creation_converters,
                                detection_converters,
                                dtype_converters,
                                gather_converters,
                                image_converters,
                                join_converters,
                                layout_converters,
                                loss_converters,
                                matmul_converters,
                                norm_converters,
                                pad_converters,
                                pool_converters,
                                quantize_converters,
                                random_converters,
                                recurrent_converters,
                                reduce_converters,
                                resize_converters,
                                scatter_converters,
                                search_converters,
                                sequence_converters,
                                shape_converters,
                                signal_converters,
                                slice_converters};

using ByOp = std::unordered_map<std::string_view, std::vector<Converter>>;

/// Returns the rows by op, newest opset first.
const ByOp& rows_by_op() {
  static const ByOp table = [] {
    ByOp t;
    for (const Converter& c : all_converters()) t[c.op].push_back(c);
    for (auto& [op, versions] : t) std::ranges::sort(versions, std::greater(), &Converter::since);
    return t;
  }();
  return table;
}

}  // namespace

const std::vector<Converter>& all_converters() {
  static const std::vector<Converter> rows = [] {
    std::vector<Converter> out;
    for (Family family : kFamilies) std::ranges::copy(family(), std::back_inserter(out));
    return out;
  }();
  return rows;
}

std::string op_name(const Node& node) {
  if (node.domain.empty() || node.domain == "ai.onnx") return std::string(node.op);
  return fmt::format("{}::{}", node.domain, node.op);
}

std::string nearest_form(const std::string& op) {
  if (auto it = rows_by_op().find(op); it != rows_by_op().end())
    return fmt::format("it is read from opset {} on", it->second.back().since);
  std::vector<std::string> names;
  for (const auto& [name, rows] : rows_by_op()) names.emplace_back(name);
  std::ranges::sort(names);
  return did_you_mean(op, names);
}

const Converter* find_converter(std::string_view op, int64_t opset) {
  auto it = rows_by_op().find(op);
  if (it == rows_by_op().end()) return nullptr;
  for (const Converter& c : it->second)
    if (c.since <= opset) return &c;
  return nullptr;
}

}  // namespace sunmao::onnx
