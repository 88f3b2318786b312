#include "compiler/preparing_pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "ir/equal.h"
#include "ir/walk.h"
#include "passes/analysis/blocks.h"
#include "passes/analysis/result_tuple.h"

namespace sunmao {
namespace {

bool has_symbols(const Function& f) {
  return !free_symbols(f.params[0]->type).empty() || !free_symbols(f.result_type).empty();
}

/// The bindings of a transform as a graph.
class TransformGraph {
 public:
  explicit TransformGraph(const PreparingStep& step)
      : step_(step), function_(without_dataflow(step.function)), tuple_(function_->params[0]) {
    result_ = find_result_tuple(*function_);
    for (const Ref<BindingBlock>& block : function_->body->blocks)
      for (const Binding& b : block->bindings)
        if (b.var != result_.var) add(b);
  }

  bool can_be_split() const { return is_plain_ && result_.tuple && !has_symbols(*function_); }

  std::vector<PreparingStep> pieces() {
    join_common_work();
    std::map<size_t, std::vector<size_t>> fields;  // by the first result of the piece
    std::unordered_map<size_t, size_t> first;      // a root -> its first result
    const std::vector<Expr>& results = result_.tuple->fields;
    for (size_t i = 0; i < results.size(); ++i) {
      const auto node = numbers_.find(find_ref<Var>(results[i]));
      const size_t piece = node == numbers_.end() ? i : first.try_emplace(root(node->second), i).first->second;
      fields[piece].push_back(i);
    }
    std::vector<PreparingStep> out;
    for (const auto& [_, chosen] : fields) out.push_back(piece(chosen, out.size()));
    return out;
  }

 private:
  struct Node {
    Binding binding;
    std::vector<size_t> reads;  // nodes
    int64_t raw = -1;           // the field of the tuple that it names
    bool has_weights = false;
  };

  void add(const Binding& b) {
    is_plain_ = is_plain_ && !b.is_match_cast();
    Node node{.binding = b};
    const auto* item = find<TupleGetItem>(b.value);
    if (item && item->tuple == Expr(tuple_)) {
      node.raw = item->index;
      node.has_weights = true;
    } else {
      for (const Ref<Var>& v : free_vars(b.value)) {
        if (v == tuple_) is_plain_ = false;
        const auto known = numbers_.find(v);
        if (known == numbers_.end()) continue;
        node.reads.push_back(known->second);
        node.has_weights |= nodes_[known->second].has_weights;
      }
    }
    numbers_.emplace(b.var, nodes_.size());
    nodes_.push_back(std::move(node));
  }

  size_t root(size_t i) {
    while (parents_[i] != i) i = parents_[i] = parents_[parents_[i]];
    return i;
  }

  // Puts a value into the set of those that it is computed from. Raw weights and what reads none join nothing.
  void join_common_work() {
    parents_.resize(nodes_.size());
    std::iota(parents_.begin(), parents_.end(), size_t{0});
    for (size_t i = 0; i < nodes_.size(); ++i)
      for (const size_t read : nodes_[i].reads)
        if (nodes_[read].has_weights && nodes_[read].raw < 0) parents_[root(i)] = root(read);
  }

  PreparingStep piece(const std::vector<size_t>& fields, size_t number) const {
    std::vector<bool> needed(nodes_.size(), false);
    std::vector<Expr> results;
    PreparingStep out{.name = fmt::format("{}_{}", step_.name, number), .function = nullptr, .takes = {}, .gives = {}};
    for (const size_t f : fields) {
      results.push_back(result_.tuple->fields[f]);
      out.gives.push_back(step_.gives[f]);
      if (const auto node = numbers_.find(find_ref<Var>(results.back())); node != numbers_.end())
        needed[node->second] = true;
    }
    for (size_t i = nodes_.size(); i-- > 0;)
      if (needed[i])
        for (const size_t read : nodes_[i].reads) needed[read] = true;
    const std::vector<Type>& types = find<TupleType>(tuple_->type)->fields;
    std::map<int64_t, int> places;  // fields of the step's tuple -> fields of the piece's
    for (size_t i = 0; i < nodes_.size(); ++i)
      if (needed[i] && nodes_[i].raw >= 0) places.emplace(nodes_[i].raw, 0);
    std::vector<Type> taken;
    for (auto& [raw, place] : places) {
      place = static_cast<int>(taken.size());
      taken.push_back(types[static_cast<size_t>(raw)]);
      out.takes.push_back(step_.takes[static_cast<size_t>(raw)]);
    }
    const Ref<Var> tuple = Var::make(tuple_->name, TupleType::make(std::move(taken)));
    std::vector<Binding> bindings;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (!needed[i]) continue;
      bindings.push_back(nodes_[i].binding);
      if (nodes_[i].raw >= 0) bindings.back().value = TupleGetItem::make(tuple, places.at(nodes_[i].raw));
    }
    const Expr result = Tuple::make(std::move(results));
    std::vector<Ref<BindingBlock>> blocks;
    if (!bindings.empty()) blocks.push_back(make_block(std::move(bindings), false));
    out.function = Function::make({tuple}, SeqExpr::make(std::move(blocks), result), result->type, function_->is_pure,
                                  function_->attrs, function_->span);
    return out;
  }

  const PreparingStep& step_;
  const Ref<Function> function_;
  const Ref<Var> tuple_;
  ResultTuple result_;
  std::vector<Node> nodes_;
  std::unordered_map<Ref<Var>, size_t> numbers_;
  std::vector<size_t> parents_;  // of a forest whose trees are sets
  bool is_plain_ = true;
};

void rename(std::vector<std::string>& names, const std::map<std::string, std::string>& same) {
  for (std::string& name : names)
    if (const auto known = same.find(name); known != same.end()) name = known->second;
}

}  // namespace

std::vector<PreparingStep> split_step(const PreparingStep& step) {
  TransformGraph graph(step);
  return graph.can_be_split() ? graph.pieces() : std::vector{step};
}

void split_steps(Preparation& plan) {
  std::vector<PreparingStep> pieces;
  std::map<std::vector<std::string>, std::vector<size_t>> by_weights;
  std::map<std::string, std::string> same;  // a result -> an equal one of an earlier piece
  for (const PreparingStep& step : plan.steps)
    for (PreparingStep& piece : split_step(step)) {
      rename(piece.takes, same);
      std::vector<size_t>& alike = by_weights[piece.takes];
      const auto equal = std::ranges::find_if(
          alike, [&](size_t i) { return structural_equal(Expr(pieces[i].function), Expr(piece.function)); });
      if (equal == alike.end()) {
        alike.push_back(pieces.size());
        pieces.push_back(std::move(piece));
        continue;
      }
      for (size_t i = 0; i < piece.gives.size(); ++i) same.emplace(piece.gives[i], pieces[*equal].gives[i]);
    }
  for (auto& [function, params] : plan.bound)
    for (auto& [param, weight] : params)
      if (const auto known = same.find(weight); known != same.end()) weight = known->second;
  plan.steps = std::move(pieces);
}

}  // namespace sunmao
