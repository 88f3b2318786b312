// Target: the machine that code is generated for: instruction set, feature names, vector width, cache sizes. It knows
// no code generator; feature names are LLVM's, and the runtime checks the same names when it loads code.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sunmao {

struct Target {
  std::string isa;                    // "x86-64-v4": the level, and the name of the code entry in an artifact
  std::string cpu;                    // LLVM's CPU name; a level, so that the same target gives the same code anywhere
  std::vector<std::string> features;  // sorted LLVM feature names; code may use these and nothing else
  int vector_bits = 128;
  int vector_registers = 16;
  int64_t l1_bytes = 32 << 10;  // data cache of one core
  int64_t l2_bytes = 512 << 10;

  /// This machine, as far as its operating system lets programs use it (CPUID and XGETBV).
  static Target host();
  /// "host", a level ("x86-64-v3"), "llvm" with options (`llvm -mcpu=x86-64-v4 -mattr=+avx512vnni`) or a JSON object
  /// (`{"kind": "llvm", "mcpu": "x86-64-v3"}`); "llvm" alone means this machine. E1001 for anything else.
  static Target parse(std::string_view text);

  bool has(std::string_view feature) const;
  /// Elements of `bits` bits in one vector register.
  int lanes(int bits) const { return vector_bits / bits; }
  friend bool operator==(const Target&, const Target&) = default;
};

}  // namespace sunmao
