// The weight of a recurrent layer within a kernel, and its product with the states of a few sequences.
#pragma once
#include "ops/lowering.h"

namespace sunmao {

/// Sequences that take a step together: each reads all of the weight, so a few of them share that. A task of the kernel
/// has `members` of them; the last one may have fewer, one of the numbers `rest`.
struct SequenceGroups {
  int64_t members = 1;
  std::vector<int64_t> rest;
  Scalar count;  // of groups
};
/// Divides a batch into groups. Sequences of an unknown hidden size take their steps alone.
SequenceGroups sequence_groups(const Scalar& batch, const Scalar& hidden);

class RecurrentWeight {
 public:
  /// `given` has the shape (gates * hidden, hidden); sums have the dtype `wide`.
  RecurrentWeight(Ref<Buffer> given, DType wide) : given_(std::move(given)), wide_(wide), size_(given_->shape[1]) {}

  /// Stores the weight in panels, which products read from there on: the rows of each are next to each other in every
  /// column, and columns follow each other. No panel crosses a multiple of `gates` gates. What is left of these is a
  /// narrower panel. Weights of an unknown or a small hidden size stay as they are.
  void store_panels(KernelBuilder& builder, const SequenceGroups& groups, int64_t gates);

  /// The buffer that products read.
  const Ref<Buffer>& buffer() const { return panels_ ? panels_ : given_; }

  /// target[m, j] = weight[j] * source[m], for the sequences m below `members` and the rows j of `count` gates from
  /// gate `first` on. Threads divide the rows of a loop of kind `tasks`.
  struct Part {
    int64_t first, count, members;
    ForKind tasks;
  };
  Stmt multiply(const Ref<Buffer>& source, const Ref<Buffer>& target, const Part& part) const;

 private:
  /// Rows from `start` on: `panels` panels of `width` rows.
  struct Tile {
    Scalar start;
    int64_t width, panels, members;
  };
  Stmt multiply_panels(const Ref<Buffer>& source, const Ref<Buffer>& target, const Part& part) const;
  Stmt multiply_tile(const Ref<Buffer>& source, const Ref<Buffer>& target, const Tile& tile) const;
  Stmt multiply_given(const Ref<Buffer>& source, const Ref<Buffer>& target, const Part& part) const;

  /// Turns of some rows each, from row `start` on.
  struct Rows {
    Scalar start, turns;
    int64_t together;
  };
  Stmt dot_products(const Ref<Buffer>& source, const Ref<Buffer>& target, int64_t members, const Rows& rows) const;

  Ref<Buffer> given_, panels_;  // no panels where the weight is read as it was given
  DType wide_;
  Scalar size_;                   // the hidden size
  int64_t width_ = 0, part_ = 0;  // rows of a panel, and those that no panel leaves
};

/// The lanes of a vector where sizes are known: one register of AVX-512, two of AVX2.
inline constexpr int64_t kRecurrentLanes = 16;

/// Emits body(l) for the lanes l of a vector.
Stmt vector_of(int64_t lanes, const std::function<Stmt(const Scalar&)>& body);

/// Emits body(k) for each k below `count`, in vectors where that is known.
Stmt for_each_unit(const Scalar& count, const std::function<Stmt(const Scalar&)>& body);

}  // namespace sunmao
