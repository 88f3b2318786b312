#include "support/diagnostic.h"

#include <algorithm>
#include <cstring>

#include "support/place.h"

namespace sunmao {
namespace {

std::string caret_lines(const SpanNode& span) {
  if (!span.source || span.line < 1) return {};
  std::string line = span.source->line(span.line);
  if (line.empty()) return {};
  size_t column = std::min(line.size(), static_cast<size_t>(std::max(0, span.column - 1)));
  size_t width =
      std::max<size_t>(1, span.end_column > span.column ? static_cast<size_t>(span.end_column - span.column) : 1);
  std::string pad = line.substr(0, column);
  for (char& c : pad)
    if (c != '\t') c = ' ';
  std::string number = std::to_string(span.line);
  return fmt::format(" {} | {}\n {} | {}{}\n", number, line, std::string(number.size(), ' '), pad,
                     std::string(std::min(width, std::max<size_t>(1, line.size() - column)), '^'));
}

}  // namespace

std::string render(const Diagnostic& d, const RenderOptions& options) {
  const char* red = options.color ? "\x1b[1;31m" : "";
  const char* bold = options.color ? "\x1b[1m" : "";
  const char* cyan = options.color ? "\x1b[36m" : "";
  const char* off = options.color ? "\x1b[0m" : "";
  std::string out = fmt::format("{}error[{}]{}: {}{}{}\n", red, d.code, off, bold, d.message, off);
  if (d.span) out += fmt::format("  {}-->{} {}\n", cyan, off, place_of(d.span)) + caret_lines(*d.span);
  for (const std::string& note : d.notes) out += fmt::format("   {}|{}  {}\n", cyan, off, note);
  if (!d.help.empty()) out += fmt::format("  {}help:{} {}\n", cyan, off, d.help);
  return out;
}

UserError::UserError(std::vector<Diagnostic> diagnostics) : diagnostics_(std::move(diagnostics)) {
  for (const Diagnostic& d : diagnostics_) text_ += render(d);
  while (!text_.empty() && text_.back() == '\n') text_.pop_back();
}

void fail(std::string code, Span span, std::string message, std::string help) {
  throw UserError(Diagnostic{.code = std::move(code),
                             .message = std::move(message),
                             .span = std::move(span),
                             .notes = {},
                             .help = std::move(help)});
}

void fail(Diagnostic diagnostic) { throw UserError(std::move(diagnostic)); }

void check_failed(const char* file, int line, const char* condition, const std::string& message) {
  const char* base = std::strrchr(file, '/');
  throw InternalError(fmt::format("internal error at {}:{}: `{}` does not hold{}{}; this is a bug",
                                  base ? base + 1 : file, line, condition, message.empty() ? "" : ": ", message));
}

}  // namespace sunmao
