// Converters of padding.
#include <algorithm>

#include "frontend/shapes.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

/// Pads the last axes: PyTorch lists (before, behind) of the last axis first.
Expr padded(const NodeContext& n, const char* mode, double value) {
  Expr x = n.tensor("self");
  const std::vector<int64_t> pad = n.integers(n.has("padding") ? "padding" : "pad").value_or(std::vector<int64_t>());
  const auto rank = static_cast<size_t>(n.rank(x));
  if (pad.size() % 2 != 0 || pad.size() / 2 > rank) n.malformed("pad");
  if (std::ranges::all_of(pad, [](int64_t p) { return p == 0; })) return x;
  std::vector<int64_t> widths(2 * rank, 0);
  for (size_t i = 0; i < pad.size(); i += 2) {
    const size_t axis = rank - 1 - i / 2;
    widths[2 * axis] = pad[i];
    widths[2 * axis + 1] = pad[i + 1];
  }
  return n.call("nn.pad", {x}, {{"pad_width", AttrValue::ints(widths)}, {"pad_mode", mode}, {"pad_value", value}});
}

Results pad(const NodeContext& n) {
  const std::string mode = n.string("mode", "constant");
  return padded(n, mode.c_str(), n.real("value", 0.0));
}
Results constant_pad(const NodeContext& n) { return padded(n, "constant", n.real("value", 0.0)); }
template <OpName mode>
Results pad_by(const NodeContext& n) {
  return padded(n, mode.text, 0);
}

}  // namespace

std::vector<Converter> pad_converters() {
  const char *becomes = "`R.nn.pad`", *known = "the widths must be known";
  std::vector<Converter> rows{{"aten.pad.default", pad, becomes, known},
                              {"aten.constant_pad_nd.default", constant_pad, becomes, known},
                              {"aten._pad_circular.default", pad_by<"circular">, becomes, known}};
  for (const char* target :
       {"aten.reflection_pad1d.default", "aten.reflection_pad2d.default", "aten.reflection_pad3d.default"})
    rows.push_back({target, pad_by<"reflect">, becomes, known});
  for (const char* target :
       {"aten.replication_pad1d.default", "aten.replication_pad2d.default", "aten.replication_pad3d.default"})
    rows.push_back({target, pad_by<"replicate">, becomes, known});
  return rows;
}

}  // namespace sunmao::torch
