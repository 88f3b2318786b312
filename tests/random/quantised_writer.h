// What random quantised graphs are made of: calls, bytes and the numbers that they stand for, weights, and steps that
// are compared. A graph is written in three forms by the same draws.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ops/samples/sampler.h"
#include "tests/random/quantised_graph.h"

namespace sunmao {

using Shape64 = std::vector<int64_t>;

/// What is known of numbers: exact ones are multiples of 2^step, and of magnitudes up to `bound`. `size` is a typical
/// magnitude.
struct Numbers {
  Accuracy accuracy = Accuracy::Exact;
  int step = 0;
  double bound = 0, size = 1;

  /// The same, but not exact where float32 has too few bits for them.
  Numbers checked() const;
};

/// A tensor of bytes, and the scale and zero point that say what it stands for.
struct QuantisedBytes {
  Expr values, scale, zero;
  DType dtype;
  double scale_value = 1;
  int64_t zero_value = 0;
  int scale_step = -1, zero_step = -1;  // where they are computed
};

/// A tensor of numbers. Spatial ones are (batch, channels, …), or (batch, …, channels).
struct NumberTensor {
  Expr numbers;
  Shape64 shape;
  Numbers known;
  bool is_spatial = false, is_last = false;
  std::optional<QuantisedBytes> bytes = {};  // whose numbers these are

  size_t rank() const { return shape.size(); }
  size_t channel_axis() const { return is_spatial && !is_last ? 1 : shape.size() - 1; }
  int64_t count() const;
};

/// How a quantiser writes graphs.
struct QuantiserStyle {
  std::string name;
  bool is_symmetric = false;         // int8 around 0
  bool is_clamped = false;           // bytes of 0 to 127
  bool has_real_bias = false;        // otherwise of int32
  bool has_real_weights = false;     // which the graph quantises
  bool quantises_data_only = false;  // of products: their results stay float until the next one
  bool quantises_all = false;        // around every op
  bool is_dynamic = false;           // scales follow from the data
  bool has_powers = false;           // all scales are powers of two
  bool is_extreme = false;           // bytes are at the ends of their range
  bool shares_scale = false;         // all tensors have the first one's
};

enum class QuantisedForm : uint8_t { Every, Results, Reference };

class QuantisedWriter {
 public:
  QuantisedWriter(uint64_t seed, QuantisedForm form);

 protected:
  /// The spatial axes of a layout.
  static std::string spatial_letters(size_t axes) { return std::string("DHW").substr(3 - axes); }
  static std::pair<int64_t, int64_t> range_of(DType bytes);

  bool is_reference() const { return form_ == QuantisedForm::Reference; }
  Expr call(const std::string& op, std::vector<Expr> args, AttrMap attrs = {});
  Expr constant(DType dtype, const Shape64& shape, const std::vector<double>& values);
  Expr number(double value);
  Expr reshape(const Expr& x, const Shape64& shape);
  /// A weight is a constant, or a parameter that is bound when compiling.
  Expr weight(DType dtype, const Shape64& shape, const std::vector<double>& values);
  Expr real_weight(const Shape64& shape, const std::vector<double>& values);
  /// An input; its free dimensions may be symbols.
  Expr param(DType dtype, const Shape64& shape, const std::vector<bool>& is_free, const std::vector<double>& values);

  double scale_near(double x);
  DType byte_dtype();
  int64_t zero_point(DType dtype);
  std::vector<double> bytes(int64_t count, int64_t low, int64_t high);
  /// A scale and a zero point without values.
  QuantisedBytes grid(DType dtype, double scale, int64_t zero);

  NumberTensor dequantised(const QuantisedBytes& q, const NumberTensor& like);
  NumberTensor requantised(const NumberTensor& x);
  /// By the scale and the zero point of other bytes.
  NumberTensor requantised_like(const NumberTensor& x, const QuantisedBytes& q);
  /// The result of an op, quantised where the style does so.
  NumberTensor after_op(NumberTensor x);

  /// Makes a result of the graph: numbers, or the bytes that they come from.
  void give(const NumberTensor& x);
  /// Returns the module; of the first form, fills in the rest of the graph.
  Module finished(QuantisedGraph& out);

  Sampler s_;
  const QuantisedForm form_;
  const DType real_;
  QuantiserStyle style_;
  bool is_symbolic_ = false;
  bool has_sums_of_floats_ = false;
  BlockBuilder b_;

 private:
  void draw_style();
  Expr step(QuantisedStep info, const Expr& value, const Expr& real, DType dtype, const Shape64& shape);
  QuantisedBytes rounded(const NumberTensor& x, QuantisedBytes q);
  NumberTensor requantised_over_range(const NumberTensor& x);

  double first_scale_ = 0;
  std::vector<Array> inputs_, weights_;
  std::vector<Ref<Var>> params_, weight_params_, fed_params_;
  std::vector<Expr> step_values_;
  std::vector<QuantisedStep> steps_;
  std::vector<size_t> fed_, result_steps_;
};

}  // namespace sunmao
