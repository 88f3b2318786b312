// Findings: what keeps a model from being read, gathered over all its nodes, so that it fails once and says all.
#pragma once
#include <exception>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/status.h"
#include "support/diagnostic.h"

namespace sunmao {

/// Throws the status as a user error at `span`; does nothing when all is well.
void check(const io::Status& status, const Span& span);

/// Thrown by a converter for a valid use of an op that is not supported; `why` follows the op's name.
struct UnsupportedUse {
  std::string why;
};

/// What a list of ops is reported as.
struct FindingKind {
  const char* code;
  const char* verb;  // "is not supported": said of each op
  std::string help;
};

class Findings {
 public:
  void add_op(const FindingKind* kind, const std::string& op, Span place);
  /// Runs the conversion of one node. True when it succeeded; what it threw is kept, the first error alone.
  bool run(const FindingKind* unsupported, const std::string& op, const Span& place,
           const std::function<void()>& convert);
  /// One diagnostic for each kind of op found; the first error when there is none.
  void throw_if_any() const;

 private:
  struct Entry {
    const FindingKind* kind;
    std::string op;
    Span first;
    size_t count;
  };
  Diagnostic describe(const FindingKind& kind) const;

  std::vector<Entry> entries_;
  std::unordered_map<std::string, size_t> by_op_;
  std::exception_ptr first_error_;
};

}  // namespace sunmao
