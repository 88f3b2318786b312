// Checks the committed copies of the tiny model, which C programs and fuzzers use. With SUNMAO_WRITE_TINY_MODEL=1 in
// the environment they are written instead.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/unit/runtime/host_program.h"
#include "tests/unit/runtime/state_program.h"

namespace sunmao::runtime::testing {
namespace {

void compare(const std::string& path, const std::string& expected) {
  if (std::getenv("SUNMAO_WRITE_TINY_MODEL")) {
    std::ofstream(path, std::ios::binary) << expected;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  const std::string content(std::istreambuf_iterator<char>(file), {});
  EXPECT_TRUE(content == expected) << path << " is not what tiny_model.cpp makes; write it again with "
                                   << "SUNMAO_WRITE_TINY_MODEL=1";
}

TEST(TinyFiles, are_up_to_date) {
  const std::vector<uint8_t> program = tiny_program();
  compare("tests/fuzz/corpus/fuzz_runtime_bytecode/tiny.program", std::string(program.begin(), program.end()));
  const std::vector<uint8_t> sizes = head_and_parts(follow, chain);
  compare("tests/fuzz/corpus/fuzz_runtime_bytecode/sizes.program", std::string(sizes.begin(), sizes.end()));
  const std::vector<uint8_t> host = host_program();
  compare("tests/fuzz/corpus/fuzz_runtime_bytecode/host.program", std::string(host.begin(), host.end()));
  const std::vector<uint8_t> states = state_program();
  compare("tests/fuzz/corpus/fuzz_runtime_bytecode/states.program", std::string(states.begin(), states.end()));
  compare("tests/fuzz/corpus/fuzz_runtime_artifact/tiny.sunmao", make_artifact());
}

}  // namespace
}  // namespace sunmao::runtime::testing
