// Sampler: draws arguments for op calls from a seed. A seed gives the same arguments on every machine.
#pragma once
#include <optional>
#include <random>

#include "ir/op.h"

namespace sunmao {

/// The values that an input takes. Any: sometimes infinite or NaN; Finite: neither. Positive: above zero. Unit: in [0,
/// 1). Index: integers from `least` to `limit` - 1. Ascending: such integers in ascending order.
enum class Values : uint8_t { Any, Finite, Positive, Unit, Index, Ascending };

/// True for integers within bounds that the op may check.
constexpr bool draws_places(Values values) { return values == Values::Index || values == Values::Ascending; }

/// The dimensions that are drawn. Some: never 0. Whole: never 0 and not symbolic.
enum class Sizes : uint8_t { Any, Some, Whole };

using Dims = std::vector<Scalar>;

/// How large sizes are drawn. Small: up to 5. Large: up to 64, tensors of up to some ten thousand elements.
enum class Extent : uint8_t { Small, Large };

/// Constraints on a tensor that a sample asks the sampler for.
struct TensorWish {
  enum class Kind : uint8_t { Float, Integer, Number, Boolean };
  Kind kind = Kind::Float;
  int min_rank = 0, max_rank = 4;
  std::optional<Dims> dims = {};  // exactly these dimensions
  DType dtype = {};               // exactly this dtype, unless void
  Values values = Values::Any;
  int64_t least = 0, limit = 0;
  Sizes size = Sizes::Any;
};

/// The arguments and attributes of a call.
struct OpSample {
  std::vector<Expr> args;
  AttrMap attrs = {};
};

/// The dtype to draw where a sample asks for a kind of dtype and this one is of that kind; void for none. With
/// `every_kind` tensors get it whatever the kind asked for, and inference may reject the call. A tensor for which the
/// sample asks for an exact dtype keeps that one.
struct DTypeWish {
  DType dtype = {};
  bool every_kind = false;
};

// Properties of a sampled tensor, whose type is known.
const Dims& sampled_dims(const Expr& tensor);
DType sampled_dtype(const Expr& tensor);
int64_t sampled_rank(const Expr& tensor);
/// Returns the non-negative index of an axis that may be negative.
size_t place_of(int64_t axis, const Expr& tensor);
const Scalar& dim_along(int64_t axis, const Expr& tensor);
/// Returns the tensor's dimensions with the one along `axis` replaced.
Dims dims_with(const Expr& tensor, int64_t axis, Scalar dim);

class Sampler {
 public:
  explicit Sampler(uint64_t seed, DTypeWish dtype = {}, Extent extent = Extent::Small)
      : engine_(seed), preferred_(dtype), extent_(extent) {}
  virtual ~Sampler() = default;
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  size_t below(size_t bound) { return bound == 0 ? 0 : engine_() % bound; }
  /// Returns an integer of [low, high], both inclusive.
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(static_cast<size_t>(high - low + 1)));
  }
  bool chance(size_t percent) { return below(100) < percent; }
  template <class T>
  const T& one_of(const std::vector<T>& values) {
    return values[below(values.size())];
  }

  /// Returns a variable of a tensor type with known dimensions; a new input unless a derived sampler overrides it.
  virtual Expr tensor(const TensorWish& wish);
  /// Returns a tensor with the shape and dtype of `x`.
  Expr like(const Expr& x, Values values = Values::Any);
  /// Returns a tensor with the dtype of `x` and the given dimensions.
  Expr beside(const Expr& x, Dims dims, Values values = Values::Any);
  /// Returns indices from [least, limit), of int64 unless another dtype is given.
  Expr places(Dims dims, int64_t limit, int64_t least = 0, DType dtype = DType::int_(64));
  /// Returns a tensor (batch, channels, …) with an even number of channels and `spatial` spatial axes.
  Expr image(int spatial, Values values = Values::Any);
  Dims dims(int min_rank, int max_rank, Sizes size = Sizes::Any);
  DType dtype(TensorWish::Kind kind);
  /// Returns an axis of a tensor of this rank, sometimes negative.
  int64_t axis(int64_t rank);
  /// Returns several axes in ascending order, at least one unless `rank` is 0.
  std::vector<int64_t> axes(int64_t rank);

  struct Input {
    Ref<Var> var;
    Values values;
    int64_t least, limit;
  };
  const std::vector<Input>& inputs() const { return inputs_; }
  /// The symbols in use, with their values.
  const std::vector<std::pair<Ref<SymVar>, int64_t>>& symbols() const { return symbols_; }
  /// Makes for each symbol an input with the symbol as its only dimension, so that a run defines its value.
  void define_symbols();
  int64_t size_of(const Scalar& dim) const;
  int64_t size_along(int64_t axis, const Expr& tensor) const { return size_of(dim_along(axis, tensor)); }
  /// Draws the elements of an input.
  Array values(const Input& input);

 protected:
  Expr new_input(const TensorWish& wish);

 private:
  double value(DType dtype, const Input& input);
  int64_t drawn_size(int64_t beside);

  std::mt19937_64 engine_;
  DTypeWish preferred_;
  Extent extent_;
  std::vector<Input> inputs_;
  std::vector<std::pair<Ref<SymVar>, int64_t>> symbols_;
};

/// Returns the only device that samples use; a module of samples declares it.
const Ref<VDevice>& sampled_device();

/// Conversions of numbers to dimensions and to call arguments.
Dims sizes(const std::vector<int64_t>& numbers);
Expr int_argument(int64_t value);
Expr float_argument(double value, DType dtype = DType::float_(32));

}  // namespace sunmao
