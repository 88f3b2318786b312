#include "passes/upstream/inplace_calls.h"

#include <algorithm>
#include <array>

#include "ir/walk.h"
#include "loop/walk.h"
#include "ops/lowering.h"
#include "ops/ops.h"
#include "passes/analysis/kernel_call.h"
#include "passes/upstream/value_aliases.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// Returns the loop-level function of a call of an op; null when there is none.
Ref<PrimFunc> find_kernel(const Call& call) {
  const auto* op = find<Op>(call.callee);
  return op && op->info.lower ? find_ref<PrimFunc>(Expr(kernel_of(call))) : nullptr;
}

// The ops that upstream makes in-place calls of.
bool may_be_in_place(const Call& call) {
  constexpr std::array<std::string_view, 6> kNames{"add", "subtract", "multiply", "divide", "nn.silu", "nn.relu"};
  const auto* op = find<Op>(call.callee);
  return op && std::ranges::find(kNames, op->name()) != kNames.end();
}

enum class SizeMatch : uint8_t { None, Large, Same };

// Compares the elements of an argument to those of the result.
SizeMatch match_sizes(const Type& result, const Type& argument) {
  const auto *to = find<TensorType>(result), *from = find<TensorType>(argument);
  if (!to || !from || !to->dims() || !from->dims()) return SizeMatch::None;
  if (to->is_unknown_dtype() || to->dtype != from->dtype) return SizeMatch::None;
  auto count = [](const std::vector<Scalar>& dims) {
    Scalar product = int_imm(1);
    for (const Scalar& d : dims) product = product * d;
    return product;
  };
  Analyzer analyzer;
  for (const std::vector<Scalar>* dims : {to->dims(), from->dims()})
    for (const Scalar& d : *dims)
      if (Ref<SymVar> s = find_ref<SymVar>(d)) analyzer.assume(s, {0, Interval::kMax});
  if (!analyzer.can_prove(Binary::make(BinaryOp::Ge, count(*from->dims()), count(*to->dims())))) return SizeMatch::None;
  auto same = [&](const Scalar& a, const Scalar& b) { return analyzer.can_prove_equal(a, b); };
  return std::ranges::equal(*to->dims(), *from->dims(), same) ? SizeMatch::Same : SizeMatch::Large;
}

class ChanceFinder {
 public:
  ChanceFinder(const BindingBlock& block, const std::vector<Ref<Var>>& inputs)
      : block_(block), aliases_(block, inputs), ranges_(live_ranges(block)) {
    for (const auto& [var, range] : ranges_) by_var_.emplace(var, range);
  }

  InplaceChances find_all() const {
    InplaceChances chances;
    for (size_t i = 0; i < block_.bindings.size(); ++i) {
      const Binding& b = block_.bindings[i];
      const auto* call = find<Call>(b.value);
      if (!call || !may_be_in_place(*call)) continue;
      const auto at = static_cast<int64_t>(i);
      InplaceChance large{at, {}}, same{at, {}};
      for (size_t j = 0; j < call->args.size(); ++j) {
        const SizeMatch match = match_sizes(call->type, call->args[j]->type);
        if (match == SizeMatch::None || !may_be_written(*call, j, at)) continue;
        large.arguments.push_back(static_cast<int64_t>(j));
        if (match == SizeMatch::Same) same.arguments.push_back(static_cast<int64_t>(j));
      }
      if (large.arguments.empty() || !find_kernel(*call)) continue;
      chances.large_enough.push_back(std::move(large));
      if (!same.arguments.empty()) chances.same_shape.push_back(std::move(same));
    }
    return chances;
  }

 private:
  // True when nothing reads the memory of the argument after the call, and no other argument has a part in it.
  bool may_be_written(const Call& call, size_t j, int64_t at) const {
    const Ref<Var> var = find_ref<Var>(call.args[j]);
    const MemorySet* own = var ? aliases_.find(var) : nullptr;
    if (!own) return false;
    const MemorySet memory = aliases_.with_fields(*own);
    if (memory.contains(kUnknownMemory) || aliases_.is_constant(memory)) return false;
    if (auto range = by_var_.find(var); range != by_var_.end() && range->second.end > at) return false;
    // A field of a tuple that is read later begins later, and has its memory already.
    for (const auto& [other, range] : ranges_)
      if (other != var && range.end > at && shares(other, memory)) return false;
    return std::ranges::none_of(call.args, [&](const Expr& arg) {
      const Ref<Var> other = find_ref<Var>(arg);
      return other && other != var && shares(other, *own);
    });
  }

  bool shares(const Ref<Var>& var, const MemorySet& memory) const {
    const MemorySet* other = aliases_.find(var);
    if (!other) return false;
    return std::ranges::any_of(aliases_.with_fields(*other), [&](int64_t i) { return memory.contains(i); });
  }

  const BindingBlock& block_;
  const ValueAliases aliases_;
  const std::vector<std::pair<Ref<Var>, LiveRange>> ranges_;
  std::unordered_map<Ref<Var>, LiveRange> by_var_;
};

// Returns the function with the buffer of argument `place` in place of that of the result, which it loses.
Ref<PrimFunc> in_place(const PrimFunc& f, size_t inputs, size_t place) {
  const PrimParam &result = f.params[inputs], &argument = f.params[place];
  std::vector<PrimParam> params = f.params;
  params.erase(params.begin() + static_cast<std::ptrdiff_t>(inputs));
  return PrimFunc::make(std::move(params),
                        substitute(f.body, {{result.var, argument.var}}, {{result.buffer, argument.buffer}}),
                        f.attrs.with("s_tir", true), f.result_type, f.span);
}

}  // namespace

std::vector<std::pair<Ref<Var>, LiveRange>> live_ranges(const BindingBlock& block) {
  const auto end = static_cast<int64_t>(block.bindings.size());
  std::vector<std::pair<Ref<Var>, LiveRange>> ranges;
  std::unordered_map<Ref<Var>, size_t> index;
  auto range_of = [&](const Ref<Var>& var, LiveRange range) -> LiveRange& {
    auto [it, is_new] = index.try_emplace(var, ranges.size());
    if (is_new) ranges.emplace_back(var, range);
    return ranges[it->second].second;
  };
  for (int64_t i = end - 1; i >= 0; --i) {
    const Binding& b = block.bindings[static_cast<size_t>(i)];
    if (!find<TupleGetItem>(b.value))
      for (const Ref<Var>& used : free_vars(b.value)) range_of(used, {-1, used->is_dataflow ? i : end});
    range_of(b.var, {i, b.var->is_dataflow ? i : end}).begin = i;
  }
  return ranges;
}

InplaceChances find_inplace_chances(const BindingBlock& block, const std::vector<Ref<Var>>& inputs) {
  return ChanceFinder(block, inputs).find_all();
}

Ref<Call> InplaceCalls::write_to(const Call& call, int64_t place) {
  auto refuse = [&](const std::string& why) {
    fail("E0539", call.span, "a call cannot write to the memory of an argument: " + why,
         "give a call of an op from tensors to one tensor, and the index of an argument of the result's type");
  };
  if (place < 0 || std::cmp_greater_equal(place, call.args.size()))
    refuse(fmt::format("there is no argument {} of {}", place, call.args.size()));
  const Expr& target = call.args[static_cast<size_t>(place)];
  if (match_sizes(call.type, target->type) != SizeMatch::Same)
    refuse(fmt::format("expected {}, got {}", describe(call.type), describe(target->type)));
  const Ref<PrimFunc> kernel = find_kernel(call);
  if (!kernel) refuse("it has no loop-level function");
  // Numbers among the arguments are in the function.
  std::vector<Expr> tensors;
  size_t at = 0;
  for (size_t i = 0; i < call.args.size(); ++i) {
    if (std::cmp_equal(i, place)) at = tensors.size();
    if (find<TensorType>(call.args[i]->type)) tensors.push_back(call.args[i]);
  }
  // Kernels are named after the last part of the op's name, as upstream does.
  const std::string& op = find<Op>(call.callee)->name();
  const Ref<Call> plain = call_kernel(plain_, op.substr(op.rfind('.') + 1), kernel, tensors, call.type, call.span);
  const GlobalVar& callee = *find<GlobalVar>(plain->args[0]);
  const Ref<PrimFunc> f = plain_.module().find_as<PrimFunc>(callee.name);
  std::vector<Expr> args = plain->args;
  args[0] = functions_.add_function(callee.name + "_inplace", in_place(*f, tensors.size(), at));
  return Call::make(builtin_ops().get("call_tir_inplace"), std::move(args),
                    Attrs(AttrMap{{"inplace_indices", AttrValue::ints({place})}}), plain->type_args, call.span);
}

}  // namespace sunmao
