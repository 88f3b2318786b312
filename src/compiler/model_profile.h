// ModelProfile: what a session recorded of a model's kernels, with what the artifact tells of them.
#pragma once
#include <sunmao/runtime.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/machine_peak.h"

namespace sunmao {

/// The calls of a kernel from one place. Texts are empty when unknown.
struct KernelPlace {
  std::string function;
  size_t call = 0;  // number among the function's kernel calls
  std::string node, module, line;
  uint64_t calls = 0;
  double seconds = 0;
};

struct KernelTime {
  std::string name, family;  // the family is empty when the artifact does not tell it
  uint64_t calls = 0;
  double seconds = 0;                  // of all calls together
  double fastest = 0;                  // seconds of the fastest call
  std::optional<double> flops, bytes;  // of all calls together
  /// The operations by what they are on (passes/analysis/kernel_work.h); absent when the artifact does not tell.
  std::optional<std::map<std::string, double>> flops_on = {};
  std::vector<KernelPlace> places;  // the one that took longest first
};

struct ModelProfile {
  std::string isa;
  uint32_t threads = 0;
  uint64_t runs = 0;
  double seconds = 0;               // of all runs
  std::vector<KernelTime> kernels;  // the one that took longest first
  uint64_t lost_calls = 0;          // that no kernel's numbers contain

  double kernel_seconds() const;
};

/// Returns what was recorded; the session must have a profile.
ModelProfile read_profile(const sunmao_model* model, const sunmao_session* session);

/// What bounds the speed of a kernel: arithmetic, or moving its bytes where that takes longer, from memory or, where
/// those of a call fit into the caches of the cores, from these. Products of bytes and of
/// bfloat16 have peaks of their own; all other arithmetic has that of float32. `Mixed`: none of the three takes nine
/// tenths of the time that all take.
enum class Limit : uint8_t { Arithmetic, Int8, BFloat16, Mixed, Memory, Cache };
const char* name_of(Limit limit);

/// How fast a kernel is compared with its limit.
struct Attained {
  Limit limit;
  double share;     // of the limit
  double expected;  // the share that the kernel's family is expected to reach; 0 when nothing is expected
};
/// Absent when the work of the kernel is unknown or there is none.
std::optional<Attained> attained(const KernelTime& kernel, const MachinePeak& peak);

/// Returns the profile as JSON (docs/command_line.md).
std::string profile_json(const ModelProfile& profile, const MachinePeak& peak);

}  // namespace sunmao
