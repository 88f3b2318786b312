// The messages of the entry part: they say which parameter and axis a dim came from.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "io/status.h"
#include "runtime/program.h"

namespace sunmao::runtime {

class LayoutErrors {
 public:
  LayoutErrors(const ProgramTables& tables, const FunctionView& function) : t_(tables), f_(function) {}

  /// Axis `axis` of parameter `param` is `got`, and should be `expected`, which dim register `reg` holds.
  io::Status mismatch(uint32_t param, uint32_t axis, uint32_t reg, int64_t expected, int64_t got) const;
  io::Status out_of_range(uint32_t reg, std::string_view symbol, int64_t low, int64_t high, int64_t got) const;
  /// Dim register `reg` holds 0, and `text` says what should be; both sides are printed where it is a comparison.
  io::Status condition(uint32_t reg, std::string_view text, std::span<const int64_t> dims) const;
  /// A number that is no size, or sizes that contradict.
  io::Status size(const std::string& problem) const;

 private:
  std::string origin(uint32_t reg) const;

  const ProgramTables& t_;
  const FunctionView& f_;
};

}  // namespace sunmao::runtime
