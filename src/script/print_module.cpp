// Modules as scripts write them, and the entries of print.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "script/printer.h"
#include "script/spelling.h"

namespace sunmao::script {

void Lines::add(const std::string& line) {
  text_.append(static_cast<size_t>(level_) * 4, ' ');
  text_ += line;
  text_ += '\n';
}

void Lines::append(const Lines& other) { text_ += other.text_; }

namespace {

void print_function(PrintState& state, const Ref<BaseFunc>& f, const std::string& name, Lines& out) {
  if (f->kind == ExprKind::PrimFunc)
    print_prim_function(state, f, name, out);
  else
    print_relax_function(state, f, name, out);
}

std::string header(const PrintState& state, bool is_module, const std::string& text) {
  std::string out;
  if (is_module || text.find("I.") != std::string::npos) out += "# from tvm.script import ir as I\n";
  if (state.uses_tir || text.find("T.") != std::string::npos) out += "# from tvm.script import tirx as T\n";
  if (state.uses_relax) out += "# from tvm.script import relax as R\n";
  return out + "\n";
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
  Lines lines;
  lines.indent();
  Printer printer(state, DType::int_(64));
  if (!module.attrs().empty()) lines.add(fmt::format("I.module_attrs({})", printer.map(module.attrs().values())));
  if (!module.global_infos().empty()) lines.add(global_infos(printer, module.global_infos()));
  for (const FunctionEntry& e : module.functions()) {
    if (!lines.empty()) lines.append_blank();
    print_function(state, e.func, e.var->name, lines);
  }
  if (lines.empty()) lines.add("pass");
  std::string text = header(state, true, lines.text()) + "@I.ir_module\nclass Module:\n" + lines.text();
  return {std::move(text), std::move(state.constants)};
}

PrintResult print_expr(const Expr& e, const PrintOptions& options) {
  PrintState state{.options = options};
  if (!BaseFunc::matches(*e)) {
    std::string text = print_lone_expr(state, e);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return {std::move(text), std::move(state.constants)};
  }
  Ref<BaseFunc> f = find_ref<BaseFunc>(e);
  const std::string* symbol = f->attr<std::string>("global_symbol");
  Lines lines;
  print_function(state, f, symbol && is_name(*symbol) ? *symbol : options.function_name, lines);
  return {header(state, false, lines.text()) + lines.text(), std::move(state.constants)};
}

}  // namespace
}  // namespace sunmao::script

namespace sunmao {

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

std::string print(const Type& type) {
  PrintOptions options;
  script::PrintState state{.options = options};
  return type ? script::Printer(state, DType::int_(64)).type(type) : "None";
}

std::string print(const Scalar& scalar) {
  PrintOptions options;
  script::PrintState state{.options = options};
  return scalar ? script::Printer(state, DType::int_(64)).scalar(scalar) : "None";
}

std::string print(const Stmt& stmt) {
  PrintOptions options;
  script::PrintState state{.options = options};
  return stmt ? script::print_lone_stmt(state, stmt) : "";
}

}  // namespace sunmao
