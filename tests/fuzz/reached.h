// Counts which converters the inputs of a fuzzer reach.
#pragma once
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "frontend/node_account.h"

namespace sunmao::fuzz {

class Reached {
 public:
  /// `rows` are the ops of all converters.
  explicit Reached(std::set<std::string> rows) : rows_(std::move(rows)) {}

  void begin() { is_reached_ = false; }
  void add(const std::vector<NodeAccount>& nodes) {
    for (const NodeAccount& node : nodes) {
      if (!rows_.contains(node.op)) continue;
      is_reached_ = true;
      ops_.insert(node.op);
    }
  }
  bool last() const { return is_reached_; }
  void report() const {
    std::printf("%zu of %zu ops with a converter were reached\n", ops_.size(), rows_.size());
    for (const std::string& row : rows_)
      if (!ops_.contains(row)) std::printf("  not reached: %s\n", row.c_str());
  }

 private:
  std::set<std::string> rows_, ops_;
  bool is_reached_ = false;
};

}  // namespace sunmao::fuzz
