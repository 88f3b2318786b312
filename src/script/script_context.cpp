#include "script/script_context.h"

#include <charconv>

#include "ir/equal.h"
#include "script/prim_reader.h"
#include "script/python_parser.h"
#include "script/relax_reader.h"
#include "support/diagnostic.h"

namespace sunmao::script {
namespace {

// Functions without a declared result are read at their first call; this bounds the recursion.
constexpr int kMaxUnstated = 50;

}  // namespace

void ScriptContext::error(const char* code, const Place& place, const std::string& message,
                          const std::string& help) const {
  fail(code, span(place), message, help);
}

void ScriptContext::read_at(const Place& place, FunctionRef<void()> read) const {
  try {
    read();
  } catch (const UserError& error) {
    std::vector<Diagnostic> placed = error.diagnostics();
    for (Diagnostic& d : placed)
      if (!d.span) d.span = span(place);
    throw UserError(std::move(placed));
  }
}

std::optional<HostValue> ScriptContext::host(const PyExpr& e, AttrMap names) const {
  if (!file_->resolve) return std::nullopt;
  return file_->resolve({.expression = unparse(e), .span = span(e.place), .names = std::move(names)});
}

std::optional<HostValue> ScriptContext::host_index_map(const PyExpr& e, AttrMap names) const {
  if (!file_->resolve) return std::nullopt;
  return file_->resolve(
      {.expression = unparse(e), .span = span(e.place), .names = std::move(names), .wants_index_map = true});
}

const Array& ScriptContext::constant(int64_t index, const Place& place) const {
  if (index < 0 || index >= static_cast<int64_t>(options_.constants.size()))
    error("E0118", place,
          fmt::format("constant {} is not in the table, which has {}", index, options_.constants.size()),
          "a script keeps its large constants beside its text: hand over both");
  return options_.constants[static_cast<size_t>(index)];
}

FunctionDecl& ScriptContext::declare(const PyStmt& syntax, bool is_prim) {
  return declare(
      syntax.name, syntax.place,
      {.syntax = &syntax, .is_prim = is_prim, .var = GlobalVar::make(global_name(*this, syntax), span(syntax.place))});
}

FunctionDecl& ScriptContext::declare_extern(const std::string& name, const std::string& global_name, Ref<BaseFunc> func,
                                            const Place& place) {
  Type signature = func->type;
  return declare(name, place,
                 {.var = GlobalVar::make(global_name, span(place)),
                  .signature = std::move(signature),
                  .func = std::move(func),
                  .state = FunctionDecl::State::Read});
}

FunctionDecl& ScriptContext::declare(const std::string& name, const Place& place, FunctionDecl decl) {
  const std::string& global = decl.var->name;
  for (const auto& [said, known] : {std::pair(name, &by_name_), std::pair(global, &by_global_name_)})
    if (known->contains(said))
      error("E0111", place, fmt::format("function `{}` is defined twice", said), "rename one of them");
  functions_.push_back(std::move(decl));
  by_name_.emplace(name, &functions_.back());
  by_global_name_.emplace(functions_.back().var->name, &functions_.back());
  return functions_.back();
}

FunctionDecl& ScriptContext::add_function(const std::string& hint, Ref<BaseFunc> func, const Place& place) {
  std::string name = hint;
  auto taken = [&] { return find_global(name) ? find_global(name) : find_function(name); };
  for (int i = 1; FunctionDecl* known = taken(); name = hint + std::to_string(i++))
    if (known->func && structural_equal(Expr(known->func), Expr(func))) return *known;
  return declare_extern(name, name, std::move(func), place);
}

std::optional<Macro> ScriptContext::find_macro(const std::string& name) const {
  auto it = macros.find(name);
  return it == macros.end() ? std::nullopt : std::optional(Macro{it->second, script_});
}

Macro ScriptContext::host_macro(const HostMacro& macro, const Place& place) {
  auto [it, is_new] = macro_texts_.try_emplace({macro.source->name, macro.source->text});
  auto& [source, statements] = it->second;
  if (is_new) {
    source = macro.source;
    statements = PythonParser(source).parse_file();
  }
  if (statements.size() != 1 || statements[0].kind != PyStmtKind::Function)
    error("E0117", place, "the text of a macro holds its function alone");
  return {&statements[0], std::make_shared<const ScriptFile>(ScriptFile{source, macro.resolve})};
}

FunctionDecl* ScriptContext::find_function(const std::string& name) {
  auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

FunctionDecl* ScriptContext::find_global(const std::string& name) {
  auto it = by_global_name_.find(name);
  return it == by_global_name_.end() ? nullptr : it->second;
}

Type ScriptContext::signature(FunctionDecl& decl, const Place& use) {
  if (decl.signature) return decl.signature;
  if (decl.state == FunctionDecl::State::Reading)
    error("E0119", use, fmt::format("`{}` calls itself and does not state its result type", decl.syntax->name),
          fmt::format("write `def {}(…) -> R.Tensor(…)`", decl.syntax->name));
  if (reading_depth_ > kMaxUnstated)
    error("E0104", use,
          fmt::format("more than {} functions call each other without stating their result types", kMaxUnstated),
          "state the result type of some of them");
  read(decl);
  if (!decl.signature) throw Abandoned{};
  return decl.signature;
}

void ScriptContext::read(FunctionDecl& decl) {
  if (decl.state != FunctionDecl::State::Unread) return;
  decl.state = FunctionDecl::State::Reading;
  FileScope file(*this, script_);  // a macro of another file may be the caller
  ++reading_depth_;
  try {
    read_at(decl.syntax->place, [&] {
      if (decl.is_prim)
        decl.func = PrimReader(*this).function(*decl.syntax);
      else
        decl.func = RelaxReader(*this).function(*decl.syntax);
    });
    decl.signature = decl.func->type;
    decl.state = FunctionDecl::State::Read;
  } catch (const UserError& error) {
    for (const Diagnostic& d : error.diagnostics()) errors_.push_back(d);
    decl.state = FunctionDecl::State::Failed;
  } catch (const Abandoned&) {
    decl.state = FunctionDecl::State::Failed;
  }
  --reading_depth_;
}

Ref<VDevice> ScriptContext::device(const std::string& text, const Place& place) const {
  size_t colon = text.find(':');
  std::string kind = text.substr(0, colon), scope = "global";
  int index = 0;
  if (colon != std::string::npos) {
    size_t end = text.find(':', colon + 1);
    std::string number = text.substr(colon + 1, end == std::string::npos ? end : end - colon - 1);
    auto [stop, failure] = std::from_chars(number.data(), number.data() + number.size(), index);
    if (failure != std::errc() || stop != number.data() + number.size() || index < 0)
      error("E0121", place, fmt::format("`{}` is no device", text),
            "write a kind and a number, such as \"cuda:0\" or \"vdevice:1\"");
    if (end != std::string::npos) scope = text.substr(end + 1);
  }
  auto declared = global_infos.find("vdevice");
  if (declared == global_infos.end()) {
    if (kind != "vdevice" && !is_module) return VDevice::make(kind, index, scope);
    error("E0121", place, fmt::format("device `{}` is not declared", text),
          "declare devices with `I.module_global_infos({\"vdevice\": […]})`");
  }
  int seen = 0;
  for (const Ref<GlobalInfo>& info : declared->second) {
    Ref<VDevice> d = find_ref<VDevice>(info);
    if (d && (kind == "vdevice" || d->target_kind() == kind) && seen++ == index) return d;
  }
  error("E0121", place, fmt::format("device `{}` is not declared: the module has {} of that kind", text, seen),
        "the number counts the devices of one kind, from 0; `vdevice:N` counts all");
}

}  // namespace sunmao::script
