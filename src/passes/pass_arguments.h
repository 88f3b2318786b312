// Arguments of passes: access inside a pass, and parsing and printing of the form `name(key=value, …)`.
#pragma once
#include <optional>

#include "passes/pass.h"

namespace sunmao {

/// The arguments of one pass, completed by the defaults of its record. `bool_`, `int_`, `string`, `strings` and `map`
/// fail (E0514) on a value of another kind; `bool_` also takes an integer.
class PassArguments {
 public:
  PassArguments(const char* pass, const PassContext& context);
  const AttrValue& get(const char* name) const;
  bool bool_(const char* name) const;
  int64_t int_(const char* name) const;
  /// Returns a string argument; "" when it is None.
  std::string string(const char* name) const;
  /// Returns an argument that is a list of strings: empty when it is None; a single string counts as a list of one.
  std::vector<std::string> strings(const char* name) const;
  /// Returns an argument that is a dictionary; empty when it is None.
  const AttrMap& map(const char* name) const;

 private:
  [[noreturn]] void wrong(const char* name, const char* expected) const;
  const Pass& pass_;
  const AttrMap& values_;
};

/// Returns `context` with these arguments; fails (E0514) on an argument that the pass has no parameter for.
PassContext with_arguments(const PassContext& context, const Pass& pass, AttrMap arguments);

/// A pass with its arguments.
struct PassCall {
  const Pass* pass;
  AttrMap arguments;
};
/// Reads a list such as `normalize, convert-to-dataflow(min_size=3)`. Values are numbers, True, False, None, words,
/// quoted text, [lists] and {key: value}. Fails (E0511) on an unknown pass and (E0514) on other errors.
std::vector<PassCall> parse_pass_calls(std::string_view text, const std::string& where);
/// Returns a pass call in the form that `parse_pass_calls` reads, without arguments whose values have no textual form,
/// such as arrays.
std::string to_text(const PassCall& call);

}  // namespace sunmao
