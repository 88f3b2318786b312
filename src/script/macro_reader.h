// MacroReader: calls of macros, whose statements stand in place of the call: which macro is meant, what its parameters
// stand for, and how far macros may go.
#pragma once
#include "script/value_reader.h"

namespace sunmao::script {

class MacroReader : public ValueReader {
 public:
  using ValueReader::ValueReader;

 protected:
  /// The macro that a call names: one of the script, or one that the host has; nothing where it names none.
  virtual std::optional<Macro> find_macro(const PyExpr& callee) const;
  /// What an argument stands for inside the macro, as parameter `name`.
  virtual Named macro_argument(const PyExpr& e, const std::string& name) = 0;

  using MacroArguments = std::unordered_map<std::string, Named>;
  /// What `*args` and `**kwargs` take stands there as the macro writes it: `args[0]`, `kwargs["x"]`. E0108 and E0109
  /// for arguments that do not fit.
  MacroArguments macro_arguments(const PyExpr& call, const Macro& macro);

  /// The file, the names and the depth of one macro while its statements are read; E0104 past the limits.
  class Expansion {
   public:
    /// With `sees_caller`, the macro sees the names around its call.
    Expansion(MacroReader& reader, const PyExpr& call, const Macro& macro, MacroArguments arguments, bool sees_caller);
    ~Expansion() { --reader_.macro_depth_; }
    Expansion(const Expansion&) = delete;
    Expansion& operator=(const Expansion&) = delete;

   private:
    MacroReader& reader_;
    FileScope file_;
    ScopeLevel level_;
  };
  /// Whether the macro's names are those around it, and not those around its call.
  bool is_hygienic(const Macro& macro) const;

 private:
  class ArgumentBinder;
  /// This, after the call is counted.
  MacroReader& counted(const PyExpr& call, const Macro& macro);
  std::shared_ptr<const ScriptFile> file_for(const Macro& macro, bool sees_caller) const;

  int macro_depth_ = 0;
  int expanded_ = 0;  // statements of macros so far
};

}  // namespace sunmao::script
