// The relevant messages of an ONNX file, as views into the file. Field numbers are those of onnx.proto; only the wire
// format is checked.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "io/protobuf.h"
#include "support/span.h"

namespace sunmao::onnx {

/// Values of TensorProto.DataType in onnx.proto.
enum class ElementType : int32_t {
  Undefined = 0,
  Float = 1,
  UInt8 = 2,
  Int8 = 3,
  UInt16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  UInt32 = 12,
  UInt64 = 13,
  BFloat16 = 16,
  Float8E4M3FN = 17,
  Float8E4M3FNUZ = 18,
  Float8E5M2 = 19,
  Float8E5M2FNUZ = 20,
  UInt4 = 21,
  Int4 = 22,
  Float4E2M1 = 23,
  UInt2 = 25,
  Int2 = 26
};

struct Tensor {
  std::string_view name;
  int64_t data_type = 0;
  std::vector<int64_t> dims;
  std::optional<std::span<const std::byte>> raw;
  bool is_external = false;
  std::vector<std::pair<std::string_view, std::string_view>> external;  // location, offset, length, …
  std::span<const std::byte> message;                                   // the whole message, for the typed data fields
};

struct Graph;

struct Attribute {
  std::string_view name;
  int64_t type = 0;  // 0 in files written before 2017
  float f = 0;
  int64_t i = 0;
  std::string_view s;
  std::optional<Tensor> tensor;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string_view> strings;
  std::vector<Graph> bodies;   // bodies of branches and loops
  std::string_view reference;  // in a function: the name of the call's attribute that gives the value
};

struct Node {
  std::vector<std::string_view> inputs, outputs;  // "" is an omitted optional input or output
  std::string_view name, op, domain, overload;
  std::vector<Attribute> attributes;
  const Attribute* find(std::string_view attribute) const;
};

struct Dim {
  std::optional<int64_t> value;
  std::string_view param;
};

struct ValueInfo {
  std::string_view name;
  bool is_tensor = false;
  int64_t data_type = 0;
  std::optional<std::vector<Dim>> shape;  // nullopt: unknown rank
};

struct Graph {
  std::vector<Node> nodes;
  std::vector<Tensor> initializers;
  std::vector<ValueInfo> inputs, outputs;
  std::vector<ValueInfo> values;  // what the file says of values inside
  bool has_sparse_initializers = false;
};

struct OpsetImport {
  std::string_view domain;
  int64_t version = 0;
};

/// A function of the model: nodes under a name, called as a node of that op.
struct FunctionProto {
  std::string_view name, domain, overload;
  std::vector<std::string_view> inputs, outputs;
  std::vector<Attribute> defaults;
  std::vector<Node> nodes;
  std::vector<OpsetImport> opsets;
};

struct ModelProto {
  int64_t ir_version = 0;
  std::string_view producer;
  std::vector<OpsetImport> opsets;
  std::optional<Graph> graph;
  std::vector<FunctionProto> functions;
};

/// Parses a model file. Fails with the wire format's error code at `whole`. The result refers to `file`.
ModelProto parse_model(std::span<const std::byte> file, const Span& whole);

}  // namespace sunmao::onnx
