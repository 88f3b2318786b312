#include "runtime/op_form.h"

#include <cstdlib>

#include "io/json.h"
#include "runtime/instruction.h"

namespace sunmao::runtime {
namespace {

using Argument = OpForm::Argument;
using Kind = OpForm::Kind;

/// Returns where a literal text ends that begins `text`; npos when it does not end.
size_t end_of_text(std::string_view text) {
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
  }
  return std::string_view::npos;
}

/// Reads a literal number; false when it is none.
bool read_number(const std::string& digits, Argument& out) {
  char* end = nullptr;
  out.kind = digits.find_first_not_of("-0123456789") == std::string::npos ? Kind::Integer : Kind::Real;
  if (out.kind == Kind::Integer) out.integer = std::strtoll(digits.c_str(), &end, 10);
  if (out.kind == Kind::Real) out.real = std::strtod(digits.c_str(), &end);
  return !digits.empty() && end == digits.c_str() + digits.size();
}

bool read_literal_text(std::string_view literal, Argument& out) {
  const io::Result<io::JsonDocument> parsed = io::JsonDocument::parse(literal);
  if (!parsed.ok() || !parsed->root().as_string()) return false;
  out.kind = Kind::Text;
  out.text = *parsed->root().as_string();
  return true;
}

bool read_argument(const std::string& word, Argument& out) {
  if (word.starts_with('"')) return read_literal_text(word, out);
  if (word == "int" || word.starts_with("shape[")) {
    out.kind = Kind::Integers;
  } else if (word.starts_with("out ")) {
    out.kind = Kind::Result;
  } else if (!word.ends_with(']') || word.starts_with("inout ")) {
    return read_number(word, out);
  }
  return true;
}

/// Reads the arguments up to the parenthesis that closes them; parentheses inside group, which kernels do not see.
bool read_arguments(std::string_view text, std::vector<Argument>& out) {
  for (size_t depth = 1; !text.empty();) {
    if (text.starts_with('(') || text.starts_with(')')) {
      depth += text[0] == '(' ? 1 : -1;
      text.remove_prefix(1);
      if (depth == 0) return true;
    } else if (text.starts_with(", ")) {
      text.remove_prefix(2);
    } else {
      const size_t end = text.starts_with('"') ? end_of_text(text) : text.find_first_of(",)");
      if (end == std::string_view::npos) return false;
      if (!read_argument(std::string(text.substr(0, end)), out.emplace_back())) return false;
      text.remove_prefix(end);
    }
  }
  return false;
}

/// True when parameters and results of the function are what the form says.
bool fits(const std::vector<Argument>& arguments, const FunctionView& function) {
  size_t param = 0, result = 0;
  for (const Argument& a : arguments) {
    if (a.is_literal()) continue;
    if (param == function.params.size()) return false;
    const abi::ValueRecord& given = function.params[param++];
    if (is_sizes(given.type) != (a.kind != Kind::Tensor)) return false;
    if (a.kind != Kind::Result) continue;
    if (result == function.results.size()) return false;
    const abi::ValueRecord& made = function.results[result++];
    if (made.rank != given.rank || is_sizes(made.type)) return false;
  }
  return param == function.params.size() && result == function.results.size() && result > 0;
}

}  // namespace

std::shared_ptr<const OpForm> OpForm::read(const FunctionView& function) {
  std::shared_ptr<OpForm> out(new OpForm);
  const std::string_view form = function.name;
  if (!read_arguments(form.substr(function.host_name().size() + 1), out->arguments_)) return nullptr;
  return fits(out->arguments_, function) ? out : nullptr;
}

sunmao_op_value OpForm::Argument::value() const {
  if (kind == Kind::Text) return {nullptr, 0, 0, text.c_str()};
  if (kind == Kind::Real) return {nullptr, 0, real, nullptr};
  return {&integer, 1, static_cast<double>(integer), nullptr};
}

}  // namespace sunmao::runtime
