// MacroReader: expansion of macro calls, whose statements replace the call: macro lookup, argument binding, and limits
// on the expansion.
#pragma once
#include "script/value_reader.h"

namespace sunmao::script {

class MacroReader : public ValueReader {
 public:
  using ValueReader::ValueReader;

 protected:
  /// Returns the macro that a call names, from the script or the host; absent when there is none.
  virtual std::optional<Macro> find_macro(const PyExpr& callee) const;
  /// Returns the value that an argument binds to parameter `name` inside the macro.
  virtual Named macro_argument(const PyExpr& e, const std::string& name) = 0;

  using MacroArguments = std::unordered_map<std::string, Named>;
  /// Binds the arguments of a call to the macro's parameters. Elements of `*args` and `**kwargs` are bound under the
  /// spelling that the macro uses: `args[0]`, `kwargs["x"]`. E0108 and E0109 for arguments that do not fit.
  MacroArguments macro_arguments(const PyExpr& call, const Macro& macro);

  /// RAII: switches file, scope and depth to those of a macro while its statements are read. Fails (E0104) when
  /// macros are nested too deeply or expand to too many statements.
  class Expansion {
   public:
    /// With `sees_caller` the names visible at the call are visible in the macro (non-hygienic).
    Expansion(MacroReader& reader, const PyExpr& call, const Macro& macro, MacroArguments arguments, bool sees_caller);
    ~Expansion() { --reader_.macro_depth_; }
    Expansion(const Expansion&) = delete;
    Expansion& operator=(const Expansion&) = delete;

   private:
    MacroReader& reader_;
    FileScope file_;
    ScopeLevel level_;
  };
  /// True when the macro resolves free names where it is defined rather than where it is called.
  bool is_hygienic(const Macro& macro) const;

 private:
  class ArgumentBinder;
  /// Counts the expansion against the limits and returns this reader.
  MacroReader& counted(const PyExpr& call, const Macro& macro);
  std::shared_ptr<const ScriptFile> file_for(const Macro& macro, bool sees_caller) const;

  int macro_depth_ = 0;
  int expanded_ = 0;  // statements expanded from macros so far
};

}  // namespace sunmao::script
