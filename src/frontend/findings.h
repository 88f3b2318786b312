// Findings: the errors found in all nodes of a model, which are reported together.
#pragma once
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "io/status.h"
#include "support/diagnostic.h"

namespace sunmao {

/// Throws a failed status as a user error at `span`.
void check(const io::Status& status, const Span& span);

/// Thrown by a converter for a valid use of an op that is not supported; `why` completes the op's name in the message.
struct UnsupportedUse {
  std::string why;
};

/// Thrown when a converter needs a value that could not be read; the reason is already recorded.
struct NeedsUnread {};

/// How unsupported ops of one kind are reported.
struct FindingKind {
  const char* code;
  const char* verb;  // predicate of the ops in the message, such as "is not supported"
  std::string help;
};

class Findings {
 public:
  /// `nearest` names the form of an op that is read and comes closest to it, as a clause; empty when there is none.
  explicit Findings(std::function<std::string(const std::string& op)> nearest) : nearest_(std::move(nearest)) {}

  void add_op(const FindingKind* kind, const std::string& op, const std::string& why, Span place);
  /// Calls `convert` for one node; true on success. Records what it throws: each unsupported use, but of other errors
  /// only the first.
  bool run(const FindingKind* unsupported, const std::string& op, const Span& place,
           const std::function<void()>& convert);
  /// Throws one diagnostic per kind of unsupported op or, if there are none, the first other error.
  void throw_if_any() const;

 private:
  struct Entry {
    const FindingKind* kind;
    std::string op, why;
    std::vector<Span> places;  // the first ones
    size_t count = 0;
  };
  Diagnostic describe(const FindingKind& kind) const;

  std::function<std::string(const std::string& op)> nearest_;
  std::vector<Entry> entries_;
  std::map<std::pair<std::string, std::string>, size_t> by_use_;
  std::exception_ptr first_error_;
};

}  // namespace sunmao
