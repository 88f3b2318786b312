// The pass `keep-weights-narrow`: products of float32 data and a weight that is widened from 16 bits or less read the
// narrow weight, and their kernels widen it where they multiply. Scales of its channels, and what zero points add, are
// ops on the result. Else lift-transform-params would widen the weight ahead of time, to four bytes an element in the
// artifact and in memory.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "ops/algebra/rule.h"
#include "ops/matmul_kernel.h"
#include "ops/ops.h"
#include "ops/product_axes.h"
#include "ops/simpler_forms.h"
#include "passes/algebra/quantised.h"
#include "passes/algebra/step_rewriter.h"
#include "passes/algebra/widened.h"
#include "passes/analysis/compile_time.h"
#include "passes/analysis/unused.h"
#include "passes/analysis/variables.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

constexpr int64_t kWorthReading = 1 << 12;  // bytes that the weight takes more as floats; less may be widened ahead

/// A weight, and the ops that move its elements behind the widening, last one first.
struct MovedWeight {
  const Call* widening;
  std::vector<const Call*> moves;
  Quantised narrow;  // as it lies before the moves; `axis` is that behind them
};

using Definitions = std::function<const Call*(const Expr& var)>;

std::optional<MovedWeight> read_weight(const Expr& weight, const Definitions& definition) {
  const Call* call = definition(weight);
  if (!call) return std::nullopt;
  if (const std::optional<Quantised> narrow = read_widened(*call))
    return MovedWeight{.widening = call, .moves = {}, .narrow = *narrow};
  const Op* op = op_of(*call);
  if (!op || call->args.empty()) return std::nullopt;
  std::optional<MovedWeight> out = passes_elements_on(*call) ? read_weight(call->args[0], definition) : std::nullopt;
  if (!out) return std::nullopt;
  if (out->narrow.block > 0) {
    if (op->name() != "permute_dims" || tensor_rank(weight) != 2 || !swaps_last_two(*call)) return std::nullopt;
    out->narrow.axis = 1 - out->narrow.axis;
  } else if (out->narrow.scale) {
    const std::optional<int> axis = axis_behind(*call, out->narrow);
    if (!axis) return std::nullopt;
    out->narrow.axis = *axis;
  }
  out->moves.insert(out->moves.begin(), call);
  return out;
}

bool is_float32(const Expr& e) { return element_dtype(e) == DType::float_(32); }

/// Returns why a product does not read a weight whose blocks have scales as it is; empty where it does.
std::string reason_against_blocks(const Call& product, const MovedWeight& weight, const ProductAxes& axes) {
  const Quantised& narrow = weight.narrow;
  const Expr& values = product.args[1];
  if (op_of(product)->name() != "matmul" || tensor_rank(values) != 2) return "blocks are read by products of a matrix";
  if (narrow.axis == axes.weight_result) return "the blocks do not lie along the steps";
  if (!element_dtype(narrow.values).is_integral() || !element_dtype(narrow.zero).is_integral())
    return "its elements or zero points are floats";
  const int64_t steps = tensor_size(values, narrow.axis);
  if (steps == 0 || steps % narrow.block != 0) return "blocks do not fill the steps";
  return is_single(narrow.scale) ? "it has one scale and several zero points" : "";
}

/// Returns why a product does not read a weight as it is before widening; empty where it does.
std::string reason_against_narrow(const Call& product, const MovedWeight& weight) {
  const std::optional<ProductAxes> axes = product_axes(product);
  if (!axes || op_of(product)->name().ends_with("_transpose")) return "it is no product that reads narrow weights";
  if (!is_float32(product.args[0]) || !is_float32(product.args[1]) || !is_float32(Expr(&product)))
    return "its operands and its result are not float32";
  const DType from = element_dtype(weight.narrow.values);
  if (from.is_float() && from.bits < 16) return "elements of this kind are not widened in kernels";
  if (bytes_of_widening(*weight.widening) < kWorthReading) return "the weight is small";
  const auto* groups = product.attrs.find<int64_t>("groups");
  if (groups && *groups != 1) return "the convolution has groups";
  if (axes->result < 0 || axes->weight_result < 0) return "its layout has blocks, or the weight is a vector";
  if (weight.narrow.block > 0) return reason_against_blocks(product, weight, *axes);
  if (!weight.narrow.scale) return {};
  const auto follows_steps = [&](const Expr& parameter) {
    return !is_single(parameter) && weight.narrow.axis != axes->weight_result;
  };
  if (follows_steps(weight.narrow.scale)) return "the weight has scales along the steps";
  if (!is_float32(weight.narrow.scale)) return "the scales are not float32";
  if (known_integer(weight.narrow.zero) == 0) return {};
  if (!from.is_integral() || from.bits > 8 || !element_dtype(weight.narrow.zero).is_integral())
    return "zero points of this kind stay";
  if (follows_steps(weight.narrow.zero)) return "the weight has zero points along the steps";
  return op_of(product)->name() == "matmul" ? "" : "the weight has zero points";
}

/// Finds the products that read narrow weights: of each weight all uses do, or none, as wide elements beside narrow
/// ones take more memory than either.
class ProductFinder final : public Visitor {
 public:
  ProductFinder(const Ref<Function>& f, const PassContext& ctx) : ctx_(ctx), all_uses_(count_uses(Expr(f))) {
    for (const Ref<Var>& v : computable_at_compile_time(*f)) known_.insert(v);
    visit(Expr(f->body));
    for (const Product& p : products_) decide(p);
  }
  const std::unordered_set<const Call*>& found() const { return found_; }

 private:
  using Visitor::visit;

  struct Product {
    Ref<Var> result;
    const Call* call;
    MovedWeight weight;
    std::string reason;  // why it reads floats; empty where it need not
  };

  /// Variables of a dataflow block are not visible behind it.
  void visit_block(const BindingBlock& block) override {
    definitions_.clear();
    Visitor::visit_block(block);
    definitions_.clear();
  }

  void visit(const Binding& b) override {
    Visitor::visit(b);
    const auto* call = b.is_match_cast() ? nullptr : find<Call>(b.value);
    if (!call) return;
    definitions_[b.var] = call;
    if (passes_elements_on(*call)) moved_[find_ref<Var>(call->args[0])].push_back(b.var);
    if (!product_axes(*call) || !known_.contains(find_ref<Var>(call->args[1]))) return;
    std::optional<MovedWeight> weight = read_weight(call->args[1], [&](const Expr& e) {
      const auto found = definitions_.find(find_ref<Var>(e));
      return found == definitions_.end() ? nullptr : found->second;
    });
    if (!weight) return;
    std::string reason = reason_against_narrow(*call, *weight);
    if (reason.empty()) ++narrow_uses_[find_ref<Var>(call->args[1])];
    products_.push_back({b.var, call, std::move(*weight), std::move(reason)});
  }

  void decide(const Product& p) {
    std::string reason = p.reason;
    bool is_narrow = is_read_narrow(find_ref<Var>(p.call->args[1]));
    for (const Call* move : p.weight.moves) is_narrow = is_narrow && is_read_narrow(find_ref<Var>(move->args[0]));
    if (reason.empty() && !is_narrow) reason = "something else reads the weight as floats";
    if (reason.empty()) found_.insert(p.call);
    if (ctx_.on_explain)
      ctx_.on_explain(fmt::format("keep-weights-narrow: `{}`: {} reads {}", p.result->name, op_of(*p.call)->name(),
                                  reason.empty() ? element_dtype(p.weight.narrow.values).str() : "floats: " + reason));
  }

  /// True when all uses of a weight, moved or not, are products that read it narrow.
  bool is_read_narrow(const Ref<Var>& var) {
    const auto [known, is_new] = read_narrow_.emplace(var, false);
    if (!is_new) return known->second;
    int uses = narrow_uses_[var];
    for (const Ref<Var>& v : moved_[var])
      if (is_read_narrow(v)) ++uses;
    const auto all = all_uses_.find(var);
    return read_narrow_[var] = all != all_uses_.end() && uses == all->second;
  }

  const PassContext& ctx_;
  const std::unordered_map<Ref<Var>, int> all_uses_;
  std::unordered_set<Ref<Var>> known_;
  std::unordered_map<Ref<Var>, const Call*> definitions_;
  std::unordered_map<Ref<Var>, std::vector<Ref<Var>>> moved_;  // the results of ops that move elements, by the operand
  std::unordered_map<Ref<Var>, int> narrow_uses_;
  std::unordered_map<Ref<Var>, bool> read_narrow_;
  std::vector<Product> products_;
  std::unordered_set<const Call*> found_;
};

class NarrowReader final : public StepRewriter {
 public:
  NarrowReader(const Ref<Function>& f, const PassContext& ctx) : StepRewriter(*f), finder_(f, ctx) {}

 private:
  using StepRewriter::visit;

  Expr visit(const Call& call) override {
    const Expr e = Rewriter::visit(call);
    if (!finder_.found().contains(&call)) return e;
    const Call& product = *find<Call>(e);
    span_ = call.span;
    const std::optional<MovedWeight> weight = read_weight(product.args[1], [&](const Expr& var) {
      const Expr value = definition(var);
      return value ? find<Call>(value) : nullptr;
    });
    return weight ? of_narrow(product, *weight) : e;
  }

  /// Returns a tensor after the ops that move the elements of a weight.
  Expr moved(Expr values, const MovedWeight& weight) {
    for (auto move = weight.moves.rbegin(); move != weight.moves.rend(); ++move) {
      std::vector<Expr> args = (*move)->args;
      args[0] = values;
      values = bound(Call::make((*move)->callee, std::move(args), (*move)->attrs, {}, (*move)->span));
    }
    return values;
  }

  Expr of_blocks(const Call& product, const MovedWeight& weight) {
    const Quantised& narrow = weight.narrow;
    const Expr zero = is_single(narrow.zero) ? as_number(narrow.zero) : moved(narrow.zero, weight);
    return Call::make(builtin_ops().get("nn.matmul_dequantize"),
                      {product.args[0], moved(narrow.values, weight), moved(narrow.scale, weight), zero},
                      AttrMap{{"block_size", narrow.block}}, {}, product.span);
  }

  Expr of_narrow(const Call& product, const MovedWeight& weight) {
    if (weight.narrow.block > 0) return of_blocks(product, weight);
    const ProductAxes axes = *product_axes(product);
    const int rank = tensor_rank(Expr(&product));
    const bool has_points = weight.narrow.scale && known_integer(weight.narrow.zero) != 0;
    const Expr values = moved(has_points ? as_signed(weight.narrow.values) : weight.narrow.values, weight);
    const Ref<Call> sums = Call::make(product.callee, {product.args[0], values},
                                      product.attrs.with("out_dtype", DType::float_(32)), {}, product.span);
    if (!weight.narrow.scale) return sums;
    Expr out = bound(sums);
    if (has_points) {
      const Expr of_row = step("sum", {product.args[0]}, {{"axis", AttrValue::ints({-1})}, {"keepdims", true}});
      const Expr points = spread(points_of_signed(weight.narrow), axes.result, rank);
      const bool is_vector = tensor_rank(product.args[0]) == 1;  // its product has no axis for the row
      out = step("subtract", {out, step("multiply", {is_vector ? step("squeeze", {of_row}) : of_row, points})});
    }
    return Call::make(builtin_ops().get("multiply"), {out, spread(weight.narrow.scale, axes.result, rank)}, {}, {},
                      product.span);
  }

  /// Unsigned bytes become signed ones, kSignShift lower: their products with data are nearer to what they stand for.
  Expr as_signed(const Expr& values) {
    if (element_dtype(values) != DType::uint(8)) return values;
    const DType wide = DType::int_(16);
    return as(step("subtract", {as(values, wide), integer_constant(wide, kSignShift)}), DType::int_(8));
  }
  Expr points_of_signed(const Quantised& narrow) {
    const Expr zero = as(narrow.zero, DType::float_(32));
    if (element_dtype(narrow.values) != DType::uint(8)) return zero;
    return step("subtract", {zero, number_constant(static_cast<double>(kSignShift), DType::float_(32))});
  }

  Expr as_number(const Expr& single) {
    return tensor_rank(single) > 0 ? step("reshape", {single, ShapeExpr::make({})}) : single;
  }

  /// Returns a parameter as it is combined with a tensor along whose axis it lies.
  Expr spread(const Expr& parameter, int axis, int rank) {
    if (is_single(parameter)) return as_number(parameter);
    return emit_step()(along_axis(parameter, axis, rank));
  }

  const ProductFinder finder_;
};

}  // namespace

Module keep_weights_narrow(const Module& m, const PassContext& ctx) {
  return map_without_unused(m, [&](const Ref<Function>& f) { return NarrowReader(f, ctx).rewrite(f); });
}

}  // namespace sunmao
