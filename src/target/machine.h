// Machine: what the costs of kernels depend on beside the instruction set. It changes how kernels are divided, never
// which instructions they use.
#pragma once
#include <cstdint>

namespace sunmao {

/// The defaults stand for any machine.
struct Machine {
  int cores = 4;
  int64_t l1_bytes = 32 << 10;  // data cache of one core
  int64_t l2_bytes = 512 << 10;
  int64_t l3_bytes = 16 << 20;  // shared by cores

  /// Returns how many tasks all cores find enough work in, although some tasks take longer than others.
  int64_t wanted_tasks() const { return int64_t{2} * cores; }
  /// Returns this machine, with the defaults for what it does not tell. It has at least the default's cores: smaller
  /// parts of a kernel cost little, and an artifact may run elsewhere.
  static Machine host();
  friend bool operator==(const Machine&, const Machine&) = default;
};

}  // namespace sunmao
