#include "tests/random/random_module.h"

#include <algorithm>

#include "ir/builder.h"
#include "ops/ops.h"
#include "ops/samples/samples.h"
#include "tests/random/structure.h"

namespace sunmao {
namespace {

constexpr int64_t kMostOps = 30, kMostOpsOfLarge = 100, kMostElements = 20'000, kMostElementsOfLarge = 100'000;
constexpr int kSizedChance = 1;  // percent of ops besides those drawn whose result is of a size that data decides

bool is_of_kind(DType dtype, TensorWish::Kind kind) {
  const bool is_integer = dtype.is_int() || dtype.is_uint();
  switch (kind) {
    case TensorWish::Kind::Float: return dtype.is_float();
    case TensorWish::Kind::Integer: return is_integer;
    case TensorWish::Kind::Boolean: return dtype.is_bool();
    case TensorWish::Kind::Number: break;
  }
  return is_integer || dtype.is_float();
}

bool are_equal(const Dims& a, const Dims& b) {
  Analyzer analyzer;
  return std::ranges::equal(a, b, [&](const Scalar& x, const Scalar& y) { return analyzer.can_prove_equal(x, y); });
}

bool fits(const Sampler& s, const Expr& e, const TensorWish& wish) {
  const Dims& dims = sampled_dims(e);
  auto fits_size = [&](const Scalar& d) {
    return wish.size == Sizes::Any || ((wish.size == Sizes::Some || find_int(d)) && s.size_of(d) != 0);
  };
  if (wish.values != Values::Any) return false;
  if (wish.dtype.is_void() ? !is_of_kind(sampled_dtype(e), wish.kind) : sampled_dtype(e) != wish.dtype) return false;
  if (!std::ranges::all_of(dims, fits_size)) return false;
  if (wish.dims) return are_equal(dims, *wish.dims);
  return wish.min_rank <= sampled_rank(e) && sampled_rank(e) <= wish.max_rank;
}

// A sampler that draws, where the constraints allow it, values that the module has already computed.
class ModuleSampler final : public Sampler {
 public:
  using Sampler::Sampler;
  void offer(const Expr& e) {
    if (const auto* t = find<TensorType>(e->type); t && t->dims()) offers_.push_back(e);
  }
  Expr tensor(const TensorWish& wish) override {
    std::vector<Expr> fitting;
    std::ranges::copy_if(offers_, std::back_inserter(fitting), [&](const Expr& e) { return fits(*this, e, wish); });
    // Prefers the latest values, so that computations form chains.
    if (!fitting.empty() && chance(80)) return chance(60) ? fitting.back() : one_of(fitting);
    Expr fresh = new_input(wish);
    offer(fresh);
    return fresh;
  }

 private:
  std::vector<Expr> offers_;
};

// True when all results are small. Data-dependent sizes count as small, since they are bounded by the inputs.
bool is_small(const Sampler& s, const Type& type, int64_t most) {
  if (const auto* tuple = find<TupleType>(type))
    return std::ranges::all_of(tuple->fields, [&](const Type& f) { return is_small(s, f, most); });
  const auto* tensor = find<TensorType>(type);
  if (!tensor || !tensor->dims()) return true;
  int64_t count = 1;
  for (const Scalar& d : *tensor->dims()) count *= std::max<int64_t>(1, s.size_of(d));
  return count <= most;
}

// True for a view of floats as another dtype: engines may round them differently, and numbers made of their bits differ
// by much.
bool reads_bits(const Call& call) {
  if (op_of(call)->name() != "memory.view") return false;
  return sampled_dtype(call.args[0]).is_float() && find<TensorType>(call.type)->dtype != sampled_dtype(call.args[0]);
}

// True where the sign of a computed NaN would show, which is unspecified.
bool reads_signs(const Call& call, const Sampler& s) {
  const auto is_sign = [&](const Sampler::Input& input) { return input.var == call.args[1]; };
  return op_of(call)->name() == "copysign" && std::ranges::none_of(s.inputs(), is_sign);
}

bool has_small_float(const Type& type) {
  if (const auto* tuple = find<TupleType>(type)) return std::ranges::any_of(tuple->fields, has_small_float);
  const auto* tensor = find<TensorType>(type);
  return tensor && tensor->dtype.is_float() && tensor->dtype.bits <= 8;
}

// True for an op from floats of at most 8 bits to such floats.
bool computes_in_small_floats(const Call& call) {
  return has_small_float(call.type) &&
         std::ranges::any_of(call.args, [](const Expr& arg) { return arg->type && has_small_float(arg->type); });
}

Expr emit_op(BlockBuilder& b, const char* op, std::vector<Expr> args, AttrMap attrs = {}) {
  return b.emit(Call::make(builtin_ops().get(op), std::move(args), Attrs(std::move(attrs))));
}

// A value whose size data decides is cast to a type that names it, used at that size, and summed up to a known one.
// Returns the sum, or null for other values.
Expr emit_sum_of_sized(BlockBuilder& b, const Expr& value) {
  const auto* type = find<TensorType>(value->type);
  const bool is_summed = type && (type->dtype.is_bool() || type->dtype.is_int() || type->dtype == DType::float_(32));
  if (!is_summed || type->dims() || type->rank == kUnknownRank) return nullptr;
  Dims dims;
  for (int i = 0; i < type->rank; ++i) dims.emplace_back(SymVar::make(b.unique_name("d"), DType::int_(64)));
  const Expr sized = b.match_cast(value, TensorType::make(std::move(dims), type->dtype));
  const Expr number = type->dtype.is_bool() ? emit_op(b, "astype", {sized}, {{"dtype", DType::int_(64)}}) : sized;
  return emit_op(b, "sum", {emit_op(b, "add", {number, number})});
}

// Calls an op with sampled arguments and emits the call. Returns the result or the fields of a tuple, and the sums of
// those whose sizes data decides; emits nothing when the result would be large.
std::vector<Expr> emit_call(BlockBuilder& b, ModuleSampler& s, const std::string& op, const ModuleWish& wish) {
  OpSample sample = sample_of(op)(s);
  Expr call = Call::make(builtin_ops().get(op), std::move(sample.args), Attrs(std::move(sample.attrs)));
  const int64_t most_elements = wish.extent == Extent::Large ? kMostElementsOfLarge : kMostElements;
  if (!is_small(s, call->type, most_elements) || reads_bits(*find<Call>(call)) || reads_signs(*find<Call>(call), s))
    return {};
  if (!wish.computes_in_small_floats && computes_in_small_floats(*find<Call>(call))) return {};
  const Expr value = b.emit(call);
  const auto* tuple = find<TupleType>(value->type);
  std::vector<Expr> out;
  for (size_t i = 0; tuple && i < tuple->fields.size(); ++i)
    out.push_back(b.emit(TupleGetItem::make(value, static_cast<int>(i))));
  if (!tuple) out.push_back(value);
  const std::vector<Expr> values = out;
  for (const Expr& v : values)
    if (Expr sum = emit_sum_of_sized(b, v)) out.push_back(std::move(sum));
  return out;
}

}  // namespace

RandomModule random_module(uint64_t seed, const ModuleWish& wish) {
  ModuleSampler s(seed, wish.dtype, wish.extent);
  const std::vector<std::string> names = sampled_ops();
  BlockBuilder b;
  b.begin_dataflow();
  std::vector<Expr> results;
  for (int64_t left = s.between(1, wish.extent == Extent::Large ? kMostOpsOfLarge : kMostOps); left > 0; --left)
    for (const Expr& value : emit_call(b, s, s.chance(kSizedChance) ? "nonzero" : s.one_of(names), wish)) {
      results.push_back(value);
      s.offer(value);
    }
  // The module returns the last three values and a randomly chosen one.
  std::vector<Expr> returned(results.end() - std::min<ptrdiff_t>(3, std::ssize(results)), results.end());
  if (!results.empty()) returned.push_back(s.one_of(results));
  Expr result = b.emit_output(Tuple::make(std::move(returned)));
  b.end_dataflow();

  // Half of the inputs become weights, which are the last parameters; inputs whose shapes define symbols do not.
  std::vector<Sampler::Input> inputs = s.inputs();
  auto weights = std::ranges::stable_partition(inputs, [&](const Sampler::Input&) { return s.chance(50); });
  const auto weight_count = std::ssize(weights);
  const size_t known = inputs.size();
  s.define_symbols();
  inputs.insert(inputs.end() - weight_count, s.inputs().begin() + static_cast<std::ptrdiff_t>(known), s.inputs().end());
  std::vector<Ref<Var>> params;
  RandomModule out;
  for (const Sampler::Input& input : inputs) {
    params.push_back(input.var);
    out.straight_inputs.emplace_back(s.values(input));
  }
  const int64_t run_inputs = std::ssize(params) - weight_count;
  const Ref<Function> main =
      b.finish_function(params, result, Attrs(AttrMap{{"global_symbol", "main"}, {"num_input", run_inputs}}));
  const GlobalInfos devices{{"vdevice", {sampled_device()}}};
  out.straight = Module().with_function("main", main).with_global_infos(devices);

  Structured with_structure = structured(*main, s);
  out.module = with_structure.module.with_global_infos(devices);
  out.inputs = out.straight_inputs;
  std::vector<Value> conditions;
  for (const Ref<Var>& v : with_structure.conditions) conditions.emplace_back(s.values({v, Values::Any, 0, 0}));
  out.inputs.insert(out.inputs.begin() + run_inputs, conditions.begin(), conditions.end());
  out.run_inputs = static_cast<size_t>(run_inputs) + conditions.size();
  for (const auto& [symbol, size] : s.symbols()) out.sizes.emplace_back(symbol->name, size);
  return out;
}

}  // namespace sunmao
