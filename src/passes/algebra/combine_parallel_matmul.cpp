#include "passes/algebra/combine_parallel_matmul.h"

#include <algorithm>
#include <map>

#include "ops/ops.h"
#include "passes/analysis/unused.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

const TensorType* tensor_of(const Expr& e) { return find<TensorType>(e->type); }

Expr call_op(const char* name, std::vector<Expr> args, AttrMap attrs, const Span& span) {
  return Call::make(builtin_ops().get(name), std::move(args), Attrs(std::move(attrs)), {}, span);
}

// A matmul and the bias addition and unary elementwise op that may follow it. The intermediate results have a single
// use.
struct Branch {
  const Call* matmul;
  Expr bias;                         // null when there is no bias
  const Call* activation = nullptr;  // applied to the sum, or to the product when there is no bias
  Ref<Var> product, sum, activated;  // null when the branch lacks that step
  bool is_dynamic() const { return !find_int(tensor_of(matmul->args[1])->dims()->back()); }
};

// The branches to combine, in the order in which their columns are concatenated; a branch with an unknown number of
// columns comes last.
struct Group {
  std::vector<Branch> branches;
  bool with_bias = false, with_activation = false;
  const Ref<Var>& result(const Branch& b) const {
    return with_activation ? b.activated : with_bias ? b.sum : b.product;
  }
};

class BlockBranches {
 public:
  explicit BlockBranches(const BindingBlock& block) : block_(block) {
    for (size_t i = 0; i < block.bindings.size(); ++i) {
      position_[block.bindings[i].var] = i;
      for (const Ref<Var>& v : free_vars(block.bindings[i].value)) users_[v].push_back(&block.bindings[i]);
    }
  }

  /// Returns the groups of at least two matmuls that can be combined: they have the same left operand and right
  /// operands of equal rank. The groups are in order of first occurrence.
  std::vector<Group> groups() {
    std::vector<Group> out;
    std::map<std::pair<const ExprNode*, int>, size_t> known;
    for (const Binding& b : block_.bindings) {
      const Call* matmul = find_call(b.value, "matmul");
      if (!matmul || b.is_match_cast() || !is_candidate(*matmul)) continue;
      auto key = std::make_pair(matmul->args[0].get(), tensor_of(matmul->args[1])->rank);
      auto [it, inserted] = known.try_emplace(key, out.size());
      if (inserted) out.emplace_back();
      out[it->second].branches.push_back(branch_of(b, *matmul));
    }
    std::erase_if(out, [&](Group& g) { return !settle(g); });
    return out;
  }

 private:
  static bool is_candidate(const Call& matmul) {
    const TensorType *x = tensor_of(matmul.args[0]), *w = tensor_of(matmul.args[1]);
    return find<Var>(matmul.args[0]) && x && w && x->dims() && w->dims() && x->rank >= 2 && w->rank >= 2;
  }

  const Binding* only_user(const Ref<Var>& v) const {
    auto it = users_.find(v);
    return v->is_dataflow && it != users_.end() && it->second.size() == 1 ? it->second[0] : nullptr;
  }

  Branch branch_of(const Binding& b, const Call& matmul) const {
    Branch branch{&matmul, nullptr, nullptr, b.var, nullptr, nullptr};
    const Binding* user = only_user(b.var);
    const Call* add = user ? find_call(user->value, "add") : nullptr;
    if (add && add->args[0] == Expr(b.var) && is_bias(add->args[1], matmul)) {
      branch.bias = add->args[1];
      branch.sum = user->var;
      user = only_user(user->var);
    }
    const auto* call = user ? find<Call>(user->value) : nullptr;
    const Op* op = call ? op_of(*call) : nullptr;
    if (op && call->args.size() == 1 && op->info.fuse == Fuse::Elementwise && op->info.is_pure) {
      branch.activation = call;
      branch.activated = user->var;
    }
    return branch;
  }

  static bool is_bias(const Expr& e, const Call& matmul) {
    const TensorType *bias = tensor_of(e), *w = tensor_of(matmul.args[1]);
    if (!bias || bias->rank != 1 || !bias->dims()) return false;
    return Analyzer().can_prove_equal((*bias->dims())[0], w->dims()->back());
  }

  // Keeps at most one branch of unknown width, moves it to the end, and decides whether the biases and the unary ops
  // are combined as well. Returns false, which rejects the whole group, when fewer than two branches remain, when
  // `have_equal_shapes` fails, or when a weight or a combined bias is defined after the first matmul.
  bool settle(Group& g) const {
    std::ranges::stable_sort(g.branches, {}, &Branch::is_dynamic);
    while (g.branches.size() > 1 && g.branches[g.branches.size() - 2].is_dynamic()) g.branches.pop_back();
    if (g.branches.size() < 2 || !have_equal_shapes(g)) return false;
    g.with_bias = std::ranges::all_of(g.branches, [](const Branch& b) { return b.bias != nullptr; });
    bool any_bias = std::ranges::any_of(g.branches, [](const Branch& b) { return b.bias != nullptr; });
    g.with_activation = (g.with_bias || !any_bias) && have_equal_activations(g);
    size_t begin = block_.bindings.size();
    for (const Branch& b : g.branches) begin = std::min(begin, position_.at(g.result(b)));
    return std::ranges::all_of(g.branches, [&](const Branch& b) {
      return is_defined_before(b.matmul->args[1], begin) && (!g.with_bias || is_defined_before(b.bias, begin));
    });
  }

  bool is_defined_before(const Expr& e, size_t position) const {
    auto it = position_.find(find_ref<Var>(e));
    return it == position_.end() || it->second < position;
  }

  // True when the weights agree in dtype and in all but the last dimension, and the products agree in dtype.
  static bool have_equal_shapes(const Group& g) {
    Analyzer analyzer;
    const TensorType &first = *tensor_of(g.branches[0].matmul->args[1]), &out = *tensor_of(Expr(g.branches[0].matmul));
    return std::ranges::all_of(g.branches, [&](const Branch& b) {
      const TensorType& w = *tensor_of(b.matmul->args[1]);
      for (size_t i = 0; i + 1 < w.dims()->size(); ++i)
        if (!analyzer.can_prove_equal((*w.dims())[i], (*first.dims())[i])) return false;
      return w.dtype == first.dtype && tensor_of(Expr(b.matmul))->dtype == out.dtype;
    });
  }

  static bool have_equal_activations(const Group& g) {
    const Call* first = g.branches[0].activation;
    return first && std::ranges::all_of(g.branches, [&](const Branch& b) {
             return b.activation && b.activation->callee == first->callee && b.activation->attrs.same_as(first->attrs);
           });
  }

  const BindingBlock& block_;
  std::unordered_map<Ref<Var>, size_t> position_;
  std::unordered_map<Ref<Var>, std::vector<const Binding*>> users_;
};

class Combiner final : public Rewriter {
 public:
  explicit Combiner(const CombineCheck& check) : check_(check) {}

 private:
  using Rewriter::visit;

  struct Part {
    size_t group;
    int field;
  };

  Ref<BindingBlock> visit_block(const Ref<BindingBlock>& block) override {
    if (!block->is_dataflow) return Rewriter::visit_block(block);
    BlockBranches branches(*block);
    std::vector<Group> outer = std::exchange(groups_, {});
    for (Group& g : branches.groups())
      if (check_(matmuls_of(g))) groups_.push_back(std::move(g));
    results_.assign(groups_.size(), nullptr);
    for (size_t i = 0; i < groups_.size(); ++i)
      for (size_t k = 0; k < groups_[i].branches.size(); ++k)
        parts_[groups_[i].result(groups_[i].branches[k])] = {i, static_cast<int>(k)};
    Ref<BindingBlock> visited = Rewriter::visit_block(block);
    groups_ = std::move(outer);
    return visited;
  }

  static ParallelMatmuls matmuls_of(const Group& g) {
    ParallelMatmuls out{g.branches[0].matmul->args[0], {}, {}};
    for (const Branch& b : g.branches) {
      out.weights.push_back(b.matmul->args[1]);
      if (g.with_bias) out.biases.push_back(b.bias);
    }
    return out;
  }

  void visit(const Binding& b) override {
    auto it = parts_.find(b.var);
    if (it == parts_.end()) return Rewriter::visit(b);
    Expr& result = results_[it->second.group];
    if (!result) result = emit_group(groups_[it->second.group]);
    bind(b, TupleGetItem::make(result, it->second.field, b.span));
  }

  Expr joined(const std::vector<Expr>& parts, const Span& span) {
    std::vector<Expr> fields;
    for (const Expr& p : parts) fields.push_back(Rewriter::visit(p));
    int64_t axis = tensor_of(fields[0])->rank - 1;
    return emit(call_op("concat", {Tuple::make(std::move(fields))}, {{"axis", axis}}, span), "lv");
  }

  Expr emit_group(const Group& g) {
    ParallelMatmuls parts = matmuls_of(g);
    const Call& first = *g.branches[0].matmul;
    Expr weights = joined(parts.weights, first.span);
    AttrMap dtype{{"out_dtype", tensor_of(Expr(&first))->dtype}};
    Expr out = emit(call_op("matmul", {Rewriter::visit(parts.input), weights}, std::move(dtype), first.span), "lv");
    if (g.with_bias) {
      Expr bias = joined(parts.biases, first.span);
      out = emit(call_op("add", {out, bias}, {}, first.span), "lv");
    }
    if (g.with_activation) out = emit(g.branches[0].activation->with_args({out}), "lv");
    std::vector<int64_t> borders;
    int64_t border = 0;
    for (size_t i = 0; i + 1 < g.branches.size(); ++i) {
      const Scalar& columns = tensor_of(g.branches[i].matmul->args[1])->dims()->back();
      border += *find_int(columns);
      borders.push_back(border);
    }
    AttrMap how{{"indices_or_sections", AttrValue::ints(borders)}, {"axis", int64_t{tensor_of(out)->rank - 1}}};
    // The results of `split` get the types of the original matmuls, because inference cannot derive widths that are
    // symbolic expressions.
    std::vector<Type> types;
    for (const Branch& b : g.branches) types.push_back(g.result(b)->type);
    Ref<Call> split = find_ref<Call>(call_op("split", {out}, std::move(how), first.span));
    return emit(
        Call::make_typed(split->callee, split->args, split->attrs, {}, TupleType::make(std::move(types)), first.span),
        "lv");
  }

  const CombineCheck& check_;
  std::vector<Group> groups_;
  std::vector<Expr> results_;
  std::unordered_map<Ref<Var>, Part> parts_;
};

}  // namespace

Module combine_parallel_matmul(const Module& m, const CombineCheck& check) {
  return map_without_unused(m, [&](const Ref<Function>& f) { return Combiner(check).rewrite(f); });
}

Module combine_parallel_matmul(const Module& m, const PassContext&) {
  return combine_parallel_matmul(m, [](const ParallelMatmuls&) { return true; });
}

}  // namespace sunmao
