#include "cpu/features.h"

#include <cpuid.h>

#include <cstdint>

namespace sunmao::cpu {
namespace {

/// CPUID output registers that contain feature bits.
enum Word { k1Ecx, k1Edx, k7Ebx, k7Ecx, k7Edx, k7_1Eax, kExtendedEcx, kWords };

/// XCR0 bits of the register state that the operating system must save for a feature.
enum State : uint32_t { kNoState = 0, kAvxState = 0x6, kAvx512State = 0xe6, kTileState = 0x60000 };

struct Feature {
  const char* name;
  Word word;
  uint32_t bit;
  State state;
};

// Where CPUID reports each feature. Source: Intel's manual, volume 2A, CPUID; AMD's manual, volume 3, appendix E.
constexpr Feature kFeatures[] = {
    {"sse", k1Edx, 25, kNoState},
    {"sse2", k1Edx, 26, kNoState},
    {"fxsr", k1Edx, 24, kNoState},
    {"cmov", k1Edx, 15, kNoState},
    {"mmx", k1Edx, 23, kNoState},
    {"cx8", k1Edx, 8, kNoState},
    {"sse3", k1Ecx, 0, kNoState},
    {"pclmul", k1Ecx, 1, kNoState},
    {"ssse3", k1Ecx, 9, kNoState},
    {"fma", k1Ecx, 12, kAvxState},
    {"cx16", k1Ecx, 13, kNoState},
    {"sse4.1", k1Ecx, 19, kNoState},
    {"sse4.2", k1Ecx, 20, kNoState},
    {"crc32", k1Ecx, 20, kNoState},
    {"movbe", k1Ecx, 22, kNoState},
    {"popcnt", k1Ecx, 23, kNoState},
    {"aes", k1Ecx, 25, kNoState},
    {"xsave", k1Ecx, 27, kNoState},
    {"avx", k1Ecx, 28, kAvxState},
    {"f16c", k1Ecx, 29, kAvxState},
    {"rdrnd", k1Ecx, 30, kNoState},
    {"fsgsbase", k7Ebx, 0, kNoState},
    {"bmi", k7Ebx, 3, kNoState},
    {"avx2", k7Ebx, 5, kAvxState},
    {"bmi2", k7Ebx, 8, kNoState},
    {"avx512f", k7Ebx, 16, kAvx512State},
    {"avx512dq", k7Ebx, 17, kAvx512State},
    {"rdseed", k7Ebx, 18, kNoState},
    {"adx", k7Ebx, 19, kNoState},
    {"avx512ifma", k7Ebx, 21, kAvx512State},
    {"clflushopt", k7Ebx, 23, kNoState},
    {"clwb", k7Ebx, 24, kNoState},
    {"avx512cd", k7Ebx, 28, kAvx512State},
    {"sha", k7Ebx, 29, kNoState},
    {"avx512bw", k7Ebx, 30, kAvx512State},
    {"avx512vl", k7Ebx, 31, kAvx512State},
    {"avx512vbmi", k7Ecx, 1, kAvx512State},
    {"avx512vbmi2", k7Ecx, 6, kAvx512State},
    {"gfni", k7Ecx, 8, kNoState},
    {"vaes", k7Ecx, 9, kAvxState},
    {"vpclmulqdq", k7Ecx, 10, kAvxState},
    {"avx512vnni", k7Ecx, 11, kAvx512State},
    {"avx512bitalg", k7Ecx, 12, kAvx512State},
    {"avx512vpopcntdq", k7Ecx, 14, kAvx512State},
    {"avx512vp2intersect", k7Edx, 8, kAvx512State},
    {"amx-bf16", k7Edx, 22, kTileState},
    {"avx512fp16", k7Edx, 23, kAvx512State},
    {"amx-tile", k7Edx, 24, kTileState},
    {"amx-int8", k7Edx, 25, kTileState},
    {"avxvnni", k7_1Eax, 4, kAvxState},
    {"avx512bf16", k7_1Eax, 5, kAvx512State},
    {"avxifma", k7_1Eax, 23, kAvxState},
    {"sahf", kExtendedEcx, 0, kNoState},
    {"lzcnt", kExtendedEcx, 5, kNoState},
    {"sse4a", kExtendedEcx, 6, kNoState},
    {"prfchw", kExtendedEcx, 8, kNoState},
};

struct Cpu {
  uint32_t words[kWords] = {};
  uint64_t saved_state = 0;  // XCR0
};

Cpu read_cpu() {
  Cpu cpu;
  uint32_t a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d)) {
    cpu.words[k1Ecx] = c;
    cpu.words[k1Edx] = d;
    constexpr uint32_t kOsxsave = 1u << 27;
    if (c & kOsxsave) {
      uint32_t low = 0, high = 0;
      __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
      cpu.saved_state = uint64_t{high} << 32 | low;
    }
  }
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
    cpu.words[k7Ebx] = b;
    cpu.words[k7Ecx] = c;
    cpu.words[k7Edx] = d;
    const bool has_second_leaf = a >= 1;
    if (has_second_leaf && __get_cpuid_count(7, 1, &a, &b, &c, &d)) cpu.words[k7_1Eax] = a;
  }
  if (__get_cpuid(0x80000001, &a, &b, &c, &d)) cpu.words[kExtendedEcx] = c;
  return cpu;
}

}  // namespace

bool has_feature(std::string_view name) {
  static const Cpu cpu = read_cpu();
  if (name == "64bit") return true;
  for (const Feature& feature : kFeatures)
    if (name == feature.name)
      return (cpu.words[feature.word] >> feature.bit & 1) && (cpu.saved_state & feature.state) == feature.state;
  return false;
}

std::vector<std::string> missing_features(const std::vector<std::string>& names) {
  std::vector<std::string> missing;
  for (const std::string& name : names)
    if (!has_feature(name)) missing.push_back(name);
  return missing;
}

}  // namespace sunmao::cpu
