// Arguments of passes: reading them inside a pass, and the text `name(key=value, …)` of a pass with its arguments.
#pragma once
#include <optional>

#include "passes/pass.h"

namespace sunmao {

/// The arguments of one pass, with the defaults of its record; an accessor fails (E0514) on a value of another kind.
class PassArguments {
 public:
  PassArguments(const char* pass, const PassContext& context);
  const AttrValue& get(const char* name) const;
  bool bool_(const char* name) const;
  int64_t int_(const char* name) const;
  /// Empty when None.
  std::string string(const char* name) const;
  /// Empty when None; one string counts as a list of one.
  std::vector<std::string> strings(const char* name) const;
  /// Empty when None.
  const AttrMap& map(const char* name) const;

 private:
  [[noreturn]] void wrong(const char* name, const char* expected) const;
  const Pass& pass_;
  const AttrMap& values_;
};

/// `context` with these arguments; E0514 when the pass has no parameter of a name.
PassContext with_arguments(const PassContext& context, const Pass& pass, AttrMap arguments);

/// A pass and what it is given.
struct PassCall {
  const Pass* pass;
  AttrMap arguments;
};
/// Reads a list such as `normalize, convert-to-dataflow(min_size=3)`. Values are numbers, True, False, None, words,
/// quoted text, [lists] and {key: value}. Fails with E0511 on an unknown pass, E0514 on anything else.
std::vector<PassCall> parse_pass_calls(std::string_view text, const std::string& where);
/// The other way round. A value that has no text, such as an array, is left out.
std::string to_text(const PassCall& call);

}  // namespace sunmao
