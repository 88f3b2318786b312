#include "script/macro_reader.h"

#include "script/decorator.h"

namespace sunmao::script {
namespace {

// The most statements that macros may expand to in one function. Statements nested in others are not counted; each call
// counts anew.
constexpr int kMaxExpanded = 100000;
// The most expansions inside one another, so that unbounded recursion is reported.
constexpr int kMaxMacroDepth = 100;

}  // namespace

std::optional<Macro> MacroReader::find_macro(const PyExpr& callee) const {
  if (callee.kind == PyKind::Attribute && is_module(*callee.items[0])) return ctx_.find_macro(callee.text);
  if (callee.kind != PyKind::Name && callee.kind != PyKind::Attribute) return std::nullopt;
  if (callee.kind == PyKind::Name) {
    if (scope_.find(callee.text)) return std::nullopt;
    if (std::optional<Macro> known = ctx_.find_macro(callee.text)) return known;
    if (ctx_.find_function(callee.text)) return std::nullopt;
  }
  std::optional<HostValue> value = ask_host(callee);
  const auto* macro = value ? std::get_if<std::shared_ptr<const HostMacro>>(&*value) : nullptr;
  return macro ? std::optional(ctx_.host_macro(**macro, callee.place)) : std::nullopt;
}

bool MacroReader::is_hygienic(const Macro& macro) const {
  return decorator_flag(ctx_, *macro.def, "hygienic").value_or(true);
}

// Returns the file whose host resolves the free names of a macro: its own or, for a macro that sees its caller, one
// that asks the caller's host first and then its own.
std::shared_ptr<const ScriptFile> MacroReader::file_for(const Macro& macro, bool sees_caller) const {
  const std::shared_ptr<const ScriptFile>& around = ctx_.file();
  if (!sees_caller || macro.file == around || !around->resolve) return macro.file;
  auto both = [outer = around, own = macro.file](const ParseOptions::Question& q) {
    std::optional<HostValue> found = outer->resolve(q);
    return found || !own->resolve ? found : own->resolve(q);
  };
  return std::make_shared<const ScriptFile>(ScriptFile{macro.file->source, std::move(both)});
}

MacroReader& MacroReader::counted(const PyExpr& call, const Macro& macro) {
  if (macro_depth_ >= kMaxMacroDepth)
    error("E0104", call, fmt::format("macros call each other more than {} levels deep", kMaxMacroDepth),
          "a macro that calls itself has to end: by an `if` whose condition is known while reading");
  expanded_ += static_cast<int>(macro.def->body.size());
  if (expanded_ > kMaxExpanded)
    error("E0104", call, fmt::format("macros add up to more than {} statements", kMaxExpanded),
          "write loops, or functions");
  return *this;
}

MacroReader::Expansion::Expansion(MacroReader& reader, const PyExpr& call, const Macro& macro, MacroArguments arguments,
                                  bool sees_caller)
    : reader_(reader.counted(call, macro)), file_(reader.ctx_, reader.file_for(macro, sees_caller)),
      level_(reader.scope_, !sees_caller) {
  ++reader.macro_depth_;
  for (auto& [name, bound] : arguments) reader.scope_.set(name, std::move(bound));
}

}  // namespace sunmao::script
