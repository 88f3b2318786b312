// A machine that no schedule was written for, which runs on x86-64-v3: short vectors, few registers,
// and none of the instructions that are asked for by name.
#pragma once
#include "target/target.h"

namespace sunmao {

inline constexpr const char* kMockIsa = "mock-128";

inline Isa mock_isa() {
  Isa isa = *find_isa("x86-64-v3");
  isa.name = kMockIsa;
  isa.vector_bits = 128;
  isa.vector_registers = 8;
  isa.instructions.clear();
  return isa;
}

}  // namespace sunmao
