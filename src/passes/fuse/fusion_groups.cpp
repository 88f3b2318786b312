#include "passes/fuse/fusion_groups.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_set>

#include "ir/equal.h"
#include "ir/walk.h"
#include "loop/walk.h"
#include "passes/fuse/kernel_callee.h"

namespace sunmao {
namespace {

/// True when a kernel writes as many elements as it reads, in more bytes.
bool widens_elements(const Expr& value) {
  const auto* call = kernel_callee(value) ? find<Call>(value) : nullptr;
  const auto* args = call ? find<Tuple>(call->args[1]) : nullptr;
  const auto* result = find<TensorType>(value->type);
  if (!args || !result || !result->shape) return false;
  bool is_wider = false;
  for (const Expr& arg : args->fields) {
    const auto* operand = find<TensorType>(arg->type);
    if (!operand || !operand->shape || !structural_equal(operand->shape, result->shape)) continue;
    if (operand->dtype.bits >= result->dtype.bits) return false;
    is_wider = true;
  }
  return is_wider;
}

class ComputedPlaces final : public StmtVisitor {
 public:
  bool found = false;

 private:
  void visit_scalar(const Scalar& s) override {
    visit_all(s, [&](const Scalar& part) {
      const auto* load = find<BufferLoad>(part);
      for (size_t i = 0; load && i < load->indices.size(); ++i)
        visit_all(load->indices[i], [&](const Scalar& index) {
          const auto* cast = find<Cast>(index);
          found = found || (cast && cast->dtype.is_int() && cast->value->dtype.is_float());
        });
    });
  }
};

/// True when a kernel computes from floats which elements it reads.
bool computes_places(const Module& module, const Expr& value) {
  const GlobalVar* callee = kernel_callee(value);
  const Ref<PrimFunc> kernel = callee ? module.find_as<PrimFunc>(callee->name) : nullptr;
  if (!kernel) return false;
  ComputedPlaces places;
  places.visit(kernel->body);
  return places.found;
}

// The bindings of a block, their patterns and consumers.
struct Graph {
  std::vector<OpPattern> patterns;
  std::vector<std::vector<size_t>> consumers;
  std::vector<bool> widens;
  std::vector<bool> stays_apart;  // from injective kernels

  Graph(const Module& module, const BindingBlock& block, const FusionLimits& limits)
      : consumers(block.bindings.size()) {
    const BindingNeeds needs(block.bindings, limits.definers);
    for (size_t at = 0; at < block.bindings.size(); ++at) {
      patterns.push_back(pattern_of(module, block.bindings[at], limits));
      widens.push_back(widens_elements(block.bindings[at].value));
      stays_apart.push_back(limits.keeps_computed_places_apart && patterns.back() == OpPattern::Injective &&
                            computes_places(module, block.bindings[at].value));
      for (size_t needed : needs.of(at)) consumers[needed].push_back(at);
    }
  }

 private:
  static OpPattern pattern_of(const Module& module, const Binding& b, const FusionLimits& limits) {
    if (b.is_match_cast()) return OpPattern::Opaque;
    if (const auto* item = find<TupleGetItem>(b.value)) {
      const bool is_packed = std::ranges::find(limits.packed, find_ref<Var>(item->tuple)) != limits.packed.end();
      return is_packed ? OpPattern::Opaque : OpPattern::Injective;
    }
    return operands_of(b.value) > limits.max_operands ? OpPattern::Opaque : pattern_of_call(module, b.value);
  }
  static size_t operands_of(const Expr& value) {
    const auto* call = kernel_callee(value) ? find<Call>(value) : nullptr;
    const auto* args = call ? find<Tuple>(call->args[1]) : nullptr;
    return args ? args->fields.size() : 0;
  }
};

// The immediate post-dominator of each binding, and the most restricted pattern on the paths to it. Ancestors are found
// in logarithmic time, by jumps over as many of them as the depth alone decides (Myers, "An applicative random-access
// stack", 1983).
class PostDominators {
 public:
  struct Node {
    std::optional<size_t> parent;
    size_t depth = 1;
    OpPattern pattern = OpPattern::Opaque;
    std::optional<size_t> jump = {};             // an ancestor
    OpPattern jump_pattern = OpPattern::Opaque;  // on the paths to that
  };

  PostDominators(const Graph& graph, const BindingBlock& block) : nodes_(graph.patterns.size()) {
    for (size_t i = nodes_.size(); i-- > 0;)
      if (block.bindings[i].var->is_dataflow) nodes_[i] = node_over(graph, graph.consumers[i]);
  }
  const Node& operator[](size_t i) const { return nodes_[i]; }

 private:
  Node node_over(const Graph& graph, const std::vector<size_t>& consumers) const {
    Node node{.parent = {}, .depth = 1, .pattern = OpPattern::Elementwise};
    for (size_t c : consumers) {
      node.parent = c == consumers[0] ? c : common_ancestor(node.parent, c, node.pattern);
      node.pattern = std::max(node.pattern, graph.patterns[c]);
    }
    if (node.parent) put_under(nodes_[*node.parent], node);
    return node;
  }

  void put_under(const Node& parent, Node& node) const {
    node.depth = parent.depth + 1;
    node.jump = node.parent;
    node.jump_pattern = node.pattern;
    if (!parent.jump) return;
    const Node& over = nodes_[*parent.jump];
    const size_t next = over.jump ? nodes_[*over.jump].depth : 0;
    if (parent.depth - over.depth != over.depth - next) return;
    node.jump = over.jump;
    node.jump_pattern = std::max({node.pattern, parent.jump_pattern, over.jump_pattern});
  }

  std::optional<size_t> common_ancestor(std::optional<size_t> a, std::optional<size_t> b, OpPattern& pattern) const {
    const auto depth = [&](const std::optional<size_t>& at) { return at ? nodes_[*at].depth : 0; };
    const auto jump = [&](std::optional<size_t>& at) {
      pattern = std::max(pattern, nodes_[*at].jump_pattern);
      at = nodes_[*at].jump;
    };
    const auto climb = [&](std::optional<size_t>& at) {
      pattern = std::max(pattern, nodes_[*at].pattern);
      at = nodes_[*at].parent;
    };
    const auto rise_to = [&](std::optional<size_t>& at, size_t level) {
      while (depth(at) > level)
        if (depth(nodes_[*at].jump) >= level)
          jump(at);
        else
          climb(at);
    };
    if (!a || !b) return std::nullopt;
    rise_to(a, depth(b));
    rise_to(b, depth(a));
    while (a != b)
      if (nodes_[*a].jump != nodes_[*b].jump) {
        jump(a);
        jump(b);
      } else {
        climb(a);
        climb(b);
      }
    return a;
  }

  std::vector<Node> nodes_;
};

class PatternGrouping {
 public:
  PatternGrouping(const Graph& graph, const PostDominators& dominators, size_t max_members)
      : graph_(graph), dominators_(dominators), max_members_(max_members) {
    for (size_t i = 0; i < graph.patterns.size(); ++i)
      groups_.push_back({i, 1, graph.patterns[i], graph.patterns[i] == OpPattern::OutputFusible});
  }

  std::vector<std::vector<size_t>> run() {
    // What widens elements joins its consumers before its operand: memory between two kernels holds the narrow ones.
    std::vector<size_t> widened;
    for (size_t i = 0; i < groups_.size(); ++i) {
      const std::optional<size_t> sink = dominators_[i].parent;
      if (sink && graph_.widens[*sink])
        widened.push_back(i);
      else if (sink)
        try_fuse(i, *sink, Phase::Products);
    }
    for (size_t i : widened) try_fuse(i, *dominators_[i].parent, Phase::Products);
    for (size_t i = 0; i < groups_.size(); ++i)
      if (dominators_[i].parent) try_fuse(i, *dominators_[i].parent, Phase::Injective);
    std::map<size_t, std::vector<size_t>> by_root;
    for (size_t i = 0; i < groups_.size(); ++i) by_root[root_of(i)].push_back(i);
    std::vector<std::vector<size_t>> found;
    for (auto& [root, members] : by_root)
      if (members.size() > 1) found.push_back(std::move(members));
    return found;
  }

 private:
  // Products find their consumers before injective ones join other groups.
  enum class Phase : uint8_t { Products, Injective };
  struct Group {
    size_t parent;  // a group that is no root is part of the parent's
    size_t members;
    OpPattern pattern;  // of the binding, or of the product that was merged with it
    bool has_product;
  };

  size_t root_of(size_t i) {
    while (groups_[i].parent != i) i = groups_[i].parent = groups_[groups_[i].parent].parent;
    return i;
  }
  OpPattern group_pattern(size_t i) { return groups_[root_of(i)].pattern; }

  void try_fuse(size_t source, size_t sink, Phase phase) {
    const OpPattern own = groups_[source].pattern, path = dominators_[source].pattern;
    if (own == OpPattern::Opaque || own == OpPattern::Reduction || root_of(source) == root_of(sink)) return;
    if (own == OpPattern::OutputFusible) {
      if (phase == Phase::Products && path == OpPattern::Elementwise)
        fuse(source, sink, OpPattern::Broadcast, OpPattern::Broadcast);
    } else if (own == OpPattern::Injective) {
      const bool are_apart =
          graph_.patterns[sink] == OpPattern::Injective && (graph_.stays_apart[source] || graph_.stays_apart[sink]);
      if (phase == Phase::Injective && !are_apart) fuse(source, sink, OpPattern::Injective, OpPattern::Injective);
    } else if (path <= OpPattern::Reduction) {
      fuse(source, sink, OpPattern::Injective, OpPattern::OutputFusible);
    }
  }

  // Merges the groups of `source` and of all bindings between it and `sink` with that of `sink`, if their patterns are
  // at most `between` and `last`.
  void fuse(size_t source, size_t sink, OpPattern between, OpPattern last) {
    if (group_pattern(sink) > last) return;
    if (groups_[root_of(source)].has_product && groups_[root_of(sink)].has_product) return;
    std::vector<size_t> path{source};
    std::unordered_set<size_t> seen{source, sink};
    size_t members = groups_[root_of(sink)].members + groups_[source].members;
    for (size_t next = 0; next < path.size(); ++next)
      for (size_t c : graph_.consumers[path[next]]) {
        if (!seen.insert(c).second) continue;
        members += groups_[c].members;
        if (group_pattern(c) > between || members > max_members_) return;
        path.push_back(c);
      }
    if (members > max_members_) return;
    for (size_t i : path) merge(root_of(i), root_of(sink));
  }

  void merge(size_t child, size_t into) {
    if (child == into) return;
    Group &from = groups_[child], &to = groups_[into];
    from.parent = into;
    to.members += from.members;
    if (!from.has_product) return;
    to.has_product = true;
    to.pattern = std::max(from.pattern, to.pattern);
  }

  const Graph& graph_;
  const PostDominators& dominators_;
  const size_t max_members_;
  std::vector<Group> groups_;
};

}  // namespace

OpPattern pattern_of_call(const Module& module, const Expr& call) {
  const GlobalVar* callee = kernel_callee(call);
  const Ref<PrimFunc> kernel = callee ? module.find_as<PrimFunc>(callee->name) : nullptr;
  const int64_t* n = kernel ? kernel->attrs.find<int64_t>(kOpPattern) : nullptr;
  const bool is_known = n && *n >= 0 && *n <= static_cast<int64_t>(OpPattern::OutputFusible);
  return is_known ? static_cast<OpPattern>(*n) : OpPattern::Opaque;
}

std::vector<std::vector<Binding>> fusion_groups(const Module& module, const BindingBlock& block,
                                                const FusionLimits& limits) {
  const Graph graph(module, block, limits);
  const PostDominators dominators(graph, block);
  std::vector<std::vector<Binding>> groups;
  for (const std::vector<size_t>& members : PatternGrouping(graph, dominators, limits.max_members).run()) {
    std::vector<Binding>& group = groups.emplace_back();
    for (size_t i : members) group.push_back(block.bindings[i]);
  }
  return groups;
}

}  // namespace sunmao
