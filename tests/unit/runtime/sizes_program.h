// Programs whose sizes data decides, for the runtime's tests.
#pragma once
#include "tests/unit/runtime/tiny_model.h"

namespace sunmao::runtime::testing {

/// Returns the code and message of what is wrong with a program, or "none".
std::string fault_of(const std::vector<uint8_t>& program);

/// Starts a function of sizes: (1,) and x: (n,), with dims n and 1 and tensors sizes and x.
void begin_entry(abi::ProgramBuilder& b, const char* name, const std::vector<abi::ProgramBuilder::Value>& results);
/// Adds head_of(m, x: (n,)) -> the first m elements of x.
void add_head_of(abi::ProgramBuilder& b);

/// head(sizes, x) -> the first sizes[0] elements of x; three(sizes, x) -> the same, of which there must be three;
/// parts(sizes, x) -> these and x. The inner functions are 3 and 4. Kernels are those of the tests' code.
std::vector<uint8_t> head_and_parts(const Body& head, const Body& parts);
/// How they end.
void follow(abi::ProgramBuilder& b);
void chain(abi::ProgramBuilder& b);

}  // namespace sunmao::runtime::testing
