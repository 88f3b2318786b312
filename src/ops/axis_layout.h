// The order of a tensor's axes by letters: "NCHW", "NHWC", "NCHW16c" (an axis C16 of blocks and one of 16 within).
#pragma once
#include "ops/lowering.h"

namespace sunmao {

class AxisLayout {
 public:
  /// The layout of an attribute; E0203 unless its letters are those of `canonical`, each once.
  static AxisLayout of_attr(const InferInput& in, const std::string& name, const std::string& canonical);
  int rank() const { return static_cast<int>(axes_.size()); }
  /// Sizes and indices in the order of the canonical letters, from those of this layout, and the other way.
  std::vector<Scalar> canonical_sizes(const std::vector<Scalar>& own) const;
  Indices canonical_indices(const Indices& own) const;
  std::vector<Scalar> sizes(const std::vector<Scalar>& canonical, Analyzer& analyzer) const;
  Indices indices(const Indices& canonical) const;
  /// The whole size of a blocked axis has to be a multiple of its blocks: this is what one block holds, 1 without.
  int64_t block_of(char letter) const;

 private:
  struct Axis {
    char letter;
    int64_t block;  // 0 for the axis itself, else the size within the blocks
  };
  std::vector<Axis> axes_;
  std::string canonical_;
};

/// Fails (E0307) when the rank of argument `i` is known and not that of the layout.
void need_layout_rank(const InferInput& in, size_t i, const AxisLayout& layout);

/// For canonical forms of windows: one value stands for every spatial axis; None for `out` is what `like` says.
void repeat_value(AttrMap& attrs, const char* name, size_t spatial);
void mirror_padding(AttrMap& attrs, size_t spatial);
void default_layout(AttrMap& attrs, const char* out, const char* like);

/// The whole numbers of an attribute, exactly `count` of them, each at least `least`; E0203 otherwise.
std::vector<int64_t> spatial_attr(const InferInput& in, const std::string& name, size_t count, int64_t least);

}  // namespace sunmao
