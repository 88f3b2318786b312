// LayoutGraph: the calls of a function whose layout is to be chosen, and the tensors between them, with the steps that
// each choice takes.
#pragma once
#include <unordered_set>

#include "passes/layout/layout_cost.h"
#include "passes/layout/layout_regions.h"

namespace sunmao {

struct LayoutGraph {
  struct Node {
    Ref<Var> var;
    const Call* call;
    LayoutCosts costs;
  };
  /// A tensor that nodes read or make. Costs are those of transposes.
  struct Tensor {
    int producer = -1;                      // the node that makes it; -1: another binding, or a parameter
    std::vector<int> readers = {};          // nodes that want it with channels last if they have their channels last
    std::vector<int> copying_readers = {};  // those of them that read a copy which may be made from any order
    bool is_read_as_given = false;          // by others than these, or as a result
    int64_t to_first = 0;                   // from where it lies, or is made with channels last, to the program's order
    int64_t to_last = 0;
  };
  /// The share of a transpose that a copying reader pays for.
  static int64_t copying(int64_t transpose) { return transpose / 4; }

  std::vector<Node> nodes;
  std::vector<Tensor> tensors;
  bool has_assumed = false;  // a size of a run was assumed

  LayoutGraph(const Function& f, const LayoutPlans& plans, const std::unordered_set<Ref<Var>>& free_to_read);
};

}  // namespace sunmao
