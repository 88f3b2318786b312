#include "passes/layout/layout_regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "passes/layout/layout_graph.h"
#include "passes/layout/minimum_cut.h"

namespace sunmao {
namespace {

using Tensor = LayoutGraph::Tensor;

// The nodes on the source's side of the cut have their channels last.
std::vector<bool> cheapest(const LayoutGraph& graph) {
  MinimumCut cut;
  for (const LayoutGraph::Node& n : graph.nodes) cut.cost(cut.node(), n.costs.last, n.costs.first);
  for (const Tensor& t : graph.tensors) {
    std::vector<int> readers = t.readers;
    readers.insert(readers.end(), t.copying_readers.begin(), t.copying_readers.end());
    if (readers.empty() && t.producer < 0) continue;
    // One transpose to the program's order serves all who read that.
    const bool may_lie_first = t.producer < 0 && t.to_first == 0;
    if (t.is_read_as_given && t.producer >= 0) cut.cost(t.producer, t.to_first, 0);
    if (!t.is_read_as_given && !may_lie_first) {
      const int is_not_needed = cut.node();
      if (t.producer < 0)
        cut.cost(is_not_needed, 0, t.to_first);
      else
        cut.cost_between(t.producer, is_not_needed, t.to_first);
      for (int reader : readers) cut.cost_between(is_not_needed, reader, MinimumCut::kNever);
    }
    const auto pays_if_last = [&](int node, int64_t transpose) {
      if (t.producer < 0)
        cut.cost(node, transpose, 0);
      else
        cut.cost_between(node, t.producer, transpose);
    };
    for (int reader : t.copying_readers) pays_if_last(reader, LayoutGraph::copying(t.to_last));
    if (t.readers.empty()) continue;
    const int is_needed = cut.node();
    pays_if_last(is_needed, t.to_last);
    for (int reader : t.readers) cut.cost_between(reader, is_needed, MinimumCut::kNever);
  }
  std::vector<bool> sides = cut.solve();
  sides.resize(graph.nodes.size());
  return sides;
}

// What calls and the transposes between them take.
struct Steps {
  int64_t kernels = 0, moves = 0;
  int transposes = 0;
  int64_t total() const { return kernels + moves; }
  void move(int64_t cost) {
    moves += cost;
    transposes += cost > 0 ? 1 : 0;
  }
};

void add_moves(const Tensor& t, const std::vector<bool>& is_last, Steps& steps) {
  const auto any = [&](const std::vector<int>& readers, bool wanted) {
    return std::ranges::any_of(readers, [&](int r) { return is_last[static_cast<size_t>(r)] == wanted; });
  };
  const bool lies_last = t.producer >= 0 && is_last[static_cast<size_t>(t.producer)];
  const bool lies_first = t.producer >= 0 && !lies_last;
  if (!lies_first && (t.is_read_as_given || any(t.readers, false) || any(t.copying_readers, false)))
    steps.move(t.to_first);
  if (lies_last) return;
  if (any(t.readers, true)) steps.move(t.to_last);
  for (int reader : t.copying_readers)
    if (is_last[static_cast<size_t>(reader)]) steps.move(LayoutGraph::copying(t.to_last));
}

// Nodes that tensors connect.
class Regions {
 public:
  explicit Regions(const LayoutGraph& graph) : parent_(graph.nodes.size()) {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (const Tensor& t : graph.tensors) {
      const std::vector<int> nodes = nodes_of(t);
      for (int node : nodes) parent_[static_cast<size_t>(find(node))] = find(nodes.front());
    }
  }
  int find(int node) {
    while (parent_[static_cast<size_t>(node)] != node) node = parent_[static_cast<size_t>(node)];
    return node;
  }
  static std::vector<int> nodes_of(const Tensor& t) {
    std::vector<int> nodes = t.readers;
    nodes.insert(nodes.end(), t.copying_readers.begin(), t.copying_readers.end());
    if (t.producer >= 0) nodes.push_back(t.producer);
    return nodes;
  }

 private:
  std::vector<int> parent_;
};

std::string amount(int64_t steps) {
  if (steps < 1'000) return fmt::format("{}", steps);
  const auto thousands = static_cast<double>(steps) / 1e3;
  if (steps < 1'000'000) return fmt::format("{:.1f} thousand", thousands);
  return fmt::format("{:.{}f} million", thousands / 1e3, steps < 100'000'000 ? 2 : 0);
}

std::string told(const Steps& s) {
  std::string out = amount(s.kernels) + " steps";
  if (s.transposes > 0)
    out += fmt::format(" and {} for {} transpose{}", amount(s.moves), s.transposes, s.transposes == 1 ? "" : "s");
  return out;
}

class Explainer {
 public:
  Explainer(const LayoutGraph& graph, const std::vector<bool>& chosen) : graph_(graph), chosen_(chosen) {}

  std::vector<std::string> run() {
    Regions regions(graph_);
    std::map<int, std::vector<int>> members;  // by the first node of the region
    std::map<int, int> firsts;
    for (int i = 0; i < static_cast<int>(graph_.nodes.size()); ++i)
      members[firsts.emplace(regions.find(i), i).first->second].push_back(i);
    std::vector<std::string> out;
    for (const auto& [first, nodes] : members) out.push_back(line(nodes));
    return out;
  }

 private:
  Steps steps(const std::vector<int>& nodes, const std::vector<bool>& is_last) const {
    Steps out;
    for (int i : nodes) {
      const LayoutCosts& costs = graph_.nodes[static_cast<size_t>(i)].costs;
      out.kernels += is_last[static_cast<size_t>(i)] ? costs.last : costs.first;
    }
    for (const Tensor& t : graph_.tensors) {
      const std::vector<int> own = Regions::nodes_of(t);
      if (!own.empty() && std::ranges::binary_search(nodes, own.front())) add_moves(t, is_last, out);
    }
    return out;
  }

  std::string line(const std::vector<int>& nodes) const {
    const auto is_conv = [&](int i) { return graph_.nodes[static_cast<size_t>(i)].call->attrs.has("kernel_layout"); };
    const auto is_last = [&](int i) { return chosen_[static_cast<size_t>(i)]; };
    const auto convs = std::ranges::count_if(nodes, is_conv), last = std::ranges::count_if(nodes, is_last);
    const auto total = static_cast<std::ptrdiff_t>(nodes.size());
    const std::vector<bool> all(graph_.nodes.size(), true), none(graph_.nodes.size(), false);
    std::string out = fmt::format(
        "`{}` to `{}`, {} call{} with {} convolution{}: {} in the program's layout, {} with "
        "channels last",
        name_of(nodes.front()), name_of(nodes.back()), total, total == 1 ? "" : "s", convs, convs == 1 ? "" : "s",
        told(steps(nodes, none)), told(steps(nodes, all)));
    if (last == total) return out + "; channels last" + note();
    if (last == 0) return out + "; the program's layout" + note();
    return out +
           fmt::format(", {} with channels last for {} call{}; the latter", told(steps(nodes, chosen_)), last,
                       last == 1 ? "" : "s") +
           note();
  }

  std::string note() const {
    return graph_.has_assumed ? fmt::format(" (sizes that a run says count as {})", kAssumedSize) : "";
  }
  const std::string& name_of(int node) const { return graph_.nodes[static_cast<size_t>(node)].var->name; }

  const LayoutGraph& graph_;
  const std::vector<bool>& chosen_;
};

}  // namespace

std::unordered_set<Ref<Var>> calls_that_stay(const Function& f, const LayoutPlans& plans,
                                             const std::unordered_set<Ref<Var>>& free_to_read,
                                             const std::function<void(const std::string& line)>& tell) {
  const LayoutGraph graph(f, plans, free_to_read);
  const std::vector<bool> is_last = cheapest(graph);
  if (tell)
    for (const std::string& line : Explainer(graph, is_last).run()) tell(line);
  std::unordered_set<Ref<Var>> out;
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (!is_last[i]) out.insert(graph.nodes[i].var);
  return out;
}

}  // namespace sunmao
