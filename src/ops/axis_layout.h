// Axis layouts written with letters: "NCHW", "NHWC", or "NCHW16c" (outer axis C of blocks, inner axis c of 16).
#pragma once
#include "ops/axis_order.h"
#include "ops/lowering.h"

namespace sunmao {

class AxisLayout {
 public:
  /// Returns the layout that an attribute names; E0203 when it is not a valid layout of the axes in `canonical`.
  static AxisLayout of_attr(const InferInput& in, const std::string& name, const std::string& canonical);
  /// Parses `text`; absent unless it has each letter of `canonical` once in upper case, and at most once in lower case
  /// after a block size of at most 1,000,000.
  static std::optional<AxisLayout> parse(const std::string& text, const std::string& canonical);
  std::string text() const;
  int rank() const { return order_.rank(); }
  bool is_blocked() const { return order_.is_blocked(); }
  /// Converts sizes and indices between this layout and the canonical order of letters.
  std::vector<Scalar> canonical_sizes(const std::vector<Scalar>& own) const { return order_.original_sizes(own); }
  Indices canonical_indices(const Indices& own) const { return order_.original_indices(own); }
  std::vector<Scalar> sizes(const std::vector<Scalar>& canonical, Analyzer& analyzer) const {
    return order_.sizes(canonical, analyzer);
  }
  Indices indices(const Indices& canonical) const { return order_.indices(canonical); }

  /// Returns the axis order that stores a tensor of this layout in layout `other`; absent when their letters differ, or
  /// when this layout has blocks and `other` is not a permutation of its axes.
  std::optional<AxisOrder> order_to(const AxisLayout& other) const;
  /// Returns the layout of a tensor of this layout after it is stored in `order`; absent when the ranks differ, or when
  /// both split axes.
  std::optional<AxisLayout> stored(const AxisOrder& order) const;

 private:
  AxisLayout(AxisOrder order, std::string canonical) : order_(std::move(order)), canonical_(std::move(canonical)) {}
  AxisOrder order_;  // in terms of the axes in canonical order
  std::string canonical_;
};

/// Fails (E0307) when the rank of argument `i` is known and differs from that of the layout.
void need_layout_rank(const InferInput& in, size_t i, const AxisLayout& layout);

/// Fails (E0309) when a dimension of the result, computed from its windows, is a negative constant.
void need_sizes(const InferInput& in, const std::vector<Scalar>& sizes);

/// Canonicalisation of window attributes: a single value is repeated for every spatial axis, padding is given for both
/// ends, and an empty layout `out` defaults to the layout `like`.
void repeat_value(AttrMap& attrs, const char* name, size_t spatial);
void mirror_padding(AttrMap& attrs, size_t spatial);
void default_layout(AttrMap& attrs, const char* out, const char* like);

/// Returns an integer list attribute; E0203 unless it has exactly `count` values, each at least `least`.
std::vector<int64_t> spatial_attr(const InferInput& in, const std::string& name, size_t count, int64_t least);

}  // namespace sunmao
