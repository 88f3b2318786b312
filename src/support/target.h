// Target: the machine that code is generated for: instruction set, feature names, vector width, cache sizes. Feature
// names are LLVM's; the runtime checks them when it loads code.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sunmao {

struct Target {
  std::string isa;                    // the level, such as "x86-64-v4"; also the name of the code entry in an artifact
  std::string cpu;                    // LLVM's CPU name: a level, so that code does not depend on the compiling machine
  std::vector<std::string> features;  // sorted LLVM feature names; code uses no others
  int vector_bits = 128;
  int vector_registers = 16;
  int64_t l1_bytes = 32 << 10;  // L1 data cache of one core
  int64_t l2_bytes = 512 << 10;

  /// Returns the host's target: the highest level, and the features beyond it, that both CPU and operating system
  /// support (CPUID and XGETBV).
  static Target host();
  /// Parses "host" or "native", a level ("x86-64-v3"), "llvm" with options (`llvm -mcpu=x86-64-v4 -mattr=+avx512vnni
  /// -l2-cache=1048576`) or a JSON object (`{"kind": "llvm", "mcpu": "x86-64-v3"}`); "llvm" alone is the host. Fails
  /// (E1001) on other text.
  static Target parse(std::string_view text);
  /// Returns the text of which `parse` makes this target, on every machine.
  std::string text() const;

  bool has(std::string_view feature) const;
  /// Returns the number of elements of `bits` bits in a vector register.
  int lanes(int bits) const { return vector_bits / bits; }
  friend bool operator==(const Target&, const Target&) = default;
};

/// Orders targets by what their code may use, the most capable first: by the number of features, as levels nest.
std::vector<Target> best_first(std::vector<Target> targets);

}  // namespace sunmao
