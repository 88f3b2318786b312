// OnnxCall: what the writer of an op sees: a call, its arguments as names of ONNX values, and the graph that nodes go
// to.
#pragma once
#include <unordered_map>

#include "frontend/onnx_writer/onnx_graph.h"
#include "ir/op.h"

namespace sunmao::onnx_writer {

/// Sets of dtypes that ops of ONNX are defined for. Floats are those of 16 bits and more, Words the integers of 32 and
/// 64 bits and the floats.
enum class Dtypes : uint8_t { Floats, Words, Signed, Numbers, Integers, Unsigned, Truths, All };

/// What each value of the model is called in ONNX, and where symbols take their values from.
class ValueNames {
 public:
  /// A tensor has one name, a shape one of a vector of int64, a tuple one for each field.
  void define(const Ref<Var>& var, Values names) { names_[var] = std::move(names); }
  const Values& of(const Expr& var) const { return names_.at(find_ref<Var>(var)); }
  /// Takes the symbols that are dimensions of a tensor.
  void note_sizes(const TensorType& type, const std::string& name);

  /// Returns a vector of int64 with these values; symbols are read from the tensors that have them.
  std::string vector(const std::vector<Scalar>& values, OnnxGraph& graph);

 private:
  struct Size {
    std::string tensor;
    int64_t axis;
    std::string value;  // a vector of one element; empty until it is needed
  };
  std::string element(const Scalar& value, OnnxGraph& graph);

  std::unordered_map<Ref<Var>, Values> names_;
  std::unordered_map<Ref<SymVar>, Size> sizes_;
};

struct Row;

class OnnxCall {
 public:
  OnnxCall(const Call& c, const Row& r, std::string name, OnnxGraph& graph, ValueNames& names)
      : call(c), row(r), in(*op_of(c), c.args, c.attrs, c.type_args, c.span), name_(std::move(name)), graph_(graph),
        names_(names) {}
  const Call& call;
  const Row& row;
  const InferInput in;  // attributes with their defaults, and types of arguments

  size_t arg_count() const { return call.args.size(); }
  /// Returns the name of a tensor or a scalar.
  std::string input(size_t i) { return value_of(call.args[i]); }
  /// Returns the names of all arguments, or of the fields of argument `i`.
  Values inputs();
  Values fields(size_t i);
  /// Returns the name of a vector that holds a shape, or a tuple of integers.
  std::string shape_input(size_t i);
  std::string vector(const std::vector<Scalar>& values) { return names_.vector(values, graph_); }

  DType dtype(size_t i = 0) const { return in.tensor(i).dtype; }
  int64_t rank(size_t i = 0) const;
  /// Returns the dimensions of argument `i`, of the result; refuses where they are not known.
  const std::vector<Scalar>& dims(size_t i = 0) const;
  const std::vector<Scalar>& result_dims() const;
  int64_t axis(const char* attribute, int64_t rank) const;
  /// Returns the type of the result, or of a field of it.
  const TensorType& result_type() const { return tensor_type(call.type); }
  const TensorType& result_type(size_t field) const;
  size_t result_count() const;

  /// Refuses a tensor whose dtype the op of ONNX is not defined for.
  void require(size_t i, Dtypes allowed) const;
  void require_dtype(DType dtype, Dtypes allowed) const;
  /// Refuses when `holds` is false; `reason` goes on from "`nn.conv2d` ".
  void require(bool holds, const std::string& reason) const;
  [[noreturn]] void refuse(const std::string& reason) const;
  /// Returns a float that ONNX keeps in 32 bits; refuses where a float64 tensor would see the difference.
  double real_attr(const char* attribute) const;

  /// Adds a node, and returns its output, or its outputs.
  std::string add(const char* op, Values inputs, NodeAttributes attributes = {});
  Values add(const char* op, Values inputs, NodeAttributes attributes, size_t outputs);
  /// Returns a value in another dtype, or itself.
  std::string cast(const std::string& value, DType from, DType to);
  std::string reshaped(const std::string& value, const std::vector<Scalar>& dims);
  std::string transposed(const std::string& value, const std::vector<int64_t>& axes);
  std::string ints(const std::vector<int64_t>& values);
  std::string number(DType dtype, double value);
  /// Returns a vector, along `axis` of a tensor of rank `rank`, such that it broadcasts.
  std::string along(const std::string& vector, int64_t axis, int64_t rank);

 private:
  std::string value_of(const Expr& e);
  const TensorType& tensor_type(const Type& type) const;

  const std::string name_;
  OnnxGraph& graph_;
  ValueNames& names_;
};

/// How one op is written. `write` returns the names of what the call gives.
struct Row {
  const char* op;       // "nn.relu"
  const char* becomes;  // "Relu"; several are separated by commas
  Values (*write)(OnnxCall& c);
  Dtypes dtypes = Dtypes::All;  // of all tensors among the arguments
};

/// Writes a call as a node of the op `becomes` on the same arguments.
Values as_one_node(OnnxCall& c);

// The rows by family, each in a file of its own.
std::vector<Row> elementwise_rows();
std::vector<Row> making_rows();
std::vector<Row> norm_rows();
std::vector<Row> place_rows();
std::vector<Row> product_rows();
std::vector<Row> reduction_rows();
std::vector<Row> shape_rows();
std::vector<Row> window_rows();

}  // namespace sunmao::onnx_writer
