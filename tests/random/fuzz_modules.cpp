// Random modules by the thousand: `fuzz_modules COUNT FILE` checks the modules of seeds up to COUNT, keeps how far it
// got in FILE, and goes on there. It ends at the first fault.
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/random/module_fault.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: fuzz_modules COUNT FILE\n");
    return 2;
  }
  const uint64_t count = std::strtoull(argv[1], nullptr, 10);
  uint64_t done = 0;
  std::ifstream(argv[2]) >> done;
  for (; done < count; ++done) {
    if (std::string fault = sunmao::find_fault(done); !fault.empty()) {
      std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(done), fault.c_str());
      std::ofstream(argv[2]) << done;
      return 1;
    }
    if (done % 100 == 99) std::ofstream(argv[2]) << done + 1;
  }
  std::ofstream(argv[2]) << done;
  std::printf("%llu modules: no fault\n", static_cast<unsigned long long>(done));
  return 0;
}
