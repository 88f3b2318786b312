// Changes ONNX models as models: what results is mostly well-formed, so that converters are reached.
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "frontend/onnx/converters.h"
#include "frontend/onnx/tensors.h"
#include "tests/fuzz/driver.h"
#include "tests/fuzz/edges.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/onnx_message.h"

namespace sunmao::fuzz {
namespace {

constexpr size_t kMaxElements = 64;  // of a tensor whose data follows its shape

const std::vector<std::string> kAttributes = words(
    "axis axes perm keepdims alpha beta transA transB kernel_shape strides pads dilations group auto_pad ceil_mode "
    "count_include_pad storage_order output_shape output_padding epsilon momentum training_mode to mode num_outputs "
    "split blocksize noop_with_empty_axes select_last_index largest sorted exclusive reverse size bias lambd "
    "hidden_size direction layout linear_before_reset activations clip k p shape value value_int value_ints "
    "value_float value_floats coordinate_transformation_mode nearest_mode cubic_coeff_a exclude_outside antialias "
    "batch_dims reduction equation num_heads kv_num_heads q_num_heads is_causal scale softcap block_size bits fmod "
    "saturate upper high low dtype seed num_scan_inputs scan_input_axes scan_output_axes new_axis start end "
    "allowzero interleaved rotary_embedding_dim output_datatype periodic onesided ignore_index pooled_shape "
    "spatial_scale output_height output_width sampling_ratio align_corners padding_mode center_point_box "
    "norm_coefficients stash_type detect_negative detect_positive approximate unidirectional qkv_hidden_sizes "
    "do_rotary local_window_size past_present_share_buffer K N quantize_axis gather_axis accuracy_level activation "
    "activation_alpha input_forget");
constexpr const char* kTexts[] = {"",       "constant", "reflect",       "edge",         "wrap",
                                  "linear", "cubic",    "nearest",       "SAME_UPPER",   "SAME_LOWER",
                                  "VALID",  "NOTSET",   "bidirectional", "reverse",      "forward",
                                  "add",    "mul",      "max",           "min",          "none",
                                  "mean",   "sum",      "ij,jk->ik",     "...ij->...ji", "i->ii",
                                  "ii->i",  ",->",      "aa...->a",      "half_pixel",   "tf_crop_and_resize",
                                  "Relu",   "Tanh",     "avg",           "DCR"};

class Mutator {
 public:
  Mutator(Message model, unsigned seed) : model_(std::move(model)), random_(seed) {
    for (Message* node : messages(model_, Kind::Node))
      for (const Field& f : *node)
        if (f.number == 1 || f.number == 2) names_.push_back(f.bytes);
    for (Message* info : messages(model_, Kind::Info)) names_.push_back(text_of(*info, 1));
    if (names_.empty()) names_.emplace_back("x");
  }

  std::string changed() {
    change();
    return encode(model_);
  }

  /// Returns the model with one node of another, and the tensors that it needs.
  std::string spliced(Message other) {
    Field* graph = find(model_, 7);
    const std::vector<Message*> donors = messages(other, Kind::Node);
    if (!graph || graph->kind != Kind::Graph || donors.empty()) return changed();
    Message node = *random_.of(donors);
    const std::string mark = "s" + std::to_string(random_.below(1000)) + "_";
    for (Field& f : node) {
      if (f.number == 2 && !f.bytes.empty()) f.bytes = mark + f.bytes;
      if (f.number != 1 || f.bytes.empty()) continue;
      if (random_.once_in(3))
        f.bytes = random_.of(names_);
      else if (bring(other, f.bytes, mark, graph->fields))
        f.bytes = mark + f.bytes;
      else
        f.bytes = new_operand(*graph);
    }
    const std::string output = text_of(node, 2);
    graph->fields.push_back(message_field(1, Kind::Node, std::move(node)));
    if (random_.once_in(2)) graph->fields.push_back(message_field(12, Kind::Info, {text_field(1, output)}));
    return encode(model_);
  }

 private:
  /// Copies the tensor or input of this name; false when there is none.
  static bool bring(Message& other, const std::string& name, const std::string& mark, Message& graph) {
    for (const auto& [kind, field] : {std::pair(Kind::Tensor, 5u), std::pair(Kind::Info, 11u)})
      for (Message* m : messages(other, kind)) {
        const uint32_t at = kind == Kind::Tensor ? 8 : 1;
        if (text_of(*m, at) != name) continue;
        Message copy = *m;
        set(copy, text_field(at, mark + name));
        graph.push_back(message_field(field, kind, std::move(copy)));
        return true;
      }
    return false;
  }

  void change() {
    switch (random_.below(16)) {
      case 0:
      case 1: return with(Kind::Node, [&](Message& m) { rename_op(m); });
      case 2:
      case 3: return with(Kind::Node, [&](Message& m) { change_names(m, 1); });
      case 4: return with(Kind::Node, [&](Message& m) { change_names(m, 2); });
      case 5:
      case 6:
      case 7: return with(Kind::Attribute, [&](Message& m) { change_attribute(m); });
      case 8: return with(Kind::Node, [&](Message& m) { change_attributes(m); });
      case 9:
      case 10: return with(Kind::Tensor, [&](Message& m) { change_tensor(m); });
      case 11:
      case 12: return with(Kind::Info, [&](Message& m) { change_info(m); });
      case 13: return with(Kind::Node, [&](Message& m) { give_operand(m); });
      case 14:
        return with(Kind::Opset, [&](Message& m) { set(m, number_field(2, 7 + static_cast<int>(random_.below(22)))); });
      default: return with(Kind::Graph, [&](Message& m) { change_graph(m); });
    }
  }

  template <class Change>
  void with(Kind kind, Change change) {
    const std::vector<Message*> found = messages(model_, kind);
    if (!found.empty()) change(*random_.of(found));
  }

  void rename_op(Message& node) {
    std::string op = random_.of(onnx::all_converters()).op;
    const std::vector<Message*> functions = messages(model_, Kind::Function);
    std::string domain;
    if (!functions.empty() && random_.once_in(4)) {
      const Message& function = *random_.of(functions);
      op = text_of(function, 1), domain = text_of(function, 10);
    } else if (const size_t at = op.find("::"); at != std::string::npos) {
      domain = op.substr(0, at), op = op.substr(at + 2);
    }
    set(node, text_field(4, op));
    set(node, text_field(7, domain));
    Message opset{text_field(1, domain), number_field(2, 1)};
    if (!domain.empty() && random_.once_in(2)) model_.push_back(message_field(8, Kind::Opset, std::move(opset)));
  }

  void change_names(Message& node, uint32_t number) {
    const std::vector<size_t> list = all(node, number);
    const size_t action = random_.below(6);
    if (list.empty() || action == 0) {
      node.push_back(text_field(number, number == 1 ? random_.of(names_) : "o" + std::to_string(random_.below(9999))));
      return;
    }
    const size_t at = random_.of(list);
    if (action == 1) erase(node, at);
    if (action == 2) node[at].bytes.clear();
    if (action == 3) std::swap(node[at], node[random_.of(list)]);
    if (action == 4) node[at].bytes = random_.of(names_);
    if (action == 5) node.push_back(node[at]);
  }

  void change_attribute(Message& a) {
    const size_t action = random_.below(12);
    if (action == 0) return set(a, text_field(1, random_.of(kAttributes)));
    if (action == 1) return set(a, number_field(20, static_cast<int64_t>(random_.below(12))));
    std::vector<size_t> numbers = all(a, 8), values = all(a, 3);
    std::ranges::copy(all(a, 7), std::back_inserter(numbers));
    std::ranges::copy(all(a, 4), std::back_inserter(values));
    std::ranges::copy(all(a, 2), std::back_inserter(values));
    std::ranges::copy(all(a, 9), std::back_inserter(numbers));
    std::ranges::copy(numbers, std::back_inserter(values));
    if (!numbers.empty() && action == 2) return erase(a, random_.of(numbers));
    if (!numbers.empty() && action == 3) return a.push_back(a[random_.of(numbers)]);
    if (!numbers.empty() && action == 4)
      return static_cast<void>(std::erase_if(a, [](const Field& f) { return f.number >= 7 && f.number <= 9; }));
    if (values.empty()) return set(a, number_field(3, edge(random_)));
    Field& f = a[random_.of(values)];
    if (f.type == io::WireType::Bytes) f.bytes = random_.of(kTexts);
    if (f.type == io::WireType::Varint) f.bits = static_cast<uint64_t>(edge(random_));
    if (f.type == io::WireType::Fixed32) f.bits = std::bit_cast<uint32_t>(static_cast<float>(real_edge(random_)));
  }

  Message new_attribute() {
    Message a{text_field(1, random_.of(kAttributes))};
    switch (random_.below(4)) {
      case 0: a.push_back(number_field(3, edge(random_))), a.push_back(number_field(20, 2)); break;
      case 1: a.push_back(text_field(4, random_.of(kTexts))), a.push_back(number_field(20, 3)); break;
      case 2: {
        const float value = static_cast<float>(real_edge(random_));
        a.push_back({.number = 2,
                     .type = io::WireType::Fixed32,
                     .bits = std::bit_cast<uint32_t>(value),
                     .bytes = {},
                     .fields = {}});
        a.push_back(number_field(20, 1));
        break;
      }
      default:
        for (size_t i = random_.below(6); i > 0; --i) a.push_back(number_field(8, edge(random_)));
        a.push_back(number_field(20, 7));
    }
    return a;
  }

  void change_attributes(Message& node) {
    const std::vector<size_t> list = all(node, 5);
    const std::vector<Message*> others = messages(model_, Kind::Attribute);
    if (!list.empty() && random_.once_in(3)) return erase(node, random_.of(list));
    Message added = others.empty() || random_.once_in(2) ? new_attribute() : *random_.of(others);
    node.push_back(message_field(5, Kind::Attribute, std::move(added)));
  }

  /// Makes the data of a tensor as long as its shape and type ask for, unless that is long.
  void fit(Message& tensor) {
    uint64_t count = 1;
    for (size_t i : all(tensor, 1)) count *= std::min<uint64_t>(tensor[i].bits, kMaxElements + 1);
    const Field* type = find(tensor, 2);
    const DType dtype = onnx::dtype_of_element(type ? static_cast<int64_t>(type->bits) : 0);
    if (count > kMaxElements || dtype.is_void()) return;
    std::string raw = text_of(tensor, 9);
    raw.resize(static_cast<size_t>(dtype.bytes_of(static_cast<int64_t>(count))), static_cast<char>(random_.once_in(2)));
    std::erase_if(tensor, [](const Field& f) { return f.number >= 4 && f.number <= 11 && f.number != 8; });
    set(tensor, text_field(9, std::move(raw)));
  }

  void change_tensor(Message& tensor) {
    const std::vector<size_t> dims = all(tensor, 1);
    switch (random_.below(8)) {
      case 0: set(tensor, number_field(2, static_cast<int64_t>(random_.below(28)))); break;
      case 1: tensor.push_back(number_field(1, edge(random_))); break;
      case 2:
        if (!dims.empty()) erase(tensor, random_.of(dims));
        break;
      case 3:
        if (!dims.empty()) tensor[random_.of(dims)].bits = static_cast<uint64_t>(edge(random_));
        break;
      case 4: set(tensor, number_field(14, static_cast<int64_t>(random_.below(2)))); return;
      default: return change_data(tensor);
    }
    if (!random_.once_in(4)) fit(tensor);
  }

  void change_data(Message& tensor) {
    const std::vector<size_t> typed = all(tensor, random_.once_in(2) ? 7 : 5);
    if (!typed.empty()) {
      tensor[random_.of(typed)].bits = static_cast<uint64_t>(edge(random_));
      return;
    }
    Field* raw = find(tensor, 9);
    if (!raw) return fit(tensor);
    const Field* type = find(tensor, 2);
    const DType dtype = onnx::dtype_of_element(type ? static_cast<int64_t>(type->bits) : 0);
    const size_t width = static_cast<size_t>(std::max<int64_t>(dtype.bytes(), 1));
    if (raw->bytes.size() < width) return;
    char* at = raw->bytes.data() + random_.below(raw->bytes.size() / width) * width;
    const int64_t value = edge(random_);
    const float real = static_cast<float>(real_edge(random_));
    std::memcpy(at, dtype == DType::float_(32) ? static_cast<const void*>(&real) : &value, width);
  }

  Message new_dim() {
    if (random_.once_in(4)) return {text_field(2, random_.once_in(2) ? "n" : "m")};
    if (random_.once_in(8)) return {};
    return {number_field(1, edge(random_))};
  }

  void change_info(Message& info) {
    Field* type = find(info, 2);
    Field* tensor = type ? find(type->fields, 1) : nullptr;
    if (!tensor || tensor->kind != Kind::TensorType) return;
    Field* shape = find(tensor->fields, 2);
    if (!shape || shape->kind != Kind::Shape || random_.once_in(4))
      return set(tensor->fields, number_field(1, static_cast<int64_t>(random_.below(21))));
    if (random_.once_in(16))
      return static_cast<void>(std::erase_if(tensor->fields, [](const Field& f) { return f.number == 2; }));
    const std::vector<size_t> dims = all(shape->fields, 1);
    if (dims.empty() || random_.once_in(3)) return shape->fields.push_back(message_field(1, Kind::Dim, new_dim()));
    if (random_.once_in(2)) return erase(shape->fields, random_.of(dims));
    shape->fields[random_.of(dims)].fields = new_dim();
  }

  /// Adds a tensor or an input to the graph and returns its name.
  std::string new_operand(Field& graph) {
    const std::string name = "c" + std::to_string(random_.below(100000));
    if (random_.once_in(3)) {
      Message shape, tensor{number_field(1, 1 + static_cast<int64_t>(random_.below(13)))};
      for (size_t i = random_.below(6); i > 0; --i) shape.push_back(message_field(1, Kind::Dim, new_dim()));
      tensor.push_back(message_field(2, Kind::Shape, std::move(shape)));
      Message type{message_field(1, Kind::TensorType, std::move(tensor))};
      graph.fields.push_back(
          message_field(11, Kind::Info, {text_field(1, name), message_field(2, Kind::Type, std::move(type))}));
      return name;
    }
    constexpr int64_t kTypes[] = {7, 7, 7, 6, 1, 1, 9, 3, 2};
    Message tensor{text_field(8, name), number_field(2, random_.of(kTypes))};
    for (size_t i = random_.below(3); i > 0; --i)
      tensor.push_back(number_field(1, static_cast<int64_t>(random_.below(5))));
    fit(tensor);
    for (size_t i = random_.below(6); i > 0; --i) change_data(tensor);
    graph.fields.push_back(message_field(5, Kind::Tensor, std::move(tensor)));
    return name;
  }

  void give_operand(Message& node) {
    const std::vector<size_t> inputs = all(node, 1);
    const std::string op = text_of(node, 4);
    Field* graph = find(model_, 7);
    if (!graph || graph->kind != Kind::Graph) return;
    const size_t at = inputs.empty() || random_.once_in(3) ? node.size() : random_.of(inputs);
    Message copy = node;  // the node may move when the graph grows
    const std::string name = new_operand(*graph);
    if (at == copy.size())
      copy.push_back(text_field(1, name));
    else
      copy[at].bytes = name;
    const std::vector<Message*> nodes = messages(model_, Kind::Node);
    const auto it = std::ranges::find_if(
        nodes, [&](const Message* m) { return text_of(*m, 2) == text_of(copy, 2) && text_of(*m, 4) == op; });
    if (it != nodes.end()) **it = copy;
  }

  void change_graph(Message& graph) {
    if (graph.empty()) return;
    const size_t at = random_.below(graph.size()), to = random_.below(graph.size());
    switch (random_.below(5)) {
      case 0: erase(graph, at); break;
      case 1: graph.push_back(graph[at]); break;
      case 2: std::swap(graph[at], graph[to]); break;
      default: graph.push_back(message_field(12, Kind::Info, {text_field(1, random_.of(names_))}));
    }
  }

  Message model_;
  Random random_;
  std::vector<std::string> names_;
};

Message parse_file(const uint8_t* data, size_t size) {
  return parse_message(std::as_bytes(std::span(data, size)), Kind::Model);
}

}  // namespace
}  // namespace sunmao::fuzz

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  using namespace sunmao::fuzz;
  return give(Mutator(parse_file(data, size), seed).changed(), data, max_size);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t* data, size_t size, const uint8_t* other, size_t other_size,
                                 uint8_t* out, size_t max_out_size, unsigned seed) {
  using namespace sunmao::fuzz;
  return give(Mutator(parse_file(data, size), seed).spliced(parse_file(other, other_size)), out, max_out_size);
}
