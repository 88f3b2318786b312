#include "view/disassembly.h"

#include <algorithm>
#include <charconv>

namespace sunmao::view {

bool Line::take(std::string_view text) {
  if (!rest_.starts_with(text)) return false;
  rest_.remove_prefix(text.size());
  return true;
}

std::string_view Line::until(std::string_view end) {
  const size_t at = std::min(rest_.find(end), rest_.size());
  const std::string_view found = rest_.substr(0, at);
  rest_.remove_prefix(std::min(at + end.size(), rest_.size()));
  return found;
}

size_t Line::number() {
  size_t value = 0;
  const char* end = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value).ptr;
  rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
  return value;
}

std::vector<size_t> registers(std::string_view text, char letter) {
  std::vector<size_t> out;
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    const bool begins = i == 0 || text[i - 1] == ' ' || text[i - 1] == '[' || text[i - 1] == '(';
    if (begins && text[i] == letter && text[i + 1] >= '0' && text[i + 1] <= '9')
      out.push_back(Line(text.substr(i + 1)).number());
  }
  return out;
}

std::string without_names(std::string_view text) {
  std::string out;
  bool is_inside = false;
  for (char c : text) {
    if (c == '`') is_inside = !is_inside;
    if (!is_inside) out += c;
  }
  return out;
}

std::vector<std::string_view> split_operands(std::string_view text) {
  std::vector<std::string_view> out;
  size_t begin = 0;
  int depth = 0;
  bool is_name = false;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '`') is_name = !is_name;
    if (is_name && i < text.size()) continue;
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (i < text.size() && (c != ',' || depth > 0)) continue;
    std::string_view part = text.substr(begin, i - begin);
    while (part.starts_with(' ')) part.remove_prefix(1);
    if (!part.empty()) out.push_back(part);
    begin = i + 1;
  }
  return out;
}

std::vector<PassedValue> passed_values(std::string_view group) {
  if (group.size() >= 2) group = group.substr(1, group.size() - 2);
  std::vector<PassedValue> out;
  for (std::string_view part : split_operands(group)) {
    const size_t open = std::min(part.find('('), part.size());
    const std::string_view head = part.substr(0, open);
    PassedValue value;
    if (const std::vector<size_t> found = registers(head, 't'); !found.empty()) value.reg = found[0];
    if (Line line(head); line.take("delivered ")) value.delivered = line.number();
    const std::string_view dims = part.substr(open);
    if (dims.size() >= 2)
      for (std::string_view dim : split_operands(dims.substr(1, dims.size() - 2)))
        value.dims.push_back(dim.starts_with('d') ? std::optional(Line(dim.substr(1)).number()) : std::nullopt);
    out.push_back(std::move(value));
  }
  return out;
}

CallOperands call_operands(std::string_view operands) {
  CallOperands out;
  bool has_arguments = true;  // of the last call
  for (std::string_view part : split_operands(operands)) {
    if (part.starts_with('`')) {
      out.calls.push_back({std::string(part.substr(1, part.size() - 2)), {}});
      has_arguments = false;
    } else if (!part.starts_with('[')) {
      if (part.starts_with('t')) out.condition = Line(part.substr(1)).number();
    } else if (!has_arguments) {
      out.calls.back().arguments = passed_values(part);
      has_arguments = true;
    } else {
      out.results = passed_values(part);
    }
  }
  return out;
}

}  // namespace sunmao::view
