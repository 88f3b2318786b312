#include "support/cpu_features.h"

#include <cpuid.h>

#include <algorithm>
#include <array>

namespace sunmao {
namespace {

constexpr std::array<std::string_view, 3> kV1{"cmov", "cx8", "sse2"};
constexpr std::array<std::string_view, 7> kV2{"cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3"};
constexpr std::array<std::string_view, 8> kV3{"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"};
constexpr std::array<std::string_view, 5> kV4{"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"};
constexpr std::array<CpuLevel, 4> kLevels{
    {{"x86-64", kV1, 128, 16}, {"x86-64-v2", kV2, 128, 16}, {"x86-64-v3", kV3, 256, 16}, {"x86-64-v4", kV4, 512, 32}}};
constexpr std::array<std::string_view, 5> kExtra{"avx512bf16", "avx512fp16", "avx512vbmi", "avx512vnni", "avxvnni"};

enum class Register : uint8_t { Eax, Ebx, Ecx, Edx };
enum class State : uint8_t { None, Avx, Avx512 };  // register state that the operating system must save

struct FeatureBit {
  std::string_view name;
  uint32_t leaf, subleaf;
  Register reg;
  int bit;
  State state;
};

// Where CPUID reports each feature (leaf, subleaf, register, bit), and the registers that the operating system has to
// save for it. From Intel's manual, volume 2, CPUID, and AMD's extended leaves.
constexpr std::array<FeatureBit, 28> kBits{{
    {"cmov", 1, 0, Register::Edx, 15, State::None},
    {"cx8", 1, 0, Register::Edx, 8, State::None},
    {"sse2", 1, 0, Register::Edx, 26, State::None},
    {"cx16", 1, 0, Register::Ecx, 13, State::None},
    {"popcnt", 1, 0, Register::Ecx, 23, State::None},
    {"sahf", 0x80000001, 0, Register::Ecx, 0, State::None},
    {"sse3", 1, 0, Register::Ecx, 0, State::None},
    {"sse4.1", 1, 0, Register::Ecx, 19, State::None},
    {"sse4.2", 1, 0, Register::Ecx, 20, State::None},
    {"ssse3", 1, 0, Register::Ecx, 9, State::None},
    {"avx", 1, 0, Register::Ecx, 28, State::Avx},
    {"avx2", 7, 0, Register::Ebx, 5, State::Avx},
    {"bmi", 7, 0, Register::Ebx, 3, State::None},
    {"bmi2", 7, 0, Register::Ebx, 8, State::None},
    {"f16c", 1, 0, Register::Ecx, 29, State::Avx},
    {"fma", 1, 0, Register::Ecx, 12, State::Avx},
    {"lzcnt", 0x80000001, 0, Register::Ecx, 5, State::None},
    {"movbe", 1, 0, Register::Ecx, 22, State::None},
    {"avx512bw", 7, 0, Register::Ebx, 30, State::Avx512},
    {"avx512cd", 7, 0, Register::Ebx, 28, State::Avx512},
    {"avx512dq", 7, 0, Register::Ebx, 17, State::Avx512},
    {"avx512f", 7, 0, Register::Ebx, 16, State::Avx512},
    {"avx512vl", 7, 0, Register::Ebx, 31, State::Avx512},
    {"avx512bf16", 7, 1, Register::Eax, 5, State::Avx512},
    {"avx512fp16", 7, 0, Register::Edx, 23, State::Avx512},
    {"avx512vbmi", 7, 0, Register::Ecx, 1, State::Avx512},
    {"avx512vnni", 7, 0, Register::Ecx, 11, State::Avx512},
    {"avxvnni", 7, 1, Register::Eax, 4, State::Avx},
}};

struct Registers {
  std::array<uint32_t, 4> values{};
  uint32_t operator[](Register r) const { return values[static_cast<size_t>(r)]; }
};

Registers cpuid(uint32_t leaf, uint32_t subleaf) {
  Registers r;
  if (!__get_cpuid_count(leaf, subleaf, &r.values[0], &r.values[1], &r.values[2], &r.values[3])) return {};
  return r;
}

bool has_bit(uint32_t word, int bit) { return ((word >> bit) & 1u) != 0; }

// Returns which registers the operating system saves, from XCR0: bits 1-2 are SSE and AVX registers, 5-7 those that
// AVX-512 adds.
State saved_state() {
  constexpr uint32_t kAvx = 0x6, kAvx512 = 0xe6;
  if (!has_bit(cpuid(1, 0)[Register::Ecx], 27)) return State::None;
  uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if ((low & kAvx512) == kAvx512) return State::Avx512;
  return (low & kAvx) == kAvx ? State::Avx : State::None;
}

}  // namespace

std::span<const CpuLevel> cpu_levels() { return kLevels; }
std::span<const std::string_view> extra_cpu_features() { return kExtra; }

std::vector<std::string> features_of(const CpuLevel& level) {
  std::vector<std::string> all;
  for (const CpuLevel& l : kLevels) {
    all.insert(all.end(), l.features.begin(), l.features.end());
    if (l.name == level.name) break;
  }
  std::ranges::sort(all);
  return all;
}

std::vector<std::string> host_cpu_features() {
  const State saved = saved_state();
  std::vector<std::string> found;
  for (const FeatureBit& f : kBits)
    if (f.state <= saved && has_bit(cpuid(f.leaf, f.subleaf)[f.reg], f.bit)) found.emplace_back(f.name);
  std::ranges::sort(found);
  return found;
}

CacheSizes host_cache_sizes() {
  CacheSizes sizes;
  const bool has_amd_leaf =
      cpuid(0x80000000, 0)[Register::Eax] >= 0x8000001d && has_bit(cpuid(0x80000001, 0)[Register::Ecx], 22);
  const uint32_t leaf = has_amd_leaf ? 0x8000001d : 4;
  for (uint32_t i = 0; i < 8; ++i) {
    const Registers r = cpuid(leaf, i);
    const uint32_t type = r[Register::Eax] & 0x1f;  // 1 data, 2 instructions, 3 both
    if (type == 0) break;
    if (type == 2) continue;
    const uint32_t level = (r[Register::Eax] >> 5) & 7, ebx = r[Register::Ebx];
    const int64_t bytes =
        int64_t{(ebx >> 22) + 1} * (((ebx >> 12) & 0x3ff) + 1) * ((ebx & 0xfff) + 1) * (int64_t{r[Register::Ecx]} + 1);
    if (level == 1) sizes.l1_bytes = bytes;
    if (level == 2) sizes.l2_bytes = bytes;
  }
  return sizes;
}

}  // namespace sunmao
