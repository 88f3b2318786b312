#include "view/artifact_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/concat.h"
#include "view/disassembly.h"
#include "view/stated_type.h"

namespace sunmao::view {
namespace {

struct Kernel {
  std::string name;
  std::vector<size_t> written;  // numbers of buffers; empty when the program does not say
};

/// A result of a function, and the tensor registers that it may come from.
struct OpenResult {
  GraphNode node;
  std::vector<size_t> writers = {};
};

/// What a tensor register stands for: the nodes that wrote it last, or weights. A part of another tensor is written
/// beside the other parts of that.
struct Source {
  std::vector<size_t> nodes = {}, weights = {};
  std::string type = {}, shape = {};
  std::optional<uint64_t> bytes = {};
  std::optional<size_t> view_of = {};
  bool is_part = false;
};

/// What belongs to the function that is read.
struct FunctionState {
  GraphFunction graph;
  std::vector<std::pair<Source, StatedType>> params;
  std::vector<OpenResult> results;
  std::vector<size_t> last_calls;       // nodes of calls that the function ends with: what they deliver are its results
  std::map<size_t, std::string> sizes;  // by dim register
  std::vector<Source> latest;           // by tensor register
  size_t calls = 0;                     // of kernels
  bool is_open = false;
};

class ProgramReader {
 public:
  ProgramReader(const io::JsonValue& manifest, const Weights& weights) : manifest_(manifest) {
    for (const auto& [name, data] : weights) given_[io::quoted(name)].push_back({name, data});
  }

  Graph run(std::string_view text) {
    for_each_line(text, [&](Line line) { note_results(line); });
    for_each_line(text, [&](Line line) { read_line(line); });
    end_function();
    return std::move(graph_);
  }

 private:
  template <class OnLine>
  static void for_each_line(std::string_view text, OnLine on_line) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      on_line(Line(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  static std::optional<std::string> function_name(Line line) {
    for (std::string_view kind : {"function `", "inner function `", "host function `"})
      if (line.take(kind)) return std::string(line.until("`:"));
    return std::nullopt;
  }

  /// Notes the types of a function's results, which calls before its text need too.
  void note_results(Line line) {
    if (const auto name = function_name(line)) latest_name_ = *name;
    if (!line.take("  result r")) return;
    line.until("`: ");
    results_[latest_name_].push_back(read_type(line));
  }

  void read_line(Line line) {
    if (line.take("weight w")) return read_weight(line);
    if (line.take("kernel k")) return read_kernel(line);
    if (const auto name = function_name(line)) return begin_function(*name);
    if (line.take("  param p")) return read_param(line);
    if (line.take("  result r")) return read_result(line);
    if (line.rest().starts_with(' ')) read_instruction(line);
  }

  void read_weight(Line line) {
    line.until("`");
    GraphWeight w{.name = std::string(line.until("`: ")), .type = type_text(read_type(line))};
    // Of long names the text has the beginning, and several weights may share that.
    auto& given = given_[fmt::format("`{}`", w.name)];
    const auto found = std::ranges::find(given, w.type, [](const auto& weight) { return type_text(weight.second); });
    if (found != given.end()) {
      std::tie(w.name, w.data) = *found;
      w.bytes = w.data.size_bytes();
      given.erase(found);
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
    for (OpenResult& result : own_.results) {
      for (size_t writer : result.writers) add_source(result.node, writer);
      result.node.inputs.insert(result.node.inputs.end(), own_.last_calls.begin(), own_.last_calls.end());
      add(std::move(result.node));
    }
    for (const auto& [source, type] : own_.params)
      for (const std::string& size : type.dims) note_symbols(size, own_.graph.symbols);
    graph_.functions.push_back(std::move(own_.graph));
    own_ = {};
  }

  size_t add(GraphNode node) {
    own_.graph.nodes.push_back(std::move(node));
    return own_.graph.nodes.size() - 1;
  }

  /// Reads "`name`: dtype (dims)"; returns the type too.
  static std::pair<GraphNode, StatedType> read_value(Line& line, NodeKind kind, const char* op) {
    line.until("`");
    GraphNode node{.kind = kind, .name = std::string(line.until("`: ")), .op = op};
    StatedType type = read_type(line);
    set_type(node, type);
    return {std::move(node), std::move(type)};
  }

  void read_param(Line line) {
    auto [node, type] = read_value(line, NodeKind::Input, "input");
    Source source;
    set_type(source, type);
    if (line.take(" = state `")) node.fields.push_back({"state", std::string(line.until("`"))});
    if (line.take(" = w"))
      source.weights.push_back(line.number());
    else
      source.nodes.push_back(add(std::move(node)));
    own_.params.emplace_back(std::move(source), std::move(type));
  }

  void read_result(Line line) {
    GraphNode node = read_value(line, NodeKind::Output, "output").first;
    if (line.take(" becomes state `")) node.fields.push_back({"state", std::string(line.until("`"))});
    own_.results.push_back({std::move(node)});
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
    StatedType type{.dtype = std::string(before.substr(before.rfind(' ') + 1)), .dims = {}};
    for (size_t d : registers(operands.substr(open), 'd')) type.dims.push_back(size_text(d));
    set_type(at(reg), type);
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
      if (opcode == "Result") own_.results.at(registers(plain, 'r').at(0)).writers.push_back(tensors[0]);
    } else if (opcode == "View" || opcode == "Part") {
      define(tensors[0], plain);
      at(tensors[0]).view_of = tensors[1];
      at(tensors[0]).is_part = opcode == "Part";
    } else if (opcode == "Deliver") {
      const std::vector<PassedValue> values = passed_values(operands);
      for (size_t i = 0; i < std::min(values.size(), own_.results.size()); ++i)
        if (values[i].reg) own_.results[i].writers.push_back(*values[i].reg);
    } else if (opcode == "Call") {
      read_kernel_call(operands, plain);
    } else if (opcode.starts_with("Invoke") || opcode.starts_with("Follow") || opcode.starts_with("Chain")) {
      read_call(opcode, call_operands(operands));
    } else if (!tensors.empty() && opcode != "Give") {
      read_other(opcode, plain, tensors);
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
    const size_t axis = line.number();
    own_.sizes[dims[0]] = own_.params.at(param).second.dims.at(axis);
  }

  void read_size_op(const std::string& opcode, const std::vector<size_t>& dims) {
    const bool is_sum = opcode == "AddDim" || opcode == "SubDim";
    const auto operand = [&](size_t dim) {
      const std::string text = size_text(dim);
      return is_sum || text.find(' ') == std::string::npos ? text : fmt::format("({})", text);
    };
    const std::string a = operand(dims[1]), b = operand(dims[2]);
    const char* symbol = opcode == "AddDim"        ? " + "
                         : opcode == "SubDim"      ? " - "
                         : opcode == "MulDim"      ? " * "
                         : opcode == "FloorDivDim" ? " // "
                         : opcode == "FloorModDim" ? " % "
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
    if (written.size() > 1) node.type = fmt::format("Tuple({})", node.type);
    const size_t number = add(std::move(node));
    for (size_t i : written) note_write(buffers[i], number);
  }

  /// A tensor is written by this node. What the other parts of a tensor hold stays.
  void note_write(size_t reg, size_t node) {
    bool is_part = at(reg).is_part;
    for (size_t up = reg; at(up).view_of;) is_part |= at(up = *at(up).view_of).is_part;
    Source& target = at(root(reg));
    if (!is_part) {
      target.nodes.clear();
      target.weights.clear();
    }
    target.nodes.push_back(node);
  }

  void add_origin(GraphNode& node) {
    const io::JsonValue origin = manifest_["calls"][own_.graph.name][own_.calls];
    node.kernel_call = own_.calls++;
    node.place = origin["node"].as_string().value_or("");
    node.line = origin["line"].as_string().value_or("");
    for (Line path(origin["module"].as_string().value_or("")); !path.rest().empty();)
      node.path.emplace_back(path.until("."));
  }

  /// Adds a node for a call of a function. In a chain `before` are the calls that delivered what it takes.
  size_t add_call(const std::string& opcode, const PassedCall& call, const std::vector<size_t>& before) {
    GraphNode node{.kind = NodeKind::Call, .name = call.function, .op = call.function};
    node.fields.push_back({"instruction", opcode});
    bool takes_delivered = false;
    for (const PassedValue& value : call.arguments) {
      if (value.reg) add_source(node, *value.reg);
      takes_delivered |= value.delivered.has_value();
    }
    if (takes_delivered) node.inputs.insert(node.inputs.end(), before.begin(), before.end());
    set_types(node, results_[call.function]);
    return add(std::move(node));
  }

  /// Calls of functions. One of two that a tensor chooses is two nodes, which both take that tensor.
  void read_call(const std::string& opcode, const CallOperands& operands) {
    const bool is_chain = opcode.starts_with("Chain");
    const size_t chosen = operands.calls.size() - (is_chain ? 1 : 0);  // calls that one of is done
    std::vector<size_t> nodes;
    for (size_t i = 0; i < chosen; ++i) {
      nodes.push_back(add_call(opcode, operands.calls[i], {}));
      GraphNode& node = own_.graph.nodes[nodes[i]];
      if (!operands.condition) continue;
      add_source(node, *operands.condition);
      node.fields.push_back({"runs", i == 0 ? "where the condition is true" : "where the condition is false"});
    }
    for (size_t i = 0; i < operands.results.size(); ++i)
      if (operands.results[i].reg) define_result(operands, i, nodes);
    if (is_chain) nodes = {add_call(opcode, operands.calls.back(), nodes)};
    if (!opcode.starts_with("Invoke")) own_.last_calls.insert(own_.last_calls.end(), nodes.begin(), nodes.end());
  }

  /// Notes on the register of a result what delivers it, and its type with the sizes that the caller has for it.
  void define_result(const CallOperands& operands, size_t i, const std::vector<size_t>& nodes) {
    const PassedValue& value = operands.results[i];
    Source& source = at(*value.reg);
    source.nodes = nodes;
    const std::vector<StatedType>& stated = results_[operands.calls.front().function];
    if (i >= stated.size()) return;
    StatedType type{.dtype = stated[i].dtype, .dims = {}};
    for (const std::optional<size_t>& dim : value.dims) type.dims.push_back(dim ? size_text(*dim) : "?");
    set_type(source, type);
    if (operands.results.size() > 1) return;
    for (size_t node : nodes) set_type(own_.graph.nodes[node], type);
  }

  /// Copies, checks and the like.
  void read_other(const std::string& opcode, const std::string& plain, const std::vector<size_t>& tensors) {
    GraphNode node{.kind = NodeKind::Op, .name = opcode, .op = opcode};
    const bool makes_value = opcode == "Copy" || opcode == "Own" || opcode == "Values";
    if (opcode == "Values")
      set_type(at(tensors[0]), StatedType{.dtype = "int64", .dims = {fmt::format("{}", registers(plain, 'd').size())}});
    if (opcode == "Own") {
      const Source from = at(tensors[1]);
      Source& own = at(tensors[0]);
      std::tie(own.type, own.shape, own.bytes) = std::tie(from.type, from.shape, from.bytes);
    }
    add_source(node, makes_value && tensors.size() > 1 ? tensors[1] : tensors[0]);
    if (makes_value) {
      const Source& made = at(tensors[0]);
      std::tie(node.type, node.shape, node.bytes) = std::tie(made.type, made.shape, made.bytes);
    }
    const size_t number = add(std::move(node));
    if (makes_value) note_write(tensors[0], number);
  }

  const io::JsonValue manifest_;
  std::map<std::string, std::vector<std::pair<std::string, Array>>> given_;  // by names as the text has them
  Graph graph_;
  std::vector<Kernel> kernels_;
  std::map<std::string, std::vector<StatedType>> results_;  // by function
  std::string latest_name_;                                 // of the function whose results are noted
  FunctionState own_;
};

}  // namespace

Graph graph_of_program(const std::string& disassembly, const io::JsonValue& manifest, const Weights& weights) {
  return ProgramReader(manifest, weights).run(disassembly);
}

}  // namespace sunmao::view
