// Reads a module: first declares all functions of a file, then reads them one by one.
#include "script/decorator.h"
#include "script/parse.h"
#include "script/prim_reader.h"
#include "script/python_parser.h"
#include "script/relax_reader.h"
#include "support/diagnostic.h"

namespace sunmao::script {
namespace {

class ModuleReader {
 public:
  ModuleReader(const Ref<Source>& source, const OpTable& ops, const ParseOptions& options)
      : ctx_(source, ops, options), source_(source) {}

  Module read() {
    std::vector<PyStmt> file = PythonParser(source_).parse_file();
    const PyStmt* module_class = nullptr;
    for (const PyStmt& s : file) {
      if (s.kind == PyStmtKind::Class && decorator_kind(ctx_, s) == DecoratorKind::Module) {
        if (module_class) ctx_.error("E0117", s.place, "a script holds one module", "put the functions into one class");
        module_class = &s;
        check_decorator(ctx_, s, {"check_well_formed", "s_tir"});
      }
    }
    ctx_.is_module = module_class != nullptr;
    if (module_class) {
      ctx_.class_name = module_class->name;
      ctx_.checks_types = decorator_flag(ctx_, *module_class, "check_well_formed").value_or(true);
    }
    for (const PyStmt& s : file) declare(s, module_class != nullptr);
    if (module_class)
      for (const PyStmt& s : module_class->body) declare_member(s);
    if (ctx_.functions().empty() && !module_class)
      ctx_.error("E0117", {1, 1, 1, 1}, "the script holds no module and no function",
                 "mark a class `@I.ir_module`, or functions `@R.function` and `@T.prim_func`");
    return build();
  }

 private:
  // Reads a top-level statement of a file: declares a function or macro, or records a type variable. Imports,
  // docstrings and the module's class are skipped; E0117 for other statements.
  void declare(const PyStmt& s, bool has_module) {
    if (s.kind == PyStmtKind::Import || s.kind == PyStmtKind::Pass || is_docstring(s) || type_var(s)) return;
    if (s.kind == PyStmtKind::Class && decorator_kind(ctx_, s) == DecoratorKind::Module) return;
    if (s.kind == PyStmtKind::Function) {
      DecoratorKind kind = decorator_kind(ctx_, s);
      if (kind == DecoratorKind::Macro) return macro(s);
      if (has_module)
        ctx_.error("E0117", s.place, fmt::format("function `{}` stands outside the module", s.name),
                   "move it into the class");
      if (kind == DecoratorKind::None)
        ctx_.error("E0117", s.place, fmt::format("function `{}` has no mark", s.name),
                   "mark it `@R.function` or `@T.prim_func`");
      ctx_.declare(s, kind == DecoratorKind::Loop);
      return;
    }
    ctx_.error("E0117", s.place, "this is no part of a script",
               "a script holds a class marked `@I.ir_module`, or functions");
  }

  void declare_member(const PyStmt& s) {
    if (s.kind == PyStmtKind::Import || s.kind == PyStmtKind::Pass || is_docstring(s) || type_var(s)) return;
    if (s.kind == PyStmtKind::Function) {
      DecoratorKind kind = decorator_kind(ctx_, s);
      if (kind == DecoratorKind::Macro) return macro(s);
      if (kind == DecoratorKind::None)
        ctx_.error("E0117", s.place, fmt::format("function `{}` has no mark", s.name),
                   "mark it `@R.function` or `@T.prim_func`");
      ctx_.declare(s, kind == DecoratorKind::Loop);
      return;
    }
    if (s.kind == PyStmtKind::Expr && s.value->kind == PyKind::Call && s.value->arg_count() == 1) {
      std::string name = dotted_name(*s.value->items[0]);
      if (name.ends_with("module_attrs")) return read_attrs(s.value->arg(0));
      if (name.ends_with("module_global_infos")) return read_infos(s.value->arg(0));
    }
    if (extern_function(s)) return;
    ctx_.error("E0117", s.place, "this is no part of a module",
               "a module holds functions, `I.module_attrs({…})` and `I.module_global_infos({…})`");
  }

  void macro(const PyStmt& s) {
    check_decorator(ctx_, s, {"hygienic"});
    if (!ctx_.macros.emplace(s.name, &s).second)
      ctx_.error("E0111", s.place, fmt::format("macro `{}` is defined twice", s.name), "rename one of them");
  }

  // Declares the extern function of `f = R.ExternFunc("f")`; false for other statements.
  bool extern_function(const PyStmt& s) {
    bool is_extern = s.kind == PyStmtKind::Assign && s.target->kind == PyKind::Name && s.value->kind == PyKind::Call &&
                     dotted_name(*s.value->items[0]).ends_with("ExternFunc");
    if (!is_extern) return false;
    RelaxReader reader(ctx_);
    Ref<BaseFunc> func = find_ref<ExternFunc>(reader.extern_function(*s.value));
    const PyExpr* name = s.value->find_keyword("global_name");
    ctx_.declare_extern(s.target->text, name ? reader.text(*name, "the name") : s.target->text, std::move(func),
                        s.place);
    return true;
  }

  static bool is_docstring(const PyStmt& s) {
    return s.kind == PyStmtKind::Expr && (s.value->kind == PyKind::String || s.value->is_literal("..."));
  }

  // Records the name of `n = TypeVar("n")` or `n = T.int64()`; false for other statements.
  bool type_var(const PyStmt& s) {
    bool is_var = s.kind == PyStmtKind::Assign && s.target->kind == PyKind::Name && s.value->kind == PyKind::Call &&
                  (dotted_name(*s.value->items[0]).ends_with("TypeVar") || declared_scalar(*s.value));
    if (is_var) ctx_.type_vars.push_back(s.target->text);
    return is_var;
  }

  void read_attrs(const PyExpr& e) {
    for (auto& [key, value] : RelaxReader(ctx_).map(e)) attrs_.insert_or_assign(key, value);
  }

  void read_infos(const PyExpr& e) {
    if (e.kind != PyKind::Dict)
      ctx_.error("E0110", e.place, fmt::format("`{}` is no dict", unparse(e)),
                 "write `{\"vdevice\": [I.vdevice(\"llvm\")]}`");
    RelaxReader reader(ctx_);
    for (size_t i = 0; i + 1 < e.items.size(); i += 2) {
      std::vector<Ref<GlobalInfo>> list;
      for (const PyExpr* item : elements(*e.items[i + 1])) list.push_back(reader.global_info(*item));
      ctx_.global_infos.insert_or_assign(reader.text(*e.items[i], "a key"), std::move(list));
    }
  }

  Module build() {
    // Signatures of graph-level functions that declare a result type are read before all bodies, so that functions may
    // call each other.
    for (FunctionDecl& decl : ctx_.functions()) {
      if (decl.is_prim || decl.func) continue;
      try {
        decl.signature = RelaxReader(ctx_).declared_type(*decl.syntax);
      } catch (const UserError&) {
        // The error is reported again, with all others, when the function is read.
      } catch (const Abandoned&) {
      }
    }
    for (size_t i = 0; i < ctx_.functions().size(); ++i) ctx_.read(ctx_.functions()[i]);  // may append functions
    if (!ctx_.errors().empty()) throw UserError(ctx_.errors());
    std::vector<FunctionEntry> entries;
    for (FunctionDecl& decl : ctx_.functions()) {
      SUNMAO_CHECK(decl.func, "function {} was not read", decl.var->name);
      entries.push_back({decl.var, decl.func});
    }
    Module module = Module().with_functions(std::move(entries));
    if (!attrs_.empty()) module = module.with_attrs(Attrs(attrs_));
    if (!ctx_.global_infos.empty()) module = module.with_global_infos(ctx_.global_infos);
    return module;
  }

  ScriptContext ctx_;
  Ref<Source> source_;
  AttrMap attrs_;
};

}  // namespace
}  // namespace sunmao::script

namespace sunmao {

Module parse_module(const Ref<Source>& source, const OpTable& ops, const ParseOptions& options) {
  return script::ModuleReader(source, ops, options).read();
}

Ref<BaseFunc> parse_function(const Ref<Source>& source, const OpTable& ops, const ParseOptions& options) {
  Module module = parse_module(source, ops, options);
  if (module.functions().size() != 1)
    fail("E0117", SpanNode::make(source, 1, 1, 1),
         fmt::format("one function is asked for, the script holds {}", module.functions().size()));
  return module.functions()[0].func;
}

}  // namespace sunmao
