// ScriptContext: state shared by the readers of one script: its text, the ops, the host, and the functions and devices
// that the module declares.
#pragma once
#include <deque>
#include <map>
#include <unordered_map>

#include "script/parse.h"
#include "script/python_ast.h"
#include "support/diagnostic.h"
#include "support/function_ref.h"

namespace sunmao::script {

/// Thrown when a function cannot be read because another one failed, whose errors are already recorded.
struct Abandoned {};

/// The text being read: the script, or that of a host macro. Spans point into it, and its host resolves its free names.
struct ScriptFile {
  Ref<Source> source;
  ParseOptions::Resolve resolve;
};

struct Macro {
  const PyStmt* def;
  std::shared_ptr<const ScriptFile> file;
};

/// A function of the script: declared first, read once.
struct FunctionDecl {
  enum class State : uint8_t { Unread, Reading, Read, Failed };
  const PyStmt* syntax = nullptr;  // null for an extern function and for one that the reader adds
  bool is_prim = false;
  Ref<GlobalVar> var = {};
  Type signature = {};  // known early when the script declares the result type
  Ref<BaseFunc> func = {};
  State state = State::Unread;
};

class ScriptContext {
 public:
  ScriptContext(Ref<Source> source, const OpTable& ops, const ParseOptions& options)
      : script_(std::make_shared<const ScriptFile>(ScriptFile{std::move(source), options.resolve})), file_(script_),
        ops_(ops), options_(options) {}

  const Ref<Source>& source() const { return file_->source; }
  /// The file being read.
  const std::shared_ptr<const ScriptFile>& file() const { return file_; }
  const OpTable& ops() const { return ops_; }
  Span span(const Place& place) const { return to_span(source(), place); }
  [[noreturn]] void error(const char* code, const Place& place, const std::string& message,
                          const std::string& help = {}) const;
  /// Calls `read`; errors without a place of their own get `place`.
  void read_at(const Place& place, FunctionRef<void()> read) const;
  /// Asks the host to evaluate an expression.
  std::optional<HostValue> host(const PyExpr& e, AttrMap names = {}) const;
  /// Asks the host to evaluate an expression where an index map is expected.
  std::optional<HostValue> host_index_map(const PyExpr& e, AttrMap names) const;
  /// Returns the data of `metadata["relax.expr.Constant"][index]`; E0118 when there is none.
  const Array& constant(int64_t index, const Place& place) const;

  // The module's class, and what the script declares beside functions.
  std::string class_name;
  GlobalInfos global_infos;
  std::vector<std::string> type_vars;  // `n = TypeVar("n")`
  bool is_module = false;
  bool checks_types = true;  // false when the script is marked `check_well_formed=False`

  /// Functions marked `@T.macro`, `@T.inline` or `@R.macro`.
  std::unordered_map<std::string, const PyStmt*> macros;
  std::optional<Macro> find_macro(const std::string& name) const;
  /// Returns a macro that the host provided for the expression at `place`.
  Macro host_macro(const HostMacro& macro, const Place& place);
  FunctionDecl& declare(const PyStmt& syntax, bool is_prim);
  /// Declares `f = R.ExternFunc("f")` in the class of a module.
  FunctionDecl& declare_extern(const std::string& name, const std::string& global_name, Ref<BaseFunc> func,
                               const Place& place);
  /// Adds a function as `hint`, or as `hint1`, `hint2` … where that is taken; a structurally equal function that has
  /// one of the names tried is returned in its place.
  FunctionDecl& add_function(const std::string& hint, Ref<BaseFunc> func, const Place& place);
  /// Returns the function with this name in the script, or null.
  FunctionDecl* find_function(const std::string& name);
  /// Returns the function with this name in the module, or null.
  FunctionDecl* find_global(const std::string& name);
  std::deque<FunctionDecl>& functions() { return functions_; }
  /// Returns the callable type of a function of the module, which is read now if its type is not known yet.
  Type signature(FunctionDecl& decl, const Place& use);
  /// Reads `decl` unless it has been read; its errors are recorded.
  void read(FunctionDecl& decl);
  std::vector<Diagnostic>& errors() { return errors_; }

  /// Returns the device that a tensor annotation names: "cuda", "cuda:1", "vdevice:0", "llvm:0:global"; E0121 when
  /// there is none.
  Ref<VDevice> device(const std::string& text, const Place& place) const;

 private:
  FunctionDecl& declare(const std::string& name, const Place& place, FunctionDecl decl);

  friend class FileScope;

  std::shared_ptr<const ScriptFile> script_, file_;
  std::map<std::pair<std::string, std::string>, std::pair<Ref<Source>, std::vector<PyStmt>>> macro_texts_;  // parsed
  const OpTable& ops_;
  const ParseOptions& options_;
  std::deque<FunctionDecl> functions_;
  std::unordered_map<std::string, FunctionDecl*> by_name_, by_global_name_;
  std::vector<Diagnostic> errors_;
  int reading_depth_ = 0;
};

/// RAII: switches the context to another file.
class FileScope {
 public:
  FileScope(ScriptContext& context, std::shared_ptr<const ScriptFile> file)
      : context_(context), around_(std::exchange(context.file_, std::move(file))) {}
  ~FileScope() { context_.file_ = std::move(around_); }
  FileScope(const FileScope&) = delete;
  FileScope& operator=(const FileScope&) = delete;

 private:
  ScriptContext& context_;
  std::shared_ptr<const ScriptFile> around_;
};

/// Returns the arguments of a call in the order of `params`, null where omitted; E0108 and E0109 for wrong ones.
std::vector<const PyExpr*> bind_arguments(const ScriptContext& context, const PyExpr& call, const std::string& name,
                                          std::span<const std::string> params);

}  // namespace sunmao::script
