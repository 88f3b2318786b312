#include "passes/layout/flattened_products.h"

#include <algorithm>
#include <optional>

#include "ir/builder.h"
#include "ir/walk.h"
#include "ops/ops.h"
#include "ops/permutation.h"
#include "passes/analysis/compile_time.h"
#include "passes/analysis/variables.h"

namespace sunmao {
namespace {

const Call* call_of(const Expr& e, std::string_view op_name) {
  const auto* call = find<Call>(e);
  const Op* op = call ? op_of(*call) : nullptr;
  return op && op->name() == op_name ? call : nullptr;
}

// The sizes of a tensor behind its first dimension; empty unless all are known.
std::vector<int64_t> inner_sizes(const Expr& e) {
  const auto* type = find<TensorType>(e->type);
  std::vector<int64_t> out;
  for (size_t i = 1; type && type->dims() && i < type->dims()->size(); ++i) {
    const int64_t* n = find_int((*type->dims())[i]);
    if (!n) return {};
    out.push_back(*n);
  }
  return out;
}

// The call that flattens all dimensions but the first; null for other expressions.
const Call* flattening(const Expr& e) {
  const Call* call = call_of(e, "reshape");
  if (!call) call = call_of(e, "flatten");
  if (!call || !find<Var>(call->args[0])) return nullptr;
  const std::vector<int64_t> from = inner_sizes(call->args[0]), to = inner_sizes(e);
  if (from.size() < 2 || to.size() != 1) return nullptr;
  int64_t elements = 1;
  for (int64_t n : from) elements *= n;
  return elements == to[0] ? call : nullptr;
}

// Finds who reads each flattened tensor.
class Readers final : public Visitor {
 public:
  explicit Readers(const Function& f) : uses_(count_uses(Expr(&f))) {
    for (const Ref<Var>& v : computable_at_compile_time(f)) known_.insert(v);
    Visitor::visit(Expr(f.body));
  }

  std::unordered_set<Ref<Var>> read_by_products_alone() const {
    std::unordered_set<Ref<Var>> out;
    for (const Ref<Var>& v : flattened_) {
      const auto own = products_.find(v);
      const auto all = uses_.find(v);
      if (own != products_.end() && all != uses_.end() && own->second == all->second) out.insert(v);
    }
    return out;
  }

 private:
  using Visitor::visit;
  void visit(const Binding& b) override {
    if (b.var->is_dataflow && !b.is_match_cast() && flattening(b.value)) flattened_.push_back(b.var);
    if (const Call* product = call_of(b.value, "matmul"); product && is_weight(product->args[1])) {
      const auto* weight = find<TensorType>(product->args[1]->type);
      if (const Ref<Var> left = find_ref<Var>(product->args[0]); left && weight && weight->rank == 2) ++products_[left];
    }
    Visitor::visit(b);
  }
  bool is_weight(const Expr& e) const { return find<Constant>(e) || known_.contains(find_ref<Var>(e)); }

  std::unordered_map<Ref<Var>, int> uses_, products_;
  std::unordered_set<Ref<Var>> known_;
  std::vector<Ref<Var>> flattened_;
};

class PermuteWeights final : public Rewriter {
 public:
  explicit PermuteWeights(const Function& f)
      : flattened_(flattened_for_products(f)), values_(var_to_value(Expr(&f))), uses_(count_uses(Expr(&f))) {
    for (const Ref<Var>& v : all_vars(Expr(&f))) names_.reserve(v->name);
  }

 private:
  using Rewriter::visit;

  Expr visit(const Call& call) override {
    if (const Call* permute = call_of(Expr(&call), "matmul") ? permute_before(call.args[0]) : nullptr) {
      std::vector<Expr> args = call.args;
      args[0] = visit(args[0]);
      args[1] = with_rows_permuted(visit(args[1]), *permute);
      return Call::make(call.callee, std::move(args), call.attrs, call.type_args, call.span);
    }
    return Rewriter::visit(call);
  }

  void visit(const Binding& b) override {
    const Call* permute = permute_before(Expr(b.var));
    if (!permute) return Rewriter::visit(b);
    const auto& flat = *find<Call>(b.value);
    std::vector<Expr> args = flat.args;
    args[0] = visit(permute->args[0]);
    bind(b, Call::make(flat.callee, std::move(args), flat.attrs, flat.type_args, flat.span));
  }

  // Returns the permute_dims whose result this flattened tensor is, if nothing else reads it and the first dimension
  // stays the first.
  const Call* permute_before(const Expr& flat) const {
    const Ref<Var> var = find_ref<Var>(flat);
    if (!flattened_.contains(var)) return nullptr;
    const Ref<Var> image = find_ref<Var>(find<Call>(values_.at(var))->args[0]);
    const auto made = values_.find(image);
    const Call* permute = made == values_.end() ? nullptr : call_of(made->second, "permute_dims");
    if (!permute || uses_.at(image) != 1 || inner_sizes(permute->args[0]).empty()) return nullptr;
    return permutation_of(*permute)->front() == 0 ? permute : nullptr;
  }

  // The weight's rows, which are in the order of the permuted image, in the order of the image before.
  Expr with_rows_permuted(const Expr& weight, const Call& permute) {
    const std::vector<int64_t> before = inner_sizes(permute.args[0]);
    const std::vector<int64_t> axes = *permutation_of(permute);
    const Scalar columns = (*find<TensorType>(weight->type)->dims())[1];
    std::vector<Scalar> apart;
    std::vector<int64_t> back(before.size() + 1, static_cast<int64_t>(before.size()));
    for (size_t i = 1; i < axes.size(); ++i) {
      const auto axis = static_cast<size_t>(axes[i]) - 1;
      apart.push_back(int_imm(before[axis]));
      back[axis] = static_cast<int64_t>(i) - 1;
    }
    apart.push_back(columns);
    int64_t elements = 1;
    for (int64_t n : before) elements *= n;
    const Expr split = reshaped(weight, std::move(apart));
    const Expr moved = emit(Call::make(builtin_ops().get("permute_dims"), {split},
                                       Attrs(AttrMap{{"axes", AttrValue::ints(back)}}), {}, weight->span),
                            names_.fresh("lv"));
    return reshaped(moved, {int_imm(elements), columns});
  }

  Expr reshaped(const Expr& x, std::vector<Scalar> shape) {
    return emit(Call::make(builtin_ops().get("reshape"), {x, ShapeExpr::make(std::move(shape))}, {}, {}, x->span),
                names_.fresh("lv"));
  }

  const std::unordered_set<Ref<Var>> flattened_;
  const std::unordered_map<Ref<Var>, Expr> values_;
  const std::unordered_map<Ref<Var>, int> uses_;
  NameSupply names_;
};

}  // namespace

std::unordered_set<Ref<Var>> flattened_for_products(const Function& f) { return Readers(f).read_by_products_alone(); }

Ref<Function> permute_flattened_weights(const Ref<Function>& f) { return PermuteWeights(*f).rewrite(f); }

}  // namespace sunmao
