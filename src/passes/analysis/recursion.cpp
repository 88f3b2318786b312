#include "passes/analysis/recursion.h"

#include <ranges>

#include "passes/analysis/variables.h"

namespace sunmao {
namespace {

using Edges = std::vector<std::vector<size_t>>;

// Returns the vertices in post-order of an iterative depth-first search.
std::vector<size_t> post_order(const Edges& edges) {
  std::vector<size_t> order, next(edges.size(), 0);
  std::vector<bool> seen(edges.size(), false);
  for (size_t root = 0; root < edges.size(); ++root) {
    if (seen[root]) continue;
    std::vector<size_t> stack{root};
    seen[root] = true;
    while (!stack.empty()) {
      size_t at = stack.back();
      if (next[at] == edges[at].size()) {
        order.push_back(at);
        stack.pop_back();
        continue;
      }
      size_t to = edges[at][next[at]++];
      if (seen[to]) continue;
      seen[to] = true;
      stack.push_back(to);
    }
  }
  return order;
}

// Kosaraju's algorithm: in reverse post-order, the unassigned vertices that reach a root form its component.
std::vector<size_t> components(const Edges& edges) {
  Edges reversed(edges.size());
  for (size_t from = 0; from < edges.size(); ++from)
    for (size_t to : edges[from]) reversed[to].push_back(from);
  constexpr size_t kNone = static_cast<size_t>(-1);
  std::vector<size_t> component(edges.size(), kNone);
  std::vector<size_t> order = post_order(edges);
  for (size_t root : std::views::reverse(order)) {
    std::vector<size_t> work{root};
    while (!work.empty()) {
      size_t at = work.back();
      work.pop_back();
      if (component[at] != kNone) continue;
      component[at] = root;
      work.insert(work.end(), reversed[at].begin(), reversed[at].end());
    }
  }
  return component;
}

}  // namespace

std::vector<std::vector<Ref<GlobalVar>>> detect_recursion(const Module& module) {
  std::vector<FunctionEntry> nodes;
  std::unordered_map<std::string, size_t> index;
  for (const FunctionEntry& e : module.functions())
    if (find<Function>(Expr(e.func))) {
      index[e.var->name] = nodes.size();
      nodes.push_back(e);
    }
  Edges edges(nodes.size());
  std::vector<bool> in_circle(nodes.size(), false);
  for (size_t i = 0; i < nodes.size(); ++i)
    for (const Ref<GlobalVar>& g : all_global_vars(Expr(nodes[i].func)))
      if (auto it = index.find(g->name); it != index.end()) {
        edges[i].push_back(it->second);
        in_circle[i] = in_circle[i] || it->second == i;
      }
  std::vector<size_t> component = components(edges);
  std::unordered_map<size_t, size_t> sizes, group_of;
  for (size_t c : component) ++sizes[c];
  std::vector<std::vector<Ref<GlobalVar>>> groups;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!in_circle[i] && sizes[component[i]] < 2) continue;
    auto [it, inserted] = group_of.try_emplace(component[i], groups.size());
    if (inserted) groups.emplace_back();
    groups[it->second].push_back(nodes[i].var);
  }
  return groups;
}

}  // namespace sunmao
