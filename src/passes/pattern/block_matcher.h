// Matching a graph of patterns against the bindings of a block.
#pragma once
#include "passes/pattern/matcher.h"

namespace sunmao {

/// What `producer` stands for is read by what `consumer` stands for: as its operand of that index, or as any. With
/// `is_only` nothing else reads it.
struct PatternUse {
  Ref<Pattern> producer, consumer;
  int operand = kAnyIndex;
  bool is_only = false;
};

struct PatternGraph {
  std::vector<PatternUse> uses;
  /// Groups of patterns that stand for tensors of provably the same shape.
  std::vector<std::vector<Ref<Pattern>>> same_shape;
};

/// Variables for the patterns that the graph names, each for one; an operand that is no variable stands for itself.
/// The first match in the order of the bindings, or nothing. Patterns are matched each on its own: what ties them
/// together is the graph.
std::optional<Matches> match_block(const PatternGraph& graph, const BindingBlock& block);

}  // namespace sunmao
