// Printer for modules, and the entry points of print.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "script/printer.h"
#include "script/spelling.h"

namespace sunmao::script {

void Lines::add(const std::string& line) {
  text_.append(static_cast<size_t>(level_) * static_cast<size_t>(indent_spaces_), ' ');
  text_ += line;
  text_ += '\n';
}

void Lines::append(const Lines& other) { text_ += other.text_; }

void Lines::mark(size_t from, const Node* node, const std::vector<PrintMark>& marks) {
  for (const PrintMark& m : marks) {
    if (m.node != node || from >= text_.size()) continue;
    if (m.comment.empty())
      text_.replace(from, std::string::npos, underlined(std::string_view(text_).substr(from)));
    else
      text_.insert(text_.find('\n', from), "  # " + m.comment);
  }
}

std::string PrintState::function_name(const std::string& name) const {
  auto it = function_names.find(name);
  if (it != function_names.end()) return it->second;
  return is_name(name) ? name : to_name(name);
}

std::string global_name_argument(const PrintState& state, const std::string& name) {
  return state.function_name(name) == name ? "" : "global_name=" + quote(name);
}

namespace {

// Renames functions whose names are Python keywords or no identifiers to unused identifiers.
std::unordered_map<std::string, std::string> spelled_names(const std::vector<FunctionEntry>& functions) {
  std::unordered_set<std::string> taken;
  for (const FunctionEntry& e : functions)
    if (is_name(e.var->name)) taken.insert(e.var->name);
  std::unordered_map<std::string, std::string> out;
  for (const FunctionEntry& e : functions) {
    if (is_name(e.var->name)) continue;
    std::string name = to_name(e.var->name);
    while (!taken.insert(name).second) name += '_';
    out.emplace(e.var->name, std::move(name));
  }
  return out;
}

void print_function(PrintState& state, const Ref<BaseFunc>& f, const std::string& name, Lines& out) {
  if (f->kind == ExprKind::ExternFunc) {
    state.uses_relax = true;
    out.add(Printer(state, DType::int_(64)).extern_definition(*find<ExternFunc>(Expr(f)), name));
  } else if (f->kind == ExprKind::PrimFunc)
    print_prim_function(state, f, name, out);
  else
    print_relax_function(state, f, name, out);
}

// True when the text contains `root`, such as "T.", other than as the end of a longer name.
bool mentions(const std::string& text, std::string_view root) {
  for (size_t at = text.find(root); at != std::string::npos; at = text.find(root, at + 1)) {
    unsigned char before = at == 0 ? ' ' : static_cast<unsigned char>(text[at - 1]);
    if (!std::isalnum(before) && before != '_' && before != '.') return true;
  }
  return false;
}

std::string header(const PrintState& state, bool is_module, const std::string& text) {
  std::string out;
  if (is_module || mentions(text, "I.")) out += "# from tvm.script import ir as I\n";
  if (state.uses_tir || mentions(text, "T."))
    out += "# from tvm.script import tirx as T\n# from tvm.tirx.layout import Axis\n";
  if (state.uses_relax) out += "# from tvm.script import relax as R\n";
  return out + "\n";
}

int rank(const FunctionEntry& e) {
  if (e.func->kind == ExprKind::ExternFunc) return 0;
  if (e.var->name == "main") return 3;
  return e.func->kind == ExprKind::PrimFunc ? 1 : 2;
}

// Sorts functions: extern functions, then loop level, then graph level, `main` last; each group by name.
std::vector<FunctionEntry> in_order(const Module& module) {
  std::vector<FunctionEntry> out = module.functions();
  std::ranges::stable_sort(out, [&](const FunctionEntry& a, const FunctionEntry& b) {
    return std::pair(rank(a), a.var->name) < std::pair(rank(b), b.var->name);
  });
  return out;
}

std::string global_infos(Printer& printer, const GlobalInfos& infos) {
  std::vector<std::string> parts;
  for (const auto& [name, list] : infos) {
    std::vector<std::string> items;
    for (const Ref<GlobalInfo>& info : list) items.push_back(printer.global_info(info));
    parts.push_back(fmt::format("{}: [{}]", quote(name), fmt::join(items, ", ")));
  }
  return fmt::format("I.module_global_infos({{{}}})", fmt::join(parts, ", "));
}

PrintResult print_module(const Module& module, const PrintOptions& options) {
  PrintState state{.options = options, .module = &module};
  Lines lines(options.indent_spaces);
  lines.indent();
  Printer printer(state, DType::int_(64));
  if (!module.attrs().empty()) lines.add(fmt::format("I.module_attrs({})", printer.map(module.attrs().values())));
  if (!module.global_infos().empty()) lines.add(global_infos(printer, module.global_infos()));
  bool is_extern = false;
  const std::vector<FunctionEntry> functions = in_order(module);
  state.function_names = spelled_names(functions);
  for (const FunctionEntry& e : functions) {
    bool follows_extern = std::exchange(is_extern, e.func->kind == ExprKind::ExternFunc);
    if (!lines.empty() && !follows_extern) lines.append_blank();
    print_function(state, e.func, e.var->name, lines);
  }
  if (lines.empty()) lines.add("pass");
  std::string text = header(state, true, lines.text()) + "@I.ir_module\nclass Module:\n" + lines.text();
  return {std::move(text), std::move(state.constants)};
}

PrintResult print_expr(const Expr& e, const PrintOptions& options) {
  PrintState state{.options = options};
  if (!BaseFunc::matches(*e) || find<ExternFunc>(e)) {
    std::string text = print_lone_expr(state, e);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return {std::move(text), std::move(state.constants)};
  }
  Ref<BaseFunc> f = find_ref<BaseFunc>(e);
  const std::string* symbol = f->attr<std::string>("global_symbol");
  Lines lines(options.indent_spaces);
  print_function(state, f, symbol && is_name(*symbol) ? *symbol : options.function_name, lines);
  return {header(state, false, lines.text()) + lines.text(), std::move(state.constants)};
}

}  // namespace
}  // namespace sunmao::script

namespace sunmao {

std::string underlined(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const size_t start = std::min(line.find_first_not_of(' '), line.size());
    // An underline is as wide as the text has code points: UTF-8 continuation bytes are not counted.
    const auto width = std::ranges::count_if(line.substr(start), [](char c) { return (c & 0xc0) != 0x80; });
    out += fmt::format("{}\n{:{}}{:^^{}}\n", line, "", start, "", width);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return out;
}

PrintResult print_with_constants(const Module& module, const PrintOptions& options) {
  return script::print_module(module, options);
}
PrintResult print_with_constants(const Expr& expr, const PrintOptions& options) {
  return script::print_expr(expr, options);
}
std::string print(const Module& module, const PrintOptions& options) {
  return print_with_constants(module, options).text;
}
std::string print(const Expr& expr, const PrintOptions& options) {
  return expr ? print_with_constants(expr, options).text : "None";
}

namespace {

// Prints a part on its own; `default_int` is the dtype of a plain integer literal at its level.
template <class F>
std::string print_part(const PrintOptions& options, DType default_int, F print) {
  script::PrintState state{.options = options};
  script::Printer printer(state, default_int);
  return printer.alone([&] { return print(printer); });
}

const DType kLoopInt = DType::int_(32), kGraphInt = DType::int_(64);

}  // namespace

std::string print(const Type& type, const PrintOptions& options) {
  if (!type) return "None";
  const auto* callable = find<CallableType>(type);
  if (callable && !callable->params && !callable->is_pure && find<AnyType>(callable->result)) return "R.PackedFunc";
  const auto* tuple = find<TupleType>(type);
  auto is_plain = [](const Type& field) { return find<PrimType>(field) && !find<PrimType>(field)->value; };
  const bool is_of_numbers = tuple && !tuple->fields.empty() && std::ranges::all_of(tuple->fields, is_plain);
  return print_part(options, kGraphInt, [&](script::Printer& p) {
    std::string text = p.type(type);
    return is_of_numbers ? "T" + text.substr(1) : text;  // valid at both levels: the loop level's spelling
  });
}

std::string print(const Scalar& scalar, const PrintOptions& options) {
  if (!scalar) return "None";
  return print_part(options, kLoopInt, [&](script::Printer& p) { return p.argument(scalar); });
}

std::string print(const AttrValue& value, const PrintOptions& options) {
  return print_part(options, kGraphInt, [&](script::Printer& p) { return p.value(value); });
}

std::string print(const Range& range, const PrintOptions& options) {
  return print_part(options, kLoopInt, [&](script::Printer& p) { return "I." + p.range(range); });
}

std::string print(const IterVar& iter, const PrintOptions& options) {
  static constexpr const char* kKinds[] = {"DataPar", "CommReduce", "Ordered", "Opaque"};
  return print_part(options, kLoopInt, [&](script::Printer& p) {
    std::string var = p.scalar(iter.var), domain = "T." + p.range(iter.domain);
    return fmt::format("T.iter_var({}, {}, \"{}\", \"\")", var, domain, kKinds[static_cast<size_t>(iter.kind)]);
  });
}

std::string print(const Ref<Buffer>& buffer, const PrintOptions& options) {
  return print_part(options, kLoopInt, [&](script::Printer& p) { return p.buffer(buffer); });
}

std::string print(const Stmt& stmt, const PrintOptions& options) {
  script::PrintState state{.options = options};
  return stmt ? script::print_lone_stmt(state, stmt) : "";
}

std::string print(const BufferRegion& region, const PrintOptions& options) {
  script::PrintState state{.options = options};
  return script::print_lone_region(state, region);
}

std::string print(const MatchBufferRegion& view, const PrintOptions& options) {
  script::PrintState state{.options = options};
  return script::print_lone_view(state, view);
}

std::string print(const Binding& binding, const PrintOptions& options) {
  script::PrintState state{.options = options};
  return script::print_lone_binding(state, binding);
}

std::string print(const Ref<BindingBlock>& block, const PrintOptions& options) {
  script::PrintState state{.options = options};
  return script::print_lone_block(state, block);
}

}  // namespace sunmao
