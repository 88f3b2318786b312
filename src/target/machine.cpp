#include "target/machine.h"

#include <cpuid.h>
#include <unistd.h>

#include <algorithm>

namespace sunmao {
namespace {

struct Registers {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers cpuid(uint32_t leaf, uint32_t subleaf) {
  Registers r;
  if (!__get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx)) return {};
  return r;
}

/// Reads the sizes of caches from CPUID: leaf 4, or the same table in AMD's leaf 0x8000001d.
void read_caches(Machine& machine) {
  const bool has_amd_leaf = cpuid(0x80000000, 0).eax >= 0x8000001d && (cpuid(0x80000001, 0).ecx >> 22 & 1) != 0;
  const uint32_t leaf = has_amd_leaf ? 0x8000001d : 4;
  for (uint32_t i = 0; i < 8; ++i) {
    const Registers r = cpuid(leaf, i);
    const uint32_t type = r.eax & 0x1f;  // 1 data, 2 instructions, 3 both
    if (type == 0) break;
    if (type == 2) continue;
    const int64_t ways = (r.ebx >> 22) + 1, partitions = (r.ebx >> 12 & 0x3ff) + 1, line = (r.ebx & 0xfff) + 1;
    const int64_t bytes = ways * partitions * line * (int64_t{r.ecx} + 1);
    const uint32_t level = r.eax >> 5 & 7;
    if (level == 1) machine.l1_bytes = bytes;
    if (level == 2) machine.l2_bytes = bytes;
    if (level == 3) machine.l3_bytes = bytes;
  }
}

}  // namespace

Machine Machine::host() {
  Machine machine;
  read_caches(machine);
  machine.cores = std::max(machine.cores, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
  return machine;
}

}  // namespace sunmao
