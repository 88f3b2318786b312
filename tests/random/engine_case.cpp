#include "tests/random/engine_case.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "eval/element.h"
#include "ir/builder.h"
#include "ir/copy.h"
#include "ir/infer.h"
#include "ops/ops.h"
#include "ops/samples/samples.h"
#include "support/diagnostic.h"
#include "tests/random/claims.h"
#include "tests/random/engine_difference.h"

namespace sunmao {
namespace {

constexpr int64_t kMostElements = 5000;
constexpr int kDraws = 20;

// A parameter of `main`, and the values that it is called with.
struct Param {
  Ref<Var> sampled, var;
  Values values;
  int64_t least, limit;
  std::vector<int64_t> shape;
};

// Where in the module the op is placed.
enum class Place : uint8_t { Main, Branch, PrivateFunction };

class CaseMaker {
 public:
  CaseMaker(const Claim& claim, uint64_t seed) : claim_(claim) { draw(seed); }

  EngineCase make() {
    place_ = s_->chance(80) ? Place::Main : s_->chance(50) ? Place::Branch : Place::PrivateFunction;
    Module module = built();
    disagree();
    EngineCase out{module.with_global_infos({{"vdevice", {sampled_device()}}}), {}, is_symbolic_};
    for (const Param& p : params_) out.inputs.push_back(values_of(p));
    return out;
  }

 private:
  // Draws samples until inference accepts one, since it may accept a dtype only together with certain other arguments.
  void draw(uint64_t seed) {
    for (uint64_t i = 0; i < kDraws; ++i) try {
        s_ = sampler_of(claim_, seed + (i << 32));
        sample_ = sample_of(claim_.op)(*s_);
        if (is_small(call_of(claim_.op, sample_)->type)) return;
      } catch (const UserError&) {
        continue;
      }
    fail("E0204", {}, fmt::format("{} of {} has no sample that inference takes", claim_.op, claim_.dtype.str()));
  }

  bool is_small(const Type& type) const {
    if (const auto* tuple = find<TupleType>(type))
      return std::ranges::all_of(tuple->fields, [&](const Type& f) { return is_small(f); });
    const auto* tensor = find<TensorType>(type);
    if (!tensor || !tensor->dims()) return true;
    int64_t count = 1;
    for (const Scalar& d : *tensor->dims()) count *= std::max<int64_t>(1, s_->size_of(d));
    return count <= kMostElements;
  }

  // Builds the module. When inference rejects the call because dimensions have become symbolic, tries again with more
  // constant dimensions.
  Module built() {
    const size_t drawn = s_->inputs().size();
    s_->define_symbols();
    const std::vector<Sampler::Input> sampled = s_->inputs();
    // Ops whose result size depends on data rarely compile when their inputs have symbolic dimensions, so these inputs
    // mostly get constant dimensions.
    const bool may_fail = may_not_compile(claim_.op, "E0314") || may_not_compile(claim_.op, "E0309");
    const bool stays_known = may_fail && s_->chance(85);
    const size_t first = stays_known ? 0 : s_->one_of(std::vector<size_t>{0, 40, 100});
    for (const size_t percent : {first, size_t{40}, size_t{0}}) try {
        params_.clear();
        is_symbolic_ = false;
        for (const Sampler::Input& input : sampled) add_param(input, percent, params_.size() >= drawn);
        return module_of(percent);
      } catch (const UserError&) {
        if (percent == 0) throw;
      }
    SUNMAO_CHECK(false, "no case is built");
  }

  void add_param(const Sampler::Input& input, size_t percent, bool defines_symbol) {
    Param p{input.var, input.var, input.values, input.least, input.limit, {}};
    Dims dims = sampled_dims(input.var);
    bool is_changed = false;
    for (Scalar& d : dims) {
      p.shape.push_back(s_->size_of(d));
      if (defines_symbol || !s_->chance(percent)) continue;
      d = SymVar::make(fmt::format("d{}_{}", params_.size(), p.shape.size() - 1));
      is_changed = true;
    }
    is_symbolic_ |= is_changed;
    if (is_changed) p.var = Var::make(input.var->name, TensorType::make(dims, sampled_dtype(input.var)));
    params_.push_back(std::move(p));
  }

  Expr add_condition() {
    Ref<Var> var = Var::make("condition", TensorType::make(Dims{}, DType::bool_()));
    params_.push_back({var, var, Values::Any, 0, 0, {}});
    return var;
  }

  Module module_of(size_t percent) {
    BlockBuilder b;
    Expr result;
    if (place_ == Place::Branch) {
      const Expr condition = add_condition();
      Ref<SeqExpr> sides[2];
      for (Ref<SeqExpr>& side : sides) {
        BlockBuilder inner;
        const Expr value = called(inner, percent);
        side = inner.finish_sequence(value);
      }
      result = finished(b, b.emit(If::make(condition, sides[0], sides[1])));
    } else {
      b.begin_dataflow();
      result = b.emit_output(finished(b, called(b, percent)));
      b.end_dataflow();
    }
    std::vector<Ref<Var>> vars;
    for (const Param& p : params_) vars.push_back(p.var);
    const Attrs is_public(AttrMap{{"global_symbol", "main"}});
    if (place_ != Place::PrivateFunction)
      return Module().with_function("main", b.finish_function(vars, result, is_public));
    const Ref<Function> inner = b.finish_function(vars, result);
    return calling(inner, is_public);
  }

  static Module calling(const Ref<Function>& inner, const Attrs& attrs) {
    FreshCopy copy;
    std::vector<Ref<Var>> params;
    std::vector<Expr> args;
    for (const Ref<Var>& p : inner->params) {
      params.push_back(copy.define(p));
      args.push_back(params.back());
    }
    Type type = infer_call(*find<CallableType>(inner->type), args, {}, "inner");
    const Module module = Module().with_function("inner", inner);
    BlockBuilder b;
    Expr result = b.emit(Call::make_typed(module.find_var("inner"), args, {}, {}, std::move(type)));
    return module.with_function("main", b.finish_function(params, result, attrs));
  }

  Expr called(BlockBuilder& b, size_t percent) {
    OpSample sample = sample_;
    for (Expr& arg : sample.args) arg = on_params(arg, b, percent);
    return b.emit(call_of(claim_.op, std::move(sample)));
  }

  // Returns the result of the op, sometimes after a further elementwise op or wrapped in nested tuples.
  Expr finished(BlockBuilder& b, Expr value) {
    if (s_->chance(20)) value = after(b, value);
    if (!s_->chance(8)) return value;
    return b.emit(Tuple::make({value, Tuple::make({value, Tuple::make({})})}));
  }

  // Replaces sampled inputs in an argument by parameters of `main` or, sometimes, by values computed from them, and
  // constants in shapes by symbols.
  Expr on_params(const Expr& e, BlockBuilder& b, size_t percent) {
    if (const auto* tuple = find<Tuple>(e)) {
      std::vector<Expr> fields;
      for (const Expr& field : tuple->fields) fields.push_back(on_params(field, b, percent));
      return Tuple::make(std::move(fields));
    }
    if (const auto* shape = find<ShapeExpr>(e)) return on_symbols(*shape, percent);
    auto p = std::ranges::find_if(params_, [&](const Param& param) { return param.sampled.get() == e.get(); });
    if (p == params_.end()) return e;
    const DType dtype = sampled_dtype(p->var);
    const bool is_number = dtype.is_float() || dtype.is_int();
    if (!is_number || draws_places(p->values) || !s_->chance(10)) return p->var;
    return b.emit(Call::make(builtin_ops().get("abs"), {p->var}));
  }

  // With some probability, replaces a constant in a shape by the symbol of a parameter's dimension that has this size
  // in the sample.
  Expr on_symbols(const ShapeExpr& shape, size_t percent) {
    std::vector<Scalar> values = shape.values;
    for (Scalar& value : values) {
      if (!find_int(value) || !s_->chance(percent / 3)) continue;
      std::vector<Scalar> same;
      for (const Param& p : params_)
        for (size_t i = 0; i < p.shape.size(); ++i)
          if (const Scalar& d = sampled_dims(p.var)[i]; find<SymVar>(d) && p.shape[i] == *find_int(value))
            same.push_back(d);
      if (!same.empty()) value = s_->one_of(same);
    }
    return ShapeExpr::make(std::move(values));
  }

  Expr after(BlockBuilder& b, Expr value) {
    if (const auto* tuple = find<TupleType>(value->type); tuple && !tuple->fields.empty())
      value = b.emit(TupleGetItem::make(value, static_cast<int>(s_->below(tuple->fields.size()))));
    const auto* tensor = find<TensorType>(value->type);
    // When two branches differ in a dimension, the joined dimension is unknown, and no op can follow without a
    // match_cast.
    if (!tensor || !tensor->dims() || !(tensor->dtype.is_float() || tensor->dtype.is_int())) return value;
    static const std::vector<std::string> kOps{"negative", "abs", "nn.relu"};
    try {
      return b.emit(Call::make(builtin_ops().get(s_->one_of(kOps)), {value}));
    } catch (const UserError&) {
      return value;
    }
  }

  // Sometimes changes one or two dimensions of the inputs, so that sizes that must be equal differ.
  void disagree() {
    if (params_.empty()) return;
    for (int64_t left = s_->chance(70) ? 0 : s_->between(1, 2); left > 0; --left) resize_one();
  }

  void resize_one() {
    Param& p = params_[s_->below(params_.size())];
    if (p.shape.empty()) return;
    const size_t axis = s_->below(p.shape.size());
    int64_t& size = p.shape[axis];
    if (find_int(sampled_dims(p.var)[axis]) && !s_->chance(20)) return;
    size = std::max<int64_t>(0, s_->one_of(std::vector<int64_t>{size + 1, size - 1, 0, 1, size * 2}));
  }

  Array values_of(const Param& p) {
    const DType dtype = sampled_dtype(p.var);
    Ref<Var> sized = Var::make(p.var->name, TensorType::make(sizes(p.shape), dtype));
    const Array drawn = s_->values({std::move(sized), p.values, p.least, p.limit});
    if (is_elementwise() && p.values == Values::Any && dtype.is_float() && dtype.bits >= 16 && s_->chance(30))
      return with_magnitudes(drawn);
    if (!draws_places(p.values) || drawn.count() == 0 || !s_->chance(25)) return drawn;
    ArrayBuilder out(dtype, p.shape);
    std::ranges::copy(drawn.bytes(), out.data());
    for (int64_t left = s_->between(1, 2); left > 0; --left) {
      const int64_t at = s_->between(0, drawn.count() - 1);
      store_element(dtype, out.data(), at, Number{.i = outside(p.limit)});
    }
    return std::move(out).finish();
  }

  // True for an op whose elements do not depend on each other, so that their results are comparable whatever they are.
  bool is_elementwise() const {
    const Fuse fuse = builtin_ops().get(claim_.op)->info.fuse;
    return fuse == Fuse::Elementwise || fuse == Fuse::Broadcast;
  }

  // Replaces half of the elements by numbers of all magnitudes that the dtype has.
  Array with_magnitudes(const Array& drawn) {
    const DType dtype = drawn.dtype();
    const bool is_half = dtype == DType::float_(16);
    const int64_t lowest = dtype.bits == 64 ? -1074 : is_half ? -24 : dtype.bits == 16 ? -133 : -149;
    const int64_t highest = dtype.bits == 64 ? 1023 : is_half ? 15 : 127;
    ArrayBuilder out(dtype, drawn.shape());
    std::ranges::copy(drawn.bytes(), out.data());
    for (int64_t i = 0; i < drawn.count(); ++i) {
      if (s_->chance(50)) continue;
      const double size = std::ldexp(1 + static_cast<double>(s_->between(0, 65535)) / 65536,
                                     static_cast<int>(s_->between(lowest, highest)));
      store_element(dtype, out.data(), i, round_to(dtype, float_number(s_->chance(50) ? size : -size)));
    }
    return std::move(out).finish();
  }

  int64_t outside(int64_t limit) {
    return s_->one_of(std::vector<int64_t>{-1, limit, limit + 1, -limit - 1, int64_t{1} << 31, int64_t{1} << 40,
                                           std::numeric_limits<int64_t>::min()});
  }

  const Claim claim_;
  std::unique_ptr<Sampler> s_;
  OpSample sample_;
  Place place_ = Place::Main;
  std::vector<Param> params_;
  bool is_symbolic_ = false;
};

}  // namespace

EngineCase engine_case(uint64_t seed) { return CaseMaker(claims()[claim_of(seed)], seed).make(); }

}  // namespace sunmao
