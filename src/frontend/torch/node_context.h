// NodeContext: what a converter of ATen nodes sees: arguments by schema name, and the builder. Independent of ops.
#pragma once
#include <functional>
#include <string>

#include "frontend/custom_converter.h"
#include "frontend/findings.h"
#include "frontend/model_builder.h"
#include "frontend/results.h"
#include "io/json.h"

namespace sunmao::torch {

/// A number as given in Python.
struct PythonNumber {
  double value;
  bool is_integer;
  bool is_bool = false;
  int64_t whole = is_integer ? static_cast<int64_t>(value) : 0;  // an integer, of which `value` may be rounded
};

/// Returns the name of the symbolic number that an argument or a result is; empty for others.
std::string_view symbolic_number_in(io::JsonValue argument);

/// Returns the names of the tensors in a node's inputs, or in one of them.
std::vector<std::string_view> tensor_names_of(io::JsonValue inputs, std::string_view argument = {});

/// What the reader tells a context about the values of a graph.
class Scope {
 public:
  virtual ~Scope() = default;
  /// Returns a tensor's current value; null when its node could not be read; fails (E0704) when nothing defines it.
  virtual Expr tensor(std::string_view name, const Span& span) = 0;
  /// Returns an integer as a size; throws UnsupportedUse when it can be none.
  virtual Scalar symbolic_int(std::string_view name, const Span& span) = 0;
  /// True unless an integer is one that data decides and that may be negative.
  virtual bool is_size(std::string_view name, const Span& span) = 0;
  /// Returns a symbolic number as a tensor of rank 0: int64, float64 or bool.
  virtual Expr number(std::string_view name, const Span& span) = 0;
  /// Returns what `make` gives, which is called once for each operand.
  virtual Expr once(const Expr& operand, const std::function<Expr()>& make) = 0;
  /// Returns what the exporter recorded of a tensor; Missing where it recorded nothing.
  virtual io::JsonValue described(std::string_view name) const = 0;
};

/// The values of a graph, of which a converter sees others in their place.
class MappedScope final : public Scope {
 public:
  using Choose = std::function<Expr(std::string_view name, const Expr& value)>;
  MappedScope(Scope& scope, Choose choose) : scope_(scope), choose_(std::move(choose)) {}

  Expr tensor(std::string_view name, const Span& span) override {
    Expr value = scope_.tensor(name, span);
    return value ? choose_(name, value) : value;
  }
  Scalar symbolic_int(std::string_view name, const Span& span) override { return scope_.symbolic_int(name, span); }
  bool is_size(std::string_view name, const Span& span) override { return scope_.is_size(name, span); }
  Expr number(std::string_view name, const Span& span) override { return scope_.number(name, span); }
  Expr once(const Expr& operand, const std::function<Expr()>& make) override { return scope_.once(operand, make); }
  io::JsonValue described(std::string_view name) const override { return scope_.described(name); }

 private:
  Scope& scope_;
  const Choose choose_;
};

class NodeContext {
 public:
  /// `outputs` are the recorded types of the outputs, null where there is none.
  NodeContext(ModelBuilder& b, io::JsonValue node, std::string_view target, Span s, Scope& scope,
              std::vector<Type> outputs);

  ModelBuilder& builder;
  const std::string_view target;  // "aten.add.Tensor"
  const Span span;

  /// True when the argument is given and not None.
  bool has(std::string_view name) const;
  bool has_tensor(std::string_view name) const { return argument(name)["as_tensor"].exists(); }
  bool has_number(std::string_view name) const;
  Expr tensor(std::string_view name) const;
  std::vector<Expr> tensors(std::string_view name) const;
  /// Returns a list of tensors; a field is null for None.
  std::vector<Expr> optional_tensors(std::string_view name) const;
  /// Returns the dimensions of a tensor; throws UnsupportedUse when they are unknown.
  const std::vector<Scalar>& dims(const Expr& x) const;
  int64_t rank(const Expr& x) const;
  /// Arguments that equal the schema's default are left out by the exporter: `otherwise` is that default. Without it
  /// the argument is required.
  int64_t integer(std::string_view name, std::optional<int64_t> otherwise = {}) const;
  bool boolean(std::string_view name, std::optional<bool> otherwise = {}) const;
  PythonNumber number(std::string_view name, std::optional<PythonNumber> otherwise = {}) const;
  double real(std::string_view name, std::optional<double> otherwise = {}) const;
  std::string string(std::string_view name, std::optional<std::string_view> otherwise = {}) const;
  /// Returns constant integers (a single one as a list); nullopt when None or omitted.
  std::optional<std::vector<int64_t>> integers(std::string_view name) const;
  /// Returns constant numbers; nullopt when None or omitted.
  std::optional<std::vector<double>> reals(std::string_view name) const;
  std::vector<bool> booleans(std::string_view name) const;
  /// Returns sizes, which may be symbolic; empty when None or omitted.
  std::vector<Scalar> sizes(std::string_view name) const;
  /// Returns an integer that may be symbolic.
  Scalar size(std::string_view name, std::optional<int64_t> otherwise = {}) const;
  /// True unless an integer is one that data decides and that may be negative, so that `size` does not give it.
  bool is_size(std::string_view name) const;
  /// Returns an integer, or a symbolic number, as a tensor of rank 0.
  Expr number_tensor(std::string_view name) const;
  Expr once(const Expr& operand, const std::function<Expr()>& make) const { return scope_->once(operand, make); }
  /// Returns a dtype argument; nullopt when None or omitted. Throws UnsupportedUse for dtypes that are not supported.
  std::optional<DType> dtype(std::string_view name) const;
  /// Returns the type that the exporter recorded of output `i`; null when there is none.
  Type recorded(size_t i = 0) const;
  DType recorded_dtype(size_t i = 0) const;
  size_t output_count() const { return outputs_.size(); }
  /// How the exporter recorded that a tensor argument lies in memory: the distances of its elements along each axis,
  /// and of its first element from the beginning.
  struct Layout {
    std::vector<Scalar> strides;
    Scalar offset;
  };
  Layout layout(std::string_view name) const;
  /// Returns the names of the tensors that the node is given.
  std::vector<std::string_view> tensor_names() const;
  std::vector<std::string_view> tensor_names(std::string_view argument) const;
  /// Returns a number that may be complex: its real and its imaginary part; nullopt for other arguments.
  std::optional<std::pair<double, double>> complex_number(std::string_view name) const;
  Scope& scope() const { return *scope_; }
  /// Returns the same node with other values of tensors and other recorded types.
  NodeContext with(Scope& scope, std::vector<Type> outputs) const;

  Expr call(std::string_view op, std::vector<Expr> args, AttrMap attrs = {}) const {
    return builder.call(op, std::move(args), std::move(attrs), span);
  }
  /// Returns the first `count` fields of a call that gives a tuple.
  Results fields(const Expr& tuple, size_t count) const;
  /// Returns a constant of rank 0.
  Expr constant(DType dtype, double value) const;
  /// Returns what a custom converter is given of the node.
  CustomNode as_custom() const;
  [[noreturn]] void malformed(std::string_view argument) const;

 private:
  io::JsonValue argument(std::string_view name) const;
  Scalar size_of(io::JsonValue element, std::string_view name) const;
  int64_t constant_of(io::JsonValue element, std::string_view name) const;

  io::JsonValue inputs_;
  Scope* scope_;
  std::vector<Type> outputs_;
};

/// Returns the node's outputs in order; a list output (`split`) gives its elements.
using Convert = Results (*)(const NodeContext&);

/// How a result shares memory with the argument `self`, so that a write to the one is a write to the other.
enum class Alias : uint8_t {
  None,     // a new tensor
  Self,     // the argument itself: detach, alias; a new tensor where the converter gives another value
  View,     // a view of it that `write_back` can write through
  InPlace,  // an op that writes its result into `self`: add_
};

/// Returns `self` with the elements that the view `n` shows replaced by `part`.
using WriteBack = Expr (*)(const NodeContext& n, const Expr& self, const Expr& part);

/// One row of the coverage table: how nodes of one op overload are read.
struct Converter {
  const char* target;  // "aten.add.Tensor"
  Convert convert;
  const char* becomes;           // what it becomes, such as "`R.add`", for docs/coverage.md
  const char* restriction = "";  // what is not read
  Alias alias = Alias::None;
  WriteBack write_back = nullptr;  // of a view; null: a write through it is refused
};

// The converters by op family, each in a file of its own.
std::vector<Converter> activation_converters();
std::vector<Converter> arithmetic_converters();
std::vector<Converter> attention_converters();
std::vector<Converter> comparison_converters();
std::vector<Converter> complex_converters();
std::vector<Converter> convolution_converters();
std::vector<Converter> copy_converters();
std::vector<Converter> creation_converters();
std::vector<Converter> diagonal_converters();
std::vector<Converter> dropout_converters();
std::vector<Converter> einsum_converters();
std::vector<Converter> factorisation_converters();
std::vector<Converter> fft_converters();
std::vector<Converter> image_converters();
std::vector<Converter> index_converters();
std::vector<Converter> join_converters();
std::vector<Converter> linear_algebra_converters();
std::vector<Converter> loss_converters();
std::vector<Converter> matmul_converters();
std::vector<Converter> matrix_norm_converters();
std::vector<Converter> norm_converters();
std::vector<Converter> order_converters();
std::vector<Converter> pad_converters();
std::vector<Converter> pool_converters();
/// Many of these are rows of `aten` under another name.
std::vector<Converter> prims_converters(const std::vector<Converter>& aten);
std::vector<Converter> quantize_converters();
std::vector<Converter> choose_quantisation_converters();
std::vector<Converter> random_converters();
std::vector<Converter> recurrent_converters();
std::vector<Converter> reduce_converters();
std::vector<Converter> scatter_converters();
std::vector<Converter> search_converters();
std::vector<Converter> order_statistics_converters();
std::vector<Converter> selected_converters();
std::vector<Converter> shape_converters();
std::vector<Converter> slice_converters();
std::vector<Converter> special_converters();
std::vector<Converter> strided_converters();
std::vector<Converter> unary_converters();
std::vector<Converter> vision_converters();

}  // namespace sunmao::torch
