// ScriptContext: what the readers of one script share: its text, the ops, the host, the functions and devices that the
// module declares.
#pragma once
#include <deque>
#include <map>
#include <unordered_map>

#include "script/parse.h"
#include "script/python_ast.h"
#include "support/diagnostic.h"
#include "support/function_ref.h"

namespace sunmao::script {

/// Thrown where a function cannot be read because another one failed, whose errors are told already.
struct Abandoned {};

/// A text that is being read: the script, or that of a macro outside of it. Spans point into it, and its host answers
/// for its names.
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
      : script_(std::make_shared<const ScriptFile>(ScriptFile{std::move(source), options.resolve})), file_(script_),
        ops_(ops), options_(options) {}

  const Ref<Source>& source() const { return file_->source; }
  /// The file that is being read.
  const std::shared_ptr<const ScriptFile>& file() const { return file_; }
  const OpTable& ops() const { return ops_; }
  Span span(const Place& place) const { return to_span(source(), place); }
  [[noreturn]] void error(const char* code, const Place& place, const std::string& message,
                          const std::string& help = {}) const;
  /// Reads a part of the script at `place`, which errors get that know none of their own.
  void read_at(const Place& place, FunctionRef<void()> read) const;
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
  std::optional<Macro> find_macro(const std::string& name) const;
  /// A macro that the host gave for what stands at `place`.
  Macro host_macro(const HostMacro& macro, const Place& place);
  FunctionDecl& declare(const PyStmt& syntax, bool is_prim);
  /// `f = R.ExternFunc("f")` in the class of a module.
  FunctionDecl& declare_extern(const std::string& name, const std::string& global_name, Ref<BaseFunc> func,
                               const Place& place);
  /// A function that the reader adds, under a name near `hint`; one that is equal is taken again.
  FunctionDecl& add_function(const std::string& hint, Ref<BaseFunc> func, const Place& place);
  /// By the name that the script calls it.
  FunctionDecl* find_function(const std::string& name);
  /// By its own name in the module.
  FunctionDecl* find_global(const std::string& name);
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

  friend class FileScope;

  std::shared_ptr<const ScriptFile> script_, file_;
  std::map<std::pair<std::string, std::string>, std::pair<Ref<Source>, std::vector<PyStmt>>> macro_texts_;  // as read
  const OpTable& ops_;
  const ParseOptions& options_;
  std::deque<FunctionDecl> functions_;
  std::unordered_map<std::string, FunctionDecl*> by_name_, by_global_name_;
  std::vector<Diagnostic> errors_;
  int reading_depth_ = 0;
};

/// While it lives, another file is read.
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

/// Arguments of a call in the order of `params`, null where left out; E0108 and E0109 for wrong ones.
std::vector<const PyExpr*> bind_arguments(const ScriptContext& context, const PyExpr& call, const std::string& name,
                                          std::span<const std::string> params);

}  // namespace sunmao::script
