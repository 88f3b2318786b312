// OnnxGraph: the nodes and initializers of an ONNX graph that is being written, and the names of its values.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/protobuf_writer.h"
#include "ir/builder.h"

namespace sunmao::onnx_writer {

/// Integers, floats, texts, lists of integers, and constants.
using NodeAttributes = std::vector<std::pair<const char*, AttrValue>>;

/// The name of each output of a node, or of each part of a value; "" is an omitted input.
using Values = std::vector<std::string>;

/// Why a model has no form in ONNX.
struct NoCounterpart {
  std::string reason;
};

/// Returns the number of a dtype in TensorProto.DataType; nullopt for one that ONNX does not have.
std::optional<int64_t> element_of(DType dtype);

class OnnxGraph {
 public:
  /// Returns a name that no other value has.
  std::string fresh(const std::string& name) { return names_.fresh(name, "_"); }
  /// Adds a node with as many outputs as names are given, which are made unique.
  Values add(const char* op, Values inputs, NodeAttributes attributes, const Values& outputs);
  std::string initializer(const Array& data, const std::string& name);
  void add_input(const std::string& name, const TensorType& type) { inputs_.message(11, value_info(name, type)); }
  void add_output(const std::string& name, const TensorType& type) { outputs_.message(12, value_info(name, type)); }

  /// True for what a node gives.
  bool is_made(const std::string& value) const;
  size_t node_count() const { return nodes_.size(); }
  /// Renames what one of the nodes from `first` on gives; returns the new name.
  std::string rename(const std::string& value, const std::string& name, size_t first);

  /// Returns the model in the form of onnx.proto.
  std::string model() const;

 private:
  struct MadeNode {
    const char* op;
    Values inputs, outputs;
    NodeAttributes attributes;
  };
  static io::ProtobufWriter tensor(const Array& data, const std::string& name);
  static io::ProtobufWriter value_info(const std::string& name, const TensorType& type);
  static io::ProtobufWriter attribute(const char* name, const AttrValue& value);
  static io::ProtobufWriter node(const MadeNode& n);

  NameSupply names_;
  std::vector<MadeNode> nodes_;
  io::ProtobufWriter initializers_, inputs_, outputs_;  // fields of the graph
};

}  // namespace sunmao::onnx_writer
