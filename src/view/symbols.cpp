#include "view/symbols.h"

namespace sunmao::view {
namespace {

bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (static_cast<unsigned char>(c) & 0x80) != 0;
}
bool continues_name(char c) { return begins_name(c) || (c >= '0' && c <= '9'); }

/// Calls `on_part(text, is_name)` for names, and for what stands between them: strings and numbers too.
template <class OnPart>
void split_at_names(std::string_view text, OnPart on_part) {
  size_t begin = 0;  // of what is no name
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    if (text[i] == '"' || text[i] == '\'') {
      end = text.find(text[i], end);
      i = end == std::string_view::npos ? text.size() : end + 1;
      continue;
    }
    while (end < text.size() && continues_name(text[i]) && continues_name(text[end])) ++end;
    if (begins_name(text[i])) {
      if (i > begin) on_part(text.substr(begin, i - begin), false);
      on_part(text.substr(i, end - i), true);
      begin = end;
    }
    i = end;
  }
  if (begin < text.size()) on_part(text.substr(begin), false);
}

}  // namespace

void note_symbols(std::string_view size, Symbols& symbols) {
  std::string_view name;
  split_at_names(size, [&](std::string_view part, bool is_name) {
    if (!name.empty() && !part.starts_with('(')) symbols.emplace(name);  // else it is a function's
    name = is_name ? part : std::string_view();
  });
  if (!name.empty()) symbols.emplace(name);
}

std::string without_symbols(std::string_view text, const Symbols& symbols, std::vector<std::string>* found) {
  if (symbols.empty()) return std::string(text);
  std::string out;
  split_at_names(text, [&](std::string_view part, bool is_name) {
    const bool is_symbol = is_name && symbols.contains(std::string(part));
    out += is_symbol ? "?" : part;
    if (is_symbol && found) found->emplace_back(part);
  });
  return out;
}

bool SymbolPairs::match(const std::string& a, const std::string& b) {
  std::vector<std::string> names_a, names_b;
  if (without_symbols(a, a_, &names_a) != without_symbols(b, b_, &names_b) || names_a.size() != names_b.size())
    return false;
  std::map<std::string, std::string> forth = forth_, back = back_;
  for (size_t i = 0; i < names_a.size(); ++i) {
    if (forth.emplace(names_a[i], names_b[i]).first->second != names_b[i]) return false;
    if (back.emplace(names_b[i], names_a[i]).first->second != names_a[i]) return false;
  }
  forth_ = std::move(forth);
  back_ = std::move(back);
  return true;
}

}  // namespace sunmao::view
