#include "codegen/vm/call_origin.h"

#include <fmt/format.h>

namespace sunmao {
namespace {

// Removes a tail such as " in `layer1`" from the label: `begin`, the text that is returned, and `end`. Returns an empty
// text when the label has no such tail.
std::string take_tail(std::string& label, std::string_view begin, std::string_view end) {
  const size_t at = label.rfind(begin);
  if (at == std::string::npos || !label.ends_with(end)) return {};
  const size_t first = at + begin.size();
  const std::string tail = label.substr(first, label.size() - end.size() - first);
  label.resize(at);
  return tail;
}

std::string without_folders(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

CallOrigin origin_of(const Span& span) {
  CallOrigin origin;
  if (!span) return origin;
  if (!span->source->text.empty()) {
    origin.line = fmt::format("{}:{}", without_folders(span->source->name), span->line);
    return origin;
  }
  // The labels of nodes of a .pt2 file: node `name` in `module` (`file:line`).
  origin.node = span->label;
  if (origin.node.find(".py:") != std::string::npos) origin.line = without_folders(take_tail(origin.node, " (`", "`)"));
  origin.module = take_tail(origin.node, " in `", "`");
  if (origin.node.starts_with("node `")) origin.node = take_tail(origin.node, "node `", "`");
  return origin;
}

}  // namespace sunmao
