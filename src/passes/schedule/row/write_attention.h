// The schedule of attention. Threads take groups of queries of a head, and pass over the keys in blocks: scores are
// computed for a block alone, relative to the greatest score so far, by which the sums are scaled when it grows (online
// softmax). Vectors hold queries in the first product and elements of values in the second.
#pragma once
#include "passes/schedule/row/attention_blocks.h"
#include "target/target.h"

namespace sunmao {

/// Returns the statements of an attention as one.
Stmt write_attention(const Attention& a, const AttentionBlocks& blocks, const Target& target);

}  // namespace sunmao
