// ScriptContext: what the readers of one script share: its text, the ops, the host, the functions and devices that the
// module declares.
#pragma once
#include <deque>
#include <unordered_map>

#include "script/parse.h"
#include "script/python_ast.h"
#include "support/diagnostic.h"

namespace sunmao::script {

/// Thrown where a function cannot be read because another one failed, whose errors are told already.
struct Abandoned {};

/// A function of the script: declared first, read once.
struct FunctionDecl {
  enum class State : uint8_t { Unread, Reading, Read, Failed };
  const PyStmt* syntax = nullptr;  // null for an extern function, and for one that the reader adds
  bool is_prim = false;
  Ref<GlobalVar> var = {};
  Type signature = {};  // known early when the script states the result type
  Ref<BaseFunc> func = {};
  State state = State::Unread;
};

class ScriptContext {
 public:
  ScriptContext(Ref<Source> source, const OpTable& ops, const ParseOptions& options)
      : source_(std::move(source)), ops_(ops), options_(options) {}

  const Ref<Source>& source() const { return source_; }
  const OpTable& ops() const { return ops_; }
  Span span(const Place& place) const { return to_span(source_, place); }
  [[noreturn]] void error(const char* code, const Place& place, const std::string& message,
                          const std::string& help = {}) const;
  /// What the host says of an expression.
  std::optional<HostValue> host(const PyExpr& e, AttrMap names = {}) const;
  /// The same where a map of indices is asked for.
  std::optional<HostValue> host_index_map(const PyExpr& e, AttrMap names) const;
  /// The data behind `metadata["relax.expr.Constant"][index]`; E0118 when there is none.
  const Array& constant(int64_t index, const Place& place) const;

  // What the class declares.
  std::string class_name;
  GlobalInfos global_infos;
  std::vector<std::string> type_vars;  // `n = TypeVar("n")`
  bool is_module = false;
  bool checks_types = true;  // false where the script is marked `check_well_formed=False`

  /// Functions marked `@T.macro`, `@T.inline` or `@R.macro`.
  std::unordered_map<std::string, const PyStmt*> macros;
  const PyStmt* find_macro(const std::string& name) const;
  FunctionDecl& declare(const PyStmt& syntax, bool is_prim);
  /// `f = R.ExternFunc("f")` in the class of a module.
  FunctionDecl& declare_extern(const std::string& name, Ref<BaseFunc> func, const Place& place);
  /// A function that the reader adds, under a name near `hint`; one that is equal is taken again.
  FunctionDecl& add_function(const std::string& hint, Ref<BaseFunc> func, const Place& place);
  FunctionDecl* find_function(const std::string& name);
  std::deque<FunctionDecl>& functions() { return functions_; }
  /// The callable type of a function of the module, which is read now when it does not state its result.
  Type signature(FunctionDecl& decl, const Place& use);
  /// Reads `decl` unless that is done; its errors are kept.
  void read(FunctionDecl& decl);
  std::vector<Diagnostic>& errors() { return errors_; }

  /// A device by what a tensor says of it: "cuda", "cuda:1", "vdevice:0", "llvm:0:global"; E0121 when there is none.
  Ref<VDevice> device(const std::string& text, const Place& place) const;

 private:
  FunctionDecl& declare(const std::string& name, const Place& place, FunctionDecl decl);

  Ref<Source> source_;
  const OpTable& ops_;
  const ParseOptions& options_;
  std::deque<FunctionDecl> functions_;
  std::unordered_map<std::string, FunctionDecl*> by_name_;
  std::vector<Diagnostic> errors_;
  int reading_depth_ = 0;
};

/// Arguments of a call in the order of `params`, null where left out; E0108 and E0109 for wrong ones.
std::vector<const PyExpr*> bind_arguments(const ScriptContext& context, const PyExpr& call, const std::string& name,
                                          std::span<const std::string> params);

}  // namespace sunmao::script
