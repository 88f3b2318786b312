// Writer of ONNX messages, so that tests can make any model, valid or not.
#pragma once
#include <cstring>
#include <string>
#include <vector>

namespace sunmao::test {

struct Message {
  std::string bytes;

  Message& number(int field, int64_t value) { return key(field, 0).varint(static_cast<uint64_t>(value)); }
  Message& text(int field, const std::string& value) {
    key(field, 2).varint(value.size());
    bytes += value;
    return *this;
  }
  Message& message(int field, const Message& m) { return text(field, m.bytes); }
  Message& real(int field, float value) {
    key(field, 5);
    char raw[4];
    std::memcpy(raw, &value, 4);
    bytes.append(raw, 4);
    return *this;
  }

 private:
  Message& key(int field, int type) { return varint(static_cast<uint64_t>(field) << 3 | static_cast<uint64_t>(type)); }
  Message& varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7f) | 0x80);
    bytes += static_cast<char>(value);
    return *this;
  }
};

// Values of TensorProto.DataType.
inline constexpr int kFloat = 1, kUInt8 = 2, kInt32 = 6, kInt64 = 7, kString = 8, kBool = 9, kFloat16 = 10,
                     kDouble = 11;

inline Message tensor_header(const std::string& name, int type, const std::vector<int64_t>& dims) {
  Message t;
  for (int64_t d : dims) t.number(1, d);
  return t.number(2, type).text(8, name);
}

template <class T>
std::string raw_bytes(const std::vector<T>& values) {
  std::string raw(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(raw.data(), values.data(), raw.size());
  return raw;
}

template <class T>
Message raw_tensor(const std::string& name, int type, const std::vector<int64_t>& dims, const std::vector<T>& values) {
  return tensor_header(name, type, dims).text(9, raw_bytes(values));
}

inline Message floats(const std::string& name, const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (int64_t d : dims) count *= d;
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(i) + 0.5f);
  return raw_tensor(name, kFloat, dims, values);
}

inline Message ints(const std::string& name, const std::vector<int64_t>& values) {
  return raw_tensor(name, kInt64, {static_cast<int64_t>(values.size())}, values);
}

inline Message int_scalar(const std::string& name, int64_t value) {
  return raw_tensor(name, kInt64, {}, std::vector{value});
}

inline Message int_attr(const std::string& name, int64_t value) {
  return Message().text(1, name).number(3, value).number(20, 2);
}
inline Message float_attr(const std::string& name, float value) {
  return Message().text(1, name).real(2, value).number(20, 1);
}
inline Message ints_attr(const std::string& name, const std::vector<int64_t>& values) {
  Message m = Message().text(1, name);
  for (int64_t v : values) m.number(8, v);
  return m.number(20, 7);
}
inline Message tensor_attr(const std::string& name, const Message& t) {
  return Message().text(1, name).message(5, t).number(20, 4);
}

/// Makes a graph attribute: the body of a branch or loop.
inline Message graph_attr(const std::string& name, const std::vector<Message>& nodes) {
  Message body;
  for (const Message& n : nodes) body.message(1, n);
  return Message().text(1, name).message(6, body).number(20, 5);
}

inline Message node(const std::string& op, const std::vector<std::string>& inputs,
                    const std::vector<std::string>& outputs, const std::vector<Message>& attributes = {},
                    const std::string& domain = "") {
  Message n;
  for (const std::string& i : inputs) n.text(1, i);
  for (const std::string& o : outputs) n.text(2, o);
  n.text(3, op + "_of_" + outputs[0]).text(4, op);
  for (const Message& a : attributes) n.message(5, a);
  return domain.empty() ? n : n.text(7, domain);
}

/// A dimension is a number, or a name.
struct DimText {
  DimText(int64_t v) : value(v) {}
  DimText(int v) : value(v) {}
  DimText(const char* n) : name(n) {}
  int64_t value = 0;
  std::string name;
};

inline Message value_info(const std::string& name, const std::vector<DimText>& dims, int type = kFloat) {
  Message shape;
  for (const DimText& d : dims)
    shape.message(1, d.name.empty() ? Message().number(1, d.value) : Message().text(2, d.name));
  return Message().text(1, name).message(2, Message().message(1, Message().number(1, type).message(2, shape)));
}

/// The parts of a graph, which `model` encodes.
struct GraphText {
  std::vector<Message> nodes, initializers, inputs;
  std::vector<std::string> outputs;
};

inline std::string model(const GraphText& g, int64_t opset = 18) {
  Message graph;
  for (const Message& n : g.nodes) graph.message(1, n);
  graph.text(2, "g");
  for (const Message& t : g.initializers) graph.message(5, t);
  for (const Message& i : g.inputs) graph.message(11, i);
  for (const std::string& o : g.outputs) graph.message(12, Message().text(1, o));
  return Message().number(1, 8).message(7, graph).message(8, Message().text(1, "").number(2, opset)).bytes;
}

}  // namespace sunmao::test
