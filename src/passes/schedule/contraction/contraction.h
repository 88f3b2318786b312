// The kernel family `contraction`: sums of products, found by what the loops and indices are. Products of matrices,
// convolutions, einsums and users' own kernels of that form share it.
#pragma once
#include <optional>
#include <vector>

#include "passes/loop/store_nest.h"

namespace sunmao {

/// A right operand that is packed in panels of columns: memory has the index order (panel, step, column in the panel).
/// The operand is an expression of these symbols in place of the column loop.
struct Panels {
  int64_t width;            // the columns of a panel; the last one may have fewer
  Ref<SymVar> panel, rest;  // a column is panel * width + rest
  Ref<SymVar> count;        // the columns of the panel
};

/// Neighbouring columns that read the same element of the left operand, as the output channels of one group of a
/// grouped convolution. The operand is an expression of the group's number in place of the column loop.
struct Groups {
  int64_t width;  // the columns of a group
  Ref<SymVar> number;
};

/// Iterations of a reduced loop that one step takes together, such as the four bytes of a dot-product instruction. Two
/// of bfloat16 are taken as a word (words.h) when loops are written. The loop counts bundles: its iteration `number` is
/// the iterations number * size + rest. Operands are plain loads.
struct Bundle {
  int64_t size;
  Ref<SymVar> rest;
  /// The number of iterations where a run says it; else null. The loop counts whole bundles, and a last one takes the
  /// iterations that are left.
  Scalar steps = {};
};

/// out[rows, columns, …] += left * right, where the sums of a tile of rows and columns are in registers
/// (docs/kernel-families.md). The numbers are indices into `nest.loops`.
struct Contraction {
  StoreNest nest;  // with `init`
  Scalar left, right;
  size_t column;                // the loop of the output's last dimension; `right` depends on it
  bool is_left_vector = false;  // `left` depends on it or its groups as well, as in depthwise convolutions
  std::optional<size_t> row;    // a loop that `left` depends on and `right` does not: right is reused by many rows
  std::vector<size_t> outer;    // all other loops of the output, outermost first
  std::vector<size_t> steps;    // the reduced loops, outermost first
  /// Where both operands are vectors: the conditions of a step, such as that a tap lies inside the image. A step whose
  /// guard fails adds nothing. They do not depend on the columns.
  std::vector<Scalar> guards = {};
  std::optional<Panels> panels = {};       // of `right`
  std::optional<Groups> groups = {};       // several of them fill a vector
  std::optional<Bundle> bundle = {};       // of steps
  bool has_words = false;                  // each element that a step takes of an operand is a word of two bfloat16
  std::optional<StoreNest> epilogue = {};  // on the same loops

  const Ref<SymVar>& loop(size_t i) const { return nest.loops[i]; }
  const Scalar& extent(size_t i) const { return nest.extents[i]; }
  /// The extent of a loop; 0 when it is not known.
  int64_t known_extent(size_t i) const;
};

/// A vector of the left operand that moves with the columns is gathered from at most so many vectors of memory.
inline constexpr int64_t kFarthest = 2;

/// What narrow groups of columns are: lanes side by side in a vector, or the iterations of a loop.
enum class NarrowGroups { Lanes, Loop };

/// Returns `s` as a contraction; nullopt when it has another form. `before` is the preceding statement or null; it may
/// be the initialisation.
std::optional<Contraction> read_contraction(const Stmt& s, const Stmt& before,
                                            NarrowGroups narrow = NarrowGroups::Lanes);

/// Returns a conversion of `if_then_else(condition, value, 0)` as the choice of a conversion; others unchanged.
Scalar choice_of_conversions(const Scalar& operand);

/// Returns the right operand as an expression of the columns that is right in the first panel.
Scalar right_in_panel(const Contraction& c);

/// True when an operand is computed from some loads by arithmetic, more than a widening: such as a weight whose blocks
/// have scales.
bool is_computed(const Scalar& operand);

/// True when the contraction reads elements of the buffer many times.
bool reads_again(const Contraction& c, const Buffer& buffer);

/// True when moving `loop` by one moves a load in `value` by one element. A value without loads that depend on the loop
/// is contiguous.
bool is_contiguous(const Scalar& value, const Ref<SymVar>& loop);

/// True when moving `loop` by one moves the loads in `value` that depend on it by `distance` elements of a row of
/// memory.
bool lies_at_distance(const Scalar& value, const Ref<SymVar>& loop, int64_t distance);

/// True when what neighbouring iterations of `loop` load in `value` lies at most `most` elements further on in a row of
/// memory.
bool is_near(const Scalar& value, const Ref<SymVar>& loop, int64_t most);

}  // namespace sunmao
