#include "cli/failure.h"

#include <fmt/format.h>

#include <cctype>
#include <cstring>
#include <string_view>

namespace sunmao::cli {
namespace {

std::string_view line_at(std::string_view text, size_t at) { return text.substr(at, text.find('\n', at) - at); }

/// Returns the line without numbers and without what stands in backquotes.
std::string without_names(std::string_view line) {
  std::string out;
  bool is_quoted = false, was_digit = false;
  for (const char c : line) {
    if (c == '`') is_quoted = !is_quoted;
    const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!is_quoted && is_digit && !was_digit) out += '#';
    if ((!is_quoted || c == '`') && !is_digit) out += c;
    was_digit = is_digit;
  }
  return out;
}

/// Returns "E0541 of pass simplify" for the first coded error; empty when there is none.
std::string coded_error(std::string_view text) {
  constexpr std::string_view kError = "error[", kPass = "]: pass ";
  constexpr size_t kDigits = 5;  // E0541
  const size_t at = text.find(kError);
  if (at == std::string_view::npos) return {};
  const std::string_view line = line_at(text, at + kError.size());
  std::string out = fmt::format("error {}", line.substr(0, kDigits));
  if (line.substr(std::min(line.size(), kDigits)).starts_with(kPass)) {
    const std::string_view rest = line.substr(kDigits + kPass.size());
    out += fmt::format(" of pass {}", rest.substr(0, rest.find(' ')));
  }
  return out;
}

/// Returns the class of the exception that ended a Python program; empty for other programs.
std::string python_exception(std::string_view text) {
  constexpr std::string_view kTrace = "Traceback (most recent call last):";
  if (text.find(kTrace) == std::string_view::npos) return {};
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  // The text of an exception may have several lines; the class stands in the last line that is not indented and
  // begins with a dotted name.
  for (size_t at = text.size(); at != std::string_view::npos && at > 0;) {
    at = text.rfind('\n', at - 1);
    const std::string_view line = line_at(text, at == std::string_view::npos ? 0 : at + 1);
    const size_t end = line.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
    const std::string_view word = line.substr(0, end);
    const bool is_class = !word.empty() && std::isupper(static_cast<unsigned char>(word[word.rfind('.') + 1])) != 0;
    if (is_class && (end == std::string_view::npos || line[end] == ':')) return std::string(word);
  }
  return {};
}

std::string cause_in(const std::string& errors) {
  const size_t internal = errors.find("internal error");
  if (internal != std::string::npos) return without_names(line_at(errors, internal));
  if (std::string code = coded_error(errors); !code.empty()) return code;
  return python_exception(errors);
}

}  // namespace

std::string failure_of(const ChildResult& result, double seconds) {
  if (result.is_late) return fmt::format("takes more than {:g} s", seconds);
  if (result.signal == 0 && result.status == 0) return {};
  const std::string cause = cause_in(result.errors);
  std::string out = result.signal != 0 ? fmt::format("signal {} ({})", result.signal, strsignal(result.signal))
                                       : fmt::format("exit status {}", result.status);
  return cause.empty() ? out : out + ", " + cause;
}

}  // namespace sunmao::cli
