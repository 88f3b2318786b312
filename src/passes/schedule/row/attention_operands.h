// The packed operands of attention: queries of a task, keys and values of a block. Where steps take two bfloat16, an
// element is a word of two: those of a key, or those of two keys that stand at the same place of their values.
#pragma once
#include <functional>

#include "passes/loop/buffer_views.h"
#include "passes/schedule/row/attention_blocks.h"

namespace sunmao {

class AttentionOperands {
 public:
  AttentionOperands(const Attention& a, const AttentionBlocks& b, const Target& target, BufferViews& views);

  /// Keys from `first` on.
  struct Keys {
    Scalar first, count;
  };
  const Scalar rows, keys;  // of all
  /// (panel, element, query): vectors hold the same element of several queries.
  const Ref<Buffer> queries;
  /// Keys one behind the other, or in tiles that hold the same element of several; `key_of` tells.
  const Ref<Buffer> key_block;
  const Ref<Buffer> value_block;  // (key, element)

  Stmt copy_queries(const Scalar& first_row, const Scalar& panels) const;
  Stmt copy_keys(const Keys& block) const;
  Stmt copy_values(const Keys& block) const;
  /// Returns the element `d` of the key `r` of a tile.
  Scalar key_of(const Scalar& tile, const Scalar& r, const Scalar& d) const;

  /// Returns an element at a query and a key.
  Scalar at(const Scalar& element, const Scalar& row, const Scalar& key) const;
  /// Returns an index, or the last one of `count` where that may lie before it.
  static Scalar at_most(const Scalar& index, const Scalar& count, int64_t step);
  /// True when all tiles of keys are full.
  bool has_full_tiles() const;

 private:
  Stmt copy(const Ref<Buffer>& to, const Scalar& count, const Attention::Loop& columns,
            const std::function<Scalar(const Scalar& row)>& element) const;
  /// Returns the element of a query or key by its number.
  Scalar element_of(const Scalar& operand, const Scalar& number) const;
  /// Returns bfloat16 as the low half of a word.
  Scalar half(const Scalar& x) const;
  Scalar pair_of_values(const Keys& block, const Scalar& pair) const;
  Stmt copy_key_tiles(const Keys& block) const;
  Stmt copy_key_lane(const Keys& block, const Scalar& t, const Scalar& d) const;

  const Attention& a_;
  const AttentionBlocks& b_;
  const Target& target_;
  BufferViews& views_;
};

/// Makes a temporary.
Ref<Buffer> local_buffer(const std::string& name, DType dtype, const std::vector<int64_t>& sizes);

}  // namespace sunmao
