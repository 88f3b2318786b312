#include "frontend/names.h"

#include <algorithm>

#include "io/utf8.h"

namespace sunmao {
namespace {

constexpr size_t kMaxIdentifier = 80;

constexpr const char* kReserved[] = {
    "R",        "T",     "I",      "and",  "as",   "assert", "async", "await",    "break", "class",
    "continue", "def",   "del",    "elif", "else", "except", "False", "finally",  "for",   "from",
    "global",   "if",    "import", "in",   "is",   "lambda", "None",  "nonlocal", "not",   "or",
    "pass",     "raise", "return", "True", "try",  "while",  "with",  "yield",    "main",  "cls"};

bool is_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

}  // namespace

std::string identifier(std::string_view name) {
  std::string out;
  for (char c : name.substr(0, kMaxIdentifier)) {
    if (is_alphanumeric(c))
      out += c;
    else if (!out.empty())
      out += '_';
  }
  if (out.empty()) return "v";
  return out[0] >= '0' && out[0] <= '9' ? "_" + out : out;
}

std::string input_identifier(std::string_view name) {
  std::string out;
  for (char c : name.substr(0, kMaxIdentifier)) out += is_alphanumeric(c) ? c : '_';
  if (out.empty()) return "empty_";
  return out[0] >= '0' && out[0] <= '9' ? "input_" + out : out;
}

bool is_text(std::string_view name) {
  return io::is_utf8(name) && std::ranges::none_of(name, [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; });
}

void reserve_words(NameSupply& names) {
  for (const char* word : kReserved) names.reserve(word);
}

}  // namespace sunmao
