// The order of a tensor's axes by letters: "NCHW", "NHWC", "NCHW16c" (an axis C of blocks and one of 16 within).
#pragma once
#include "ops/axis_order.h"
#include "ops/lowering.h"

namespace sunmao {

class AxisLayout {
 public:
  /// The layout of an attribute; E0203 unless its letters are those of `canonical`, each once.
  static AxisLayout of_attr(const InferInput& in, const std::string& name, const std::string& canonical);
  /// The same of a text; not set when it is none.
  static std::optional<AxisLayout> parse(const std::string& text, const std::string& canonical);
  std::string text() const;
  int rank() const { return order_.rank(); }
  /// Sizes and indices in the order of the canonical letters, from those of this layout, and the other way.
  std::vector<Scalar> canonical_sizes(const std::vector<Scalar>& own) const { return order_.original_sizes(own); }
  Indices canonical_indices(const Indices& own) const { return order_.original_indices(own); }
  std::vector<Scalar> sizes(const std::vector<Scalar>& canonical, Analyzer& analyzer) const {
    return order_.sizes(canonical, analyzer);
  }
  Indices indices(const Indices& canonical) const { return order_.indices(canonical); }

  /// How a tensor in this layout is stored once it is in the other; not set where blocks would be cut anew.
  std::optional<AxisOrder> order_to(const AxisLayout& other) const;
  /// The layout of a tensor in this one, once it is stored in that order; not set where blocks would be cut anew.
  std::optional<AxisLayout> stored(const AxisOrder& order) const;

 private:
  AxisLayout(AxisOrder order, std::string canonical) : order_(std::move(order)), canonical_(std::move(canonical)) {}
  AxisOrder order_;  // of the axes that the canonical letters name
  std::string canonical_;
};

/// Fails (E0307) when the rank of argument `i` is known and not that of the layout.
void need_layout_rank(const InferInput& in, size_t i, const AxisLayout& layout);

/// Fails (E0309) when a size of the result, which its windows give, is below 0.
void need_sizes(const InferInput& in, const std::vector<Scalar>& sizes);

/// For canonical forms of windows: one value stands for every spatial axis; None for `out` is what `like` says.
void repeat_value(AttrMap& attrs, const char* name, size_t spatial);
void mirror_padding(AttrMap& attrs, size_t spatial);
void default_layout(AttrMap& attrs, const char* out, const char* like);

/// The whole numbers of an attribute, exactly `count` of them, each at least `least`; E0203 otherwise.
std::vector<int64_t> spatial_attr(const InferInput& in, const std::string& name, size_t count, int64_t least);

}  // namespace sunmao
