#include "target/cpu_names.h"

#include <algorithm>
#include <array>

namespace sunmao {
namespace {

constexpr std::array<std::string_view, 15> kBaseCpus{
    "nocona",  "core2",   "penryn",        "bonnell",      "atom",     "k8",        "athlon64", "athlon-fx",
    "opteron", "k8-sse3", "athlon64-sse3", "opteron-sse3", "amdfam10", "barcelona", "btver1"};
constexpr std::array<std::string_view, 16> kV2Cpus{
    "silvermont",  "slm",        "goldmont",  "goldmont-plus", "tremont", "nehalem", "corei7", "westmere",
    "sandybridge", "corei7-avx", "ivybridge", "core-avx-i",    "btver2",  "bdver1",  "bdver2", "bdver3"};
constexpr std::array<std::string_view, 10> kV3Cpus{"haswell", "core-avx2", "broadwell", "skylake", "knl",
                                                   "knm",     "bdver4",    "znver1",    "znver2",  "znver3"};
constexpr std::array<std::string_view, 11> kV3CpusVnni{"alderlake",    "raptorlake", "meteorlake",      "arrowlake",
                                                       "arrowlake-s",  "lunarlake",  "gracemont",       "pantherlake",
                                                       "sierraforest", "grandridge", "clearwaterforest"};
constexpr std::array<std::string_view, 1> kV3CpusVnniExtra{"avxvnni"};
constexpr std::array<std::string_view, 2> kV4Cpus{"skylake-avx512", "skx"};
constexpr std::array<std::string_view, 4> kSapphireRapids{"sapphirerapids", "graniterapids", "graniterapids-d",
                                                          "emeraldrapids"};
constexpr std::array<std::string_view, 5> kSapphireRapidsExtra{"avx512bf16", "avx512fp16", "avx512vbmi", "avx512vnni",
                                                               "avxvnni"};
constexpr std::array<std::string_view, 1> kZen4{"znver4"};
constexpr std::array<std::string_view, 3> kZen4Extra{"avx512bf16", "avx512vbmi", "avx512vnni"};
constexpr std::array<std::string_view, 1> kZen5{"znver5"};
constexpr std::array<std::string_view, 4> kZen5Extra{"avx512bf16", "avx512vbmi", "avx512vnni", "avxvnni"};
constexpr std::array<std::string_view, 1> kCooperLake{"cooperlake"};
constexpr std::array<std::string_view, 2> kCooperLakeExtra{"avx512bf16", "avx512vnni"};
constexpr std::array<std::string_view, 1> kCannonLake{"cannonlake"};
constexpr std::array<std::string_view, 1> kCannonLakeExtra{"avx512vbmi"};
constexpr std::array<std::string_view, 4> kIceLake{"icelake-client", "rocketlake", "icelake-server", "tigerlake"};
constexpr std::array<std::string_view, 2> kIceLakeExtra{"avx512vbmi", "avx512vnni"};
constexpr std::array<std::string_view, 1> kCascadeLake{"cascadelake"};
constexpr std::array<std::string_view, 1> kCascadeLakeExtra{"avx512vnni"};

constexpr std::array<CpuNames, 12> kCpuNames{{
    {"x86-64", {}, kBaseCpus},
    {"x86-64-v2", {}, kV2Cpus},
    {"x86-64-v3", {}, kV3Cpus},
    {"x86-64-v3", kV3CpusVnniExtra, kV3CpusVnni},
    {"x86-64-v4", {}, kV4Cpus},
    {"x86-64-v4", kSapphireRapidsExtra, kSapphireRapids},
    {"x86-64-v4", kZen4Extra, kZen4},
    {"x86-64-v4", kZen5Extra, kZen5},
    {"x86-64-v4", kCooperLakeExtra, kCooperLake},
    {"x86-64-v4", kCannonLakeExtra, kCannonLake},
    {"x86-64-v4", kIceLakeExtra, kIceLake},
    {"x86-64-v4", kCascadeLakeExtra, kCascadeLake},
}};

}  // namespace

std::span<const CpuNames> cpu_names() { return kCpuNames; }

const CpuNames* find_cpu(std::string_view name) {
  const auto has = [&](const CpuNames& group) { return std::ranges::find(group.names, name) != group.names.end(); };
  const auto* found = std::ranges::find_if(kCpuNames, has);
  return found == kCpuNames.end() ? nullptr : found;
}

}  // namespace sunmao
