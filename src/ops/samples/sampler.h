// Sampler: draws arguments for calls of ops, from a seed. The same seed gives the same on every machine.
#pragma once
#include <optional>
#include <random>

#include "ir/op.h"

namespace sunmao {

/// Which values an input takes. Any: a few of them infinite or not a number. Positive: no zero. Unit: of [0, 1).
/// Index: whole numbers from `least` to below `limit`.
enum class Values : uint8_t { Any, Finite, Positive, Unit, Index };

/// How large dimensions are. Some: not 0. Whole: not 0, and no symbol.
enum class Sizes : uint8_t { Any, Some, Whole };

using Dims = std::vector<Scalar>;

/// What a sample asks for.
struct TensorWish {
  enum class Kind : uint8_t { Float, Integer, Number, Boolean };
  Kind kind = Kind::Float;
  int min_rank = 0, max_rank = 4;
  std::optional<Dims> dims = {};  // exactly these
  DType dtype = {};               // exactly this, unless void
  Values values = Values::Any;
  int64_t least = 0, limit = 0;
  Sizes size = Sizes::Any;
};

/// What a call is made of.
struct OpSample {
  std::vector<Expr> args;
  AttrMap attrs = {};
};

/// The dtype, unless void, of what a sample leaves to the sampler. With `every_kind` it is so of all tensors, even
/// where the sample asks for another kind: inference may refuse it then.
struct DTypeWish {
  DType dtype = {};
  bool every_kind = false;
};

// Of a sampled tensor, whose type is known.
const Dims& sampled_dims(const Expr& tensor);
DType sampled_dtype(const Expr& tensor);
int64_t sampled_rank(const Expr& tensor);
/// The place of an axis that may count from the end.
size_t place_of(int64_t axis, const Expr& tensor);
const Scalar& dim_along(int64_t axis, const Expr& tensor);
/// Its dimensions, with another one along an axis.
Dims dims_with(const Expr& tensor, int64_t axis, Scalar dim);

class Sampler {
 public:
  explicit Sampler(uint64_t seed, DTypeWish dtype = {}) : engine_(seed), preferred_(dtype) {}
  virtual ~Sampler() = default;
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  size_t below(size_t bound) { return bound == 0 ? 0 : engine_() % bound; }
  /// Both ends are possible.
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(static_cast<size_t>(high - low + 1)));
  }
  bool chance(size_t percent) { return below(100) < percent; }
  template <class T>
  const T& one_of(const std::vector<T>& values) {
    return values[below(values.size())];
  }

  /// A variable of a tensor type whose dimensions are known; a new input, unless a sampler knows better.
  virtual Expr tensor(const TensorWish& wish);
  /// One shaped as `x`, of its dtype.
  Expr like(const Expr& x, Values values = Values::Any);
  /// One of the dtype of `x` and of these dimensions.
  Expr beside(const Expr& x, Dims dims, Values values = Values::Any);
  /// Indices of [least, limit), of int64 unless another dtype is asked for.
  Expr places(Dims dims, int64_t limit, int64_t least = 0, DType dtype = DType::int_(64));
  /// (batch, channels, …) with an even number of channels and so many spatial axes.
  Expr image(int spatial);
  Dims dims(int min_rank, int max_rank, Sizes size = Sizes::Any);
  DType dtype(TensorWish::Kind kind);
  /// An axis of so many, sometimes counted from the end.
  int64_t axis(int64_t rank);
  /// Several axes, ascending, at least one unless `rank` is 0.
  std::vector<int64_t> axes(int64_t rank);

  struct Input {
    Ref<Var> var;
    Values values;
    int64_t least, limit;
  };
  const std::vector<Input>& inputs() const { return inputs_; }
  /// Symbols in use, with their sizes.
  const std::vector<std::pair<Ref<SymVar>, int64_t>>& symbols() const { return symbols_; }
  /// Makes an input of each symbol, so that a run says how large it is.
  void define_symbols();
  int64_t size_of(const Scalar& dim) const;
  int64_t size_along(int64_t axis, const Expr& tensor) const { return size_of(dim_along(axis, tensor)); }
  /// Values for an input.
  Array values(const Input& input);

 protected:
  Expr new_input(const TensorWish& wish);

 private:
  double value(DType dtype, const Input& input);

  std::mt19937_64 engine_;
  DTypeWish preferred_;
  std::vector<Input> inputs_;
  std::vector<std::pair<Ref<SymVar>, int64_t>> symbols_;
};

/// The one device that samples name; a module of them lists it.
const Ref<VDevice>& sampled_device();

/// Numbers as dimensions, and as arguments of calls.
Dims sizes(const std::vector<int64_t>& numbers);
Expr int_argument(int64_t value);
Expr float_argument(double value, DType dtype = DType::float_(32));

}  // namespace sunmao
