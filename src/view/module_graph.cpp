#include "view/module_graph.h"

#include <algorithm>
#include <unordered_map>

#include "codegen/vm/call_origin.h"
#include "ir/op.h"
#include "ir/source_names.h"
#include "passes/analysis/buffer_uses.h"
#include "passes/analysis/state_params.h"
#include "script/print.h"
#include "support/diagnostic.h"
#include "view/type_text.h"

namespace sunmao::view {
namespace {

constexpr int64_t kMostShown = 64;      // elements of a constant that is shown as text
constexpr size_t kLongestField = 2000;  // bytes of text

std::string cut_text(std::string text) {
  if (text.size() <= kLongestField) return text;
  size_t end = kLongestField;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // within a character
  return text.substr(0, end) + " …";
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// The nodes and weights behind an expression; a tuple has those of its fields.
struct Sources {
  std::vector<size_t> nodes = {}, weights = {};
  std::vector<Sources> fields = {};

  void add(const Sources& other) {
    nodes.insert(nodes.end(), other.nodes.begin(), other.nodes.end());
    weights.insert(weights.end(), other.weights.begin(), other.weights.end());
  }
};

/// What the functions of one module share.
struct ModuleGraph {
  const Model& model;
  Graph graph = {};
  std::unordered_map<const Node*, size_t> texts = {};    // by loop-level function
  std::unordered_map<const Node*, size_t> weights = {};  // by constant

  size_t add_weight(GraphWeight weight) {
    graph.weights.push_back(std::move(weight));
    return graph.weights.size() - 1;
  }

  size_t text_of(const std::string& name, const Ref<PrimFunc>& func) {
    const auto [it, is_new] = texts.emplace(func.get(), graph.texts.size());
    if (is_new) graph.texts.push_back({name, print(Expr(func), {.function_name = name})});
    return it->second;
  }

  size_t weight_of(const Ref<Constant>& constant) {
    const auto known = weights.find(constant.get());
    if (known != weights.end()) return known->second;
    const size_t number = add_weight({.name = fmt::format("constant {}", weights.size()),
                                      .type = describe(constant->type),
                                      .bytes = constant->data.size_bytes(),
                                      .data = constant->data});
    weights.emplace(constant.get(), number);
    return number;
  }
};

class FunctionReader {
 public:
  FunctionReader(ModuleGraph& module, std::string name) : module_(module) { out_.name = std::move(name); }

  GraphFunction run(const Function& f) {
    const int64_t* count = f.attr<int64_t>("num_input");
    const size_t inputs = count ? static_cast<size_t>(*count) : f.params.size();
    const std::vector<std::string> states = states_of(f);
    for (size_t i = 0; i < f.params.size(); ++i) {
      const Ref<Var>& param = f.params[i];
      const auto weight = module_.model.weights.find(param->name);
      if (i < inputs && weight == module_.model.weights.end()) {
        known_[param] = {.nodes = {add_input(param, {})}};
        if (std::ranges::find(states, param->name) != states.end()) note_state(param->name);
      } else {
        known_[param] = {.weights = {add_weight_of(f, param)}};
      }
    }
    add_results(f, read(f.body, {}, {}));
    return std::move(out_);
  }

 private:
  using Path = std::vector<std::string>;

  size_t add(GraphNode node) {
    node.is_inner = depth_ > 0;
    out_.nodes.push_back(std::move(node));
    return out_.nodes.size() - 1;
  }

  void note_symbols_of(const Type& type) {
    for (const Ref<SymVar>& symbol : free_symbols(type)) out_.symbols.insert(symbol->name);
  }

  /// Returns the names of the states that a function takes and, as its last results, gives.
  static std::vector<std::string> states_of(const Function& f) {
    std::vector<std::string> out;
    if (const auto* names = f.attr<AttrList>(kStateNamesAttr))
      for (const AttrValue& name : *names)
        if (const auto* text = name.find<std::string>()) out.push_back(*text);
    return out;
  }

  void note_state(const std::string& name) { out_.nodes.back().fields.push_back({"state", name}); }

  size_t add_input(const Ref<Var>& param, const Path& path) {
    note_symbols_of(param->type);
    return add({.kind = NodeKind::Input,
                .name = param->name,
                .op = "input",
                .path = path,
                .type = describe(param->type),
                .shape = short_type(param->type),
                .bytes = bytes_of(param->type)});
  }

  size_t add_weight_of(const Function& f, const Ref<Var>& param) {
    std::string name = param->name;
    if (const AttrMap* names = f.attr<AttrMap>(kSourceWeightsAttr))
      if (auto it = names->find(name); it != names->end())
        if (const auto* own = it->second.find<std::string>()) name = *own;
    const auto data = module_.model.weights.find(param->name);
    return module_.add_weight({.name = std::move(name),
                               .type = describe(param->type),
                               .bytes = bytes_of(param->type).value_or(0),
                               .data = data == module_.model.weights.end() ? Array() : data->second});
  }

  void add_results(const Function& f, const Sources& sources) {
    const AttrList* names = f.attr<AttrList>(kSourceOutputsAttr);
    const std::vector<Sources> results = sources.fields.empty() ? std::vector{sources} : sources.fields;
    const auto* tuple = find<TupleType>(f.body->type);
    const std::vector<std::string> states = states_of(f);
    for (size_t i = 0; i < results.size(); ++i) {
      const std::string* name = names && i < names->size() ? (*names)[i].find<std::string>() : nullptr;
      const Type type = tuple && i < tuple->fields.size() ? tuple->fields[i] : f.body->type;
      add({.kind = NodeKind::Output,
           .name = name                  ? *name
                   : results.size() == 1 ? "result"
                                         : fmt::format("result {}", i),
           .op = "output",
           .type = type ? describe(type) : "",
           .shape = type ? short_type(type) : "",
           .inputs = latest(results[i].nodes),
           .weights = results[i].weights,
           .bytes = type ? bytes_of(type) : std::nullopt});
      if (i + states.size() >= results.size()) note_state(states[i + states.size() - results.size()]);
    }
  }

  /// Returns the nodes that wrote these values last.
  std::vector<size_t> latest(std::vector<size_t> nodes) const {
    for (size_t& node : nodes)
      for (auto it = writers_.find(node); it != writers_.end(); it = writers_.find(node)) node = it->second;
    return nodes;
  }

  Sources read_sequence(const SeqExpr& seq, const Path& path) {
    for (const Ref<BindingBlock>& block : seq.blocks)
      for (const Binding& b : block->bindings) {
        if (b.is_match_cast() && !find<Call>(b.value)) {
          known_[b.var] = read_cast(b, path);
        } else {
          known_[b.var] = read(b.value, b.var, path);
        }
      }
    return read(seq.body, {}, path);
  }

  Sources read_cast(const Binding& b, const Path& path) {
    const Sources value = read(b.value, {}, path);
    GraphNode node = new_node("match_cast", b.var, b.span, b.var->type, path);
    node.inputs = latest(value.nodes);
    node.weights = value.weights;
    return {.nodes = {add(std::move(node))}};
  }

  GraphNode new_node(std::string op, const Ref<Var>& var, const Span& span, const Type& type, const Path& path) {
    GraphNode node{.name = var ? var->name : "", .op = std::move(op), .path = path};
    if (type) {
      note_symbols_of(type);
      node.type = describe(type);
      node.shape = short_type(type);
      node.bytes = bytes_of(type);
    }
    const CallOrigin origin = origin_of(span);
    node.place = origin.node;
    node.line = origin.line;
    Path own = split(origin.module, '.');
    if (own.empty() && origin.node.find('/') != std::string::npos) {
      own = split(origin.node, '/');
      if (!own.empty()) own.pop_back();
    }
    node.path.insert(node.path.end(), own.begin(), own.end());
    if (span && !span->source->text.empty())
      node.fields.push_back({"source", cut_text(std::string(trimmed(span->source->line(span->line))))});
    return node;
  }

  Sources read(const Expr& e, const Ref<Var>& var, const Path& path) {
    if (!e) return {};
    if (const Ref<Var> other = find_ref<Var>(e)) {
      const auto it = known_.find(other);
      return it == known_.end() ? Sources{} : it->second;
    }
    if (const auto* tuple = find<Tuple>(e)) {
      Sources out;
      for (const Expr& field : tuple->fields) {
        out.fields.push_back(read(field, {}, path));
        out.add(out.fields.back());
      }
      return out;
    }
    if (const auto* item = find<TupleGetItem>(e)) {
      Sources whole = read(item->tuple, {}, path);
      const auto index = static_cast<size_t>(item->index);
      if (var && index == 0 && depth_ == 0 && whole.fields.empty() && whole.nodes.size() == 1)
        out_.nodes[whole.nodes[0]].alias = var->name;
      return index < whole.fields.size() ? Sources(whole.fields[index]) : whole;
    }
    if (const Ref<Constant> constant = find_ref<Constant>(e)) return {.weights = {module_.weight_of(constant)}};
    if (const auto* call = find<Call>(e)) return read_call(*call, var, path);
    if (const auto* branch = find<If>(e)) return read_branch(*branch, var, path);
    if (const auto* seq = find<SeqExpr>(e)) return read_sequence(*seq, path);
    if (const auto* function = find<Function>(e)) return read_closure(*function, var, path);
    return {};
  }

  /// The nodes of a function inside a function, whose value is a closure.
  Sources read_closure(const Function& f, const Ref<Var>& var, Path path) {
    path.push_back(fmt::format("function {}", var ? var->name : fmt::format("{}", out_.nodes.size())));
    ++depth_;
    for (const Ref<Var>& param : f.params) known_[param] = {.nodes = {add_input(param, path)}};
    Sources found = read_sequence(*f.body, path);
    --depth_;
    return found;
  }

  Sources read_branch(const If& branch, const Ref<Var>& var, const Path& path) {
    const Sources condition = read(branch.condition, {}, path);
    GraphNode node = new_node("if", var, branch.span, branch.type, path);
    node.kind = NodeKind::Branch;
    Path inner = node.path;
    inner.push_back(fmt::format("if {}", var ? var->name : fmt::format("{}", out_.nodes.size())));
    node.path = inner;
    const auto side = [&](const char* name, const Ref<SeqExpr>& seq) {
      inner.emplace_back(name);
      ++depth_;
      const Sources found = read_sequence(*seq, inner);
      --depth_;
      inner.pop_back();
      return found;
    };
    const Sources then = side("then", branch.then_branch), otherwise = side("else", branch.else_branch);
    for (const Sources* sources : {&condition, &then, &otherwise}) {
      for (size_t n : latest(sources->nodes)) node.inputs.push_back(n);
      node.weights.insert(node.weights.end(), sources->weights.begin(), sources->weights.end());
    }
    return {.nodes = {add(std::move(node))}};
  }

  Sources read_call(const Call& call, const Ref<Var>& var, const Path& path) {
    const Op* op = op_of(call);
    GraphNode node = new_node(op ? short_name(op->name()) : "call", var, call.span, var ? var->type : call.type, path);
    Sources args;
    Ref<PrimFunc> kernel;
    const auto call_function = [&](const std::string& name) {
      const Ref<BaseFunc> function = module_.model.module.find(name);
      node.op = name;
      node.kind = NodeKind::Call;
      if ((kernel = find_ref<PrimFunc>(Expr(function)))) {
        node.kind = NodeKind::Kernel;
        node.text = module_.text_of(name, kernel);
        node.kernel_call = kernel_calls_++;
      }
    };
    if (const auto* callee = find<GlobalVar>(call.callee)) call_function(callee->name);
    const auto call_outside = [&](const ExternFunc& callee) {
      node.op = callee.name;
      node.kind = NodeKind::Call;
    };
    if (const auto* callee = find<ExternFunc>(call.callee)) call_outside(*callee);
    if (find<Var>(call.callee)) args.add(read(call.callee, {}, path));
    std::vector<Sources> given;
    for (size_t i = 0; i < call.args.size(); ++i) {
      const Expr& arg = call.args[i];
      const std::string name = op ? input_name(*op, i) : fmt::format("argument {}", i);
      if (const auto* callee = find<GlobalVar>(arg)) {
        if (i == 0 && op && op->info.calls_argument)
          call_function(callee->name);
        else
          node.fields.push_back({name, callee->name});
        continue;
      }
      if (const auto* callee = find<ExternFunc>(arg); callee && i == 0) {
        call_outside(*callee);
        continue;
      }
      given.push_back(read(arg, {}, path));
      args.add(given.back());
      add_literals(node, name, arg);
    }
    for (const auto& [name, value] : call.attrs.values())
      if (!value.is_none()) node.fields.push_back({name, cut_text(print(value))});
    node.inputs = latest(std::move(args.nodes));
    node.weights = std::move(args.weights);
    std::ranges::sort(node.weights);
    node.weights.erase(std::ranges::unique(node.weights).begin(), node.weights.end());
    const size_t number = add(std::move(node));
    if (kernel && find<GlobalVar>(call.callee)) note_writes(*kernel, given, number);
    return {.nodes = {number}};
  }

  /// A kernel that is called with the memory of its results: what it writes comes from this call from here on.
  void note_writes(const PrimFunc& kernel, const std::vector<Sources>& given, size_t number) {
    const std::vector<BufferUse> uses = buffer_uses(kernel);
    for (size_t i = 0; i < std::min(uses.size(), given.size()); ++i)
      if (uses[i].is_written)
        for (size_t node : latest(given[i].nodes))
          if (node != number) writers_[node] = number;
  }

  void add_literals(GraphNode& node, const std::string& name, const Expr& arg) const {
    if (find<ShapeExpr>(arg) || find<PrimValue>(arg) || find<StringLiteral>(arg) || find<DTypeLiteral>(arg))
      node.fields.push_back({name, cut_text(print(arg))});
    if (const auto* constant = find<Constant>(arg); constant && constant->data.count() <= kMostShown)
      node.fields.push_back({name, cut_text(print(arg, {.max_inline_elements = kMostShown}))});
    if (const auto* tuple = find<Tuple>(arg))
      for (size_t i = 0; i < tuple->fields.size(); ++i)
        add_literals(node, fmt::format("{}[{}]", name, i), tuple->fields[i]);
  }

  static std::string input_name(const Op& op, size_t i) {
    const std::vector<const OpParam*> inputs = op.inputs();
    if (inputs.empty()) return fmt::format("argument {}", i);
    return i < inputs.size() ? inputs[i]->name : inputs.back()->name;
  }

  static std::string short_name(const std::string& op) { return op.starts_with("relax.") ? op.substr(6) : op; }

  static std::string_view trimmed(std::string_view text) {
    const size_t begin = text.find_first_not_of(" \t");
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
  }

  ModuleGraph& module_;
  GraphFunction out_;
  size_t kernel_calls_ = 0;
  size_t depth_ = 0;  // of branches and closures
  std::unordered_map<Ref<Var>, Sources> known_;
  std::unordered_map<size_t, size_t> writers_;  // of a node's memory: the call that wrote it last
};

/// The loop-level functions of a module that has no others, one box each. No function of a script has this name.
GraphFunction loop_level_functions(ModuleGraph& module) {
  GraphFunction out{.name = "loop-level functions", .nodes = {}};
  for (const FunctionEntry& entry : module.model.module.functions())
    if (const Ref<PrimFunc> function = find_ref<PrimFunc>(Expr(entry.func)))
      out.nodes.push_back({.kind = NodeKind::Kernel,
                           .name = entry.var->name,
                           .op = entry.var->name,
                           .shape = fmt::format("{} buffers", function->buffers().size()),
                           .text = module.text_of(entry.var->name, function)});
  return out;
}

}  // namespace

Graph graph_of(const Model& model) {
  ModuleGraph module{.model = model};
  for (const FunctionEntry& entry : model.module.functions())
    if (const auto* function = find<Function>(Expr(entry.func)))
      module.graph.functions.push_back(FunctionReader(module, entry.var->name).run(*function));
  if (module.graph.functions.empty())
    if (GraphFunction functions = loop_level_functions(module); !functions.nodes.empty())
      module.graph.functions.push_back(std::move(functions));
  return std::move(module.graph);
}

}  // namespace sunmao::view
