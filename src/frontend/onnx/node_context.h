// NodeContext: what a converter of ONNX nodes sees: inputs as expressions or known values, attributes, and the builder.
// Independent of ops.
#pragma once
#include <string>

#include "frontend/findings.h"
#include "frontend/model_builder.h"
#include "frontend/onnx/proto.h"
#include "frontend/results.h"

namespace sunmao::onnx {

/// The value of a name in the graph.
struct Value {
  Expr expr;            // null when the value cannot be read
  std::string problem;  // why it cannot be read, reported when something uses it; empty when that is already reported
};

class NodeContext {
 public:
  NodeContext(ModelBuilder& b, const Node& n, int64_t version, Span s, std::vector<const Value*> inputs)
      : builder(b), node(n), opset(version), span(std::move(s)), inputs_(std::move(inputs)) {}

  ModelBuilder& builder;
  const Node& node;
  const int64_t opset;
  const Span span;

  size_t input_count() const { return inputs_.size(); }
  /// False when the input is omitted.
  bool has_input(size_t i) const { return i < inputs_.size() && inputs_[i]; }
  /// True when the node names output `i`.
  bool has_output(size_t i) const { return i < node.outputs.size() && !node.outputs[i].empty(); }
  /// Returns input `i`; fails (E0609) when it is missing.
  Expr tensor(size_t i) const;
  Expr tensor_or(size_t i, Expr otherwise) const { return has_input(i) ? tensor(i) : std::move(otherwise); }
  /// Returns the dimensions of input `i`; throws UnsupportedUse when they are unknown.
  const std::vector<Scalar>& dims(size_t i) const;
  /// Returns the rank of input `i`; throws UnsupportedUse when it is unknown.
  int64_t rank(size_t i) const;

  /// Returns the elements of an integer input: numbers, or expressions over the symbols of shapes. Throws
  /// UnsupportedUse ("with `what` that depends on data") when they are unknown.
  std::vector<Scalar> elements(size_t i, const char* what) const;
  /// Like `elements` for sizes: those that data decides are symbols that a run reads from the input, and are not
  /// negative.
  std::vector<Scalar> sizes(size_t i) const { return builder.sizes_in(tensor(i)); }
  /// Like `elements`, but the elements must be numbers.
  std::vector<int64_t> ints(size_t i, const char* what) const;
  /// Returns the single number of an integer input.
  int64_t integer(size_t i, const char* what) const;
  /// Returns the single number of an input of any dtype, which must be known.
  double number(size_t i, const char* what) const;
  /// Returns all numbers of an input of any dtype, which must be known.
  std::vector<double> numbers(size_t i, const char* what) const;

  int64_t int_attr(std::string_view name, int64_t otherwise) const;
  double float_attr(std::string_view name, double otherwise) const;
  /// Returns the dtype that the attribute `dtype` names; throws UnsupportedUse for one that is not supported.
  DType dtype_attr(DType otherwise) const;
  std::string string_attr(std::string_view name, std::string_view otherwise) const;
  std::optional<std::vector<int64_t>> ints_attr(std::string_view name) const;
  std::optional<std::vector<double>> floats_attr(std::string_view name) const;
  std::optional<std::vector<std::string>> strings_attr(std::string_view name) const;
  const Tensor* tensor_attr(std::string_view name) const;
  bool has_attr(std::string_view name) const { return node.find(name) != nullptr; }
  /// Returns an attribute that later opsets made input `i`, as constant integers: the input if it is given, else the
  /// attribute, else nullopt.
  std::optional<std::vector<int64_t>> ints_attr_or_input(std::string_view name, size_t i) const;

  /// Returns a call of an op, bound with symbols for its sizes where data decides them.
  Expr call(std::string_view op, std::vector<Expr> args, AttrMap attrs = {}) const;
  /// Returns the first `count` fields of a call that gives a tuple.
  Results fields(const Expr& tuple, size_t count) const;
  /// Returns a constant of rank 0.
  Expr constant(DType dtype, double value) const;
  [[noreturn]] void fail(const std::string& message, const std::string& help = {}) const;
  /// Returns the same node on other inputs, which must outlive it.
  NodeContext with(std::vector<const Value*> inputs) const { return {builder, node, opset, span, std::move(inputs)}; }
  /// Returns input `i`; null when it is omitted.
  const Value* value(size_t i) const { return inputs_[i]; }

 private:
  const Value& input(size_t i) const;
  std::vector<const Value*> inputs_;
};

/// Returns the node's outputs in order. It may be fewer than the node names: using a further one is an error.
using Convert = Results (*)(const NodeContext&);

/// Converts a node as if its floats of 16 bits were float32, and rounds each result once: so ONNX Runtime computes ops,
/// whatever they are composed of here.
Results converted_in_float32(const NodeContext& n, Convert convert);
template <Convert convert>
Results in_float32(const NodeContext& n) {
  return converted_in_float32(n, convert);
}

/// One row of the coverage table: how nodes of `op` are read in models of opset `since` or later.
struct Converter {
  const char* op;  // "Conv", or with its domain "com.microsoft::FusedMatMul"
  int64_t since;
  Convert convert;
  const char* becomes;           // what it becomes, such as "`R.nn.conv2d`", for docs/coverage.md
  const char* restriction = "";  // what is not read, such as "the mode must be constant"
};

// The converters by op family, each in a file of its own.
std::vector<Converter> activation_converters();
std::vector<Converter> arithmetic_converters();
std::vector<Converter> attention_converters();
std::vector<Converter> classical_converters();
std::vector<Converter> comparison_converters();
std::vector<Converter> contrib_converters();
std::vector<Converter> contrib_attention_converters();
std::vector<Converter> contrib_quantize_converters();
std::vector<Converter> contrib_recurrent_converters();
std::vector<Converter> convolution_converters();
std::vector<Converter> creation_converters();
std::vector<Converter> detection_converters();
std::vector<Converter> dtype_converters();
std::vector<Converter> gather_converters();
std::vector<Converter> image_converters();
std::vector<Converter> join_converters();
std::vector<Converter> layout_converters();
std::vector<Converter> loss_converters();
std::vector<Converter> matmul_converters();
std::vector<Converter> norm_converters();
std::vector<Converter> pad_converters();
std::vector<Converter> pool_converters();
std::vector<Converter> quantize_converters();
std::vector<Converter> random_converters();
std::vector<Converter> recurrent_converters();
std::vector<Converter> reduce_converters();
std::vector<Converter> resize_converters();
std::vector<Converter> scatter_converters();
std::vector<Converter> search_converters();
std::vector<Converter> sequence_converters();
std::vector<Converter> shape_converters();
std::vector<Converter> signal_converters();
std::vector<Converter> slice_converters();

}  // namespace sunmao::onnx
