// A choice between two sides for each of many nodes, with the least total cost: a minimum cut (Dinic's algorithm).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sunmao {

class MinimumCut {
 public:
  /// A cost that no cut should pay.
  static constexpr int64_t kNever = int64_t{1} << 50;

  /// Returns a new node.
  int node();
  int count() const { return static_cast<int>(edges_.size()) - 2; }
  /// Adds costs of a node: of being on the source's side, and of being on the sink's.
  void cost(int node, int64_t at_source, int64_t at_sink);
  /// Adds a cost that is paid when `from` is on the source's side and `to` on the sink's.
  void cost_between(int from, int to, int64_t cost);

  /// Returns for each node whether it is on the source's side in the cut of the least cost; of several such cuts, in
  /// the one with the most nodes there.
  std::vector<bool> solve();

 private:
  struct Edge {
    int to;
    int64_t left;    // capacity that is left
    size_t reverse;  // the position of the reverse edge among those of `to`
  };
  static constexpr int kSource = 0, kSink = 1;
  void add_edge(int from, int to, int64_t capacity);
  bool find_levels();
  int64_t push();

  std::vector<std::vector<Edge>> edges_ = std::vector<std::vector<Edge>>(2);
  std::vector<int> level_;
  std::vector<size_t> next_;
};

}  // namespace sunmao
