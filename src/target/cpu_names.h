// Names of processors, by LLVM's tables, and what targets for them are: a level and features beyond it.
#pragma once
#include <span>
#include <string_view>

namespace sunmao {

struct CpuNames {
  std::string_view level;                   // the highest one that these processors have
  std::span<const std::string_view> extra;  // those of `extra_features` that they have
  std::span<const std::string_view> names;
};

/// Returns all names of 64-bit processors that are no levels. tests/unit/codegen/llvm/cpu_names_test.cpp compares the
/// table with LLVM's.
std::span<const CpuNames> cpu_names();

/// Returns the group of the processor of this name; null when there is none.
const CpuNames* find_cpu(std::string_view name);

}  // namespace sunmao
