#include "frontend/onnx_writer/onnx_graph.h"

#include <fmt/format.h>

#include "frontend/onnx/proto.h"
#include "frontend/onnx/tensors.h"
#include "frontend/onnx_writer.h"
#include "support/version.h"

namespace sunmao::onnx_writer {
namespace {

constexpr int64_t kIrVersion = 11;  // the first that may state opset 23

// The numbers of AttributeProto.AttributeType.
enum class AttributeKind : int64_t { Float = 1, Int = 2, String = 3, Tensor = 4, Ints = 7 };

}  // namespace

std::optional<int64_t> element_of(DType dtype) {
  for (auto i = static_cast<int64_t>(onnx::ElementType::Float); i <= static_cast<int64_t>(onnx::ElementType::Int2); ++i)
    if (!dtype.is_void() && onnx::dtype_of_element(i) == dtype) return i;
  return std::nullopt;
}

Values OnnxGraph::add(const char* op, Values inputs, NodeAttributes attributes, const Values& outputs) {
  while (!inputs.empty() && inputs.back().empty()) inputs.pop_back();
  Values made;
  for (const std::string& name : outputs) made.push_back(fresh(name));
  nodes_.push_back({op, std::move(inputs), made, std::move(attributes)});
  return made;
}

std::string OnnxGraph::initializer(const Array& data, const std::string& name) {
  if (!element_of(data.dtype()))
    throw NoCounterpart{fmt::format("ONNX has no dtype {}, of `{}`", data.dtype().str(), name)};
  std::string own = fresh(name);
  initializers_.message(5, tensor(data, own));
  return own;
}

bool OnnxGraph::is_made(const std::string& value) const {
  return std::ranges::any_of(nodes_, [&](const MadeNode& n) { return std::ranges::count(n.outputs, value) > 0; });
}

std::string OnnxGraph::rename(const std::string& value, const std::string& name, size_t first) {
  const std::string renamed = fresh(name);
  for (size_t i = first; i < nodes_.size(); ++i)
    for (Values* names : {&nodes_[i].inputs, &nodes_[i].outputs}) std::ranges::replace(*names, value, renamed);
  return renamed;
}

io::ProtobufWriter OnnxGraph::tensor(const Array& data, const std::string& name) {
  io::ProtobufWriter t;
  t.numbers(1, data.shape()).number(2, *element_of(data.dtype()));
  if (!name.empty()) t.text(8, name);
  return t.bytes(9, data.bytes());
}

io::ProtobufWriter OnnxGraph::value_info(const std::string& name, const TensorType& type) {
  const std::optional<int64_t> element = element_of(type.dtype);
  if (!element) throw NoCounterpart{fmt::format("ONNX has no dtype {}, of `{}`", type.dtype.str(), name)};
  if (type.rank == kUnknownRank) throw NoCounterpart{fmt::format("`{}` has an unknown rank", name)};
  const std::vector<Scalar>* dims = type.dims();
  io::ProtobufWriter shape;
  for (size_t i = 0; i < static_cast<size_t>(type.rank); ++i) {
    io::ProtobufWriter dim;  // nothing is said of a size that is neither a number nor a symbol
    if (const int64_t* size = dims ? find_int((*dims)[i]) : nullptr)
      dim.number(1, *size);
    else if (const auto* symbol = dims ? find<SymVar>((*dims)[i]) : nullptr)
      dim.text(2, symbol->name);
    shape.message(1, dim);
  }
  const io::ProtobufWriter tensor_type = io::ProtobufWriter().number(1, *element).message(2, shape);
  return io::ProtobufWriter().text(1, name).message(2, io::ProtobufWriter().message(1, tensor_type));
}

io::ProtobufWriter OnnxGraph::attribute(const char* name, const AttrValue& value) {
  io::ProtobufWriter a;
  a.text(1, name);
  const auto kind = [&](AttributeKind k) { a.number(20, static_cast<int64_t>(k)); };
  if (const auto* truth = value.find<bool>()) {
    a.number(3, *truth ? 1 : 0);
    kind(AttributeKind::Int);
  } else if (const auto* number = value.find<int64_t>()) {
    a.number(3, *number);
    kind(AttributeKind::Int);
  } else if (const auto* real = value.find<double>()) {
    a.real(2, static_cast<float>(*real));
    kind(AttributeKind::Float);
  } else if (const auto* text = value.find<std::string>()) {
    a.text(4, *text);
    kind(AttributeKind::String);
  } else if (const auto* constant = value.find<Expr>()) {
    a.message(5, tensor(find<Constant>(*constant)->data, ""));
    kind(AttributeKind::Tensor);
  } else {
    const std::vector<int64_t> numbers = value.as_ints().value();
    for (const int64_t i : numbers) a.number(8, i);  // a list of proto2, which is not packed
    kind(AttributeKind::Ints);
  }
  return a;
}

io::ProtobufWriter OnnxGraph::node(const MadeNode& n) {
  io::ProtobufWriter out;
  for (const std::string& input : n.inputs) out.text(1, input);
  for (const std::string& output : n.outputs) out.text(2, output);
  out.text(3, n.outputs.front()).text(4, n.op);
  for (const auto& [name, value] : n.attributes) out.message(5, attribute(name, value));
  return out;
}

std::string OnnxGraph::model() const {
  io::ProtobufWriter graph;
  for (const MadeNode& n : nodes_) graph.message(1, node(n));
  graph.text(2, "main");
  std::string fields = graph.take();
  for (const io::ProtobufWriter* part : {&initializers_, &inputs_, &outputs_}) fields += part->message();
  io::ProtobufWriter model;
  model.number(1, kIrVersion).text(2, "sunmao").text(3, kVersion).text(7, fields);
  return model.message(8, io::ProtobufWriter().text(1, "").number(2, kWrittenOpset)).take();
}

}  // namespace sunmao::onnx_writer
