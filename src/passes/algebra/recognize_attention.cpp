// The pass `recognize-attention`: replaces a product, a softmax of its rows and a second product by one op, where the
// schedule of attention takes the sizes and is faster, and nothing else reads what is computed between. What happens to
// the scores on the way is taken along: scale, bias, mask, and zeros in place of NaN.
#include <algorithm>
#include <limits>

#include "ops/algebra/rule.h"
#include "ops/ops.h"
#include "passes/analysis/unused.h"
#include "passes/analysis/variables.h"
#include "passes/passes.h"
#include "passes/schedule/row/attention_blocks.h"

namespace sunmao {
namespace {

// Bytes of scores from which on attention is faster, measured: fewer stay in the cache of a core between the products.
// With few keys, and where a bias of each query is transposed on the way, there is more to pay for.
constexpr double kWorthBytes = 1 << 20, kWorthBytesOfMore = 4 << 20;
constexpr int64_t kFewQueries = 32;  // two of the widest vectors of float32
constexpr int64_t kFewKeys = 128;
constexpr int64_t kWorthWidth = 128;

int64_t known_size(const Scalar& s) {
  const int64_t* n = find_int(s);
  return n ? *n : 0;
}

bool is_product(const Call* call) {
  const auto* type = call && op_of(*call) && op_of(*call)->name() == "matmul" ? tensor_type(Expr(call)) : nullptr;
  return type && type->dtype == element_dtype(call->args[0]) && type->dtype == element_dtype(call->args[1]);
}

/// What becomes of the scores between the two products.
struct Scores {
  const Call* product = nullptr;
  std::vector<std::pair<const char*, Expr>> scales;  // the op that scales, and by what
  Expr bias, mask;
  bool is_mask_of_hidden = false;  // whether the mask is true where scores are hidden
  double hidden = 0;               // the score that stands for a hidden one
  bool nan_as_zero = false;
};

class AttentionRecognizer final : public Rewriter {
 public:
  explicit AttentionRecognizer(const Ref<Function>& f) : uses_(count_uses(Expr(f))) {}

 private:
  using Rewriter::visit;

  Expr visit(const Call& call) override {
    Expr e = Rewriter::visit(call);
    const Call* second = find_call(e, "matmul");
    if (!is_product(second)) return e;
    const std::optional<Scores> scores = read_scores(second->args[0]);
    return scores && suits(*scores, *second) ? attention(*scores, *second) : e;
  }

  /// Returns the call of an op that defines `e`, when `e` is used as often as said; else null.
  const Call* call_of(const Expr& e, std::string_view op, int count = 1) const {
    const auto uses = uses_.find(find_ref<Var>(e));
    const Expr value = uses != uses_.end() && uses->second == count ? value_of(e) : nullptr;
    return value ? find_call(value, op) : nullptr;
  }
  std::optional<UniformValue> uniform(const Call& user, const Expr& e) {
    return RuleInput(user, analyzer_, definition_).uniform(e);
  }
  bool same_dims(const Expr& a, const Expr& b) {
    const auto *x = tensor_dims(a), *y = tensor_dims(b);
    return x && y && std::ranges::equal(*x, *y, [&](const Scalar& p, const Scalar& q) {
             return analyzer_.can_prove_equal(p, q);
           });
  }

  /// Goes back from the weights to the first product.
  std::optional<Scores> read_scores(const Expr& weights) {
    Scores out;
    Expr at = weights;
    if (const Call* guard = call_of(at, "where")) {
      const Call* test = call_of(guard->args[0], "isnan");
      const bool is_guard = test && test->args[0] == guard->args[2] &&
                            RuleInput(*guard, analyzer_, definition_).is_all(guard->args[1], 0);
      if (!is_guard || !same_dims(at, guard->args[2])) return std::nullopt;
      at = guard->args[2];
      out.nan_as_zero = true;
    }
    const Call* softmax = call_of(at, "nn.softmax", out.nan_as_zero ? 2 : 1);
    const auto* type = softmax ? tensor_type(softmax->args[0]) : nullptr;
    if (!type || type->rank < 2 || axis_of(*softmax, type) != type->rank - 1) return std::nullopt;
    at = softmax->args[0];
    read_mask(at, out);
    read_bias(at, out);
    while (read_scale(at, out)) {
    }
    out.product = call_of(at, "matmul");
    return is_product(out.product) ? std::optional(out) : std::nullopt;
  }

  void read_mask(Expr& at, Scores& out) {
    const Call* chosen = call_of(at, "where");
    for (size_t i = 1; chosen && i < 3; ++i) {
      const std::optional<UniformValue> hidden = uniform(*chosen, chosen->args[3 - i]);
      if (!hidden || !hidden->dtype.is_float() || !same_dims(at, chosen->args[i])) continue;
      out.mask = chosen->args[0];
      out.is_mask_of_hidden = i == 2;
      out.hidden = hidden->real;
      at = chosen->args[i];
      return;
    }
  }

  void read_bias(Expr& at, Scores& out) {
    const Call* sum = call_of(at, "add");
    for (size_t i = 0; sum && i < 2; ++i) {
      const Expr &scores = sum->args[i], &bias = sum->args[1 - i];
      Expr behind = scores;
      Scores ignored;
      while (read_scale(behind, ignored)) {
      }
      if (!call_of(behind, "matmul") || !tensor_dims(bias) || !same_dims(at, scores)) continue;
      out.bias = bias;
      at = scores;
      return;
    }
  }

  /// Scores of narrow floats may be widened to be scaled, and rounded then.
  bool read_scale(Expr& at, Scores& out) {
    const Call* rounded = call_of(at, "astype");
    const Expr& result = rounded ? rounded->args[0] : at;
    for (const char* op : {"multiply", "divide"}) {
      const Call* scaled = call_of(result, op);
      if (!scaled) continue;
      const size_t scale = is_one_element(scaled->args[1]) ? 1 : 0;
      const bool fits = scale == 1 || (op == std::string_view("multiply") && is_one_element(scaled->args[0]));
      Expr scores = scaled->args[1 - scale];
      if (const Call* widened = rounded ? call_of(scores, "astype") : nullptr) scores = widened->args[0];
      if (!fits || !same_dims(at, scores) || element_dtype(scores) != element_dtype(at)) return false;
      out.scales.emplace_back(op, scaled->args[scale]);
      at = scores;
      return true;
    }
    return false;
  }
  bool is_one_element(const Expr& e) {
    const auto* dims = tensor_dims(e);
    if (!dims) return find<PrimValue>(e) != nullptr;
    return std::ranges::all_of(*dims, [](const Scalar& d) { return known_size(d) == 1; });
  }

  /// True when the operands are those of an attention, and its schedule takes the sizes and is worth it.
  bool suits(const Scores& scores, const Call& second) {
    const Expr &query = scores.product->args[0], &key = scores.product->args[1], &value = second.args[1];
    const auto *q = tensor_dims(query), *k = tensor_dims(key), *v = tensor_dims(value);
    if (!q || !k || !v || q->size() < 2 || k->size() != q->size() || v->size() != q->size()) return false;
    const size_t batch = q->size() - 2;
    for (size_t i = 0; i < batch; ++i)
      for (const auto* x : {k, v})
        if (known_size((*x)[i]) != 1 && !analyzer_.can_prove_equal((*x)[i], (*q)[i])) return false;
    const Scalar &rows = (*q)[batch], &keys = k->back();
    if (!analyzer_.can_prove_equal(keys, (*v)[batch])) return false;
    const AttentionSizes sizes{.queries = known_size(rows),
                               .keys = known_size(keys),
                               .width = known_size(q->back()),
                               .columns = known_size(v->back()),
                               .dtype = sum_dtype(element_dtype(query)),
                               .has_bias_of_rows = moves_with_rows(scores.bias) || moves_with_rows(scores.mask)};
    // Queries that are fewer than keys may be one at a time, for which products are faster.
    if (sizes.queries == 0 && !analyzer_.can_prove_equal(rows, keys)) return false;
    if (!suits_blocks(sizes) || std::max(sizes.width, sizes.columns) > kWorthWidth) return false;
    if (sizes.queries == 0) return true;
    if (sizes.queries < kFewQueries) return false;
    if (sizes.keys == 0 || element_dtype(query) != sizes.dtype) return true;
    double bytes = static_cast<double>(sizes.queries) * static_cast<double>(sizes.keys * sizes.dtype.bytes());
    for (size_t i = 0; i < batch; ++i) bytes *= static_cast<double>(std::max<int64_t>(1, known_size((*q)[i])));
    return bytes >= (sizes.has_bias_of_rows || sizes.keys < kFewKeys ? kWorthBytesOfMore : kWorthBytes);
  }
  static DType sum_dtype(DType dtype) { return dtype.bits < 32 ? DType::float_(32) : dtype; }
  static bool moves_with_rows(const Expr& e) {
    const auto* dims = e ? tensor_dims(e) : nullptr;
    return dims && dims->size() > 1 && known_size((*dims)[dims->size() - 2]) != 1;
  }

  static Expr make(const char* op, std::vector<Expr> args) {
    return Call::make(builtin_ops().get(op), std::move(args));
  }
  Expr scaled(const char* op, const Expr& query, const Expr& scale) {
    const DType own = element_dtype(query), wide = element_dtype(scale);
    const auto as = [&](const Expr& e, DType dtype, const char* name) {
      return emit(Call::make(builtin_ops().get("astype"), {e}, AttrMap{{"dtype", dtype}}), name);
    };
    if (own == wide || wide.is_void()) return emit(make(op, {query, scale}), "scaled");
    return as(emit(make(op, {as(query, wide, "widened"), scale}), "scaled"), own, "rounded");
  }
  Expr attention(const Scores& scores, const Call& second) {
    Expr query = scores.product->args[0];
    for (size_t i = scores.scales.size(); i-- > 0;)
      query = scaled(scores.scales[i].first, query, scores.scales[i].second);
    std::vector<Expr> args{query, scores.product->args[1], second.args[1]};
    AttrMap attrs;
    if (scores.bias || scores.mask) args.push_back(scores.bias ? scores.bias : Expr(Tuple::make({})));
    if (scores.mask) {
      args.push_back(scores.is_mask_of_hidden ? emit(make("logical_not", {scores.mask}), "seen") : scores.mask);
      if (scores.hidden != -std::numeric_limits<double>::infinity()) attrs["hidden"] = scores.hidden;
    }
    if (scores.nan_as_zero) attrs["nan_as_zero"] = true;
    return Call::make(builtin_ops().get("nn.product_attention"), std::move(args), std::move(attrs), {}, second.span);
  }

  std::unordered_map<Ref<Var>, int> uses_;
  Analyzer analyzer_;
  DefinitionFn definition_ = [this](const Expr& e) { return value_of(e); };
};

}  // namespace

Module recognize_attention(const Module& m, const PassContext&) {
  return map_without_unused(m, [&](const Ref<Function>& f) { return AttentionRecognizer(f).rewrite(f); });
}

}  // namespace sunmao
