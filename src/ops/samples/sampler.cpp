#include "ops/samples/sampler.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "support/diagnostic.h"
#include "support/half.h"
#include "support/small_float.h"
#include "sym/fold.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

constexpr size_t kPercentSymbolic = 15, kPercentEmpty = 2, kPercentSpecial = 2, kPercentSmall = 12;

constexpr int64_t kMostOfLarge = 30'000;  // elements

constexpr DType kBFloat16{TypeCode::BFloat, 16, 1}, kE4M3{TypeCode::Float8E4M3FN, 8, 1},
    kE5M2{TypeCode::Float8E5M2, 8, 1};

// Returns how many equidistant values of [0, 1) are drawn; the dtype represents each of them exactly.
int64_t steps_of(DType dtype) {
  if (dtype.bits >= 32) return 65536;
  return dtype == DType::float_(16) ? 1024 : dtype == kBFloat16 ? 256 : 4;
}

// Draws from [-2, 2] a multiple of 1/8, or of 1/2 for dtypes with few bits, so that sums and products of a few values
// are exact in any order.
double ordinary(Sampler& s, DType dtype) {
  const int64_t parts = steps_of(dtype) > 256 ? 8 : 2;
  return static_cast<double>(s.between(-2 * parts, 2 * parts)) / static_cast<double>(parts);
}

bool is_of_kind(DType dtype, TensorWish::Kind kind) {
  if (dtype.is_void()) return false;
  const bool is_integer = dtype.is_int() || dtype.is_uint();
  switch (kind) {
    case TensorWish::Kind::Float: return dtype.is_float();
    case TensorWish::Kind::Integer: return is_integer;
    case TensorWish::Kind::Boolean: return dtype.is_bool();
    case TensorWish::Kind::Number: break;
  }
  return is_integer || dtype.is_float();
}

double special(Sampler& s) {
  static const std::vector<double> kSpecial{0.0, -0.0, std::numeric_limits<double>::infinity(),
                                            -std::numeric_limits<double>::infinity(),
                                            std::numeric_limits<double>::quiet_NaN()};
  return s.one_of(kSpecial);
}

void store(std::byte* data, DType dtype, size_t index, double value) {
  if (dtype.is_packed()) {
    const auto code = is_small_float(dtype) ? to_small_float(dtype, static_cast<float>(value))
                                            : static_cast<uint8_t>(static_cast<int>(value));
    return abi::store_bits(data, dtype.bits, index, code);
  }
  std::byte* at = data + index * static_cast<size_t>(dtype.bytes());
  auto put = [&](auto typed) { std::memcpy(at, &typed, sizeof typed); };
  if (dtype == DType::float_(64)) return put(value);
  if (dtype == DType::float_(32)) return put(static_cast<float>(value));
  if (dtype == DType::float_(16)) return put(to_float16(static_cast<float>(value)));
  if (dtype == kBFloat16) return put(to_bfloat16(static_cast<float>(value)));
  if (is_small_float(dtype)) return put(to_small_float(dtype, static_cast<float>(value)));
  const auto whole = static_cast<int64_t>(value);
  std::memcpy(at, &whole, static_cast<size_t>(dtype.bytes()));
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

const Ref<VDevice>& sampled_device() {
  static const Ref<VDevice> device = VDevice::make("llvm");
  return device;
}

Dims sizes(const std::vector<int64_t>& numbers) {
  Dims dims;
  for (int64_t n : numbers) dims.push_back(int_imm(n));
  return dims;
}
Expr int_argument(int64_t value) { return PrimValue::make(int_imm(value)); }
Expr float_argument(double value, DType dtype) { return PrimValue::make(FloatImm::make(dtype, value)); }

// Draws a size for a tensor that has `beside` elements along its other axes.
int64_t Sampler::drawn_size(int64_t beside) {
  static const std::vector<int64_t> kSmall{1, 2, 2, 3, 3, 4, 5}, kLarge{1, 3, 8, 15, 16, 17, 32, 33, 64};
  if (extent_ == Extent::Small) return one_of(kSmall);
  const int64_t size = one_of(kLarge);
  return size * beside <= kMostOfLarge ? size : one_of(kSmall);
}

Dims Sampler::dims(int min_rank, int max_rank, Sizes size) {
  Dims out(static_cast<size_t>(between(min_rank, max_rank)));
  int64_t count = 1;
  for (Scalar& d : out) {
    if (size == Sizes::Whole || !chance(kPercentSymbolic)) {
      d = int_imm(size == Sizes::Any && chance(kPercentEmpty) ? 0 : drawn_size(count));
    } else {
      if (symbols_.size() < 2)
        symbols_.emplace_back(SymVar::make(symbols_.empty() ? "n" : "m"),
                              between(1, extent_ == Extent::Small ? 4 : 20));
      d = one_of(symbols_).first;
    }
    count *= std::max<int64_t>(1, size_of(d));
  }
  return out;
}

DType Sampler::dtype(TensorWish::Kind kind) {
  // 8-bit floats and 4-bit integers are drawn less often than wider dtypes.
  static const std::vector<DType> kFloats{DType::float_(32), DType::float_(64), DType::float_(16), kBFloat16},
      kSmallFloats{kE4M3, kE5M2};
  static const std::vector<DType> kIntegers{DType::int_(64), DType::int_(32), DType::int_(16), DType::int_(8),
                                            DType::uint(64), DType::uint(32), DType::uint(16), DType::uint(8)},
      kSmallIntegers{DType::int_(4), DType::uint(4)};
  auto draw = [this](const std::vector<DType>& usual, const std::vector<DType>& small) {
    return one_of(chance(kPercentSmall) ? small : usual);
  };
  auto real = [&] { return chance(40) ? DType::float_(32) : draw(kFloats, kSmallFloats); };
  if (is_of_kind(preferred_.dtype, kind)) return preferred_.dtype;
  switch (kind) {
    case TensorWish::Kind::Float: return real();
    case TensorWish::Kind::Integer: return draw(kIntegers, kSmallIntegers);
    case TensorWish::Kind::Boolean: return DType::bool_();
    case TensorWish::Kind::Number: break;
  }
  return chance(70) ? real() : draw(kIntegers, kSmallIntegers);
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
Expr Sampler::places(Dims dims, int64_t limit, int64_t least, DType dtype) {
  return tensor({.dims = std::move(dims), .dtype = dtype, .values = Values::Index, .least = least, .limit = limit});
}
Expr Sampler::image(int spatial, Values values) {
  Dims dims = sizes({between(1, 2), 2 * between(1, 2)});
  static constexpr std::array<int64_t, 3> kMostLarge{64, 32, 12};
  const int64_t most = extent_ == Extent::Small ? 4 : kMostLarge.at(static_cast<size_t>(spatial) - 1);
  for (int i = 0; i < spatial; ++i) dims.push_back(int_imm(between(2, most)));
  return tensor({.dims = dims, .values = values, .size = Sizes::Whole});
}

Expr Sampler::new_input(const TensorWish& wish) {
  const DType drawn = preferred_.every_kind ? preferred_.dtype : dtype(wish.kind);
  const DType dtype = wish.dtype.is_void() ? drawn : wish.dtype;
  Dims shape = wish.dims ? *wish.dims : dims(wish.min_rank, wish.max_rank, wish.size);
  Ref<Var> var = Var::make("x" + std::to_string(inputs_.size()), TensorType::make(std::move(shape), dtype));
  inputs_.push_back({var, wish.values, wish.least, wish.limit});
  return var;
}

void Sampler::define_symbols() {
  for (const auto& symbol : symbols_) new_input({.dims = Dims{symbol.first}, .dtype = DType::float_(32)});
}

int64_t Sampler::size_of(const Scalar& dim) const {
  Substitution sizes;
  for (const auto& [symbol, size] : symbols_) sizes.emplace(symbol, int_imm(size));
  const Scalar value = Analyzer().simplify(substitute(dim, sizes));
  const int64_t* size = find_int(value);
  SUNMAO_CHECK(size, "a size that no symbol says");
  return *size;
}

double Sampler::value(DType dtype, const Input& input) {
  if (dtype.is_bool()) return chance(50) ? 1 : 0;
  switch (input.values) {
    case Values::Index:
    case Values::Ascending: return static_cast<double>(between(input.least, input.limit - 1));
    case Values::Unit:
      return static_cast<double>(between(0, steps_of(dtype) - 1)) / static_cast<double>(steps_of(dtype));
    case Values::Positive:
      if (dtype.is_float()) return std::abs(ordinary(*this, dtype)) + (dtype.bits == 8 ? 0.5 : 0.125);
      return static_cast<double>(between(1, dtype.bits < 8 ? 7 : 10));
    case Values::Any:
      if (dtype.is_float() && chance(kPercentSpecial))
        if (const double drawn = special(*this); !std::isinf(drawn) || dtype != kE4M3) return drawn;
      break;
    case Values::Finite: break;
  }
  if (dtype.is_float()) return ordinary(*this, dtype);
  return static_cast<double>(between(dtype.is_uint() ? 0 : dtype.bits < 8 ? -8 : -9, dtype.bits < 8 ? 7 : 9));
}

Array Sampler::values(const Input& input) {
  const auto& type = *find<TensorType>(input.var->type);
  std::vector<int64_t> shape;
  for (const Scalar& d : *type.dims()) shape.push_back(size_of(d));
  ArrayBuilder out(type.dtype, shape);
  std::vector<double> drawn(static_cast<size_t>(out.count()));
  for (double& v : drawn) v = value(type.dtype, input);
  if (input.values == Values::Ascending) std::ranges::sort(drawn);
  for (size_t i = 0; i < drawn.size(); ++i) store(out.data(), type.dtype, i, drawn[i]);
  return std::move(out).finish();
}

}  // namespace sunmao
