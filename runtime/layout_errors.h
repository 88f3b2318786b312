// Error messages of make_layout. They name the parameter and axis that a dim comes from, where it is bound to one.
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

  /// E0905: axis `axis` of parameter `param` has size `got` instead of `expected`, the value of dim register `reg`.
  io::Status mismatch(uint32_t param, uint32_t axis, uint32_t reg, int64_t expected, int64_t got) const;
  io::Status out_of_range(uint32_t reg, std::string_view symbol, int64_t low, int64_t high, int64_t got) const;
  /// The condition in dim register `reg` is 0; `text` states it. E0905 with the values of both sides for an equality,
  /// else E0912.
  io::Status condition(uint32_t reg, std::string_view text, std::span<const int64_t> dims) const;
  /// E0911: a size that is invalid or overflows.
  io::Status size(const std::string& problem) const;

 private:
  std::string origin(uint32_t reg) const;

  const ProgramTables& t_;
  const FunctionView& f_;
};

}  // namespace sunmao::runtime
