// CPU features: the x86-64 levels as lists of LLVM feature names, and what this machine has of them. Not a Target yet.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sunmao {

struct CpuLevel {
  std::string_view name;                       // "x86-64-v3"
  std::span<const std::string_view> features;  // what the level adds to the one before
  int vector_bits;
  int vector_registers;
};

/// The levels of the x86-64 psABI, lowest first.
std::span<const CpuLevel> cpu_levels();
/// Features beyond the levels that code generation makes use of.
std::span<const std::string_view> extra_cpu_features();
/// All features that the level and those before it promise, sorted.
std::vector<std::string> features_of(const CpuLevel& level);

/// Known features that both this machine and its operating system support, sorted.
std::vector<std::string> host_cpu_features();

struct CacheSizes {
  int64_t l1_bytes = 0, l2_bytes = 0;  // 0: the machine does not say
};
CacheSizes host_cache_sizes();

}  // namespace sunmao
