// Diagnostics: reports of errors in user input, and checks of internal invariants.
#pragma once
#include <fmt/format.h>

#include <exception>
#include <string>
#include <vector>

#include "support/span.h"

namespace sunmao {

struct Diagnostic {
  using Details = std::vector<std::pair<std::string, std::string>>;

  std::string code;     // such as "E0311"; each code has a page in docs/errors/
  std::string message;  // what is wrong; expected against actual
  Span span;
  std::vector<std::string> notes;     // additional facts, one line each
  std::string help;                   // what to do; may be empty
  std::vector<Details> details = {};  // the notes for programs, by key
};

struct RenderOptions {
  bool color = false;
};

/// Returns the diagnostic as text: headline, location, source line with a caret, notes, help.
std::string render(const Diagnostic& diagnostic, const RenderOptions& options = {});

/// A user error: one or more diagnostics. Reported by the CLI's main and at the Python boundary; caught elsewhere
/// only to add context, to collect several errors, or to try another way.
class UserError final : public std::exception {
 public:
  explicit UserError(Diagnostic diagnostic) : UserError(std::vector{std::move(diagnostic)}) {}
  explicit UserError(std::vector<Diagnostic> diagnostics);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::vector<Diagnostic> diagnostics_;
  std::string text_;
};

/// A violated internal invariant, that is, a bug.
class InternalError final : public std::exception {
 public:
  explicit InternalError(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

[[noreturn]] void fail(std::string code, Span span, std::string message, std::string help = {});
[[noreturn]] void fail(Diagnostic diagnostic);

[[noreturn]] void check_failed(const char* file, int line, const char* condition, const std::string& message);

/// Checks an internal invariant; takes an optional {fmt} message.
#define SUNMAO_CHECK(condition, ...)                                                                       \
  do {                                                                                                     \
    if (!(condition)) ::sunmao::check_failed(__FILE__, __LINE__, #condition, fmt::format("" __VA_ARGS__)); \
  } while (false)

}  // namespace sunmao
