// The pass `choose-before-widening`: where an op chooses elements of a weight that is widened to floats, such as rows
// of a table of bytes, it chooses narrow elements, and those are widened. Else lift-transform-params would widen all of
// the table ahead of time.
#include <algorithm>
#include <array>

#include "ops/algebra/rule.h"
#include "ops/ops.h"
#include "ops/simpler_forms.h"
#include "passes/algebra/step_rewriter.h"
#include "passes/algebra/widened.h"
#include "passes/analysis/unused.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

constexpr int64_t kWorthChoosing = 1 << 12;  // that a table of floats takes more; a smaller one may be widened ahead
constexpr std::array<std::string_view, 6> kChoosers{"take",         "gather_elements", "gather_nd",
                                                    "index_tensor", "strided_slice",   "dynamic_strided_slice"};

int rank_of(const Expr& e) { return find<PrimType>(e->type) ? 0 : tensor_rank(e); }

class Chooser final : public StepRewriter {
 public:
  explicit Chooser(const Ref<Function>& f) : StepRewriter(*f) {}

 private:
  using StepRewriter::visit;

  Expr visit(const Call& call) override {
    const Expr e = Rewriter::visit(call);
    const auto* own = find<Call>(e);
    const Op* op = own ? op_of(*own) : nullptr;
    if (!op || std::ranges::find(kChoosers, op->name()) == kChoosers.end()) return e;
    const Expr value = is_known(own->args[0]) ? definition(own->args[0]) : nullptr;
    const auto* widening = value ? find<Call>(value) : nullptr;
    if (!widening || std::ranges::all_of(own->args, [&](const Expr& a) { return is_known(a); })) return e;
    const std::optional<Quantised> table = read_widened(*widening);
    if (!table || bytes_of_widening(*widening) < kWorthChoosing) return e;
    if (element_count(e) > element_count(table->values)) return e;
    const Expr better = chosen_before(*own, *widening, *table);
    return better ? better : e;
  }

  /// Returns the same choice among other elements.
  Expr chosen(const Call& choice, const Expr& from) {
    std::vector<Expr> args = choice.args;
    args[0] = from;
    return bound(Call::make(choice.callee, std::move(args), choice.attrs, {}, choice.span));
  }

  /// Returns the widened choice; null where it has scales that no `dequantize` has.
  Expr chosen_before(const Call& choice, const Call& widening, const Quantised& table) {
    span_ = choice.span;
    const auto* mode = choice.attrs.find<std::string>("mode");
    if (mode && *mode == "nan") return nullptr;  // which integers have none of
    if (!table.scale || (is_single(table.scale) && is_single(table.zero))) {
      std::vector<Expr> args = widening.args;
      args[0] = chosen(choice, table.values);
      const bool has_axis = table.scale && rank_of(args[0]) > 0;
      return Call::make(widening.callee, std::move(args),
                        has_axis ? widening.attrs.with("axis", int64_t{0}) : widening.attrs, {}, choice.span);
    }
    if (table.block > 0) return op_of(choice)->name() == "take" ? taken_with_blocks(choice, widening, table) : nullptr;
    return op_of(choice)->name() == "take" ? taken_with_scales(choice, widening, table) : nullptr;
  }

  /// Scales of blocks go along where elements are taken of another axis.
  Expr taken_with_blocks(const Call& take, const Call& widening, const Quantised& table) {
    const std::optional<int64_t> axis = axis_of(take, find<TensorType>(table.values->type));
    const int taken = rank_of(take.args[1]);
    if (!axis || taken == kUnknownRank || table.axis == *axis) return nullptr;
    const auto along = [&](const Expr& parameter) {
      return is_single(parameter) ? parameter : chosen(take, parameter);
    };
    const int64_t behind = table.axis < *axis ? table.axis : table.axis + taken - 1;
    return Call::make(widening.callee, {chosen(take, table.values), along(table.scale), along(table.zero)},
                      widening.attrs.with("axis", behind), {}, take.span);
  }

  /// The scales go along where they lie along the axis that elements are taken of.
  Expr taken_with_scales(const Call& take, const Call& widening, const Quantised& table) {
    const std::optional<int64_t> axis = axis_of(take, find<TensorType>(table.values->type));
    const int taken = rank_of(take.args[1]);
    if (!axis || taken == kUnknownRank || rank_of(table.values) == kUnknownRank) return nullptr;
    int64_t axis_of_scales = table.axis;
    Expr scale = table.scale, zero = table.zero;
    if (axis_of_scales == *axis) {
      if (taken > 1) return taken_rows(take, table, *axis, taken);
      scale = taken_parameter(take, scale);
      zero = taken_parameter(take, zero);
      if (taken == 0) axis_of_scales = 0;  // a number, whose axis means nothing
    } else if (axis_of_scales > *axis) {
      axis_of_scales += taken - 1;
    }
    return Call::make(widening.callee, {chosen(take, table.values), scale, zero},
                      widening.attrs.with("axis", axis_of_scales), {}, take.span);
  }

  Expr taken_parameter(const Call& take, const Expr& parameter) {
    if (is_single(parameter)) return parameter;
    return bound(Call::make(take.callee, {parameter, take.args[1]}, take.attrs.with("axis", int64_t{0}), {}, span_));
  }

  /// Indices of several axes: each has a scale, and no `dequantize` has more than one axis of them.
  Expr taken_rows(const Call& take, const Quantised& table, int64_t axis, int taken) {
    const DType to = element_dtype(Expr(&take)), whole = DType::int_(32);
    if (!element_dtype(table.values).is_integral() || !element_dtype(table.zero).is_integral()) return nullptr;
    std::vector<int64_t> behind;
    for (int64_t i = axis + 1; i < rank_of(table.values); ++i) behind.push_back(taken + i - axis - 1);
    const auto spread = [&](const Expr& parameter) {
      const Expr own = taken_parameter(take, parameter);
      return is_single(parameter) || behind.empty() ? own
                                                    : step("expand_dims", {own}, {{"axis", AttrValue::ints(behind)}});
    };
    Expr out = as(chosen(take, table.values), known_integer(table.zero) == 0 ? to : whole);
    if (known_integer(table.zero) != 0) out = as(step("subtract", {out, as(spread(table.zero), whole)}), to);
    return Call::make(builtin_ops().get("multiply"), {out, as(spread(table.scale), to)}, {}, {}, take.span);
  }
};

}  // namespace

Module choose_before_widening(const Module& m, const PassContext&) {
  return map_without_unused(m, [&](const Ref<Function>& f) { return Chooser(f).rewrite(f); });
}

}  // namespace sunmao
