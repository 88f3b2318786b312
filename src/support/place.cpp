#include "support/place.h"

#include <fmt/format.h>

namespace sunmao {

std::string place_of(const Span& span) {
  if (!span) return {};
  std::string where = span->source ? span->source->name : std::string("<unknown>");
  if (span->line > 0) where += fmt::format(":{}:{}", span->line, span->column);
  if (!span->label.empty()) where += ": " + span->label;
  return where;
}

}  // namespace sunmao
