#include "passes/upstream/precision_needs.h"

#include <algorithm>
#include <cmath>

#include "ir/walk.h"

namespace sunmao {
namespace {

using Kind = PrecisionNeed::Kind;

bool is_halvable(const Type& type) {
  if (const auto* tuple = find<TupleType>(type)) return std::ranges::all_of(tuple->fields, is_halvable);
  const auto* tensor = find<TensorType>(type);
  if (!tensor) return static_cast<bool>(type);
  const DType dtype = tensor->dtype;
  return !dtype.is_void() && (!dtype.is_float() || dtype == DType::float_(16) || dtype == DType::float_(32));
}

PrecisionNeed everywhere(const Type& type, Kind kind) {
  const auto* tuple = find<TupleType>(type);
  if (!tuple) return {kind};
  PrecisionNeed out;
  for (const Type& field : tuple->fields) out.fields.push_back(everywhere(field, kind));
  return out;
}

void merge_need(PrecisionNeed& into, const PrecisionNeed& other) {
  into.kind = std::max(into.kind, other.kind);
  if (into.fields.size() < other.fields.size()) into.fields.resize(other.fields.size());
  for (size_t i = 0; i < other.fields.size(); ++i) merge_need(into.fields[i], other.fields[i]);
}

// Walks bindings backwards, so that all uses of a variable are known at its binding.
class Collector {
 public:
  PrecisionNeeds found;

  void sequence(const SeqExpr& seq) {
    require(seq.body, Kind::Full);
    for (auto block = seq.blocks.rbegin(); block != seq.blocks.rend(); ++block)
      for (auto b = (*block)->bindings.rbegin(); b != (*block)->bindings.rend(); ++b)
        (*block)->is_dataflow ? dataflow(*b) : plain(*b);
  }

 private:
  void require(const Expr& e, const PrecisionNeed& need) {
    if (Ref<Var> var = find_ref<Var>(e)) merge_need(found[var], need);
    if (const auto* tuple = find<Tuple>(e))
      for (size_t i = 0; i < tuple->fields.size(); ++i)
        require(tuple->fields[i], i < need.fields.size() ? need.fields[i] : PrecisionNeed{});
  }
  void require(const Expr& e, Kind kind) {
    if (e->type) require(e, everywhere(e->type, kind));
  }

  // Bindings outside dataflow blocks are not converted; only nested sequences are visited.
  void plain(const Binding& b) {
    if (const auto* branch = find<If>(b.value)) {
      sequence(*branch->then_branch);
      sequence(*branch->else_branch);
    }
    if (const auto* function = find<Function>(b.value)) sequence(*function->body);
  }

  void dataflow(const Binding& b) {
    if (const auto* tuple = find<Tuple>(b.value)) return require(Expr(tuple), found[b.var]);
    if (const auto* item = find<TupleGetItem>(b.value)) return field(*item, b.var);
    const auto* call = find<Call>(b.value);
    const Op* op = call ? op_of(*call) : nullptr;
    if (op && op->info.precision == Precision::Half && can_compute_on_halves(*call)) {
      for (const Expr& arg : call->args) require(arg, Kind::Half);
      return;
    }
    for (const Ref<Var>& v : free_vars(b.value)) require(Expr(v), Kind::Full);
    plain(b);
  }

  void field(const TupleGetItem& item, const Ref<Var>& var) {
    PrecisionNeed need;
    need.fields.resize(static_cast<size_t>(item.index) + 1);
    need.fields.back() = found[var];
    require(item.tuple, need);
  }
};

}  // namespace

bool fits_half(const Constant& c) {
  if (c.data.dtype() == DType::float_(16)) return true;
  if (c.data.dtype() != DType::float_(32)) return false;
  constexpr float kLargest = 65504;
  return std::ranges::none_of(c.data.as<float>(), [](float v) { return std::abs(v) > kLargest; });
}

bool can_compute_on_halves(const Call& call) {
  return is_halvable(call.type) && std::ranges::all_of(call.args, [](const Expr& a) {
           const auto* constant = find<Constant>(a);
           return is_halvable(a->type) && (!constant || !constant->data.dtype().is_float() || fits_half(*constant));
         });
}

PrecisionNeeds precision_needs(const Function& function) {
  Collector collector;
  collector.sequence(*function.body);
  return std::move(collector.found);
}

}  // namespace sunmao
