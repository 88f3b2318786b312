// The pass `topological-sort`: sorts the bindings of dataflow blocks. From the inputs, a binding is placed when the
// search has visited all its operands. From the outputs, operands are placed before their users; a binding that no
// output needs follows the last binding it reads, or goes to the end if it reads only inputs.
#include <algorithm>
#include <deque>

#include "ir/type_relation.h"
#include "ir/walk.h"
#include "passes/analysis/blocks.h"
#include "passes/analysis/variables.h"
#include "passes/pass_arguments.h"
#include "passes/passes.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

struct Order {
  bool depth_first, from_inputs;
};

// The dependence graph of a block; nodes are its inputs, followed by its bindings.
class BlockGraph {
 public:
  BlockGraph(const BindingBlock& block, const std::vector<Ref<Var>>& params) : bindings_(block.bindings) {
    std::unordered_set<Ref<Var>> own;
    for (const Binding& b : bindings_) own.insert(b.var);
    for (const Ref<Var>& p : params) add_node(p);
    for (const Binding& b : bindings_)
      for (const Ref<Var>& v : free_vars(b.value))
        if (!own.contains(v)) add_node(v);
    inputs_ = node_.size();
    for (const Binding& b : bindings_) add_node(b.var);
    users_.resize(node_.size());
    needs_.resize(node_.size());
    std::unordered_map<Ref<SymVar>, size_t> symbols;
    for (size_t i = 0; i < bindings_.size(); ++i) connect(i, symbols);
  }

  std::vector<Binding> sort(Order order, const std::vector<Ref<Var>>& outputs) {
    placed_.assign(node_.size(), false);
    leads_to_output_.assign(node_.size(), true);
    if (order.from_inputs)
      order.depth_first ? depth_first() : breadth_first();
    else
      from_outputs(outputs, order.depth_first);
    for (size_t n = inputs_; n < node_.size(); ++n) place_with_needs(n);
    return std::move(sorted_);
  }

 private:
  void add_node(const Ref<Var>& v) { node_.try_emplace(v, node_.size()); }

  void connect(size_t binding, std::unordered_map<Ref<SymVar>, size_t>& symbols) {
    const Binding& b = bindings_[binding];
    size_t n = inputs_ + binding;
    auto need = [&](size_t other) {
      if (other == n || std::ranges::find(needs_[n], other) != needs_[n].end()) return;
      needs_[n].push_back(other);
      users_[other].push_back(n);
    };
    for (const Ref<Var>& v : free_vars(b.value)) need(node_.at(v));
    std::vector<Ref<SymVar>> used = free_symbolic_vars(b.value);
    for (const Ref<SymVar>& s : unbound_symbols(b.var->type)) used.push_back(s);
    for (const Ref<SymVar>& s : used)
      if (auto it = symbols.find(s); it != symbols.end()) need(it->second);
    if (b.is_match_cast())
      for (const Ref<SymVar>& s : definable_symbols(b.cast_type)) symbols.try_emplace(s, n);
  }

  bool is_ready(size_t n) const { return is_ready(n, placed_); }
  bool is_ready(size_t n, const std::vector<bool>& done) const {
    return std::ranges::all_of(needs_[n], [&](size_t other) { return done[other]; });
  }
  void place(size_t n) {
    placed_[n] = true;
    if (n >= inputs_) sorted_.push_back(bindings_[n - inputs_]);
  }

  std::vector<size_t> starts() const {
    std::vector<size_t> out;
    for (size_t n = 0; n < node_.size(); ++n)
      if (n < inputs_ || needs_[n].empty()) out.push_back(n);
    return out;
  }

  void depth_first() {
    for (size_t start : starts()) {
      if (placed_[start]) continue;
      place(start);
      std::vector<std::pair<size_t, size_t>> stack{{start, 0}};  // pairs of a node and the index of its next user
      while (!stack.empty()) {
        auto& [at, next] = stack.back();
        if (next == users_[at].size()) {
          stack.pop_back();
          continue;
        }
        size_t user = users_[at][next++];
        if (placed_[user] || !is_ready(user)) continue;
        place(user);
        stack.emplace_back(user, 0);
      }
    }
  }

  // A binding is ready when its operands were dequeued, not merely placed.
  void breadth_first() {
    std::deque<size_t> queue;
    std::vector<bool> done(node_.size(), false);
    for (size_t start : starts()) {
      place(start);
      queue.push_back(start);
    }
    while (!queue.empty()) {
      size_t at = queue.front();
      queue.pop_front();
      done[at] = true;
      for (size_t user : users_[at]) {
        if (placed_[user] || !is_ready(user, done)) continue;
        place(user);
        queue.push_back(user);
      }
    }
  }

  // Iterative: a node stays on the stack until its operands are placed.
  void place_with_needs(size_t n) {
    std::vector<size_t> stack{n};
    while (!stack.empty()) {
      size_t at = stack.back();
      auto missing = std::ranges::find_if(needs_[at], [&](size_t other) { return !placed_[other]; });
      if (!placed_[at] && missing != needs_[at].end()) {
        stack.push_back(*missing);
        continue;
      }
      stack.pop_back();
      if (placed_[at]) continue;
      place(at);
      place_idle_users(at);
    }
  }

  // Places the users that lead to no output and whose operands are now all placed.
  void place_idle_users(size_t n) {
    std::vector<size_t> work{n};
    while (!work.empty()) {
      size_t at = work.back();
      work.pop_back();
      for (size_t user : users_[at]) {
        if (placed_[user] || leads_to_output_[user] || !is_ready(user)) continue;
        place(user);
        work.push_back(user);
      }
    }
  }

  void from_outputs(const std::vector<Ref<Var>>& outputs, bool depth_first) {
    leads_to_output_.assign(node_.size(), false);
    for (size_t n = 0; n < inputs_; ++n) placed_[n] = true;
    std::vector<size_t> roots;
    for (const Ref<Var>& v : outputs)
      if (auto it = node_.find(v); it != node_.end() && it->second >= inputs_) roots.push_back(it->second);
    std::vector<size_t> seen = roots;
    for (size_t i = 0; i < seen.size(); ++i) {
      if (leads_to_output_[seen[i]]) continue;
      leads_to_output_[seen[i]] = true;
      seen.insert(seen.end(), needs_[seen[i]].begin(), needs_[seen[i]].end());
    }
    if (!depth_first) std::ranges::reverse(seen);
    for (size_t n : depth_first ? roots : seen) place_with_needs(n);
  }

  const std::vector<Binding>& bindings_;
  std::unordered_map<Ref<Var>, size_t> node_;
  size_t inputs_ = 0;
  std::vector<std::vector<size_t>> users_, needs_;
  std::vector<bool> placed_, leads_to_output_;
  std::vector<Binding> sorted_;
};

class Sorter final : public Rewriter {
 public:
  Sorter(const Function& function, Order order) : function_(function), order_(order) {}

 private:
  Ref<BindingBlock> visit_block(const Ref<BindingBlock>& block) override {
    Ref<BindingBlock> visited = Rewriter::visit_block(block);
    if (!visited->is_dataflow) return visited;
    std::vector<Binding> sorted =
        BlockGraph(*visited, function_.params)
            .sort(order_, order_.from_inputs ? std::vector<Ref<Var>>() : outputs_of(*visited));
    bool same = std::ranges::equal(sorted, visited->bindings, {}, &Binding::var, &Binding::var);
    return same ? visited : BindingBlock::make_dataflow(std::move(sorted), visited->span);
  }

  // Returns the variables that leave the block, in the order of their uses outside it, followed by those that are not
  // used there.
  std::vector<Ref<Var>> outputs_of(const BindingBlock& block) const {
    std::unordered_set<Ref<Var>> own;
    for (const Binding& b : block.bindings)
      if (!b.var->is_dataflow) own.insert(b.var);
    std::vector<Ref<Var>> out;
    for (const Ref<Var>& v : uses_outside(block))
      if (own.erase(v)) out.push_back(v);
    for (const Binding& b : block.bindings)
      if (own.contains(b.var)) out.push_back(b.var);
    return out;
  }

  std::vector<Ref<Var>> uses_outside(const BindingBlock& block) const {
    class Uses final : public Visitor {
     public:
      explicit Uses(const Binding& first) : first_(first.var) {}
      std::vector<Ref<Var>> found;
      using Visitor::visit;

     private:
      void visit(const Var& v) override { found.emplace_back(&v); }
      void visit_block(const BindingBlock& b) override {
        for (const Binding& each : b.bindings)
          if (each.var == first_) return;
        Visitor::visit_block(b);
      }
      const Ref<Var> first_;
    };
    if (block.bindings.empty()) return {};
    Uses uses(block.bindings.front());
    uses.visit(Expr(function_.body));
    return std::move(uses.found);
  }

  const Function& function_;
  const Order order_;
};

Order read_order(const PassContext& ctx) {
  PassArguments arguments("topological-sort", ctx);
  std::string order = arguments.string("order"), direction = arguments.string("direction");
  if (order != "depth-first" && order != "breadth-first")
    fail("E0514", {}, fmt::format("topological-sort: there is no order `{}`", order),
         "orders are depth-first and breadth-first");
  if (direction != "from-inputs" && direction != "from-outputs")
    fail("E0514", {}, fmt::format("topological-sort: there is no direction `{}`", direction),
         "directions are from-inputs and from-outputs");
  return {order == "depth-first", direction == "from-inputs"};
}

}  // namespace

Module topological_sort(const Module& m, const PassContext& ctx) {
  Order order = read_order(ctx);
  return map_functions(m, [&](const Ref<Function>& f) { return Sorter(*f, order).rewrite(f); });
}

}  // namespace sunmao
