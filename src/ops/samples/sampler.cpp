#include "ops/samples/sampler.h"

#include <cstring>
#include <limits>

#include "support/diagnostic.h"
#include "support/half.h"
#include "sym/fold.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

constexpr size_t kPercentSymbolic = 15, kPercentEmpty = 2, kPercentSpecial = 2;

// Eighths between -2 and 2: sums and products of a few of them are exact, in whatever order.
double ordinary(Sampler& s) { return static_cast<double>(s.between(-16, 16)) / 8; }

double special(Sampler& s) {
  static const std::vector<double> kSpecial{0.0, -0.0, std::numeric_limits<double>::infinity(),
                                            -std::numeric_limits<double>::infinity(),
                                            std::numeric_limits<double>::quiet_NaN()};
  return s.one_of(kSpecial);
}

void store(std::byte* at, DType dtype, double value) {
  auto put = [&](auto typed) { std::memcpy(at, &typed, sizeof typed); };
  if (dtype == DType::float_(64)) return put(value);
  if (dtype == DType::float_(32)) return put(static_cast<float>(value));
  if (dtype == DType::float_(16)) return put(to_float16(static_cast<float>(value)));
  const auto whole = static_cast<int64_t>(value);
  std::memcpy(at, &whole, static_cast<size_t>((dtype.bits + 7) / 8));
}

}  // namespace

const Dims& sampled_dims(const Expr& tensor) { return *find<TensorType>(tensor->type)->dims(); }
DType sampled_dtype(const Expr& tensor) { return find<TensorType>(tensor->type)->dtype; }
int64_t sampled_rank(const Expr& tensor) { return static_cast<int64_t>(sampled_dims(tensor).size()); }
size_t place_of(int64_t axis, const Expr& tensor) {
  return static_cast<size_t>(axis < 0 ? axis + sampled_rank(tensor) : axis);
}
const Scalar& dim_along(int64_t axis, const Expr& tensor) { return sampled_dims(tensor)[place_of(axis, tensor)]; }
Dims dims_with(const Expr& tensor, int64_t axis, Scalar dim) {
  Dims dims = sampled_dims(tensor);
  dims[place_of(axis, tensor)] = std::move(dim);
  return dims;
}

Dims sizes(const std::vector<int64_t>& numbers) {
  Dims dims;
  for (int64_t n : numbers) dims.push_back(int_imm(n));
  return dims;
}
Expr number(int64_t value) { return PrimValue::make(int_imm(value)); }
Expr real(double value, DType dtype) { return PrimValue::make(FloatImm::make(dtype, value)); }

Dims Sampler::dims(int min_rank, int max_rank, bool is_static) {
  Dims out(static_cast<size_t>(between(min_rank, max_rank)));
  static const std::vector<int64_t> kSizes{1, 2, 2, 3, 3, 4, 5};
  for (Scalar& d : out) {
    if (is_static || !chance(kPercentSymbolic)) {
      d = int_imm(!is_static && chance(kPercentEmpty) ? 0 : one_of(kSizes));
      continue;
    }
    if (symbols_.size() < 2) symbols_.emplace_back(SymVar::make(symbols_.empty() ? "n" : "m"), between(1, 4));
    d = one_of(symbols_).first;
  }
  return out;
}

DType Sampler::dtype(TensorWish::Kind kind) {
  static const std::vector<DType> kFloats{DType::float_(32), DType::float_(32), DType::float_(64)};
  static const std::vector<DType> kIntegers{DType::int_(64), DType::int_(32), DType::int_(8), DType::uint(8)};
  switch (kind) {
    case TensorWish::Kind::Float: return one_of(kFloats);
    case TensorWish::Kind::Integer: return one_of(kIntegers);
    case TensorWish::Kind::Boolean: return DType::bool_();
    case TensorWish::Kind::Number: break;
  }
  return chance(70) ? one_of(kFloats) : one_of(kIntegers);
}

int64_t Sampler::axis(int64_t rank) {
  const int64_t axis = between(0, rank - 1);
  return chance(40) ? axis - rank : axis;
}

std::vector<int64_t> Sampler::axes(int64_t rank) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < rank; ++i)
    if (chance(50)) out.push_back(i);
  if (out.empty() && rank > 0) out.push_back(between(0, rank - 1));
  return out;
}

Expr Sampler::tensor(const TensorWish& wish) { return new_input(wish); }
Expr Sampler::like(const Expr& x, Values values) { return beside(x, sampled_dims(x), values); }
Expr Sampler::beside(const Expr& x, Dims dims, Values values) {
  return tensor({.dims = std::move(dims), .dtype = sampled_dtype(x), .values = values});
}
Expr Sampler::places(Dims dims, int64_t limit) {
  return tensor({.dims = std::move(dims), .dtype = DType::int_(64), .values = Values::Index, .limit = limit});
}
Expr Sampler::image(int spatial) {
  Dims dims = sizes({between(1, 2), 2 * between(1, 2)});
  for (int i = 0; i < spatial; ++i) dims.push_back(int_imm(between(2, 4)));
  return tensor({.dims = dims, .is_static = true});
}

Expr Sampler::new_input(const TensorWish& wish) {
  const DType dtype = wish.dtype.is_void() ? this->dtype(wish.kind) : wish.dtype;
  Dims shape = wish.dims ? *wish.dims : dims(wish.min_rank, wish.max_rank, wish.is_static);
  Ref<Var> var = Var::make("x" + std::to_string(inputs_.size()), TensorType::make(std::move(shape), dtype));
  inputs_.push_back({var, wish.values, wish.limit});
  return var;
}

int64_t Sampler::size_of(const Scalar& dim) const {
  Substitution sizes;
  for (const auto& [symbol, size] : symbols_) sizes.emplace(symbol, int_imm(size));
  const Scalar value = Analyzer().simplify(substitute(dim, sizes));
  const int64_t* size = find_int(value);
  SUNMAO_CHECK(size, "a size that no symbol says");
  return *size;
}

Array Sampler::values(const Input& input) {
  const auto& type = *find<TensorType>(input.var->type);
  std::vector<int64_t> shape;
  for (const Scalar& d : *type.dims()) shape.push_back(size_of(d));
  ArrayBuilder out(type.dtype, shape);
  int64_t count = 1;
  for (int64_t d : shape) count *= d;
  const size_t step = static_cast<size_t>((type.dtype.bits + 7) / 8);
  for (int64_t i = 0; i < count; ++i) {
    double value = ordinary(*this);
    if (type.dtype.is_bool()) value = chance(50) ? 1 : 0;
    if (type.dtype.is_int()) value = static_cast<double>(between(-9, 9));
    if (type.dtype.is_uint()) value = static_cast<double>(between(0, 9));
    if (type.dtype.is_float() && input.values == Values::Any && chance(kPercentSpecial)) value = special(*this);
    if (input.values == Values::Positive) value = std::abs(value) + (type.dtype.is_float() ? 0.125 : 1);
    if (input.values == Values::Index) value = static_cast<double>(between(0, input.limit - 1));
    store(out.data() + static_cast<size_t>(i) * step, type.dtype, value);
  }
  return std::move(out).finish();
}

}  // namespace sunmao
