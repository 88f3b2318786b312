// The dominator tree of the basic blocks of code with forward jumps only, built block by block in program order.
#pragma once
#include <cstdint>
#include <vector>

namespace sunmao::runtime {

/// Each node has a jump pointer to an ancestor, often a distant one, so that queries take logarithmic time in a tree of
/// any depth.
class DominatorTree {
 public:
  static constexpr uint32_t kRoot = 0;
  DominatorTree() { nodes_.push_back({kRoot, kRoot, 0}); }

  /// Adds a basic block whose immediate dominator is `parent`; returns its index.
  uint32_t add(uint32_t parent) {
    const Node& p = nodes_[parent];
    const Node& j = nodes_[p.jump];
    const bool same_step = p.depth - j.depth == j.depth - nodes_[j.jump].depth;
    nodes_.push_back({parent, same_step ? j.jump : parent, p.depth + 1});
    return static_cast<uint32_t>(nodes_.size() - 1);
  }

  /// Returns the nearest common dominator of two blocks.
  uint32_t common(uint32_t a, uint32_t b) const {
    if (nodes_[a].depth > nodes_[b].depth) a = ancestor(a, nodes_[b].depth);
    if (nodes_[b].depth > nodes_[a].depth) b = ancestor(b, nodes_[a].depth);
    while (a != b) {
      const bool far = nodes_[a].jump != nodes_[b].jump;
      a = far ? nodes_[a].jump : nodes_[a].parent;
      b = far ? nodes_[b].jump : nodes_[b].parent;
    }
    return a;
  }

  bool dominates(uint32_t a, uint32_t b) const {
    return nodes_[a].depth <= nodes_[b].depth && ancestor(b, nodes_[a].depth) == a;
  }

 private:
  struct Node {
    uint32_t parent;
    uint32_t jump;
    uint32_t depth;
  };

  uint32_t ancestor(uint32_t node, uint32_t depth) const {
    while (nodes_[node].depth > depth)
      node = nodes_[nodes_[node].jump].depth >= depth ? nodes_[node].jump : nodes_[node].parent;
    return node;
  }

  std::vector<Node> nodes_;
};

}  // namespace sunmao::runtime
