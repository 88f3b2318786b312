// CPU features: the x86-64 levels as lists of LLVM feature names, and the features of the host.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sunmao {

struct CpuLevel {
  std::string_view name;                       // "x86-64-v3"
  std::span<const std::string_view> features;  // features added to those of the previous level
  int vector_bits;
  int vector_registers;
};

/// The levels of the x86-64 psABI, lowest first.
std::span<const CpuLevel> cpu_levels();
/// The features that belong to no level and may be added to a target.
std::span<const std::string_view> extra_cpu_features();
/// Returns all features of the level and the levels below it, sorted.
std::vector<std::string> features_of(const CpuLevel& level);

/// Returns the known features that both CPU and operating system support, sorted.
std::vector<std::string> host_cpu_features();

struct CacheSizes {
  int64_t l1_bytes = 0, l2_bytes = 0;  // data caches of one core; 0: unknown
};
CacheSizes host_cache_sizes();

}  // namespace sunmao
