#include "passes/layout/minimum_cut.h"

#include <algorithm>

namespace sunmao {

int MinimumCut::node() {
  edges_.emplace_back();
  return count() - 1;
}

void MinimumCut::cost(int node, int64_t at_source, int64_t at_sink) {
  add_edge(node + 2, kSink, at_source);
  add_edge(kSource, node + 2, at_sink);
}

void MinimumCut::cost_between(int from, int to, int64_t cost) { add_edge(from + 2, to + 2, cost); }

void MinimumCut::add_edge(int from, int to, int64_t capacity) {
  if (capacity <= 0) return;
  auto &out = edges_[static_cast<size_t>(from)], &in = edges_[static_cast<size_t>(to)];
  out.push_back({to, capacity, in.size()});
  in.push_back({from, 0, out.size() - 1});
}

// The distance of each node from the source along edges with capacity left; false when the sink is out of reach.
bool MinimumCut::find_levels() {
  level_.assign(edges_.size(), -1);
  std::vector<int> reached{kSource};
  level_[kSource] = 0;
  for (size_t i = 0; i < reached.size(); ++i)
    for (const Edge& e : edges_[static_cast<size_t>(reached[i])])
      if (e.left > 0 && level_[static_cast<size_t>(e.to)] < 0) {
        level_[static_cast<size_t>(e.to)] = level_[static_cast<size_t>(reached[i])] + 1;
        reached.push_back(e.to);
      }
  return level_[kSink] >= 0;
}

// Pushes flow along one path of growing levels; the path is kept in a list, for graphs are as deep as models.
int64_t MinimumCut::push() {
  std::vector<int> path{kSource};
  int64_t most = kNever;
  std::vector<size_t> taken;
  while (path.back() != kSink) {
    const auto at = static_cast<size_t>(path.back());
    const std::vector<Edge>& out = edges_[at];
    size_t& next = next_[at];
    while (next < out.size() && (out[next].left == 0 || level_[static_cast<size_t>(out[next].to)] != level_[at] + 1))
      ++next;
    if (next < out.size()) {
      taken.push_back(next);
      path.push_back(out[next].to);
    } else {
      path.pop_back();
      if (path.empty()) return 0;
      taken.pop_back();
      ++next_[static_cast<size_t>(path.back())];
    }
  }
  for (size_t i = 0; i < taken.size(); ++i) most = std::min(most, edges_[static_cast<size_t>(path[i])][taken[i]].left);
  for (size_t i = 0; i < taken.size(); ++i) {
    Edge& e = edges_[static_cast<size_t>(path[i])][taken[i]];
    e.left -= most;
    edges_[static_cast<size_t>(e.to)][e.reverse].left += most;
  }
  return most;
}

std::vector<bool> MinimumCut::solve() {
  while (find_levels()) {
    next_.assign(edges_.size(), 0);
    while (push() > 0) {
    }
  }
  // What cannot reach the sink along edges with capacity left is on the source's side.
  std::vector<bool> reaches(edges_.size(), false);
  std::vector<int> list{kSink};
  reaches[kSink] = true;
  for (size_t i = 0; i < list.size(); ++i)
    for (const Edge& e : edges_[static_cast<size_t>(list[i])]) {
      const auto from = static_cast<size_t>(e.to);
      if (!reaches[from] && edges_[from][e.reverse].left > 0) {
        reaches[from] = true;
        list.push_back(e.to);
      }
    }
  std::vector<bool> out;
  for (size_t i = 2; i < edges_.size(); ++i) out.push_back(!reaches[i]);
  return out;
}

}  // namespace sunmao
