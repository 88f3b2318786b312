// The model of the runtime's tests: program, machine code, weights, and the artifact that contains them.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/program_builder.h"
#include "io/bytes.h"

namespace sunmao::runtime::testing {

/// Adds instructions to the function that a program is being built of.
using Body = std::function<void(abi::ProgramBuilder&)>;

inline constexpr abi::ElementType kFloat32 = {2, 32, 1};
inline constexpr abi::ElementType kBool = {6, 8, 1};

/// The functions, over `n` from 1 to 64:
///   main(x: (n, 3), row: the weight) -> squares: (n, 3), sums: (n, 3)    sums = x + row, squares = sums * sums
///   choose(x: (n, m)) -> y: (n * m,)                                      y = x if x[0, 0] > 0 else x * x
///   pair(a: (n, 2), b: (n, m)) -> c: (n, 2)                               c = a + row 0 of b; m must be 2
///   refuse(x: (n,)) -> x: (n,)                                            fails when n is 13
std::vector<uint8_t> tiny_program();
/// Returns a program of main() -> y: (3,), the weight `prepared`, which is made of the weight `row`.
std::vector<uint8_t> preparing_program();
/// Returns the kernels of tiny_program for baseline x86-64.
std::vector<uint8_t> tiny_code();
/// Returns the weight `row` = (10, 20, 30).
std::vector<uint8_t> tiny_weights();

struct CodeEntry {
  std::string isa;
  std::vector<std::string> requires_features;
  std::vector<uint8_t> bytes;
};

/// The parts of an artifact, each of which may be replaced.
struct ArtifactParts {
  std::vector<uint8_t> program = tiny_program();
  std::vector<CodeEntry> code = {{"x86-64", {"sse2"}, tiny_code()}};
  std::vector<uint8_t> weights = tiny_weights();  // empty: no such entry
  std::string manifest;                           // empty: a matching one is made
  std::string left_out;                           // name of an entry to omit
  uint32_t code_alignment = 4096;
};

std::string make_manifest(const ArtifactParts& parts);
std::string make_artifact(const ArtifactParts& parts = {});

}  // namespace sunmao::runtime::testing
