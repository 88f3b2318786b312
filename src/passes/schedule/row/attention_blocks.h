// Blocking of attention: tiles for registers, blocks of keys for caches.
#pragma once
#include <utility>

#include "passes/schedule/row/attention.h"
#include "target/target.h"

namespace sunmao {

struct AttentionBlocks {
  int64_t lanes, panel;          // queries of a vector, and of the two vectors of a panel
  int64_t rows;                  // of a tile: keys in the first product, queries in the second
  int64_t keys;                  // of a block
  bool is_single;                // there is one block
  int64_t panels;                // of a task
  Scalar groups;                 // tasks of a head
  int64_t width, columns, wide;  // elements of a key and of a value, and these up to a vector
  bool has_words;                // steps of both products take two bfloat16
  int64_t steps;                 // of the first product
};

/// Sizes of an attention; 0 where only a run knows one.
struct AttentionSizes {
  int64_t queries, keys, width, columns;
  DType dtype;            // of the sums
  bool has_bias_of_rows;  // scores use elements of other tensors that depend on the query
};
/// True when `choose_blocks` cuts an attention of these sizes, on any machine.
bool suits_blocks(const AttentionSizes& sizes);
bool suits_blocks(const Attention& a);

/// What a plan asks for in place of what costs choose; 0: what these choose.
struct BlocksWish {
  int64_t keys = 0;    // the most of a block
  int64_t panels = 0;  // the most of a task
};

/// Returns how to cut an attention whose sizes suit.
AttentionBlocks choose_blocks(const Attention& a, const Target& target, const BlocksWish& wish = {});

/// Returns the first attention of a function whose sizes suit.
std::optional<Attention> find_attention(const PrimFunc& func, const RootBody& root);

/// Returns a condition that holds when a query between two sees a key between two; null where there is none.
Scalar may_see(const Attention& a, const std::pair<Scalar, Scalar>& queries, const std::pair<Scalar, Scalar>& keys);

}  // namespace sunmao
