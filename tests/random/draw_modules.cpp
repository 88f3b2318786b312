// Writes random modules as scripts, for tools that compile the same modules by several builds:
//   draw_modules FOLDER CALLS MODULES
// writes CALLS modules of one op each (engine_case.h), in whose order each op comes once before any comes again, and
// MODULES modules of many ops.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "script/print.h"
#include "tests/random/engine_case.h"
#include "tests/random/random_module.h"

namespace {

bool write(const std::filesystem::path& file, const sunmao::Module& module) {
  std::ofstream stream(file);
  stream << sunmao::print(module);
  return static_cast<bool>(stream.flush());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: draw_modules FOLDER CALLS MODULES\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const uint64_t calls = std::strtoull(argv[2], nullptr, 10), modules = std::strtoull(argv[3], nullptr, 10);
  bool is_written = true;
  for (uint64_t seed = 0; seed < calls && is_written; ++seed)
    is_written = write(folder / fmt::format("call_{:04}.py", seed), sunmao::engine_case(seed).module);
  for (uint64_t seed = 0; seed < modules && is_written; ++seed)
    is_written = write(folder / fmt::format("module_{:04}.py", seed),
                       sunmao::random_module(seed, {.extent = sunmao::Extent::Large}).module);
  if (!is_written) std::fprintf(stderr, "cannot write to %s\n", argv[1]);
  return is_written ? 0 : 1;
}
