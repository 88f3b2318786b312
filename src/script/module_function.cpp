// References to functions of the module, and calls of them from loop-level code.
#include "script/scalar_reader.h"
#include "support/spelling.h"

namespace sunmao::script {

bool ScalarReader::is_module(const PyExpr& e) const {
  if (e.kind != PyKind::Name) return false;
  if (scope_.find_as<ModuleAlias>(e.text)) return true;
  return ctx_.is_module && e.text == ctx_.class_name && !scope_.find(e.text);
}

FunctionDecl* ScalarReader::module_function(const PyExpr& e) const {
  if (e.kind == PyKind::Attribute && is_module(*e.items[0])) {
    if (FunctionDecl* decl = ctx_.find_function(e.text)) return decl;
    std::vector<std::string> names;
    for (const FunctionDecl& d : ctx_.functions()) names.push_back(d.var->name);
    error("E0106", e, fmt::format("the module has no function `{}`", e.text), did_you_mean(e.text, names));
  }
  bool is_free_name = e.kind == PyKind::Name && !scope_.find(e.text) && !scope_.find_symbol(e.text);
  return is_free_name ? ctx_.find_function(e.text) : nullptr;
}

// Reads `Module.f(A.data, n)` in loop-level code: a call by name with the dtype that `f` declares as `-> T.<dtype>`,
// else void. A buffer argument stands for its data pointer.
Scalar ScalarReader::function_call(const PyExpr& e, const FunctionDecl& decl, size_t first) {
  std::vector<Scalar> args{StringImm::make(decl.var->name, span(*e.items[0]))};
  if (!e.keywords.empty()) ctx_.error("E0109", e.keywords[0].place, "functions take positional arguments only");
  for (size_t i = first; i < e.arg_count(); ++i) {
    const Ref<Buffer>* whole = find_buffer(e.arg(i));
    args.push_back(whole && (*whole)->data ? Scalar((*whole)->data) : argument(e.arg(i)));
  }
  const PyExpr* stated = decl.syntax ? decl.syntax->annotation.get() : nullptr;
  std::optional<DType> type;
  if (stated) {
    auto [dialect, name] = dialect_name(stated->kind == PyKind::Call ? *stated->items[0] : *stated);
    if (dialect == 'T') type = DType::parse(name);
  }
  return ScalarCall::make("call_function", type.value_or(DType::void_()), std::move(args), span(e));
}

}  // namespace sunmao::script
