#include "view/artifact_graph.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "support/dtype.h"
#include "support/shape_bytes.h"

namespace sunmao::view {
namespace {

/// A line of the disassembly, read from left to right.
class Line {
 public:
  explicit Line(std::string_view text) : rest_(text) {}

  std::string_view rest() const { return rest_; }
  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  std::string_view until(std::string_view end) {
    const size_t at = std::min(rest_.find(end), rest_.size());
    const std::string_view found = rest_.substr(0, at);
    rest_.remove_prefix(std::min(at + end.size(), rest_.size()));
    return found;
  }
  size_t number() {
    size_t value = 0;
    const char* end = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value).ptr;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return value;
  }

 private:
  std::string_view rest_;
};

/// Returns the numbers behind `letter` in a list of registers: 3 and 17 of "t3, d2, t17".
std::vector<size_t> registers(std::string_view text, char letter) {
  std::vector<size_t> out;
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    const bool begins = i == 0 || text[i - 1] == ' ' || text[i - 1] == '[' || text[i - 1] == '(';
    if (begins && text[i] == letter && text[i + 1] >= '0' && text[i + 1] <= '9')
      out.push_back(Line(text.substr(i + 1)).number());
  }
  return out;
}

/// Text between backquotes, so that names with spaces or commas are not taken for registers.
std::string without_names(std::string_view text) {
  std::string out;
  bool is_inside = false;
  for (char c : text) {
    if (c == '`') is_inside = !is_inside;
    if (!is_inside) out += c;
  }
  return out;
}

struct Kernel {
  std::string name;
  std::vector<size_t> written;  // numbers of buffers; empty when the program does not say
};

/// What a tensor register stands for: the nodes that wrote it last, or weights.
struct Source {
  std::vector<size_t> nodes = {}, weights = {};
  std::string type = {}, shape = {};
  std::optional<uint64_t> bytes = {};
  std::optional<size_t> view_of = {};
};

/// What belongs to the function that is read.
struct FunctionState {
  GraphFunction graph;
  std::vector<std::pair<Source, std::string>> params;  // and their dims
  std::vector<std::pair<GraphNode, size_t>> results;   // and the registers that they are written to
  std::map<size_t, std::string> sizes;                 // by dim register
  std::vector<Source> latest;                          // by tensor register
  size_t calls = 0;                                    // of kernels
  bool is_open = false;
};

class ProgramReader {
 public:
  ProgramReader(const io::JsonValue& manifest, const Weights& weights) : manifest_(manifest), given_(weights) {}

  Graph run(std::string_view text) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      read_line(Line(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    end_function();
    return std::move(graph_);
  }

 private:
  void read_line(Line line) {
    if (line.take("weight w")) return read_weight(line);
    if (line.take("kernel k")) return read_kernel(line);
    for (std::string_view kind : {"function `", "inner function `", "host function `"})
      if (line.take(kind)) return begin_function(std::string(line.until("`:")));
    if (line.take("  param p")) return read_param(line);
    if (line.take("  result r")) return read_result(line);
    if (line.rest().starts_with(' ')) read_instruction(line);
  }

  void read_weight(Line line) {
    line.until("`");
    GraphWeight w{.name = std::string(line.until("`: ")), .type = std::string(line.rest())};
    if (const auto found = given_.find(w.name); found != given_.end()) {
      w.data = found->second;
      w.bytes = w.data.size_bytes();
    }
    graph_.weights.push_back(std::move(w));
  }

  void read_kernel(Line line) {
    line.until("`");
    Kernel k{.name = std::string(line.until("`: ")), .written = {}};
    line.until(", writes ");
    while (!line.rest().empty()) {
      k.written.push_back(line.number());
      if (!line.take(" ")) break;
    }
    kernels_.push_back(std::move(k));
  }

  void begin_function(std::string name) {
    end_function();
    own_.graph.name = std::move(name);
    own_.is_open = true;
  }

  void end_function() {
    if (!own_.is_open) return;
    for (const auto& [result, writer] : own_.results) {
      GraphNode node = result;
      if (writer < own_.latest.size()) add_source(node, writer);
      add(std::move(node));
    }
    graph_.functions.push_back(std::move(own_.graph));
    own_ = {};
  }

  size_t add(GraphNode node) {
    own_.graph.nodes.push_back(std::move(node));
    return own_.graph.nodes.size() - 1;
  }

  static std::string short_text(std::string_view dtype, std::string_view dims) {
    std::string out;
    for (char c : dims)
      if (c == ',')
        out += "×";
      else if (c != ' ' && c != '(' && c != ')')
        out += c;
    return (out.empty() ? "scalar" : out) + " " + std::string(dtype);
  }

  /// Notes a type on a node or a register: as text, short, and its bytes.
  template <class Value>
  static void set_type(Value& value, std::string_view dtype, std::string_view dims) {
    value.type = fmt::format("{} ({})", dtype, dims);
    value.shape = short_text(dtype, dims);
    value.bytes = bytes_of_text(dtype, dims);
  }

  /// Reads "`name`: dtype (dims)"; returns the dims too.
  static std::pair<GraphNode, std::string> read_value(Line& line, NodeKind kind, const char* op) {
    line.until("`");
    GraphNode node{.kind = kind, .name = std::string(line.until("`: ")), .op = op};
    const std::string_view dtype = line.until(" ("), dims = line.until(")");
    set_type(node, dtype, dims);
    return {std::move(node), std::string(dims)};
  }

  void read_param(Line line) {
    auto [node, dims] = read_value(line, NodeKind::Input, "input");
    Source source;
    if (line.take(" = w"))
      source.weights.push_back(line.number());
    else
      source.nodes.push_back(add(std::move(node)));
    own_.params.emplace_back(std::move(source), std::move(dims));
  }

  void read_result(Line line) {
    own_.results.emplace_back(read_value(line, NodeKind::Output, "output").first, SIZE_MAX);
  }

  static std::optional<uint64_t> bytes_of_text(std::string_view dtype, std::string_view dims) {
    const std::optional<DType> type = DType::parse(dtype);
    if (!type || type->is_void()) return std::nullopt;
    std::vector<int64_t> shape;
    for (Line line(dims); !line.rest().empty();) {
      const std::string_view dim = line.until(", ");
      int64_t size = 0;
      const auto [end, error] = std::from_chars(dim.data(), dim.data() + dim.size(), size);
      if (error != std::errc() || end != dim.data() + dim.size()) return std::nullopt;
      shape.push_back(size);
    }
    return shape_bytes(shape, *type);
  }

  Source& at(size_t reg) {
    if (reg >= own_.latest.size()) own_.latest.resize(reg + 1);
    return own_.latest[reg];
  }

  /// The register whose memory this one is a view of.
  size_t root(size_t reg) {
    while (at(reg).view_of) reg = *at(reg).view_of;
    return reg;
  }

  void add_source(GraphNode& node, size_t reg) {
    const Source& source = at(root(reg));
    node.inputs.insert(node.inputs.end(), source.nodes.begin(), source.nodes.end());
    node.weights.insert(node.weights.end(), source.weights.begin(), source.weights.end());
  }

  std::string size_text(size_t dim) const {
    const auto known = own_.sizes.find(dim);
    return known == own_.sizes.end() ? "?" : known->second;
  }

  /// Notes type and shape of a register that is defined as `…, dtype, (d0, d1)`.
  void define(size_t reg, std::string_view operands) {
    const size_t open = operands.rfind('(');
    if (open == std::string_view::npos || open < 2) return;
    const std::string_view before = operands.substr(0, open - 2);
    const std::string dtype(before.substr(before.rfind(' ') + 1));
    std::string dims;
    for (size_t d : registers(operands.substr(open), 'd')) dims += (dims.empty() ? "" : ", ") + size_text(d);
    set_type(at(reg), dtype, dims);
  }

  void read_instruction(Line line) {
    line.until("  ");
    while (line.take(" ")) {
    }
    line.number();
    line.take("  ");
    const std::string opcode(line.until(" "));
    const std::string operands(line.rest());
    const std::string plain = without_names(operands);
    const std::vector<size_t> tensors = registers(plain, 't'), dims = registers(plain, 'd');
    if (opcode == "ConstDim" || opcode == "BindDim") return read_size(opcode, plain, dims);
    if (dims.size() == 3 && opcode.ends_with("Dim")) return read_size_op(opcode, dims);
    if (opcode == "Param" || opcode == "Constant") return read_source(opcode, plain, tensors);
    if (opcode == "Slot" || opcode == "Block" || opcode == "Result") {
      define(tensors[0], plain);
      if (opcode == "Result") own_.results.at(registers(plain, 'r').at(0)).second = tensors[0];
    } else if (opcode == "View" || opcode == "Part") {
      define(tensors[0], plain);
      at(tensors[0]).view_of = tensors[1];
    } else if (opcode == "Deliver") {
      for (size_t i = 0; i < std::min(tensors.size(), own_.results.size()); ++i) own_.results[i].second = tensors[i];
    } else if (opcode == "Call") {
      read_kernel_call(operands, plain);
    } else if (!tensors.empty() || opcode.starts_with("Follow") || opcode.starts_with("Chain") || opcode == "Invoke") {
      read_other(opcode, operands, tensors);
    }
  }

  void read_size(const std::string& opcode, const std::string& plain, const std::vector<size_t>& dims) {
    Line line(plain);
    line.until(", ");
    if (opcode == "ConstDim") {
      own_.sizes[dims[0]] = std::string(line.rest());
      return;
    }
    line.take("p");
    const size_t param = line.number();
    line.until("axis ");
    size_t axis = line.number();
    Line names(own_.params.at(param).second);
    while (axis-- > 0) names.until(", ");
    own_.sizes[dims[0]] = std::string(names.until(", "));
  }

  void read_size_op(const std::string& opcode, const std::vector<size_t>& dims) {
    const std::string a = size_text(dims[1]), b = size_text(dims[2]);
    const char* symbol = opcode == "AddDim"        ? " + "
                         : opcode == "SubDim"      ? " - "
                         : opcode == "MulDim"      ? "*"
                         : opcode == "FloorDivDim" ? "//"
                         : opcode == "FloorModDim" ? "%"
                                                   : nullptr;
    constexpr size_t kLongest = 24;  // characters of a size in a box
    const std::string text = symbol ? a + symbol + b : "?";
    own_.sizes[dims[0]] = text.size() > kLongest ? "?" : text;
  }

  void read_source(const std::string& opcode, const std::string& plain, const std::vector<size_t>& tensors) {
    if (opcode == "Param")
      at(tensors[0]) = own_.params.at(registers(plain, 'p').at(0)).first;
    else
      at(tensors[0]) = Source{.weights = registers(plain, 'w')};
  }

  void read_kernel_call(const std::string& operands, const std::string& plain) {
    Line line(operands);
    line.take("k");
    const Kernel& kernel = kernels_.at(line.number());
    GraphNode node{.kind = NodeKind::Kernel, .name = kernel.name, .op = kernel.name};
    add_origin(node);
    const std::vector<size_t> buffers = registers(plain.substr(0, plain.find(']')), 't');
    std::vector<size_t> written = kernel.written;
    if (written.empty() && !buffers.empty()) written.push_back(buffers.size() - 1);
    const auto is_written = [&](size_t i) { return std::ranges::find(written, i) != written.end(); };
    for (size_t i = 0; i < buffers.size(); ++i)
      if (!is_written(i)) add_source(node, buffers[i]);
    for (size_t i : written) {
      const Source& target = at(buffers.at(i));
      node.type += (node.type.empty() ? "" : ", ") + target.type;
      node.shape = written.size() == 1 ? target.shape : fmt::format("{} values", written.size());
      if (target.bytes) node.bytes = node.bytes.value_or(0) + *target.bytes;
    }
    const size_t number = add(std::move(node));
    for (size_t i : written) {
      Source& target = at(root(buffers[i]));
      target.nodes = {number};
      target.weights.clear();
    }
  }

  void add_origin(GraphNode& node) {
    const io::JsonValue origin = manifest_["calls"][own_.graph.name][own_.calls];
    node.kernel_call = own_.calls++;
    node.place = origin["node"].as_string().value_or("");
    node.line = origin["line"].as_string().value_or("");
    for (Line path(origin["module"].as_string().value_or("")); !path.rest().empty();)
      node.path.emplace_back(path.until("."));
  }

  /// Calls of functions, copies and the like. Registers that appear here first are what it defines.
  void read_other(const std::string& opcode, const std::string& operands, const std::vector<size_t>& tensors) {
    GraphNode node{.kind = NodeKind::Op, .name = opcode, .op = opcode};
    const size_t name = operands.find('`');
    if (name != std::string::npos) {
      node.kind = NodeKind::Call;
      node.op = std::string(Line(std::string_view(operands).substr(name + 1)).until("`"));
      node.fields.push_back({"instruction", opcode});
    }
    const auto is_known = [&](size_t t) {
      const Source& s = at(root(t));
      return !s.nodes.empty() || !s.weights.empty() || at(t).view_of;
    };
    std::vector<size_t> defined;
    for (size_t t : tensors)
      if (is_known(t))
        add_source(node, t);
      else
        defined.push_back(t);
    const bool writes_first = opcode == "Copy" && !tensors.empty();
    const size_t number = add(std::move(node));
    if (writes_first) at(root(tensors[0])).nodes = {number};
    for (size_t t : defined) at(root(t)).nodes = {number};
  }

  const io::JsonValue manifest_;
  const Weights& given_;
  Graph graph_;
  std::vector<Kernel> kernels_;
  FunctionState own_;
};

}  // namespace

Graph graph_of_program(const std::string& disassembly, const io::JsonValue& manifest, const Weights& weights) {
  return ProgramReader(manifest, weights).run(disassembly);
}

}  // namespace sunmao::view
