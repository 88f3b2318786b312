// The pass `fold-scale-axis`: folds a per-channel scale that is known at compile time, before or after a convolution or
// matmul, into the weight.
#include <algorithm>

#include "ops/ops.h"
#include "ops/product_axes.h"
#include "passes/algebra/scaled_weights.h"
#include "passes/analysis/compile_time.h"
#include "passes/analysis/unused.h"
#include "passes/analysis/variables.h"
#include "passes/passes.h"
#include "support/half.h"

namespace sunmao {
namespace {

// Maximum length of the chain of bindings, product included, that is searched backwards from a scale.
constexpr int kLongestWay = 8;

bool is_positive(const Array& a) {
  const DType t = a.dtype();
  for (size_t i = 0; i < static_cast<size_t>(a.count()); ++i) {
    const bool holds = t == DType::float_(32)   ? a.as<float>()[i] > 0.0F
                       : t == DType::float_(64) ? a.as<double>()[i] > 0.0
                       : t == DType::float_(16) ? from_float16(a.as<uint16_t>()[i]) > 0.0F
                                                : false;
    if (!holds) return false;
  }
  return true;
}

/// A multiplication or division (given by `op`) of a tensor by the scale `by`.
struct Scale {
  const char* op;
  Expr by;
};

class ScaleFolder final : public Rewriter {
 public:
  explicit ScaleFolder(const Ref<Function>& f) : uses_(count_uses(Expr(f))) {
    for (const Ref<Var>& v : computable_at_compile_time(*f)) known_.insert(v);
  }

 private:
  using Rewriter::visit;

  Expr visit(const Call& call) override {
    Expr e = Rewriter::visit(call);
    // Folding one scale can make another scale adjacent to the product, so the search repeats.
    for (const auto* c = find<Call>(e); c; c = find<Call>(e)) {
      Expr folded = product_axes(*c) ? fold_in_front(*c) : fold_behind(*c);
      if (!folded) break;
      e = folded;
    }
    return e;
  }

  bool is_known(const Expr& e) const { return find<Var>(e) ? known_.contains(find_ref<Var>(e)) : is_leaf(e); }
  bool is_used_once(const Expr& e) const {
    auto it = uses_.find(find_ref<Var>(e));
    return it != uses_.end() && it->second == 1;
  }

  // Emits a binding to a variable that gets use count 1. The variable is known at compile time when all operands are.
  Expr step(const Expr& value) {
    Expr var = emit(value, "lv");
    const auto* call = find<Call>(value);
    if (call && std::ranges::all_of(call->args, [&](const Expr& a) { return is_known(a); }))
      known_.insert(find_ref<Var>(var));
    uses_[find_ref<Var>(var)] = 1;
    return var;
  }
  Expr step(const char* op, std::vector<Expr> args) { return step(Call::make(builtin_ops().get(op), std::move(args))); }

  // Splits a scaling call into the scaled tensor and the scale; nullopt unless it multiplies or divides a float tensor
  // by a value known at compile time and provably keeps its shape.
  std::optional<std::pair<Expr, Scale>> scale_of(const Call& call) {
    const bool multiplies = op_of(call) && op_of(call)->name() == "multiply";
    if (!multiplies && !find_call(Expr(&call), "divide")) return std::nullopt;
    const bool is_right = is_known(call.args[1]);
    if (!is_right && !(multiplies && is_known(call.args[0]))) return std::nullopt;
    const Expr &x = call.args[is_right ? 0 : 1], &by = call.args[is_right ? 1 : 0];
    const auto *from = find<TensorType>(x->type), *to = find<TensorType>(call.type);
    if (!from || !from->dims() || !to->dims() || !from->dtype.is_float() || !same_dims(*from->dims(), *to->dims()))
      return std::nullopt;
    return std::pair(x, Scale{multiplies ? "multiply" : "divide", by});
  }
  bool same_dims(const std::vector<Scalar>& a, const std::vector<Scalar>& b) {
    return std::ranges::equal(a, b, [&](const Scalar& x, const Scalar& y) { return analyzer_.can_prove_equal(x, y); });
  }

  bool is_positive_scale(const Scale& scale) const {
    const Expr value = find<Var>(scale.by) ? value_of(scale.by) : scale.by;
    if (const auto* constant = find<Constant>(value)) return is_positive(constant->data);
    const auto* number = find<PrimValue>(value);
    const auto* f = number ? find<FloatImm>(number->value) : nullptr;
    return f && f->value > 0;
  }

  static bool is_relu(const Expr& value) { return find_call(value, "nn.relu") || find_call(value, "nn.leakyrelu"); }

  // True when the weight is known and has the dtype of the scaled tensor.
  bool takes_scales(const Call& product, const Expr& scaled) const {
    const auto *weight = find<TensorType>(product.args[1]->type), *type = find<TensorType>(scaled->type);
    return is_known(product.args[1]) && weight && type && weight->rank != kUnknownRank && weight->dtype == type->dtype;
  }

  // Rewrites (x * s) · w to x · (s * w). A relu between the scaling and the product is allowed when s is positive,
  // since it commutes with the scaling.
  Expr fold_in_front(const Call& product) {
    const ProductAxes axes = *product_axes(product);
    if (axes.data < 0 || axes.weight_data < 0 || !is_used_once(product.args[0])) return nullptr;
    const Expr value = value_of(product.args[0]);
    const auto* relu = is_relu(value) ? find<Call>(value) : nullptr;
    const Expr scaling = relu && is_used_once(relu->args[0]) ? value_of(relu->args[0]) : value;
    const auto* call = find<Call>(scaling);
    const auto found = call ? scale_of(*call) : std::nullopt;
    if (!found || !takes_scales(product, found->first) || (relu && !is_positive_scale(found->second))) return nullptr;
    const auto& [x, scale] = *found;
    const int rank = find<TensorType>(x->type)->rank;
    const EmitFn emit_step = [this](const Expr& e) { return step(e); };
    Expr vector = as_vector_along(scale.by, axes.data, rank, analyzer_, emit_step);
    if (!vector) return nullptr;
    Ref<Call> folded = with_scaled_weight(product, axes.weight_data, scale.op, vector, emit_step);
    return folded->with_args({relu ? step(relu->with_args({x})) : x, folded->args[1]});
  }

  // The chain of calls from the operand of a scaling back to the product; each result in the chain has a single use.
  struct Way {
    std::vector<Ref<Call>> steps;
    Ref<Call> product;
  };
  std::optional<Way> way_to_product(Expr at, const Scale& scale) {
    Way way;
    for (int i = 0; i < kLongestWay && is_used_once(at); ++i) {
      Ref<Call> call = find_ref<Call>(value_of(at));
      if (!call) return std::nullopt;
      if (product_axes(*call)) {
        way.product = call;
        return way;
      }
      const std::optional<size_t> next = scaled_operand(*call, scale);
      if (!next) return std::nullopt;
      way.steps.push_back(call);
      at = call->args[*next];
    }
    return std::nullopt;
  }

  // Returns the index of the operand of `call` that must be scaled so that the result of `call` is scaled; nullopt when
  // there is none.
  std::optional<size_t> scaled_operand(const Call& call, const Scale& scale) const {
    const Expr e(&call);
    if (is_relu(e)) return is_positive_scale(scale) ? std::optional<size_t>(0) : std::nullopt;
    if (find_call(e, "negative")) return 0;
    if (!find_call(e, "add") && !find_call(e, "subtract")) return std::nullopt;
    auto is_known_tensor = [&](const Expr& other) { return is_known(other) && find<TensorType>(other->type); };
    if (is_known_tensor(call.args[1])) return 0;
    return is_known_tensor(call.args[0]) ? std::optional<size_t>(1) : std::nullopt;
  }

  // Rewrites (x · w + b) * s to x · (w * s) + b * s.
  Expr fold_behind(const Call& call) {
    const auto found = scale_of(call);
    const auto way = found ? way_to_product(found->first, found->second) : std::nullopt;
    if (!way || !takes_scales(*way->product, Expr(&call))) return nullptr;
    const Scale& scale = found->second;
    const ProductAxes axes = *product_axes(*way->product);
    const int rank = find<TensorType>(call.type)->rank;
    if (axes.result < 0 || axes.weight_result < 0 || find<TensorType>(way->product->type)->rank != rank) return nullptr;
    const EmitFn emit_step = [this](const Expr& e) { return step(e); };
    Expr vector = as_vector_along(scale.by, axes.result, rank, analyzer_, emit_step);
    if (!vector) return nullptr;
    Expr result = with_scaled_weight(*way->product, axes.weight_result, scale.op, vector, emit_step);
    for (size_t i = way->steps.size(); i-- > 0;) {
      const Call& old = *way->steps[i];
      std::vector<Expr> args = old.args;
      const size_t place = *scaled_operand(old, scale);
      args[place] = step(result);
      if (args.size() == 2) args[1 - place] = step(scale.op, {args[1 - place], scale.by});
      result = old.with_args(std::move(args));
    }
    return result;
  }

  std::unordered_map<Ref<Var>, int> uses_;
  std::unordered_set<Ref<Var>> known_;
  Analyzer analyzer_;
};

}  // namespace

Module fold_scale_axis(const Module& m, const PassContext&) {
  return map_without_unused(m, [&](const Ref<Function>& f) { return ScaleFolder(f).rewrite(f); });
}

}  // namespace sunmao
