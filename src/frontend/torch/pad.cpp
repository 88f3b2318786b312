// Converters of padding.
#include <algorithm>

#include "frontend/shapes.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

/// Puts a number before and behind the last axes, of which one width at least is symbolic.
Expr put_around(const NodeContext& n, Expr x, const std::vector<Scalar>& pad, double value) {
  const auto block = [&](size_t axis, const Scalar& width) {
    std::vector<Scalar> dims = n.dims(x);
    dims[axis] = width;
    return n.call("full", {ShapeExpr::make(std::move(dims)), n.constant(dtype_of(x), value)});
  };
  for (size_t i = 0; i < pad.size(); i += 2) {
    const size_t axis = static_cast<size_t>(n.rank(x)) - 1 - i / 2;
    std::vector<Expr> parts{x};
    for (size_t side : {0, 1}) {
      const int64_t* width = find_int(pad[i + side]);
      if (width && *width < 0) throw UnsupportedUse{"that cuts off beside widths that are symbolic"};
      if (!width || *width > 0) parts.insert(side ? parts.end() : parts.begin(), block(axis, pad[i + side]));
    }
    if (parts.size() > 1) x = n.call("concat", {Tuple::make(parts)}, {{"axis", static_cast<int64_t>(axis)}});
  }
  return x;
}

/// Pads the last axes: PyTorch lists (before, behind) of the last axis first.
Expr padded(const NodeContext& n, const char* mode, double value) {
  Expr x = n.tensor("self");
  const char* name = n.has("padding") ? "padding" : "pad";
  const auto rank = static_cast<size_t>(n.rank(x));
  const std::vector<Scalar> sizes = n.sizes(name);
  if (sizes.size() % 2 != 0 || sizes.size() / 2 > rank) n.malformed("pad");
  const bool is_known = std::ranges::all_of(sizes, [](const Scalar& s) { return find_int(s) != nullptr; });
  if (!is_known && std::string_view(mode) == "constant") return put_around(n, x, sizes, value);
  const std::vector<int64_t> pad = n.integers(name).value_or(std::vector<int64_t>());
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
  const char *or_joined = "`R.nn.pad`; by symbolic widths `R.concat`",
             *constant_known = "the widths of other modes than constant must be known";
  std::vector<Converter> rows{{"aten.pad.default", pad, or_joined, constant_known},
                              {"aten.constant_pad_nd.default", constant_pad, or_joined},
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
