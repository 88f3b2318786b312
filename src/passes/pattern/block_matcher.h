// Matching of a graph of patterns against the bindings of a block.
#pragma once
#include "passes/pattern/matcher.h"

namespace sunmao {

/// Requires that the match of `producer` is an operand of the match of `consumer`: the one of index `operand` (for a
/// commutative op, either), or any. With `is_only` the match of `producer`, if it is a variable, has no other consumer
/// and does not leave the block.
struct PatternUse {
  Ref<Pattern> producer, consumer;
  int operand = kAnyIndex;
  bool is_only = false;
};

struct PatternGraph {
  std::vector<PatternUse> uses;
  /// Groups of patterns whose matches must be tensors of provably equal shape.
  std::vector<std::vector<Ref<Pattern>>> same_shape;
};

/// Assigns a distinct variable to each pattern of the graph; an operand that is not a variable is assigned itself.
/// Returns the first solution that the search finds. Patterns are matched independently, related only by the graph.
std::optional<Matches> match_block(const PatternGraph& graph, const BindingBlock& block);

}  // namespace sunmao
