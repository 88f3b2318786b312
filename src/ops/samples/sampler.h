// Sampler: draws arguments for calls of ops, from a seed. The same seed gives the same on every machine.
#pragma once
#include <optional>
#include <random>

#include "ir/op.h"

namespace sunmao {

/// Which values an input takes: of an index those below its limit, of a divisor no zero.
enum class Values : uint8_t { Any, Positive, Index };

/// What a sample asks for.
struct TensorWish {
  enum class Kind : uint8_t { Float, Integer, Number, Boolean };
  Kind kind = Kind::Float;
  int min_rank = 0, max_rank = 4;
  std::optional<std::vector<Scalar>> dims = {};  // exactly these
  DType dtype = {};                              // exactly this, unless void
  Values values = Values::Any;
  int64_t limit = 0;
  bool is_static = false;  // whole sizes, none of them 0
};

class Sampler {
 public:
  explicit Sampler(uint64_t seed) : engine_(seed) {}
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
  std::vector<Scalar> dims(int min_rank, int max_rank, bool is_static);
  DType dtype(TensorWish::Kind kind);
  /// An axis of so many, sometimes counted from the end.
  int64_t axis(int64_t rank);
  /// Several axes, ascending, at least one unless `rank` is 0.
  std::vector<int64_t> axes(int64_t rank);

  struct Input {
    Ref<Var> var;
    Values values;
    int64_t limit;
  };
  const std::vector<Input>& inputs() const { return inputs_; }
  /// Symbols in use, with their sizes.
  const std::vector<std::pair<Ref<SymVar>, int64_t>>& symbols() const { return symbols_; }
  int64_t size_of(const Scalar& dim) const;
  /// Values for an input, a few of them infinite or not a number.
  Array values(const Input& input);

 protected:
  Expr new_input(const TensorWish& wish);

 private:
  std::mt19937_64 engine_;
  std::vector<Input> inputs_;
  std::vector<std::pair<Ref<SymVar>, int64_t>> symbols_;
};

/// The dimensions that a sampled tensor has.
const std::vector<Scalar>& sampled_dims(const Expr& tensor);
DType sampled_dtype(const Expr& tensor);

}  // namespace sunmao
