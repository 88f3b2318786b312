#include "passes/layout/layout_graph.h"

#include <algorithm>

#include "ops/ops.h"
#include "ops/permutation.h"
#include "passes/analysis/compile_time.h"

namespace sunmao {
namespace {

// Returns the order in which the elements of a permuted tensor lie before they are permuted, in terms of its own axes.
AxisOrder before_permuting(const std::vector<int64_t>& axes) {
  std::vector<AxisOrder::Part> parts(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) parts[static_cast<size_t>(axes[i])] = {static_cast<int>(i)};
  return AxisOrder(std::move(parts));
}

const Call* find_permute(const Expr& e) {
  const auto* call = find<Call>(e);
  const Op* op = call ? op_of(*call) : nullptr;
  return op && op->name() == "permute_dims" && find<TensorType>(call->type) ? call : nullptr;
}

class GraphBuilder final : public Visitor {
 public:
  GraphBuilder(LayoutGraph& graph, const Function& f, const LayoutPlans& plans,
               const std::unordered_set<Ref<Var>>& free_to_read)
      : graph_(graph), plans_(plans), free_to_read_(free_to_read), sizes_(f) {
    for (const Ref<Var>& v : computable_at_compile_time(f)) known_.insert(v);
  }

  void run(const Function& f) {
    for (const Ref<Var>& p : f.params) define(p, {}, -1);
    Visitor::visit(Expr(f.body));
    graph_.has_assumed = sizes_.has_assumed();
  }

 private:
  using Visitor::visit;
  using Leaves = std::vector<int>;  // numbers of tensors; -1 for what is no tensor of known rank

  // What is known of a tensor besides what the graph says.
  struct Leaf {
    const TensorType* type;
    AxisOrder lies;  // the order in which it is there without a transpose, when no node makes it
    bool is_free;    // it is transposed ahead of time
  };

  void visit(const Binding& b) override {
    if (find<Var>(b.value) || find<Tuple>(b.value) || find<TupleGetItem>(b.value)) {
      leaves_[b.var] = leaves_of(b.value);
      return note_use(b);
    }
    const auto plan = plans_.find(b.var);
    const auto* call = find<Call>(b.value);
    if (plan == plans_.end() || !call || !has_choice(plan->second)) {
      define(b.var, {}, -1, find_permute(b.value));
      if (!free_to_read_.contains(b.var)) read_as_given(b.value);
      return Visitor::visit(b);
    }
    add_node(b, *call, plan->second);
    note_use(b);
  }

  // A variable that is visible outside of its block has the program's layout.
  void note_use(const Binding& b) {
    if (!b.var->is_dataflow) mark_as_given(leaves_[b.var]);
  }

  // An op whose channels are last already may want its weight in another order, and has no choice.
  static bool has_choice(const LayoutPlan& plan) {
    return !plan.result.is_original() || (!plan.args.empty() && !plan.args.front().is_original());
  }

  void add_node(const Binding& b, const Call& call, const LayoutPlan& plan) {
    const int node = static_cast<int>(graph_.nodes.size());
    LayoutCosts costs = layout_costs(call, sizes_);
    if (const Call* permute = find_permute(b.value)) costs = costs_of_permute(*permute, plan);
    graph_.nodes.push_back({b.var, &call, costs});
    for (size_t i = 0; i < call.args.size(); ++i) {
      const ValueLayout wanted = i < plan.args.size() ? plan.args[i] : ValueLayout();
      const Leaves leaves = leaves_of(call.args[i]);
      for (size_t j = 0; j < leaves.size(); ++j) {
        const ValueLayout& own =
            find<TensorType>(call.args[i]->type) || j >= wanted.fields.size() ? wanted : wanted.fields[j];
        read(leaves[j], node, own, i == 0 && copies_its_input(call));
      }
    }
    define(b.var, plan.result, node);
  }

  LayoutCosts costs_of_permute(const Call& permute, const LayoutPlan& plan) {
    const auto& type = *find<TensorType>(permute.type);
    const auto cost = [&](const std::vector<int64_t>& axes) {
      return transpose_cost(type, before_permuting(axes), AxisOrder::original(type.rank), sizes_);
    };
    const auto composed = plan.attrs.find("axes");
    const auto list = composed == plan.attrs.end() ? std::nullopt : composed->second.as_ints();
    return {.first = cost(*permutation_of(permute)), .last = list ? cost(*list) : 0};
  }

  void read(int tensor, int node, const ValueLayout& wanted, bool is_copied) {
    if (tensor < 0) return;
    LayoutGraph::Tensor& t = graph_.tensors[static_cast<size_t>(tensor)];
    if (!wanted.tensor || wanted.is_original()) {
      t.is_read_as_given = true;
      return;
    }
    auto& readers = is_copied ? t.copying_readers : t.readers;
    if (std::ranges::find(readers, node) != readers.end()) return;
    readers.push_back(node);
    const Leaf& leaf = leaf_[static_cast<size_t>(tensor)];
    if (leaf.is_free) return;
    t.to_last = transpose_cost(*leaf.type, leaf.lies, *wanted.tensor, sizes_);
  }

  // Makes a tensor for each leaf of a variable.
  void define(const Ref<Var>& var, const ValueLayout& layout, int producer, const Call* permute = nullptr) {
    Leaves out;
    if (find<TensorType>(var->type)) out.push_back(tensor(var, var->type, layout, producer, permute));
    if (const auto* tuple = find<TupleType>(var->type))
      for (size_t i = 0; i < tuple->fields.size(); ++i)
        out.push_back(tensor(var, tuple->fields[i], i < layout.fields.size() ? layout.fields[i] : ValueLayout(),
                             producer, nullptr));
    leaves_[var] = std::move(out);
  }

  int tensor(const Ref<Var>& var, const Type& type, const ValueLayout& layout, int producer, const Call* permute) {
    const auto* own = find<TensorType>(type);
    if (!own || own->rank == kUnknownRank) return -1;
    const AxisOrder original = AxisOrder::original(own->rank);
    const bool is_made_last = producer >= 0 && layout.tensor && !layout.tensor->is_original();
    Leaf leaf{own, permute ? before_permuting(*permutation_of(*permute)) : original, known_.contains(var)};
    LayoutGraph::Tensor t{.producer = is_made_last ? producer : -1};
    if (!leaf.is_free) t.to_first = transpose_cost(*own, is_made_last ? *layout.tensor : leaf.lies, original, sizes_);
    graph_.tensors.push_back(std::move(t));
    leaf_.push_back(std::move(leaf));
    return static_cast<int>(graph_.tensors.size()) - 1;
  }

  Leaves leaves_of(const Expr& e) {
    if (const auto* tuple = find<Tuple>(e)) {
      Leaves out;
      for (const Expr& field : tuple->fields) {
        const Leaves own = find<TensorType>(field->type) ? leaves_of(field) : Leaves{};
        out.push_back(own.empty() ? -1 : own.front());
      }
      return out;
    }
    if (const auto* item = find<TupleGetItem>(e)) {
      const Leaves all = leaves_of(item->tuple);
      const auto at = static_cast<size_t>(item->index);
      return at < all.size() ? Leaves{all[at]} : Leaves{};
    }
    const auto it = leaves_.find(find_ref<Var>(e));
    return it == leaves_.end() ? Leaves{} : it->second;
  }

  void read_as_given(const Expr& value) {
    for (const Ref<Var>& v : free_vars(value)) mark_as_given(leaves_of(Expr(v)));
  }

  void mark_as_given(const Leaves& leaves) {
    for (int tensor : leaves)
      if (tensor >= 0) graph_.tensors[static_cast<size_t>(tensor)].is_read_as_given = true;
  }

  LayoutGraph& graph_;
  const LayoutPlans& plans_;
  const std::unordered_set<Ref<Var>>& free_to_read_;
  AssumedSizes sizes_;
  std::unordered_set<Ref<Var>> known_;
  std::unordered_map<Ref<Var>, Leaves> leaves_;
  std::vector<Leaf> leaf_;  // by the number of the tensor
};

}  // namespace

LayoutGraph::LayoutGraph(const Function& f, const LayoutPlans& plans,
                         const std::unordered_set<Ref<Var>>& free_to_read) {
  GraphBuilder(*this, f, plans, free_to_read).run(f);
}

}  // namespace sunmao
