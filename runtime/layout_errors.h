// Error messages of the entry part: they name the parameter and axis that a dim comes from.
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

  /// Axis `axis` of parameter `param` has size `got` instead of `expected`, the value of dim register `reg`.
  io::Status mismatch(uint32_t param, uint32_t axis, uint32_t reg, int64_t expected, int64_t got) const;
  io::Status out_of_range(uint32_t reg, std::string_view symbol, int64_t low, int64_t high, int64_t got) const;
  /// The condition in dim register `reg` is 0; `text` states it. Of an equality the values of both sides are printed.
  io::Status condition(uint32_t reg, std::string_view text, std::span<const int64_t> dims) const;
  /// A size that is invalid or overflows.
  io::Status size(const std::string& problem) const;

 private:
  std::string origin(uint32_t reg) const;

  const ProgramTables& t_;
  const FunctionView& f_;
};

}  // namespace sunmao::runtime
