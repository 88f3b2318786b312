// A batch norm for inference behind a convolution that nothing else reads: its scale goes into the weights.
#include <unordered_map>

#include "ir/walk.h"
#include "ops/ops.h"
#include "ops/simpler_forms.h"
#include "passes/analysis/unused.h"
#include "passes/graph/graph_passes.h"

namespace sunmao {
namespace {

class CountUses final : public Visitor {
 public:
  std::unordered_map<Ref<Var>, int> count;
  using Visitor::visit;

 private:
  void visit(const Var& v) override { ++count[Ref<Var>(&v)]; }
};

class Folder final : public Rewriter {
 public:
  explicit Folder(const Ref<Function>& f) { uses_.visit(Expr(f)); }

 private:
  using Rewriter::visit;

  Expr visit(const TupleGetItem& item) override {
    Expr visited = Rewriter::visit(item);
    const auto* taken = find<TupleGetItem>(visited);
    if (!taken || taken->index != 0 || !is_used_once(item.tuple)) return visited;
    Expr norm = value_of(taken->tuple);
    const Call* call = norm ? find_call(norm, "nn.batch_norm") : nullptr;
    Expr input = call ? value_of(call->args[0]) : nullptr;
    const Call* convolution = input ? find_call(input, "nn.conv2d") : nullptr;
    if (!convolution || !is_used_once(call->args[0])) return visited;
    Expr folded = fold(*call, *convolution);
    return folded ? folded : visited;
  }

  bool is_used_once(const Expr& e) const {
    auto it = uses_.count.find(find_ref<Var>(e));
    return it != uses_.count.end() && it->second == 1;
  }

  // Where `letter` stands in a layout of single letters; -1 when it does not.
  static int axis_of(const Call& call, const char* layout, char letter) {
    const auto* letters = call.attrs.find<std::string>(layout);
    if (!letters || letters->size() != 4) return -1;
    size_t at = letters->find(letter);
    return at == std::string::npos ? -1 : static_cast<int>(at);
  }

  Expr step(const char* op, std::vector<Expr> args) {
    return emit(Call::make(builtin_ops().get(op), std::move(args)), "lv");
  }

  Expr fold(const Call& norm, const Call& convolution) {
    const int channel = axis_of(convolution, "out_layout", 'C'), filter = axis_of(convolution, "kernel_layout", 'O');
    const auto* data = find<TensorType>(norm.args[0]->type);
    const int64_t axis = *norm.attrs.find<int64_t>("axis");
    if (channel < 0 || filter < 0 || (axis < 0 ? axis + 4 : axis) != channel || data->dtype.is_void()) return nullptr;
    const auto* weights = find<TensorType>(convolution.args[1]->type);
    if (weights->dtype != data->dtype) return nullptr;
    const bool scales = *norm.attrs.find<bool>("scale"), centres = *norm.attrs.find<bool>("center");
    Expr epsilon = number_constant(*norm.attrs.find<double>("epsilon"), data->dtype);
    Expr deviation = step("sqrt", {step("add", {norm.args[4], epsilon})});
    Expr unit = scales ? norm.args[1] : number_constant(1, data->dtype);
    Expr scale = step("divide", {unit, deviation});
    Expr scaled = step("multiply", {convolution.args[1], emit(along_axis(scale, filter, 4), "lv")});
    Expr moved = step("multiply", {norm.args[3], scale});
    Expr shift = centres ? step("subtract", {norm.args[2], moved}) : step("negative", {moved});
    Expr product = emit(convolution.with_args({convolution.args[0], scaled}), "lv");
    return Call::make(builtin_ops().get("add"), {product, emit(along_axis(shift, channel, 4), "lv")}, {}, {},
                      norm.span);
  }

  CountUses uses_;
};

}  // namespace

Module fold_batch_norm(const Module& m, const PassContext&) {
  return map_functions(m, [&](const Ref<Function>& f) {
    Ref<Function> folded = Folder(f).rewrite(f);
    return folded == f ? f : find_ref<Function>(remove_all_unused(Expr(folded), &m));
  });
}

}  // namespace sunmao
