#include "tests/random/random_module.h"

#include <cmath>
#include <cstring>
#include <set>

#include "eval/evaluator.h"
#include "ir/builder.h"
#include "ir/equal.h"
#include "ir/verify.h"
#include "ops/ops.h"
#include "ops/samples/samples.h"
#include "passes/pass.h"
#include "script/parse.h"
#include "script/print.h"
#include "support/diagnostic.h"
#include "support/half.h"

namespace sunmao {
namespace {

constexpr int64_t kMostOps = 30;
constexpr size_t kMostElements = 20'000;

// Gives what the module has computed already where it fits the wish.
class ModuleSampler final : public Sampler {
 public:
  using Sampler::Sampler;
  void offer(const Expr& e) {
    if (const auto* t = find<TensorType>(e->type); t && t->dims()) offers_.push_back(e);
  }
  Expr tensor(const TensorWish& wish) override {
    std::vector<Expr> fitting;
    for (const Expr& e : offers_)
      if (fits(e, wish)) fitting.push_back(e);
    // What was computed last goes on being computed with.
    if (!fitting.empty() && chance(80)) return chance(60) ? fitting.back() : one_of(fitting);
    Expr fresh = new_input(wish);
    offer(fresh);
    return fresh;
  }

 private:
  bool fits(const Expr& e, const TensorWish& wish) const {
    if (wish.values != Values::Any) return false;
    const DType dtype = sampled_dtype(e);
    const std::vector<Scalar>& dims = sampled_dims(e);
    const auto rank = static_cast<int>(dims.size());
    if (!wish.dtype.is_void() && dtype != wish.dtype) return false;
    using Kind = TensorWish::Kind;
    const bool is_number = dtype.is_float() || dtype.is_int() || dtype.is_uint();
    if (wish.dtype.is_void() &&
        ((wish.kind == Kind::Float && !dtype.is_float()) ||
         (wish.kind == Kind::Integer && !(dtype.is_int() || dtype.is_uint())) ||
         (wish.kind == Kind::Boolean && !dtype.is_bool()) || (wish.kind == Kind::Number && !is_number)))
      return false;
    if (wish.is_static)
      for (const Scalar& d : dims)
        if (!find_int(d) || *find_int(d) == 0) return false;
    if (!wish.dims) return rank >= wish.min_rank && rank <= wish.max_rank;
    if (wish.dims->size() != dims.size()) return false;
    Analyzer analyzer;
    for (size_t i = 0; i < dims.size(); ++i)
      if (!analyzer.can_prove_equal(dims[i], (*wish.dims)[i])) return false;
    return true;
  }
  std::vector<Expr> offers_;
};

bool is_small(const Sampler& s, const Type& type) {
  if (const auto* tuple = find<TupleType>(type))
    return std::ranges::all_of(tuple->fields, [&](const Type& f) { return is_small(s, f); });
  const auto* tensor = find<TensorType>(type);
  if (!tensor || !tensor->dims()) return false;
  size_t count = 1;
  for (const Scalar& d : *tensor->dims()) count *= static_cast<size_t>(std::max<int64_t>(1, s.size_of(d)));
  return count <= kMostElements;
}

double number_at(const Array& a, int64_t i) {
  const auto at = static_cast<size_t>(i);
  if (a.dtype() == DType::float_(64)) return a.as<double>()[at];
  if (a.dtype() == DType::float_(32)) return static_cast<double>(a.as<float>()[at]);
  return static_cast<double>(from_float16(a.as<uint16_t>()[at]));
}

// How results may differ: floats as near as rounding leaves them; in another order sums overflow elsewhere, too.
enum class Order : uint8_t { Kept, Free };

bool same(const Array& a, const Array& b, Order order) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (!a.dtype().is_float()) return a == b;
  const double relative = a.dtype().bits == 64 ? 1e-9 : 1e-4;
  for (int64_t i = 0; i < a.count(); ++i) {
    const double x = number_at(a, i), y = number_at(b, i);
    if (order == Order::Free && !(std::isfinite(x) && std::isfinite(y))) continue;
    if (std::isnan(x) || std::isnan(y) ? std::isnan(x) != std::isnan(y)
                                       : x != y && !(std::abs(x - y) <= relative * std::max({1.0, std::abs(x)})))
      return false;
  }
  return true;
}
bool same(const Value& a, const Value& b, Order order) {
  if (a.array() && b.array()) return same(*a.array(), *b.array(), order);
  return a.tuple() && b.tuple() &&
         std::ranges::equal(*a.tuple(), *b.tuple(), [&](const Value& x, const Value& y) { return same(x, y, order); });
}

// Passes that mean something else on purpose, by their arguments or for the machine alone.
const std::set<std::string> kOther{"to-mixed-precision",
                                   "lift-transform-params",
                                   "pack-weights",
                                   "lower-call-tir",
                                   "lower-alloc-tensor",
                                   "kill-after-last-use",
                                   "fuse-kernels",
                                   "bind-params",
                                   "bind-symbolic-vars",
                                   "remove-purity-checking",
                                   "decompose-ops-for-inference",
                                   "decompose-ops-for-training",
                                   "fold-batch-norm"};

// Passes that use the laws of real numbers.
const std::set<std::string> kReorders{"adjust-matmul-order", "expand-matmul-of-sum", "fold-scale-axis",
                                      "reorder-take-after-matmul"};

std::string fault_of_pass(const Pass& pass, const RandomModule& m, const Value& expected) {
  const uint64_t before = computed_hash(m.module);
  const Module after = pass.run(m.module, {});
  const std::string where = std::string(pass.name) + ": ";
  if (computed_hash(m.module) != before) return where + "changes its input";
  for (const Diagnostic& d : verify(after, Stage::Imported)) return where + render(d) + print(after);
  const Value got = Evaluator(after).call("main", m.inputs);
  const Order order = kReorders.contains(pass.name) ? Order::Free : Order::Kept;
  return same(expected, got, order) ? std::string() : where + "computes something else:\n" + print(after);
}

}  // namespace

RandomModule random_module(uint64_t seed) {
  ModuleSampler s(seed);
  const std::vector<std::string> names = sampled_ops();
  BlockBuilder b;
  b.begin_dataflow();
  std::vector<Expr> results;
  for (int64_t left = s.between(1, kMostOps); left > 0; --left) {
    const std::string& name = s.one_of(names);
    OpSample sample = sample_of(name)(s);
    Expr call = Call::make(builtin_ops().get(name), std::move(sample.args), Attrs(std::move(sample.attrs)));
    if (!is_small(s, call->type)) continue;
    Expr value = b.emit(call);
    const auto* tuple = find<TupleType>(value->type);
    for (size_t i = 0; tuple && i < tuple->fields.size(); ++i) {
      results.push_back(b.emit(TupleGetItem::make(value, static_cast<int>(i))));
      s.offer(results.back());
    }
    if (tuple) continue;
    results.push_back(value);
    s.offer(value);
  }
  // The last few, and one in the middle.
  std::vector<Expr> last(results.end() - static_cast<ptrdiff_t>(std::min<size_t>(3, results.size())), results.end());
  if (!results.empty()) last.push_back(s.one_of(results));
  Expr result = b.emit_output(Tuple::make(std::move(last)));
  b.end_dataflow();
  // A symbol has to be a dimension of its own somewhere.
  std::vector<Ref<Var>> params;
  RandomModule out;
  for (const auto& [symbol, size] : s.symbols()) {
    TensorWish wish{.dims = std::vector<Scalar>{symbol}, .dtype = DType::float_(32)};
    s.Sampler::tensor(wish);
  }
  for (const Sampler::Input& input : s.inputs()) {
    params.push_back(input.var);
    out.inputs.emplace_back(s.values(input));
  }
  Ref<Function> main = b.finish_function(params, result, Attrs(AttrMap{{"global_symbol", "main"}}));
  out.module = Module().with_function("main", main);
  return out;
}

std::string find_fault(uint64_t seed) try {
  const RandomModule m = random_module(seed);
  for (const Diagnostic& d : verify(m.module, Stage::Normal)) return render(d) + print(m.module);
  const PrintResult text = print_with_constants(m.module);
  ParseOptions options;
  options.constants = text.constants;
  const Module read = parse_module(Source::make("random.py", text.text), builtin_ops(), options);
  if (std::string difference = first_difference(m.module, read); !difference.empty())
    return "its text reads as something else: " + difference + "\n" + text.text;
  const Value expected = Evaluator(m.module).call("main", m.inputs);
  for (const Pass& pass : all_passes()) {
    if (kOther.contains(pass.name)) continue;
    if (std::string fault = fault_of_pass(pass, m, expected); !fault.empty()) return fault + "\nof\n" + text.text;
  }
  return {};
} catch (const UserError& e) {
  return e.what() + ("\nof\n" + print(random_module(seed).module));
}

}  // namespace sunmao
